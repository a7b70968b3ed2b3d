for f in $(LC_ALL=C ls); do
  d=$(field Date $f); s=$(field Site $f); t=$(field Title $f)
  [ -n "$d" ] && [ -n "$s" ] && [ -n "$t" ] || continue
  d=$(echo $d | sed -E 's,^(..)/(..)/(....)$,\3-\2-\1,')
  n=${d}_$(slug "$s")_$(slug "$t")
  used[$n]=$(( ${used[$n]:-0} + 1 ))
  [ ${used[$n]} -gt 1 ] && n=$n-${used[$n]}
  mv -n $f $n.txt
done
