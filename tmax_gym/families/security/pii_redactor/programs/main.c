#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rule { int kind, style, count, sign; const char *before, *after; };
static const struct rule RULES[] = {/*@RULES*/
    {0, 3, 4, '*', "<EMAIL>", ""},
/*@*/};
static const struct { const char *code; int size; } COUNTRIES[] = {/*@COUNTRIES*/{"--", 0}/*@*/};
static const int GROUPS[] = {/*@GROUPS*/0/*@*/}, WEIGHTS[] = {/*@WEIGHTS*/0/*@*/};
static const char CHECKS[] = /*@CHECKS*/"-"/*@*/, PREFIX[] = /*@PREFIX*/"--"/*@*/, JOINT[] = /*@JOINT*/"-"/*@*/;
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static char **seen[6];
static int known[6];

static int digit(int c) { return c >= '0' && c <= '9'; }
static int capital(int c) { return c >= 'A' && c <= 'Z'; }
static int alnum(int c) { return digit(c) || capital(c) || (c >= 'a' && c <= 'z'); }
static int part(int c) { return alnum(c) || (c && strchr("@._+-", c)); }

static int email(const char *w) {
    const char *at = strchr(w, '@'), *label;
    int labels = 0;
    if (!at || at == w || !alnum(w[0]) || !alnum(at[-1])) return 0;
    for (const char *p = w; p + 1 < at; p++)
        if (p[0] == '.' && p[1] == '.') return 0;
    for (label = at + 1;; labels++) {
        int n = (int)strcspn(label, "."), letters = 1;
        if (!n || label[0] == '-' || label[n - 1] == '-') return 0;
        for (int i = 0; i < n; i++) {
            if (!alnum(label[i]) && label[i] != '-') return 0;
            if (digit(label[i]) || label[i] == '-') letters = 0;
        }
        if (!label[n]) return labels > 0 && n > 1 && letters && strcmp(at + 1, /*@KEPT*/""/*@*/);
        label += n + 1;
    }
}

static int card(const char *w) {
    int value[64], n = 0, hyphens = 0, total = 0;
    for (const char *p = w; *p; p++) {
        if (*p == '-') hyphens++;
        else if (!digit(*p) || n == /*@SIZE*/0/*@*/) return 0;
        else value[n++] = *p - '0';
    }
    if (!n || n != /*@SIZE*/0/*@*/) return 0;
    if (hyphens) {
        const char *p = w;
        for (int g = 0; g < COUNT(GROUPS); g++) {
            for (int i = 0; i < GROUPS[g]; i++)
                if (!digit(*p++)) return 0;
            if (g + 1 < COUNT(GROUPS) && *p++ != '-') return 0;
        }
        if (*p) return 0;
    }
    for (int i = 0; i < n; i++) {
        int v = value[n - 1 - i] * (1 + i % 2);
        total += v > 9 ? v - 9 : v;
    }
    return total % 10 == 0 || !/*@LUHN*/1/*@*/;
}

static int iban(const char *w) {
    int n = (int)strlen(w), rest = 0, right = 0;
    if (n < 5 || !capital(w[0]) || !capital(w[1]) || !digit(w[2]) || !digit(w[3])) return 0;
    for (int i = 0; i < COUNT(COUNTRIES); i++)
        if (!strncmp(COUNTRIES[i].code, w, 2) && COUNTRIES[i].size == n) right = 1;
    if (!right) return 0;
    for (int i = 0; i < n; i++) {
        int c = w[(i + 4) % n];
        if (digit(c)) rest = (rest * 10 + c - '0') % 97;
        else if (capital(c)) rest = (rest * 100 + c - 'A' + 10) % 97;
        else return 0;
    }
    return rest == 1 || !/*@MOD97*/1/*@*/;
}

static int phone(const char *w) {
    int n = 0;
    if (w[0] != '+' || !digit(w[1]) || w[1] == '0') return 0;
    for (const char *p = w + 1; *p; p++) {
        if (digit(*p)) n++;
        else if (*p != '-' || !digit(p[1])) return 0;
    }
    return n >= /*@LOW*/1/*@*/ && n <= /*@HIGH*/0/*@*/;
}

