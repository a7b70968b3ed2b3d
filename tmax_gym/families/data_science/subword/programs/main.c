#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { FOLD = /*@fold*/1/*@*/, MARK = /*@mark*/0/*@*/, TIE = /*@tie*/2/*@*/, LEAST = /*@least*/3/*@*/, TYPES = /*@types*/1/*@*/ };
enum { DIGITS = /*@digits*/0/*@*/, LIMIT = /*@limit*/999/*@*/, GREEDY = /*@greedy*/0/*@*/, NUMBERS = /*@numbers*/0/*@*/ };
enum { LONG = 48, ROOM = 3000 };
typedef struct { char part[LONG][LONG], whole[LONG]; int n, times; } Word;
typedef struct { char left[LONG], right[LONG]; long count; } Pair;
static Word words[ROOM];
static Pair merges[ROOM], seen[20000];
static char known[2 * ROOM][2 * LONG];
static int learned, kept;

static void cut(Word *w, const char *raw) {
  char text[LONG];
  snprintf(text, sizeof text, "%s%s%s", MARK == 1 ? "_" : "", raw, MARK == 2 ? "_" : "");
  w->n = 0;
  for (char *c = text; *c; c++, w->n++) {
    if (FOLD) *c = (char)tolower((unsigned char)*c);
    w->part[w->n][0] = *c;
    w->part[w->n][1] = 0;
  }
  strcpy(w->whole, text);
}
static int fits(const char *left, const char *right) {
  if (DIGITS && !isdigit((unsigned char)*left) != !isdigit((unsigned char)*right)) return 0;
  return strlen(left) + strlen(right) <= LIMIT;
}
static int beats(const Pair *a, const Pair *b) {
  if (a->count != b->count) return a->count > b->count;
  if (TIE == 2) return 0;
  int la = strlen(a->left) + strlen(a->right), lb = strlen(b->left) + strlen(b->right);
  if (TIE == 3 && la != lb) return la < lb;
  if (TIE == 4 && la != lb) return la > lb;
  int c = strcmp(a->left, b->left);
  if (!c) c = strcmp(a->right, b->right);
  return TIE == 1 ? c > 0 : c < 0;
}
static void join(Word *w, const Pair *p) {
  int n = 0;
  for (int i = 0; i < w->n; i++, n++) {
    char made[LONG];
    strcpy(made, w->part[i]);
    if (i + 1 < w->n && !strcmp(made, p->left) && !strcmp(w->part[i + 1], p->right))
      strcat(made, w->part[++i]);
    strcpy(w->part[n], made);
  }
  w->n = n;
}
static int number(const char *token) {
  for (int i = 0; i < kept; i++)
    if (!strcmp(known[i], token)) return i;
  return -1;
}
static void add(const char *token) {
  if (number(token) < 0) strcpy(known[kept++], token);
}
static void encode(Word *w) {
  if (!GREEDY) {
    for (int i = 0; i < learned; i++) join(w, &merges[i]);
    return;
  }
  w->n = 0;
  for (const char *at = w->whole; *at;) {
    char token[LONG];
    int size = (int)strlen(at);
    for (strcpy(token, at); size > 1 && number(token) < 0;) token[--size] = 0;
    strcpy(w->part[w->n++], token);
    at += size;
  }
}
static int by_text(const void *a, const void *b) { return strcmp(a, b); }
int main(void) {
  char line[4096];
  static Word now;
  int wanted = atoi(fgets(line, sizeof line, stdin)), n = 0;
  while (fgets(line, sizeof line, stdin) && strcmp(line, "%\n")) {
    for (char *raw = strtok(line, " \n"); raw; raw = strtok(NULL, " \n")) {
      int at = 0;
      cut(&now, raw);
      while (at < n && strcmp(words[at].whole, now.whole)) at++;
      if (at == n) words[n++] = now, words[at].times = 0;
      words[at].times++;
    }
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < words[i].n; k++) add(words[i].part[k]);
  qsort(known, kept, sizeof known[0], by_text);
  while (learned < wanted) {
    int pairs = 0, best = 0;
    for (int i = 0; i < n; i++)
      for (int k = 0; k + 1 < words[i].n; k++) {
        const char *left = words[i].part[k], *right = words[i].part[k + 1];
        if (!fits(left, right)) continue;
        int at = 0;
        while (at < pairs && (strcmp(seen[at].left, left) || strcmp(seen[at].right, right))) at++;
        if (at == pairs) {
          strcpy(seen[pairs].left, left);
          strcpy(seen[pairs].right, right);
          seen[pairs++].count = 0;
        }
        seen[at].count += TYPES ? 1 : words[i].times;
      }
    for (int i = 1; i < pairs; i++)
      if (beats(&seen[i], &seen[best])) best = i;
    if (!pairs || seen[best].count < LEAST) break;
    merges[learned++] = seen[best];
    for (int i = 0; i < n; i++) join(&words[i], &seen[best]);
    printf("%s %s\n", seen[best].left, seen[best].right);
  }
  for (int i = 0; i < learned; i++) {
    char token[2 * LONG];
    snprintf(token, sizeof token, "%s%s", merges[i].left, merges[i].right);
    add(token);
  }
  int total = 0, tokens = 0, unknown = 0;
  while (fgets(line, sizeof line, stdin)) {
    const char *gap = "";
    for (char *raw = strtok(line, " \n"); raw; raw = strtok(NULL, " \n")) {
      cut(&now, raw);
      encode(&now);
      total++;
      for (int i = 0; i < now.n; i++, gap = " ") {
        tokens++;
        unknown += number(now.part[i]) < 0;
        if (NUMBERS) printf("%s%d", gap, number(now.part[i]));
        else printf("%s%s", gap, now.part[i]);
      }
    }
    puts("");
  }
  printf("words %d tokens %d unknown %d\n", total, tokens, unknown);
  return 0;
}
