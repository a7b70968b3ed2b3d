export LC_ALL=C
exec gawk '
NR == 1 { x = $1; replicates = $2; next }
NF == 2 { name = @strata ? "s" $1 : "s"; values[name][++size[name]] = $2; n++ }
END {
  drop = int(n * @trim / 100)
  strata = asorti(size, order)
  for (b = 1; b <= replicates; b++) {
    delete picked
    k = 0
    for (s = 1; s <= strata; s++) {
      count = size[order[s]]
      for (i = 0; i < count; i++) {
        x = (@multiplier * x + @increment) % 4294967296
        picked[++k] = values[order[s]][int(x / 65536) % count + 1] + 0
      }
    }
    asort(picked)
    total = 0
    for (i = drop + 1; i <= n - drop; i++) total += picked[i]
    found[b] = int(1000 * total / (n - 2 * drop))
  }
  asort(found)
  print found[int(replicates * @tail / 1000) + 1], found[int(replicates / 2) + 1], \
    found[int(replicates * (1000 - @tail) / 1000) + 1]
}'
