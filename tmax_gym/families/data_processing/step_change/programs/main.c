#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 512
#define WIDE 2048
enum { SCALE = /*@scale@*/2/*@*/, WHOLE = /*@whole@*/1/*@*/, ODD = /*@odd@*/0/*@*/, LIMIT = /*@limit@*/87/*@*/, MEND = /*@mend@*/1/*@*/ };
enum { CHANGE = /*@change@*/1/*@*/, BOUND = /*@bound@*/200/*@*/, WINDOW = /*@window@*/5/*@*/, DISTANCE = /*@distance@*/1/*@*/ };
enum { BAND = /*@band@*/1/*@*/, DEAL = /*@deal@*/0/*@*/ };
typedef long long num;
static char names[MOST][64];
static num rows[MOST][WIDE], z[MOST][WIDE], everything[MOST * 64], least[MOST];
static int odd[MOST][WIDE], odds[MOST], steps[MOST][WIDE], stepped[MOST], at[MOST];
static int count, length, workers, many;

static num floored(num a, num b) { return a / b - (a % b != 0 && a < 0); }
static num off(num a) { return a < 0 ? -a : a; }
static int by_size(const void *a, const void *b) {
  num x = *(const num *)a, y = *(const num *)b;
  return (x > y) - (x < y);
}
static num sum(const num *from, int n) {
  num total = 0;
  while (n-- > 0) total += *from++;
  return total;
}

static void scale(const num *given, int n, const num *values, num *into) {
  num *known = malloc(n * sizeof(num));
  memcpy(known, given, n * sizeof(num));
  qsort(known, n, sizeof(num), by_size);
  num middle = known[0], size = known[n - 1] - known[0], unit = 1000;
  if (SCALE) {
    unit = 100;
    middle = SCALE == 1 ? floored(sum(known, n), n) : known[n / 2];
    for (int i = 0; i < n; i++) known[i] = off(known[i] - middle);
    qsort(known, n, sizeof(num), by_size);
    size = SCALE == 1 ? sum(known, n) / n : known[n / 2];
  }
  for (int i = 0; i < length; i++) into[i] = floored(unit * (values[i] - middle), size ? size : 1);
  free(known);
}

static int is_odd(const num *s, num middle, int i) {
  if (ODD == 0) return off(s[i] - middle) > LIMIT;
  if (ODD == 1) return i > 0 && i < length - 1 && off(2 * s[i] - s[i - 1] - s[i + 1]) > LIMIT;
  return i >= WINDOW && off(WINDOW * s[i] - sum(s + i - WINDOW, WINDOW)) > (num)LIMIT * WINDOW;
}

static void split(int number, int low, int high) {
  const num *s = z[number];
  num n = high - low, total = sum(s + low, (int)n), head = 0, best = 0;
  int place = 0;
  for (int k = 1; k < n; k++) {
    head += s[low + k - 1];
    num size = off(n * head - k * total);
    if (size > best) { best = size; place = k; }
  }
  if (best <= BOUND * n) return;
  if (CHANGE == 2) split(number, low, low + place);
  steps[number][stepped[number]++] = low + place;
  if (CHANGE == 2) split(number, low + place, high);
}