static int ipv4(const char *w) {
    int number[4], n = 0;
    for (;; n++) {
        int size = (int)strspn(w, "0123456789");
        if (n == 4 || size < 1 || size > 3 || (size > 1 && *w == '0')) return 0;
        number[n] = atoi(w);
        if (number[n] > 255) return 0;
        w += size;
        if (!*w) break;
        if (*w++ != '.') return 0;
    }
    if (n != 3) return 0;
    return !(/*@PRIVATE*/0/*@*/ && (number[0] == 10 || (number[0] == 192 && number[1] == 168)));
}

static int house(const char *w) {
    int n = COUNT(WEIGHTS), head = (int)strlen(PREFIX), total = 0;
    if ((int)strlen(w) != head + n + 3 || strncmp(w, PREFIX, head)) return 0;
    w += head;
    if (w[0] != JOINT[0] || w[n + 1] != JOINT[0]) return 0;
    for (int i = 0; i < n; i++) {
        if (!digit(w[i + 1])) return 0;
        total += WEIGHTS[i] * (w[i + 1] - '0');
    }
    if (!/*@WEIGHED*/1/*@*/) return strchr(CHECKS, w[n + 2]) != 0;
    return CHECKS[total % /*@MODULUS*/1/*@*/] == w[n + 2];
}

static int valid(int kind, const char *w) {
    int (*const test[])(const char *) = {email, card, iban, phone, ipv4, house};
    return test[kind](w);
}

static int number(int kind, const char *w) {
    for (int i = 0; i < known[kind]; i++)
        if (!strcmp(seen[kind][i], w)) return i + 1;
    seen[kind] = (char **)realloc(seen[kind], (known[kind] + 1) * sizeof(char *));
    seen[kind][known[kind]] = strdup(w);
    return ++known[kind];
}

static void mask(int rule, const char *w) {
    int kind = RULES[rule].kind, style = RULES[rule].style, sign = RULES[rule].sign;
    int all = 0, at = 0;
    if (style == 0) { fputs(RULES[rule].before, stdout); return; }
    if (style == 1) {
        printf("%s%d%s", RULES[rule].before, number(kind, w), RULES[rule].after);
        return;
    }
    if (style == 4 && kind == 0) { printf("%c%c%c%s", sign, sign, sign, strchr(w, '@')); return; }
    if (style == 4) {
        const char *second = strchr(strchr(w, '.') + 1, '.');
        printf("%.*s.%c.%c", (int)(second - w), w, sign, sign);
        return;
    }
    for (const char *p = w; *p; p++) all += alnum(*p);
    for (const char *p = w; *p; p++) {
        int stays = style == 2 ? at >= all - RULES[rule].count : at < RULES[rule].count;
        putchar(alnum(*p) && !stays ? sign : *p);
        at += alnum(*p);
    }
}

static void word(char *w, int n) {
    int from = 0, to = n, rule = 0;
    while (from < n && strchr("._-", w[from])) from++;
    while (to > from && strchr("._-+", w[to - 1])) to--;
    char after = w[to];
    w[to] = 0;
    while (rule < COUNT(RULES) && !valid(RULES[rule].kind, w + from)) rule++;
    fwrite(w, 1, from, stdout);
    if (rule < COUNT(RULES)) mask(rule, w + from);
    else fwrite(w + from, 1, to - from, stdout);
    w[to] = after;
    fwrite(w + to, 1, n - to, stdout);
}

int main(void) {
    size_t size = 0, room = 1 << 16, got;
    char *text = (char *)malloc(room + 1);
    while ((got = fread(text + size, 1, room - size, stdin)) > 0) {
        size += got;
        if (size == room) text = (char *)realloc(text, (room *= 2) + 1);
    }
    text[size] = 0;
    for (size_t i = 0; i < size;) {
        size_t end = i;
        while (end < size && part((unsigned char)text[end])) end++;
        if (end == i) putchar(text[i++]);
        else word(text + i, (int)(end - i));
        if (end > i) i = end;
    }
    return 0;
}
