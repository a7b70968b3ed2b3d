"""The program of the reversible-mask family in five languages.

Covers one text a language, filled with the numbers of a scheme; that of C is C++ as well, those
in Go and in Rust have modules of their own.
"""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.data_processing.reversible_mask.go import GO
from tmax_gym.families.data_processing.reversible_mask.masking import Scheme
from tmax_gym.families.data_processing.reversible_mask.rust import RUST


def render(scheme: Scheme, language: Language) -> str:
    """Return a complete program."""
    left, right = ("(", ")") if language in ("python", "rust") else ("{", "}")
    columns = [
        f'{left}"{c.name}", {int(c.digits)}, {int(c.letters)}, {c.keep}, {c.check}{right}'
        for c in scheme.columns
    ]
    numbers: dict[str, object] = {
        "columns": "".join(f"    {column},\n" for column in columns).rstrip("\n"),
        "count": len(columns),
        "right": int(scheme.right),
        "longer": int(scheme.longer),
        "named": int(scheme.named),
        "single": int(scheme.single),
        "backward": int(scheme.backward),
        "mix": scheme.mix,
        "multiplier": scheme.multiplier,
        "step": scheme.step,
        "shift": scheme.shift,
        "rounds": scheme.rounds,
    }
    source = PROGRAMS[language]
    for name, number in numbers.items():
        source = source.replace(f"@{name}", str(number))
    return source


