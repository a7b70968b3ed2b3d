package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var seed, ticks uint64
	for {
		if n, _ := fmt.Fscan(in, &seed, &ticks); n != 2 {
			return
		}
		x := uint32(seed)
		draw := func() int {
			x = /*@multiplier*/22695477/*@*/*x + /*@increment*/1/*@*/
			return int(x >> 16)
		}
		queue, served, lost, peak, down := 0, 0, 0, 0, 0
		for ; ticks > 0; ticks-- {
			if draw()%100 < /*@arrival*/52/*@*/ {
				queue += /*@joins*/1/*@*/
			}
			if queue > /*@capacity*/7/*@*/ {
				lost += queue - /*@capacity*/6/*@*/
				queue = /*@capacity*/6/*@*/
			}
			working := down == 0
/*@failure_block*//*@*/
			if working && draw()%100 < /*@service*/72/*@*/ && queue > 0 {
				queue--
				served++
			}
			if queue > peak {
				peak = queue
			}
		}
		fmt.Println(served, lost, queue, peak)
	}
}
