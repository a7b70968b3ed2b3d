#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { char name[64]; long long value; int at; } Row;
static int by_name(const void *a, const void *b) {
  const Row *x = a, *y = b;
  int c = /*@strata*/0/*@*/ ? strcmp(x->name, y->name) : 0;
  return c ? c : x->at - y->at;
}
static int by_value(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return (x > y) - (x < y);
}
static Row rows[4096];
static long long picked[4096], found[65536];
int main(void) {
  unsigned long long seed;
  int replicates, n = 0;
  if (scanf("%llu %d", &seed, &replicates) != 2) return 1;
  while (scanf("%63s %lld", rows[n].name, &rows[n].value) == 2) { rows[n].at = n; n++; }
  qsort(rows, n, sizeof(Row), by_name);
  uint32_t x = (uint32_t)seed;
  int drop = n * /*@trim*/5/*@*/ / 100;
  for (int b = 0; b < replicates; b++) {
    for (int start = 0, end; start < n; start = end) {
      end = start;
      while (end < n && (!/*@strata*/0/*@*/ || !strcmp(rows[end].name, rows[start].name))) end++;
      for (int i = start; i < end; i++) {
        x = /*@multiplieru*/69069u/*@*/ * x + /*@incrementu*/1u/*@*/;
        picked[i] = rows[start + (x >> 16) % (end - start)].value;
      }
    }
    qsort(picked, n, sizeof(long long), by_value);
    long long total = 0;
    for (int i = drop; i < n - drop; i++) total += picked[i];
    found[b] = 1000 * total / (n - 2 * drop);
  }
  qsort(found, replicates, sizeof(long long), by_value);
  printf("%lld %lld %lld\n", found[replicates * /*@tail*/85/*@*/ / 1000], found[replicates * 500 / 1000],
         found[replicates * (1000 - /*@tail*/85/*@*/) / 1000]);
  return 0;
}