_C = """\
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIGHT = @right, LONGER = @longer, NAMED = @named, SINGLE = @single, BACKWARD = @backward,
       MIX = @mix, SHIFT = @shift, ROUNDS = @rounds, COUNT = @count };
#define MULTIPLIER @multiplieru
#define STEP @stepu
typedef struct { const char *name; int digits, letters, keep, check; } Column;
static const Column COLUMNS[] = {
@columns
};

static uint32_t mixed(uint32_t h, uint32_t v) {
  if (MIX == 0) h = (h ^ v) * MULTIPLIER;
  else if (MIX == 1) h = h * MULTIPLIER + v;
  else { h += v; h ^= h << 13; h ^= h >> 17; h ^= h << 5; }
  return h ^ (h >> SHIFT);
}

static void turn(const char *name, int base, int *d, int n, uint32_t key, int undo) {
  if (n < 2) return;
  int middle = (n + LONGER) / 2;
  for (int k = 1; k <= ROUNDS; k++) {
    int r = undo && BACKWARD ? ROUNDS + 1 - k : k;
    int right = (r + 1 + RIGHT) % 2;
    int from = right ? middle : 0, to = right ? n : middle;
    uint32_t h = key + (uint32_t)r * STEP;
    if (NAMED) for (const char *c = name; *c; c++) h = mixed(h, (unsigned char)*c);
    for (int i = right ? 0 : middle; i < (right ? middle : n); i++) h = mixed(h, d[i] + 1);
    if (SINGLE) {
      for (int i = from; i < to; i++) {
        h = mixed(h, i - from + 1);
        int by = (int)((h >> 16) % base);
        d[i] = (d[i] + (undo ? base - by : by)) % base;
      }
      continue;
    }
    uint64_t number = 0, whole = 1;
    for (int i = from; i < to; i++) { number = number * base + d[i]; whole *= base; }
    uint64_t by = h % whole;
    number = (number + (undo ? whole - by : by)) % whole;
    for (int i = to - 1; i >= from; i--) { d[i] = (int)(number % base); number /= base; }
  }
}

static int check_digit(int kind, const char *text) {
  int digits[4096], n = 0, total = 0;
  for (; *text; text++) if (isdigit((unsigned char)*text)) digits[n++] = *text - '0';
  n--;
  if (kind == 3) {
    for (int i = 0; i < n; i++) total += (i + 1) * digits[i];
    return total % 11 % 10;
  }
  for (int i = 0; i < n; i++) {
    int value = digits[n - 1 - i] * (i % 2 ? 1 : kind == 1 ? 2 : 3);
    total += kind == 1 && value > 9 ? value - 9 : value;
  }
  return (10 - total % 10) % 10;
}

static void convert(const Column *c, char *text, uint32_t key, int undo) {
  int numbers = 0, last = -1, seen = 0, place[2][4096], member[2][4096], n[2] = {0, 0};
  for (int i = 0; text[i]; i++) if (isdigit((unsigned char)text[i])) { numbers++; last = i; }
  if (!c->check) last = -1;
  else if (numbers < 2 || text[last] - '0' != check_digit(c->check, text)) {
    fputs("invalid", stdout);
    return;
  }
  for (int i = 0; text[i]; i++) {
    unsigned char u = (unsigned char)text[i];
    if (!isalnum(u) || seen++ < c->keep || i == last) continue;
    int letter = !isdigit(u);
    if (!(letter ? c->letters : c->digits)) continue;
    place[letter][n[letter]] = i;
    member[letter][n[letter]++] = letter ? tolower(u) - 'a' : u - '0';
  }
  for (int letter = 0; letter < 2; letter++) {
    turn(c->name, letter ? 26 : 10, member[letter], n[letter], key, undo);
    for (int k = 0; k < n[letter]; k++) {
      char *at = &text[place[letter][k]];
      int first = !letter ? '0' : isupper((unsigned char)*at) ? 'A' : 'a';
      *at = (char)(first + member[letter][k]);
    }
  }
  if (c->check) text[last] = (char)('0' + check_digit(c->check, text));
  fputs(text, stdout);
}

int main(void) {
  static char line[1 << 16];
  const Column *columns[256];
  char word[16];
  unsigned long key;
  if (!fgets(line, sizeof line, stdin) || sscanf(line, "%15s %lu", word, &key) != 2) return 1;
  for (int row = 0; fgets(line, sizeof line, stdin); row++) {
    line[strcspn(line, "\\r\\n")] = 0;
    char *cell = line;
    for (int at = 0; cell; at++) {
      char *comma = strchr(cell, ',');
      if (comma) *comma = 0;
      if (row == 0) {
        columns[at] = NULL;
        for (int k = 0; k < COUNT; k++)
          if (!strcmp(COLUMNS[k].name, cell)) columns[at] = &COLUMNS[k];
      }
      if (row && columns[at]) convert(columns[at], cell, (uint32_t)key, !strcmp(word, "unmask"));
      else fputs(cell, stdout);
      putchar(comma ? ',' : '\\n');
      cell = comma ? comma + 1 : NULL;
    }
  }
  return 0;
}
"""
PROGRAMS = {
    "c": _C,
    "cpp": _C,
    "go": GO,
    "rust": RUST,
    "python": """\
import sys
from string import ascii_letters as LETTERS, digits as DIGITS

COLUMNS = (
@columns
)
RIGHT, LONGER, NAMED, SINGLE, BACKWARD = @right, @longer, @named, @single, @backward
MIX, MULTIPLIER, STEP, SHIFT, ROUNDS = @mix, @multiplier, @step, @shift, @rounds
M = 0xFFFFFFFF


def mixed(h, v):
    if MIX == 0:
        h = (h ^ v) * MULTIPLIER & M
    elif MIX == 1:
        h = (h * MULTIPLIER + v) & M
    else:
        h = (h + v) & M
        h ^= h << 13 & M
        h ^= h >> 17
        h ^= h << 5 & M
    return h ^ h >> SHIFT


def turn(name, base, d, undo):
    if len(d) < 2:
        return d
    middle = (len(d) + LONGER) // 2
    halves = [d[:middle], d[middle:]]
    rounds = range(1, ROUNDS + 1)
    for r in reversed(rounds) if undo and BACKWARD else rounds:
        side = (r + 1 + RIGHT) % 2
        h = (key + r * STEP) & M
        for v in name.encode() if NAMED else b"":
            h = mixed(h, v)
        for v in halves[1 - side]:
            h = mixed(h, v + 1)
        half, sign = halves[side], -1 if undo else 1
        if SINGLE:
            for i in range(len(half)):
                h = mixed(h, i + 1)
                half[i] = (half[i] + sign * (h >> 16)) % base
            continue
        number = 0
        for v in half:
            number = number * base + v
        number = (number + sign * h) % base ** len(half)
        for i in reversed(range(len(half))):
            number, half[i] = divmod(number, base)
    return halves[0] + halves[1]


def check_digit(kind, text):
    digits = [int(c) for c in text if c in DIGITS][:-1]
    if kind == 3:
        return sum(n * d for n, d in enumerate(digits, 1)) % 11 % 10
    total = 0
    for i, d in enumerate(reversed(digits)):
        v = d * (1 if i % 2 else 2 if kind == 1 else 3)
        total += v - 9 if kind == 1 and v > 9 else v
    return -total % 10


def convert(column, text, undo):
    name, digits, letters, keep, check = column
    numbers = [i for i, c in enumerate(text) if c in DIGITS]
    last = numbers[-1] if check and numbers else -1
    if check and (len(numbers) < 2 or int(text[last]) != check_digit(check, text)):
        return "invalid"
    out = list(text)
    free = [i for i, c in enumerate(text) if c in DIGITS + LETTERS][keep:]
    if digits:
        at = [i for i in free if text[i] in DIGITS and i != last]
        for i, v in zip(at, turn(name, 10, [int(text[i]) for i in at], undo)):
            out[i] = str(v)
    if letters:
        at = [i for i in free if text[i] in LETTERS]
        for i, v in zip(at, turn(name, 26, [ord(text[i].lower()) - 97 for i in at], undo)):
            out[i] = chr((65 if text[i].isupper() else 97) + v)
    if check:
        out[last] = str(check_digit(check, "".join(out)))
    return "".join(out)


word, key = sys.stdin.readline().split()
key = int(key)
header = sys.stdin.readline().rstrip("\\n")
print(header)
columns = [next((c for c in COLUMNS if c[0] == name), None) for name in header.split(",")]
for line in sys.stdin:
    cells = line.rstrip("\\n").split(",")
    print(",".join(convert(c, cell, word == "unmask") if c else cell
                   for c, cell in zip(columns, cells)))
""",
}
