#!/bin/bash
export LC_ALL=C.UTF-8
cd "$1" || exit 1
exec gawk -F '\t' '
BEGIN {
  OPEN = "@open@"; CLOSE = "@close@"; CONTROL = "@control@"; OVER = "@over@"
  n = split("@wide@", w, " ")
  for (i = 1; i <= n; i += 2) ranges = ranges sprintf("%c-%c", w[i] + 0, w[i + 1] + 0)
  wide = "^[" ranges "]$"
  marks = "^[" sprintf("%c-%c", @first@, @last@) "]$"
}
function composed(text,   made, last, i, c) {
  made = ""; last = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if ((last, c) in pair) last = pair[last, c]
    else { made = made last; last = c }
  }
  return made last
}
function tokens(text, into,   i, c, made) {
  text = composed(text); made = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    made = made (c in fold ? fold[c] : c)
  }
  made = tolower(made)
  gsub(/[@splits@]/, " ", made)
  return split(made, into, " ")
}
function same(pattern, token) {
  if (pattern ~ /[*]$/) return index(token, substr(pattern, 1, length(pattern) - 1)) == 1
  return pattern == token
}
function occurs(phrase,   p, size, at, i) {
  size = tokens(phrase, p)
  for (at = 0; at <= words - size; at++) {
    for (i = 1; i <= size && same(p[i], word[at + i]); i++);
    if (i > size) return 1
  }
  return 0
}
function judge(note,   t, i, n, p, hits) {
  words = tokens(note, word)
  for (t in least) {
    n = split(told[t], p, ";"); hits = 0
    for (i = 1; i <= n; i++) hits += occurs(p[i])
    topic[t] = hits >= least[t]
  }
}
function width(text,   i, c, total) {
  total = 0
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    total += c ~ marks ? 0 : c ~ wide ? 2 : 1
  }
  return total
}
function aligned(text, columns,   right, size, kept, i, c, pad) {
  right = sub(/^>/, "", columns); size = columns + 0
  if (width(text) > size && OVER != "keep") {
    kept = ""
    for (i = 1; i <= length(text); i++) {
      c = substr(text, i, 1)
      if (width(kept c) > size - (OVER == "dots")) break
      kept = kept c
    }
    text = kept (OVER == "dots" ? "…" : "")
  }
  pad = ""
  for (i = width(text); i < size; i++) pad = pad " "
  return right ? pad text : text pad
}
function form(lang, number, forms,   i, f, rest, x) {
  for (i = 1; i <= rules; i++) {
    split(rule[i], f, "\t")
    rest = f[3] + 0 ? number % f[3] : number + 0
    if (f[1] != lang || rest < f[4] + 0 || rest > f[5] + 0) continue
    split(f[6], x, "-")
    if (f[6] == "-" || number % 100 < x[1] + 0 || number % 100 > x[2] + 0) return f[2] + 0
  }
  return forms
}
function slot(text,   at, lang, key, field, n, f, made) {
  if (substr(text, 1, 1) != "=") {
    at = index(text, ":")
    return at ? aligned(row[substr(text, 1, at - 1)], substr(text, at + 1)) : row[text]
  }
  text = substr(text, 2); at = index(text, " ")
  key = at ? substr(text, 1, at - 1) : text
  field = at ? substr(text, at + 1) : ""
  lang = (key, row["lang"]) in phrase ? row["lang"] : "en"
  made = phrase[key, lang]
  if (field != "") {
    n = split(made, f, "|")
    made = f[form(lang, row[field], n)]
  }
  return filled(made)
}
function filled(line,   at, to, made) {
  made = ""
  while (at = index(line, OPEN)) {
    made = made substr(line, 1, at - 1)
    line = substr(line, at + length(OPEN))
    to = index(line, CLOSE)
    made = made slot(substr(line, 1, to - 1))
    line = substr(line, to + length(CLOSE))
  }
  return made line
}
function holds(what,   no, yes) {
  no = sub(/^!/, "", what)
  yes = what ~ /^#/ ? topic[substr(what, 2)] : row[what] != ""
  return no ? !yes : yes
}
function block(at, on,   line, c, yes, start, n, items, i, x) {
  for (; at <= size; at++) {
    line = template[at]
    if (index(line, CONTROL) != 1) { if (on) print filled(line); continue }
    split(substr(line, length(CONTROL) + 1), c, " ")
    if (c[1] == "else" || c[1] == "end") return at
    if (c[1] == "if") {
      yes = on && holds(c[2])
      at = block(at + 1, yes)
      if (template[at] ~ / else$/) at = block(at + 1, on && !yes)
    } else {
      start = at + 1
      n = on ? split(row[c[2]], items, ";") : 0
      for (i = 1; i <= n; i++) {
        split(items[i], x, "*")
        row["it"] = x[1]; row["qty"] = x[2]; row["no"] = i
        block(start, 1)
      }
      at = block(start, 0)
    }
  }
  return at
}
FILENAME == "compose.tsv" { pair[$1, $2] = $3; next }
FILENAME == "fold.tsv" { fold[$1] = $2; next }
FILENAME == "plurals.tsv" { rule[++rules] = $0; next }
FILENAME == "phrases.tsv" { phrase[$1, $2] = composed($3); next }
FILENAME == "topics.tsv" { least[$1] = $2; told[$1] = $3; next }
FILENAME == "letter.tpl" { template[++size] = composed($0); next }
FNR == 1 { split($0, header, "\t"); next }
{
  for (i = 1; i <= NF; i++) row[header[i]] = composed($i)
  judge(row["note"])
  if (FNR > 2) print "@between@"
  block(1, 1)
}
' compose.tsv fold.tsv plurals.tsv phrases.tsv topics.tsv letter.tpl rows.tsv
