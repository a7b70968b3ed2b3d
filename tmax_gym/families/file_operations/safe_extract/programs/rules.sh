#@ climb
! awk '{ print $3 }' | grep -qE '(^|/)\.\.(/|$)'
#@ absolute
! awk '{ print $3 }' | grep -q '^/'
#@ linkout
awk '
$1 == "l" {
  if (substr($4, 1, 1) == "/") bad = 1
  n = split($3, parts, "/"); depth = 0
  for (i = 1; i < n; i++) if (parts[i] != "" && parts[i] != ".") depth++
  n = split($4, parts, "/")
  for (i = 1; i <= n; i++) {
    if (parts[i] == "..") depth--
    else if (parts[i] != "" && parts[i] != ".") depth++
    if (depth < 0) bad = 1
  }
}
END { exit bad }'
#@ through
awk '
function plain(p, n, i, parts, out) {
  n = split(p, parts, "/"); out = ""
  for (i = 1; i <= n; i++) if (parts[i] != "" && parts[i] != ".") out = out "/" parts[i]
  return out
}
{ name[NR] = plain($3); if ($1 == "l") link[plain($3) "/"] = 1 }
END {
  for (i = 1; i <= NR; i++) for (l in link) if (index(name[i], l) == 1) bad = 1
  exit bad
}'
#@ kinds
! grep -qv '^[-dl] '
#@ twice
awk '
function plain(p, n, i, parts, out) {
  n = split(p, parts, "/"); out = ""
  for (i = 1; i <= n; i++) if (parts[i] != "" && parts[i] != ".") out = out "/" parts[i]
  return out
}
seen[plain($3)]++ { bad = 1 }
END { exit bad }'
#@ setuid
! awk '{ print $2 }' | grep -q '[sS]'
#@ many
[ $(wc -l) -le @limit ]