static int by_place(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void pairs(int number) {
  const num *s = z[number];
  char gone[WIDE] = {0};
  for (;;) {
    num best = (num)BOUND * WINDOW;
    int place = -1;
    for (int k = WINDOW; k + WINDOW <= length; k++) {
      num size = off(sum(s + k, WINDOW) - sum(s + k - WINDOW, WINDOW));
      if (!gone[k] && size > best) { best = size; place = k; }
    }
    if (place < 0) break;
    steps[number][stepped[number]++] = place;
    for (int k = 0; k < length; k++) gone[k] |= abs(k - place) < WINDOW;
  }
  qsort(steps[number], stepped[number], sizeof(int), by_place);
}

static void look(int number) {
  num *s = z[number], sorted[WIDE];
  scale(WHOLE ? everything : rows[number], WHOLE ? many : length, rows[number], s);
  memcpy(sorted, s, length * sizeof(num));
  qsort(sorted, length, sizeof(num), by_size);
  for (int i = 0; i < length; i++)
    if (is_odd(s, sorted[length / 2], i)) odd[number][odds[number]++] = i;
  for (int i = 0; MEND && i < odds[number]; i++)
    if (odd[number][i]) s[odd[number][i]] = s[odd[number][i] - 1];
  if (CHANGE == 1) pairs(number);
  else split(number, 0, length);
}

static num apart(const num *a, const num *b) {
  num total = 0, most = 0, squares = 0, far = 1LL << 60, above[WIDE], row[WIDE];
  for (int i = 0; i < length; i++) {
    num d = off(a[i] - b[i]);
    total += d;
    squares += d * d;
    if (d > most) most = d;
  }
  if (DISTANCE < 3) return DISTANCE == 0 ? total : DISTANCE == 1 ? most : squares / length;
  for (int j = 0; j < length; j++) above[j] = far;
  for (int i = 0; i < length; i++) {
    for (int j = 0; j < length; j++) {
      num before = above[j];
      if (j && row[j - 1] < before) before = row[j - 1];
      if (j && above[j - 1] < before) before = above[j - 1];
      if (!i && !j) before = 0;
      row[j] = abs(i - j) > BAND ? far : off(a[i] - b[j]) + before;
    }
    memcpy(above, row, length * sizeof(num));
  }
  return above[length - 1];
}

static void nearest(int number) {
  at[number] = -1;
  for (int o = 0; o < count; o++) {
    if (o == number) continue;
    num d = apart(z[number], z[o]);
    if (at[number] < 0 || d < least[number]) { least[number] = d; at[number] = o; }
  }
}

static int worker(int n) {
  if (DEAL == 1) return n / ((count + workers - 1) / workers);
  return DEAL == 2 && n / workers % 2 ? workers - 1 - n % workers : n % workers;
}

typedef struct { int number; void (*task)(int); } Share;
static void *work(void *given) {
  Share *share = given;
  for (int n = 0; n < count; n++)
    if (worker(n) == share->number) share->task(n);
  return NULL;
}
static void spread(void (*task)(int)) {
  pthread_t threads[MOST];
  Share shares[MOST];
  for (int w = 0; w < workers; w++) {
    shares[w] = (Share){w, task};
    pthread_create(&threads[w], NULL, work, &shares[w]);
  }
  for (int w = 0; w < workers; w++) pthread_join(threads[w], NULL);
}

static void show(const int *places, int n) {
  if (!n) printf(" -");
  for (int i = 0; i < n; i++) printf("%c%d", i ? ',' : ' ', places[i] + 1);
}

int main(void) {
  static char line[WIDE * 16];
  if (!fgets(line, sizeof line, stdin)) return 1;
  workers = atoi(line);
  while (fgets(line, sizeof line, stdin)) {
    char *word = strtok(line, " \n");
    if (!word) continue;
    snprintf(names[count], sizeof names[count], "%s", word);
    for (length = 0; (word = strtok(NULL, " \n")); length++) {
      rows[count][length] = atoll(word);
      everything[many++] = rows[count][length];
    }
    count++;
  }
  spread(look);
  spread(nearest);
  for (int n = 0; n < count; n++) {
    printf("%s", names[n]);
    show(odd[n], odds[n]);
    show(steps[n], stepped[n]);
    printf(" %s %lld %d\n", names[at[n]], least[n], worker(n) + 1);
  }
  for (int w = 0; w < workers; w++) {
    int own = 0, a = 0, b = 0;
    for (int n = 0; n < count; n++)
      if (worker(n) == w) { own++; a += odds[n]; b += stepped[n]; }
    printf("worker %d: %d %d %d\n", w + 1, own, a, b);
  }
  return 0;
}
