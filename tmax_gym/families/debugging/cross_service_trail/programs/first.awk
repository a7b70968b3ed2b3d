function ms(clock, p) { split(clock, p, /[:.]/); return ((p[1]*60 + p[2])*60 + p[3])*1000 + p[4] }
FILENAME ~ /clocks.csv$/ { split($0, c, ","); ahead[c[1]] = c[2]; next }
/ fail code=/ {
  n = split(FILENAME, f, "/"); service = f[n]; sub(/\.log$/, "", service)
  split($1, t, "T"); split($3, r, "="); split($5, k, "=")
  at = ms(t[2]) - FIX * ahead[service]
  if (!(r[2] in first) || at < first[r[2]]) {
    first[r[2]] = at; who[r[2]] = service; why[r[2]] = k[2]
  }
}
END {
  for (q in first) {
    m = first[q]; s = int(m / 1000)
    printf "%s,%s,%s,%02d:%02d:%02d.%03d\n", q, who[q], why[q], \
      int(s / 3600), int(s / 60) % 60, s % 60, m % 1000
  }
}
