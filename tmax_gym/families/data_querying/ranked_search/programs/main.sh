export LC_ALL=C
exec gawk -v title=@title -v rare=@rare -v phrase=@phrase -v minus=@minus -v limit=@limit '
function cut(text, into) {
  text = tolower(text); gsub(/[^a-z0-9]+/, " ", text); gsub(/^ | $/, "", text)
  return text == "" ? 0 : split(text, into, " ")
}
function by_score(i1, v1, i2, v2) { return v1 != v2 ? v2 - v1 : i1 - i2 }
FILENAME != "-" {
  if (FNR == 1) { d = FILENAME; sub(/.*\//, "", d); d += 0; all++; ids[d]; last = "" }
  n = cut($0, w)
  for (i = 1; i <= n; i++) {
    count[d, w[i]] += FNR == 1 ? title : 1
    if (!((w[i], d) in has)) { has[w[i], d]; holders[w[i]]++ }
    if (last != "") pair[d, last, w[i]]
    last = w[i]
  }
  if (FNR == 1) last = ""
  next
}
{
  delete seen; delete score; delete term; delete ban; terms = 0
  for (k = 1; k <= NF; k++) {
    n = cut($k, w)
    for (i = 1; i <= n; i++) {
      if (substr($k, 1, 1) == "-") ban[w[i]]
      else if (!(w[i] in seen)) { seen[w[i]]; term[++terms] = w[i] }
    }
  }
  for (d in ids) {
    skip = 0
    if (minus) for (b in ban) if ((b, d) in has) skip = 1
    if (skip) continue
    s = 0
    for (k = 1; k <= terms; k++) {
      t = term[k]
      if ((d, t) in count) s += count[d, t] * (rare ? 1 + int(all / holders[t]) : 1)
    }
    if (s && phrase)
      for (k = 1; k < terms; k++) if ((d, term[k], term[k + 1]) in pair) s += phrase
    if (s) score[d] = s
  }
  PROCINFO["sorted_in"] = "by_score"
  out = ""; n = 0
  for (d in score) if (n++ < limit) out = out (out == "" ? "" : " ") d ":" score[d]
  PROCINFO["sorted_in"] = ""
  print out == "" ? "none" : out
}' @folder/*.txt -
