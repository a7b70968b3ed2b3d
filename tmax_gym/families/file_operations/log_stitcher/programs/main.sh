#!/bin/bash
export LC_ALL=C.UTF-8
cd "$1" || exit 1
WORK='
function begin(line) { flush(); open = 1; add(line) }
function add(line) {
  gsub(/^[ \t]+|[ \t]+$/, "", line)
  if (open && line != "") joined = joined (joined == "" ? "" : JOINER) line
}
function flush(   stamp, level, text) {
  if (joined != "") {
    stamp = substr(joined, 1, 19)
    text = substr(joined, 21)
    level = substr(text, 1, index(text, " ") - 1)
    gone = 0
    text = edited("", substr(text, length(level) + 2), level)
    if (!gone) printf "%s\t%s\t%s\t%s\n", stamp, stem, level, text
  }
  joined = ""
  open = 0
}
function edited(block, text, level,   i, q, w, parts, n, made) {
  for (i = 1; i <= size[block] && !gone; i++) {
    split(step[block, i], q, "\"")
    split(q[1], w, " ")
    if (w[1] == "run") {
      if (w[3] == "for" ? w[4] == level : w[3] != "when" || index(text, q[2]))
        text = edited(w[2], text, level)
    } else if (w[1] == "drop") gone = index(text, q[2]) > 0
    else if (w[1] == "replace") text = swapped(text, q[2], q[4])
    else if (w[1] == "cut") text = cut(text, q[2], q[4])
    else if (w[1] == "mask") text = masked(text, q[2])
    else if (w[1] == "tag") {
      if (index(text, q[2])) text = @front ? "[" q[4] "] " text : text " [" q[4] "]"
    } else if (w[1] == "limit") {
      if (length(text) > w[2] + 0) text = substr(text, 1, w[2]) "@more"
    } else if (w[1] == "skip") text = skipped(text, q[2])
  }
  return text
}
function swapped(text, a, b,   made, at) {
  made = ""
  while (at = index(text, a)) {
    made = made substr(text, 1, at - 1) b
    text = substr(text, at + length(a))
    if (!@everywhere) break
  }
  return made text
}
function cut(text, a, b,   made, at, to) {
  made = ""
  while (at = index(text, a)) {
    to = index(substr(text, at + length(a)), b)
    if (!to) break
    made = made substr(text, 1, at - 1) (@ends ? "" : a b)
    text = substr(text, at + length(a) + to - 1 + length(b))
  }
  return made text
}
function masked(text, a,   made, at, digits, shown) {
  made = ""
  while (at = index(text, a)) {
    made = made substr(text, 1, at + length(a) - 1)
    text = substr(text, at + length(a))
    match(text, /^[0-9]*/)
    digits = substr(text, 1, RLENGTH)
    text = substr(text, RLENGTH + 1)
    shown = length(digits) > @spared ? substr(digits, length(digits) - @spared + 1) : digits
    digits = substr(digits, 1, length(digits) - length(shown))
    gsub(/./, "@cover", digits)
    made = made digits shown
  }
  return made text
}
function skipped(text, a,   made, at, piece, n) {
  made = ""
  for (;;) {
    at = index(text, JOINER)
    piece = at ? substr(text, 1, at - 1) : text
    if (index(piece, a) != 1) made = made (n++ ? JOINER : "") piece
    if (!at) return made
    text = substr(text, at + length(JOINER))
  }
}
BEGIN { JOINER = "@joiner" }
FNR == NR {
  if (/^#/ || NF == 0) next
  if ($1 == "macro") block = $2
  else if ($1 == "end") block = ""
  else step[block, ++size[block]] = $0
  next
}
kind == "stamped" {
  if (/^[0-9]+-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9] /) begin($0)
  else add($0)
}
kind == "indented" { if (/^[ \t]/) add($0); else begin($0) }
kind == "slashed" {
  more = sub(/\\$/, "")
  if (on) add($0); else begin($0)
  on = more
}
kind == "counted" {
  if (left > 0) { add($0); left-- }
  else {
    match($0, / [+][0-9]+$/)
    left = substr($0, RSTART + 2) + 0
    begin(substr($0, 1, RSTART - 1))
  }
}
kind == "framed" {
  if ($0 == "<<") begin("")
  else if ($0 == ">>") flush()
  else add($0)
}
END { flush() }
'
while IFS=$'\t' read -r file encoding kind; do
  iconv -f "$encoding" -t UTF-8 "$file" | sed $'1s/^\xef\xbb\xbf//; s/\r$//' |
    gawk -v stem="${file%%.*}" -v kind="$kind" "$WORK" edits.txt -
done < sources.tsv | LC_ALL=C sort -s -t $'\t' -k 1,1
