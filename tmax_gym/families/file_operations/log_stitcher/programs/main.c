#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE 65536
typedef struct { char block[32]; char line[512]; } Step;
typedef struct { char *line; int at; } Line;
static Step steps[512];
static Line lines[65536];
static int count, made, gone, going;
static char joined[WIDE], text[WIDE], spare[WIDE];
static const char *JOINER = "@joiner";
static char stem[256];

static char *slurp(const char *folder, const char *name, size_t *size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) exit(1);
  char *data = malloc(1 << 24);
  *size = fread(data, 1, (1 << 24) - 1, file);
  data[*size] = 0;
  fclose(file);
  return data;
}

static char *decoded(char *data, size_t size, const char *encoding) {
  size_t room = size * 4 + 16, left = room;
  char *out = malloc(room + 1), *to = out;
  iconv_t how = iconv_open("UTF-8", encoding);
  if (how == (iconv_t)-1 || iconv(how, &data, &size, &to, &left) == (size_t)-1) exit(2);
  iconv_close(how);
  *to = 0;
  return strncmp(out, "\xef\xbb\xbf", 3) ? out : out + 3;
}

/* The nth part of a command between double quotes, from 0. */
static char *quoted(const char *line, int n, char *into) {
  const char *at = line;
  *into = 0;
  for (int i = 0; i < 2 * n + 1; i++) {
    at = strchr(at, '"');
    if (!at) return into;
    at++;
  }
  size_t size = strcspn(at, "\"");
  memcpy(into, at, size);
  into[size] = 0;
  return into;
}

static size_t characters(const char *s) {
  size_t n = 0;
  for (; *s; s++) n += (*s & 0xC0) != 0x80;
  return n;
}

static void swap(const char *a, const char *b) {
  char *from = text, *at;
  *spare = 0;
  while ((at = strstr(from, a))) {
    strncat(spare, from, at - from);
    strcat(spare, b);
    from = at + strlen(a);
    if (!/*@everywhere*/0/*@*/) break;
  }
  strcat(spare, from);
  strcpy(text, spare);
}

static void cut(const char *a, const char *b) {
  char *from = text, *at, *to;
  *spare = 0;
  while ((at = strstr(from, a)) && (to = strstr(at + strlen(a), b))) {
    strncat(spare, from, at - from);
    if (!/*@ends*/0/*@*/) { strcat(spare, a); strcat(spare, b); }
    from = to + strlen(b);
  }
  strcat(spare, from);
  strcpy(text, spare);
}

static void mask(const char *a) {
  for (char *at = text; (at = strstr(at, a));) {
    at += strlen(a);
    int size = (int)strspn(at, "0123456789");
    for (int i = 0; i < size - /*@spared*/2/*@*/; i++) at[i] = '/*@cover*/#/*@*/';
    at += size;
  }
}

static void skip(const char *a) {
  char *from = text, *at;
  int n = 0;
  *spare = 0;
  for (;; from = at + strlen(JOINER)) {
    at = strstr(from, JOINER);
    size_t size = at ? (size_t)(at - from) : strlen(from);
    if (strncmp(from, a, strlen(a))) {
      if (n++) strcat(spare, JOINER);
      size_t end = strlen(spare);
      memcpy(spare + end, from, size);
      spare[end + size] = 0;
    }
    if (!at) break;
  }
  strcpy(text, spare);
}

static void limit(size_t most) {
  if (characters(text) <= most) return;
  char *at = text;
  for (size_t n = 0;; at++)
    if ((*at & 0xC0) != 0x80 && n++ == most) break;
  strcpy(at, "@more");
}

static void tag(const char *a, const char *word) {
  if (!strstr(text, a)) return;
  if (/*@front*/0/*@*/) snprintf(spare, WIDE, "[%s] %s", word, text);
  else snprintf(spare, WIDE, "%s [%s]", text, word);
  strcpy(text, spare);
}

