draw() { x=$(( (@multiplier * x + @increment) & 0xffffffff )); r=$((x >> 16)); }
while read -r x ticks; do
  queue=0 served=0 lost=0 peak=0 down=0
  for ((t = 0; t < ticks; t++)); do
    draw; ((r % 100 < @arrival)) && @joins
    if ((queue > @capacity)); then
      ((lost += queue - @capacity)); queue=@capacity
    fi
    working=$((down == 0))
#(@failure_block

#)
    if ((working)); then
      draw
      if ((r % 100 < @service && queue)); then ((queue -= 1)); ((served += 1)); fi
    fi
    ((queue > peak)) && peak=$queue
  done
  echo $served $lost $queue $peak
done
