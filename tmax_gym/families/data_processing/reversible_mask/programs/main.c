#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIGHT = /*@right*/1/*@*/, LONGER = /*@longer*/0/*@*/, NAMED = /*@named*/0/*@*/, SINGLE = /*@single*/1/*@*/, BACKWARD = /*@backward*/1/*@*/,
       MIX = /*@mix*/2/*@*/, SHIFT = /*@shift*/13/*@*/, ROUNDS = /*@rounds*/9/*@*/, COUNT = /*@count*/2/*@*/ };
#define MULTIPLIER /*@multiplieru*/1664525u/*@*/
#define STEP /*@stepu*/40503u/*@*/
typedef struct { const char *name; int digits, letters, keep, check; } Column;
static const Column COLUMNS[] = {
/*@columns*/    {"name", 0, 1, 0, 0},
    {"tax_no", 1, 0, 0, 3},/*@*/
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
    line[strcspn(line, "\r\n")] = 0;
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
      putchar(comma ? ',' : '\n');
      cell = comma ? comma + 1 : NULL;
    }
  }
  return 0;
}
