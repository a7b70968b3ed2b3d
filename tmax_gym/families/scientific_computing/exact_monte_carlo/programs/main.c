#include <stdint.h>
#include <stdio.h>
static uint32_t x;
static uint32_t draw(void) { x = /*@multiplieru*/22695477u/*@*/ * x + /*@incrementu*/1u/*@*/; return x >> 16; }
int main(void) {
  unsigned long seed, ticks;
  while (scanf("%lu %lu", &seed, &ticks) == 2) {
    long queue = 0, served = 0, lost = 0, peak = 0, down = 0;
    x = (uint32_t)seed;
    for (unsigned long t = 0; t < ticks; t++) {
      if (draw() % 100 < /*@arrival*/48/*@*/) queue += /*@joins*/1/*@*/;
      if (queue > /*@capacity*/5/*@*/) { lost += queue - /*@capacity*/4/*@*/; queue = /*@capacity*/4/*@*/; }
      int working = down == 0;
/*@failure_block*//*@*/
      if (working && draw() % 100 < /*@service*/61/*@*/ && queue) { queue--; served++; }
      if (queue > peak) peak = queue;
    }
    printf("%ld %ld %ld %ld\n", served, lost, queue, peak);
  }
  return 0;
}
