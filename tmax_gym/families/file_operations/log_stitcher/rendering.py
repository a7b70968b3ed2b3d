"""Reference stitchers of the log-stitcher family, in Python, in Bash with gawk, and in C.

Each takes a folder, reads its list and its sheet, and prints the stitched lines.  Covers every
variant of the commands by substitution.  Does not cover drawing: see `edits.py`.
"""

from __future__ import annotations

from dataclasses import asdict

from tmax_gym.axes import Language
from tmax_gym.families.file_operations.log_stitcher.c import C
from tmax_gym.families.file_operations.log_stitcher.edits import Plan


def program(made: Plan, language: Language, *, decode: bool = True) -> str:
    """Return a stitcher; without `decode` it takes every log for ISO-8859-1."""
    body = _PROGRAMS[language]
    if not decode:
        for asked in ("open(path, encoding=encoding)", '-f "$encoding"', '"UTF-8", encoding'):
            body = body.replace(asked, _LATIN[asked])
    facts = {k: int(v) if isinstance(v, bool) else v for k, v in asdict(made).items()}
    for name, value in facts.items():
        body = body.replace(f"@{name}", str(value))
    return body


_LATIN = {
    "open(path, encoding=encoding)": 'open(path, encoding="ISO-8859-1")',
    '-f "$encoding"': "-f ISO-8859-1",
    '"UTF-8", encoding': '"UTF-8", "ISO-8859-1"',
}
_PYTHON = """\
import re, sys
from pathlib import Path

JOINER = "@joiner"
STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} ")


def records(lines, kind):
    found, left, open_ = [], 0, False
    for line in lines:
        if kind == "stamped":
            if STAMP.match(line):
                found.append([line])
            elif found:
                found[-1].append(line)
        elif kind == "indented":
            if line[:1] not in (" ", "\\t"):
                found.append([line])
            elif found:
                found[-1].append(line)
        elif kind == "slashed":
            if not open_:
                found.append([])
            open_ = line.endswith("\\\\")
            found[-1].append(line[:-1] if open_ else line)
        elif kind == "counted":
            if left:
                found[-1].append(line)
                left -= 1
            else:
                line, _, count = line.rpartition(" +")
                left = int(count)
                found.append([line])
        elif line == "<<":
            found.append([])
            open_ = True
        elif line == ">>":
            open_ = False
        elif open_:
            found[-1].append(line)
    return found


def sheet(path):
    blocks = {"": []}
    into = blocks[""]
    for line in path.read_text(encoding="utf-8").splitlines():
        words = [a or b for a, b in re.findall(r'"([^"]*)"|(\\S+)', line)]
        if not words or line.startswith("#"):
            continue
        if words[0] == "macro":
            into = blocks.setdefault(words[1], [])
        elif words[0] == "end":
            into = blocks[""]
        else:
            into.append(words)
    return blocks


def cut(text, start, stop):
    made = ""
    while True:
        before, found, rest = text.partition(start)
        inside, closed, after = rest.partition(stop)
        if not found or not closed:
            return made + text
        made += before if @ends else before + start + stop
        text = after


def mask(found):
    hidden = max(0, len(found[2]) - @spared)
    return found[1] + "@cover" * hidden + found[2][hidden:]


def edited(blocks, name, text, level):
    for command, *words in blocks[name]:
        if command == "run":
            if words[1:2] == ["when"] and words[2] not in text:
                continue
            if words[1:2] == ["for"] and words[2] != level:
                continue
            text = edited(blocks, words[0], text, level)
            if text is None:
                return None
        elif command == "drop":
            if words[0] in text:
                return None
        elif command == "replace":
            text = text.replace(words[0], words[1], -1 if @everywhere else 1)
        elif command == "cut":
            text = cut(text, *words)
        elif command == "mask":
            text = re.sub(f"({re.escape(words[0])})([0-9]+)", mask, text)
        elif command == "tag" and words[0] in text:
            text = f"[{words[1]}] {text}" if @front else f"{text} [{words[1]}]"
        elif command == "limit" and len(text) > int(words[0]):
            text = text[:int(words[0])] + "@more"
        elif command == "skip":
            text = JOINER.join(p for p in text.split(JOINER) if not p.startswith(words[0]))
    return text


folder = Path(sys.argv[1])
blocks, made = sheet(folder / "edits.txt"), []
for row in (folder / "sources.tsv").read_text(encoding="utf-8").splitlines():
    name, encoding, kind = row.split("\\t")
    path = folder / name
    with open(path, encoding=encoding) as file:
        lines = file.read().removeprefix("\\ufeff").split("\\n")[:-1]
    for pieces in records(lines, kind):
        trimmed = [p for p in (piece.strip(" \\t") for piece in pieces) if p]
        head = JOINER.join(trimmed)
        stamp, (level, _, text) = head[:19], head[20:].partition(" ")
        text = edited(blocks, "", text, level)
        if text is not None:
            made.append((stamp, f"{stamp}\\t{name.partition('.')[0]}\\t{level}\\t{text}\\n"))
made.sort(key=lambda one: one[0])
sys.stdout.buffer.write("".join(line for _, line in made).encode())
"""
_BASH = """\
#!/bin/bash
export LC_ALL=C.UTF-8
cd "$1" || exit 1
WORK='
function begin(line) { flush(); open = 1; add(line) }
function add(line) {
  gsub(/^[ \\t]+|[ \\t]+$/, "", line)
  if (open && line != "") joined = joined (joined == "" ? "" : JOINER) line
}
function flush(   stamp, level, text) {
  if (joined != "") {
    stamp = substr(joined, 1, 19)
    text = substr(joined, 21)
    level = substr(text, 1, index(text, " ") - 1)
    gone = 0
    text = edited("", substr(text, length(level) + 2), level)
    if (!gone) printf "%s\\t%s\\t%s\\t%s\\n", stamp, stem, level, text
  }
  joined = ""
  open = 0
}
function edited(block, text, level,   i, q, w, parts, n, made) {
  for (i = 1; i <= size[block] && !gone; i++) {
    split(step[block, i], q, "\\"")
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
kind == "indented" { if (/^[ \\t]/) add($0); else begin($0) }
kind == "slashed" {
  more = sub(/\\\\$/, "")
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
while IFS=$'\\t' read -r file encoding kind; do
  iconv -f "$encoding" -t UTF-8 "$file" | sed $'1s/^\\xef\\xbb\\xbf//; s/\\r$//' |
    gawk -v stem="${file%%.*}" -v kind="$kind" "$WORK" edits.txt -
done < sources.tsv | LC_ALL=C sort -s -t $'\\t' -k 1,1
"""
_PROGRAMS = {"python": _PYTHON, "bash": _BASH, "c": C}
