#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = /*@cells*/50/*@*/, ROUNDS = /*@rounds*/60/*@*/, TAPER = /*@taper*/1/*@*/, POWER = /*@power*/0/*@*/, MEAN = /*@mean*/0/*@*/, MOST = 64 };
typedef struct { double c[MOST]; int n; } List;
static List span, section = {{1.0}, 1}, conductivity, drift, loss, source, left, right, at;
static char kinds[2][16];
static double u[N + 1], low[N + 1], mid[N + 1], top[N + 1], rest[N + 1];

static double poly(const List *p, double x) {
  double v = 0;
  for (int i = p->n - 1; i >= 0; i--) v = v * x + p->c[i];
  return v;
}

static void numbers(List *list) {
  list->n = 0;
  for (char *w; list->n < MOST && (w = strtok(NULL, " \r\n"));) list->c[list->n++] = atof(w);
}

static int parse(void) {
  char line[8192];
  while (fgets(line, sizeof line, stdin)) {
    char *word = strtok(line, " \r\n");
    if (!word) continue;
    if (!strcmp(word, "span")) numbers(&span);
    else if (!strcmp(word, "section")) numbers(&section);
    else if (!strcmp(word, "conductivity")) numbers(&conductivity);
    else if (!strcmp(word, "drift")) numbers(&drift);
    else if (!strcmp(word, "loss")) numbers(&loss);
    else if (!strcmp(word, "source")) numbers(&source);
    else if (!strcmp(word, "at")) numbers(&at);
    else {
      int end = !strcmp(word, "right");
      strncpy(kinds[end], strtok(NULL, " \r\n"), 15);
      numbers(end ? &right : &left);
    }
  }
  return span.n == 2;
}

int main(void) {
  if (!parse()) return 1;
  double a = span.c[0], h = (span.c[1] - a) / N, k0 = conductivity.c[0];
  double k1 = conductivity.n > 1 ? conductivity.c[1] : 0;
  double speed = drift.n ? drift.c[0] : 0, rate = loss.n ? loss.c[0] : 0;
  List whole = {{1.0}, 1};
  List *area = TAPER ? &section : &whole;
  for (int i = 0; i <= N; i++) u[i] = 2;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i <= N; i++) {
      int end = i == 0 || i == N, side = i == N;
      const List *given = side ? &right : &left;
      if (end && !strcmp(kinds[side], "value")) {
        low[i] = top[i] = 0; mid[i] = 1; rest[i] = given->c[0] - u[i];
        continue;
      }
      double x = a + i * h, w = end ? /*@half*/1.0/*@*/ * h : h, f = -poly(&source, x), l = 0, m = 0, t = 0;
      for (int step = -1; step <= 1; step += 2) {
        int j = i + step;
        double g, gi, gj = 0;
        if (j < 0 || j > N) {
          double turn = side ? /*@sign*/-1.0/*@*/ : 1.0, whole_area = poly(area, x);
          int open = !strcmp(kinds[side], "exchange");
          g = open ? turn * given->c[0] * (u[i] - given->c[1]) : given->c[0];
          gi = open ? turn * given->c[0] : 0;
          g *= whole_area; gi *= whole_area;
        } else {
          double s = poly(area, x + step * h / 2), k = k0 + k1 * (u[i] + u[j]) / 2;
          double d = step * (u[j] - u[i]) / h;
          g = s * k * d;
          gi = s * (k1 / 2 * d - step * k / h);
          gj = s * (k1 / 2 * d + step * k / h);
          double back = end ? speed * step / h : speed * step / (2 * h);
          f += back * u[j];
          if (step < 0) l += back; else t += back;
          if (end) { f -= back * u[i]; m -= back; }
        }
        f -= step * g / w;
        m -= step * gi / w;
        if (step < 0) l -= step * gj / w; else t -= step * gj / w;
      }
      if (POWER == 1) { f += rate * u[i]; m += rate; }
      if (POWER == 3) { f += rate * u[i] * u[i] * u[i]; m += 3 * rate * u[i] * u[i]; }
      low[i] = l; mid[i] = m; top[i] = t; rest[i] = -f;
    }
    for (int i = 1; i <= N; i++) {
      double q = low[i] / mid[i - 1];
      mid[i] -= q * top[i - 1];
      rest[i] -= q * rest[i - 1];
    }
    double largest = 0;
    for (int i = N; i >= 0; i--) {
      if (i < N) rest[i] -= top[i] * rest[i + 1];
      rest[i] /= mid[i];
      u[i] += rest[i];
      if (fabs(rest[i]) > largest) largest = fabs(rest[i]);
    }
    if (largest < 1e-11) break;
  }
  for (int k = 0; k < at.n; k++) {
    double place = (at.c[k] - a) / h;
    int i = (int)place;
    if (i >= N) i = N - 1;
    printf("%.9f\n", u[i] + (place - i) * (u[i + 1] - u[i]));
  }
  double total = 0;
  for (int i = 0; i < N; i++) total += (u[i] + u[i + 1]) / 2;
  if (MEAN) printf("%.9f\n", total / N);
  return 0;
}