static void edit(const char *block, const char *level) {
  char a[512], b[512], name[32], how[32], what[32];
  for (int i = 0; i < count && !gone; i++) {
    if (strcmp(steps[i].block, block)) continue;
    const char *line = steps[i].line;
    quoted(line, 0, a);
    quoted(line, 1, b);
    *name = *how = *what = 0;
    sscanf(line, "%31s", name);
    if (!strcmp(name, "run")) {
      sscanf(line, "%*s %31s %31s %31s", name, how, what);
      if (!strcmp(how, "when") && !strstr(text, a)) continue;
      if (!strcmp(how, "for") && strcmp(what, level)) continue;
      edit(name, level);
    } else if (!strcmp(name, "drop")) gone = strstr(text, a) != NULL;
    else if (!strcmp(name, "replace")) swap(a, b);
    else if (!strcmp(name, "cut")) cut(a, b);
    else if (!strcmp(name, "mask")) mask(a);
    else if (!strcmp(name, "tag")) tag(a, b);
    else if (!strcmp(name, "limit")) limit(strtoul(strstr(line, "limit") + 5, NULL, 10));
    else if (!strcmp(name, "skip")) skip(a);
  }
}

static void flush(void) {
  if (*joined) {
    char level[32], *out = malloc(WIDE);
    sscanf(joined + 20, "%31s", level);
    strcpy(text, joined + 20 + strlen(level) + 1);
    gone = 0;
    edit("", level);
    snprintf(out, WIDE, "%.19s\t%s\t%s\t%s", joined, stem, level, text);
    if (!gone) { lines[made].line = out; lines[made].at = made; made++; }
  }
  *joined = 0;
  going = 0;
}

static void add(char *line) {
  line += strspn(line, " \t");
  size_t size = strlen(line);
  while (size && strchr(" \t", line[size - 1])) line[--size] = 0;
  if (!going || !size) return;
  if (*joined) strcat(joined, JOINER);
  strcat(joined, line);
}

static void begin(char *line) { flush(); going = 1; add(line); }

static int stamped(const char *line) {
  static const char *form = "0000-00-00 00:00:00 ";
  for (int i = 0; form[i]; i++)
    if (form[i] == '0' ? line[i] < '0' || line[i] > '9' : line[i] != form[i]) return 0;
  return 1;
}

static void take(char *line, const char *kind) {
  static int left, on;
  size_t size = strlen(line);
  if (!strcmp(kind, "stamped")) stamped(line) ? begin(line) : add(line);
  else if (!strcmp(kind, "indented")) strchr(" \t", *line) && *line ? add(line) : begin(line);
  else if (!strcmp(kind, "slashed")) {
    int more = size && line[size - 1] == '\\';
    if (more) line[size - 1] = 0;
    on ? add(line) : begin(line);
    on = more;
  } else if (!strcmp(kind, "counted")) {
    if (left) { add(line); left--; return; }
    char *plus = strrchr(line, '+');
    left = atoi(plus + 1);
    plus[-1] = 0;
    begin(line);
  } else if (!strcmp(line, "<<")) begin("");
  else if (!strcmp(line, ">>")) flush();
  else add(line);
}

static int earlier(const void *a, const void *b) {
  const Line *x = a, *y = b;
  int c = strncmp(x->line, y->line, 19);
  return c ? c : x->at - y->at;
}

int main(int argc, char **argv) {
  size_t size;
  char block[32] = "", *rest, *line;
  (void)argc;
  rest = slurp(argv[1], "edits.txt", &size);
  while ((line = strsep(&rest, "\n"))) {
    char first[32] = "", name[32] = "";
    sscanf(line, "%31s %31s", first, name);
    if (!*first || *line == '#') continue;
    if (!strcmp(first, "macro")) strcpy(block, name);
    else if (!strcmp(first, "end")) *block = 0;
    else { strcpy(steps[count].block, block); strncpy(steps[count++].line, line, 511); }
  }
  char *list = slurp(argv[1], "sources.tsv", &size), *row;
  while ((row = strsep(&list, "\n"))) {
    char *name = strsep(&row, "\t"), *encoding = strsep(&row, "\t"), *kind = row;
    if (!kind) continue;
    char *data = slurp(argv[1], name, &size);
    rest = decoded(data, size, encoding);
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name);
    while ((line = strsep(&rest, "\n"))) {
      if (!rest) break;
      size_t end = strlen(line);
      if (end && line[end - 1] == '\r') line[end - 1] = 0;
      take(line, kind);
    }
    flush();
  }
  qsort(lines, made, sizeof(Line), earlier);
  for (int i = 0; i < made; i++) puts(lines[i].line);
  return 0;
}
