"""The aligner of the affine-align family in five languages.

Covers one text a language, filled with the numbers of a plan; that of C is C++ as well.
Those in Go and in Rust have modules of their own.
"""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.scientific_computing.affine_align.alignment import STATES, Plan
from tmax_gym.families.scientific_computing.affine_align.go import GO
from tmax_gym.families.scientific_computing.affine_align.rust import RUST


def render(plan: Plan, language: Language) -> str:
    """Return a complete program."""
    numbers: dict[str, object] = {
        "mode": ("global", "fit", "local").index(plan.mode),
        "weights": ", ".join(map(str, plan.weights)),
        "firsts": f"0, {plan.firsts[0]}, {plan.firsts[1]}",
        "nexts": f"0, {plan.nexts[0]}, {plan.nexts[1]}",
        "order": ", ".join(str(STATES.index(s)) for s in plan.order),
    }
    for name in ("touch", "front", "late", "split", "runs", "strands"):
        numbers[name] = int(getattr(plan, name))
    source = PROGRAMS[language]
    for name, number in numbers.items():
        source = source.replace(f"@{name}", str(number))
    return source


_C = """\
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#define SIZE 512

enum { MODE = @mode, TOUCH = @touch, FRONT = @front, LATE = @late, SPLIT = @split, RUNS = @runs,
       STRANDS = @strands, NONE = -100000000 };
static const int ORDER[3] = {@order}, FIRST[3] = {@firsts}, FURTHER[3] = {@nexts};
static const int WEIGHTS[25] = {@weights};
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
    printf("%s\\n", best->columns);
  }
  return 0;
}
"""
PROGRAMS = {
    "c": _C,
    "cpp": _C,
    "python": """\
import sys
from itertools import groupby

MODE, TOUCH, FRONT, LATE = @mode, @touch, @front, @late
SPLIT, RUNS, STRANDS = @split, @runs, @strands
ORDER, FIRST, FURTHER = (@order), (@firsts), (@nexts)
WEIGHTS = (@weights)
LETTERS, NONE = "ACGTN", -10**8


def price(before, now):
    if now == 0:
        return 0
    if before == now:
        return FURTHER[now]
    return -NONE if before + now == 3 and not TOUCH else FIRST[now]


def align(q, t):
    if FRONT:
        q, t = q[::-1], t[::-1]
    m, n = len(q), len(t)
    value = [[[NONE] * (n + 1) for _ in range(m + 1)] for _ in range(4)]
    gain = lambda s, i, j: 0 if s else WEIGHTS[5 * LETTERS.index(q[i]) + LETTERS.index(t[j])]
    for i in range(m + 1):
        for j in range(n + 1):
            if MODE == 2 or (i == 0 and (MODE == 1 or j == 0)):
                value[3][i][j] = 0
            for s in range(3):
                y, x = i - (s != 2), j - (s != 1)
                if y >= 0 and x >= 0:
                    value[s][i][j] = gain(s, y, x) + max(
                        value[b][y][x] - price(b, s) for b in range(4))
    best, row, column = 0 if MODE == 2 else NONE, -1, -1
    for j in range(0 if MODE else n, n + 1):
        for i in range(0 if MODE == 2 else m, m + 1):
            v = max(value[s][i][j] for s in range(3))
            if v > best or (LATE and v == best and row >= 0):
                best, row, column = v, i, j
    if row < 0:
        return 0, 0, 0, 0, 0, "*"
    i, j, letters = row, column, []
    state = next(s for s in ORDER if value[s][i][j] == best)
    while state != 3:
        y, x = i - (state != 2), j - (state != 1)
        kind = "MID"[state]
        if SPLIT and state == 0:
            kind = "=" if q[y] == t[x] else "X"
        letters.append(kind)
        need = value[state][i][j] - gain(state, y, x)
        state = next(b for b in (3, *ORDER) if value[b][y][x] - price(b, state) == need)
        i, j = y, x
    places = (i + 1, row, j + 1, column)
    if FRONT:
        places = (m - row + 1, m - i, n - column + 1, n - j)
    else:
        letters.reverse()
    if RUNS:
        letters = [f"{len(list(run))}{kind}" for kind, run in groupby(letters)]
    return best, *places, "".join(letters)


records = []
for line in sys.stdin:
    if line.startswith(">"):
        records.append([line[1:].split()[0], ""])
    elif records:
        records[-1][1] += line.strip().upper()
target = records[0][1]
for name, query in records[1:]:
    found, strand = align(query, target), "+"
    if STRANDS:
        turned = align(query.translate(str.maketrans("ACGT", "TGCA"))[::-1], target)
        if turned[0] > found[0]:
            found, strand = turned, "-"
    score, start, columns = found[0], {0: 5, 1: 3, 2: 1}[MODE], found[5]
    print(name, *([strand] if STRANDS else []), score, *found[start:5], columns)
""",
    "go": GO,
    "rust": RUST,
}
