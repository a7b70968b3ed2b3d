#!/bin/bash
export LC_ALL=C
exec awk -F';' '
function is_day(t, y, m, d, n) {
  if (t !~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/) return 0
  y = substr(t, 1, 4) + 0; m = substr(t, 6, 2) + 0; d = substr(t, 9, 2) + 0
  n = 31
  if (m == 4 || m == 6 || m == 9 || m == 11) n = 30
  if (m == 2) n = (y % 4 == 0 && y % 100 != 0 || y % 400 == 0) ? 29 : 28
  return m >= 1 && m <= 12 && d >= 1 && d <= n
}
function cents(t) { sub(/[.]/, "", t); return t + 0 }
function digits(t, n) { n = length(t); return substr(t, n - 3, 1) + substr(t, n - 2, 1) \
  + substr(t, n - 1, 1) }
function reason() {
@tests
  return ""
}
BEGIN { STATES = "|@bar|" }
NR == 1 { next }
{
  r = reason()
  if (r == "") { accepted++; seen[code] = 1; last = opened }
  else { rejected++; print NR, r }
}
END { printf "%d accepted, %d rejected\n", accepted, rejected; exit rejected > 0 }
'
