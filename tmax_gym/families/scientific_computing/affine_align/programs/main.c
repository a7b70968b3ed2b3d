#include <ctype.h>
#include <stdio.h>
#include <string.h>
#define SIZE 512

enum { MODE = /*@mode*/1/*@*/, TOUCH = /*@touch*/0/*@*/, FRONT = /*@front*/0/*@*/, LATE = /*@late*/0/*@*/, SPLIT = /*@split*/1/*@*/, RUNS = /*@runs*/0/*@*/,
       STRANDS = /*@strands*/0/*@*/, NONE = -100000000 };
static const int ORDER[3] = {/*@order*/1, 2, 0/*@*/}, FIRST[3] = {/*@firsts*/0, 6, 6/*@*/}, FURTHER[3] = {/*@nexts*/0, 1, 1/*@*/};
static const int WEIGHTS[25] = {/*@weights*/5, -4, -3, -4, 0, -4, 5, -4, -3, 0, -3, -4, 5, -4, 0, -4, -3, -4, 5, 0, 0, 0, 0, 0, 0/*@*/};
static const char LETTERS[] = "ACGTN", OTHERS[] = "TGCAN";
static int value[4][SIZE][SIZE];
static char names[SIZE][128], seqs[SIZE][SIZE];
typedef struct { int score, from, to, start, end; char columns[8 * SIZE]; } Found;
static Found plain, turned;

static int place(char c) { return (int)(strchr(LETTERS, c) - LETTERS); }

static int price(int before, int now) {
  if (now == 0) return 0;
  if (before == now) return FURTHER[now];
  return before + now == 3 && !TOUCH ? -NONE : FIRST[now];
}

static void flip(char *text) {
  for (int i = 0, j = (int)strlen(text) - 1; i < j; i++, j--) {
    char c = text[i]; text[i] = text[j]; text[j] = c;
  }
}

static void fill(const char *q, int m, const char *t, int n) {
  for (int i = 0; i <= m; i++)
    for (int j = 0; j <= n; j++) {
      value[3][i][j] = MODE == 2 || (i == 0 && (MODE == 1 || j == 0)) ? 0 : NONE;
      for (int s = 0; s < 3; s++) {
        int y = i - (s != 2), x = j - (s != 1), best = NONE;
        if (y >= 0 && x >= 0) {
          int gain = s ? 0 : WEIGHTS[5 * place(q[i - 1]) + place(t[j - 1])];
          for (int b = 0; b < 4; b++) {
            int v = value[b][y][x] - price(b, s) + gain;
            if (v > best) best = v;
          }
        }
        value[s][i][j] = best;
      }
    }
}

static void align(const char *query, const char *target, Found *f) {
  char q[SIZE], t[SIZE], letters[2 * SIZE] = "";
  strcpy(q, query); strcpy(t, target);
  if (FRONT) { flip(q); flip(t); }
  int m = (int)strlen(q), n = (int)strlen(t), row = -1, column = -1, k = 0;
  fill(q, m, t, n);
  f->score = MODE == 2 ? 0 : NONE;
  for (int j = MODE == 0 ? n : 0; j <= n; j++)
    for (int i = MODE == 2 ? 0 : m; i <= m; i++)
      for (int s = 0; s < 3; s++) {
        int v = value[s][i][j];
        if (v > f->score || (LATE && v == f->score && row >= 0)) {
          f->score = v; row = i; column = j;
        }
      }
  f->from = f->to = f->start = f->end = 0;
  strcpy(f->columns, "*");
  if (row < 0) return;
  int i = row, j = column, state = -1;
  for (int o = 2; o >= 0; o--) if (value[ORDER[o]][i][j] == f->score) state = ORDER[o];
  while (state != 3) {
    int need = value[state][i][j], y = i - (state != 2), x = j - (state != 1), before = 3;
    int gain = state ? 0 : WEIGHTS[5 * place(q[i - 1]) + place(t[j - 1])];
    letters[k++] = state == 1 ? 'I' : state == 2 ? 'D' : !SPLIT ? 'M'
                   : q[i - 1] == t[j - 1] ? '=' : 'X';
    if (value[3][y][x] - price(3, state) + gain != need)
      for (int o = 2; o >= 0; o--)
        if (value[ORDER[o]][y][x] - price(ORDER[o], state) + gain == need) before = ORDER[o];
    state = before; i = y; j = x;
  }
  letters[k] = 0;
  if (!FRONT) flip(letters);
  f->from = FRONT ? m - row + 1 : i + 1; f->to = FRONT ? m - i : row;
  f->start = FRONT ? n - column + 1 : j + 1; f->end = FRONT ? n - j : column;
  if (!RUNS) { strcpy(f->columns, letters); return; }
  char *out = f->columns;
  for (int a = 0, b; a < k; a = b) {
    for (b = a; b < k && letters[b] == letters[a]; b++) {}
    out += sprintf(out, "%d%c", b - a, letters[a]);
  }
}

int main(void) {
  char line[4096], other[SIZE];
  int count = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (line[0] == '>') { sscanf(line + 1, "%127s", names[count++]); continue; }
    for (char *c = line; *c && count; c++)
      if (isalpha((unsigned char)*c)) {
        char letter[2] = {(char)toupper((unsigned char)*c), 0};
        strcat(seqs[count - 1], letter);
      }
  }
  for (int r = 1; r < count; r++) {
    Found *best = &plain;
    align(seqs[r], seqs[0], &plain);
    if (STRANDS) {
      strcpy(other, seqs[r]);
      flip(other);
      for (char *c = other; *c; c++) *c = OTHERS[place(*c)];
      align(other, seqs[0], &turned);
      if (turned.score > plain.score) best = &turned;
    }
    printf("%s ", names[r]);
    if (STRANDS) printf("%c ", best == &plain ? '+' : '-');
    printf("%d ", best->score);
    if (MODE == 2) printf("%d %d ", best->from, best->to);
    if (MODE >= 1) printf("%d %d ", best->start, best->end);
    printf("%s\n", best->columns);
  }
  return 0;
}
