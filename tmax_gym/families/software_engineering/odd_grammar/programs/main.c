#include <setjmp.h>
#include <stdio.h>
#include <string.h>

typedef long long num;
struct row { const char *sign; int level, ties, code, divides; };
static const struct row BETWEEN[] = {/*@BETWEEN*/
    {">", 1, 1, 1, 1},
    {"?", 1, 1, 2, 0},
    {":=", 2, 1, 3, 1},
    {"&&", 2, 1, 4, 0},
    {"//", 3, 0, 5, 0},
    {0},/*@*/
}, BEFORE[] = {/*@BEFORE*/
    {":=", 4, 0, 6, 0},
    {0},/*@*/
}, AFTER[] = {/*@AFTER*/
    {0},/*@*/
};
static const struct { const char *open, *close; int code; } BRACKETS[] = {/*@BRACKETS*/
    {"(", ")", 0},
    {0},/*@*/
};
static const struct { const char *name; int code; } CALLS[] = {/*@CALLS*/
    {0},/*@*/
};
static const char *const SYMBOLS[] = {/*@SYMBOLS*/
    "&&",
    "//",
    ":=",
    "(",
    ")",
    ";",
    ">",
    "?",
    0,/*@*/
};
static const struct { const char *mark; int base; } MARKS[] = {/*@MARKS*/
    {"@", 3},
    {0},/*@*/
};
static const struct { const char *letter; int factor; } SUFFIXES[] = {/*@SUFFIXES*/
    {0},/*@*/
};
static const char *const WORDS[] = {/*@words*/"bad", "div", "big"/*@*/};

enum { END, NUMBER, NAME, SIGN, BAD };
enum { VALUE, MEMORY, CODE, CALL };
struct step { int what, code, where, takes, divides; num value; };

static char line[65536], word[65536];
static struct step steps[65536];
static num stack[65536], value, memory;
static int at, size, start, kind, count, wrong, place;
static jmp_buf out;

static void fail(int what, int where) { wrong = what; place = where; longjmp(out, 1); }
static num down(num a, num b) { num q = a / b; return a % b && (a < 0) != (b < 0) ? q - 1 : q; }
static num chop(num a, num b) { return a / b; }
static num low(num a, num b) { return a < b ? a : b; }
static num high(num a, num b) { return a < b ? b : a; }
static num less(num a, num b) { return a < b; }
static num common(num a, num b) {
    while (b) { num rest = a % b; a = b; b = rest; }
    return a < 0 ? -a : a;
}

static int digit(int where, int base) {
    const char *all = "0123456789abcdef", *found = line[where] ? strchr(all, line[where]) : 0;
    return found && found - all < base ? (int)(found - all) : -1;
}

static int number(void) {
    int base = 10, here = at;
    for (int i = 0; MARKS[i].mark; i++)
        if (line[at] == MARKS[i].mark[0]) { base = MARKS[i].base; here = at + 1; }
    if (digit(here, base) < 0) return 0;
    value = 0;
    while (digit(here, base) >= 0) {
        value = value * base + digit(here++, base);
        if (line[here] == /*@gap*/"\n"/*@*/[0] && digit(here + 1, base) >= 0) here++;
    }
    for (int i = 0; base == 10 && SUFFIXES[i].letter; i++)
        if (line[here] == SUFFIXES[i].letter[0]) { value *= SUFFIXES[i].factor; here++; break; }
    kind = NUMBER;
    at = here;
    return 1;
}

static void advance(void) {
    int n = 0;
    while (line[at] == ' ') at++;
    start = at;
    word[0] = 0;
    kind = END;
    if (at == size || number()) return;
    while (line[at + n] >= 'a' && line[at + n] <= 'z') n++;
    kind = NAME;
    if (!n) {
        kind = BAD;
        for (int i = 0; SYMBOLS[i] && kind == BAD; i++)
            if (!strncmp(line + at, SYMBOLS[i], strlen(SYMBOLS[i]))) {
                kind = SIGN;
                n = (int)strlen(SYMBOLS[i]);
            }
    }
    memcpy(word, line + at, n);
    word[n] = 0;
    at += n;
}

static const struct row *found(const struct row *table) {
    for (; kind == SIGN && table->sign; table++)
        if (!strcmp(table->sign, word)) return table;
    return 0;
}

static void leave(int what, int code, int where, int takes, int divides, num v) {
    struct step made = {what, code, where, takes, divides, v};
    steps[count++] = made;
}

static void expression(int least);

static int inside(const char *closing, int many) {
    int n = 0;
    do {
        advance();
        expression(1);
        n++;
    } while (many && kind == SIGN && !strcmp(word, /*@separator*/";"/*@*/));
    if (kind != SIGN || strcmp(word, closing)) fail(0, start);
    advance();
    return n;
}

static void operand(void) {
    int here = start;
    const struct row *row = found(BEFORE);
    if (row) {
        advance();
        expression(row->level);
        leave(CODE, row->code, here, 1, 0, 0);
        return;
    }
    if (kind == NUMBER) {
        leave(VALUE, 0, here, 0, 0, value);
        advance();
    } else if (kind == NAME && */*@memory*/""/*@*/ && !strcmp(word, /*@memory*/""/*@*/)) {
        leave(MEMORY, 0, here, 0, 0, 0);
        advance();
    } else if (kind == NAME) {
        int i = 0;
        while (CALLS[i].name && strcmp(CALLS[i].name, word)) i++;
        if (!CALLS[i].name) fail(0, here);
        advance();
        if (strcmp(word, "(")) fail(0, start);
        int takes = inside(")", 1);
        leave(CALL, CALLS[i].code, here, takes, 0, 0);
    } else {
        int i = 0;
        if (kind != SIGN) fail(0, here);
        while (BRACKETS[i].open && strcmp(BRACKETS[i].open, word)) i++;
        if (!BRACKETS[i].open) fail(0, here);
        inside(BRACKETS[i].close, 0);
        if (BRACKETS[i].code) leave(CODE, BRACKETS[i].code, here, 1, 0, 0);
    }
    while ((row = found(AFTER))) {
        leave(CODE, row->code, start, 1, 0, 0);
        advance();
    }
}

static void expression(int least) {
    int lonely = 0;
    const struct row *row;
    operand();
    while ((row = found(BETWEEN)) && row->level >= least) {
        int here = start;
        if (row->level == lonely) fail(0, here);
        advance();
        expression(row->level + (row->ties != 1));
        leave(CODE, row->code, here, 2, row->divides, 0);
        lonely = row->ties == 2 ? row->level : 0;
    }
}

static num single(int code, num a) {
    switch (code) {
/*@case_unary*/    case 6: return -1 - a;/*@*/
    }
    return a;
}

static num twofold(int code, num a, num b) {
    switch (code) {
/*@case_binary*/    case 1: return a - b * down(a, b);
    case 2: return a & b;
    case 3: return down(a, b);
    case 4: return a + b;
    case 5: return common(a, b);/*@*/
    }
    return a + b;
}

static num called(int code, const num *args, int count) {
    num least = args[0], most = args[0], total = 0, turns = 0;
    for (int i = 0; i < count; i++) {
        least = low(least, args[i]);
        most = high(most, args[i]);
        total += args[i];
        turns += i % 2 ? -args[i] : args[i];
    }
    switch (code) {
/*@case_calls*//*@*/
    }
    return least + most + total + turns;
}

static num fitted(num v, int where) {
    v = /*@fitted*/v/*@*/;
    if (/*@limited*/1/*@*/ && high(v, -v) > /*@bound*/1000000000000000/*@*/) fail(2, where);
    return v;
}

static num computed(void) {
    int top = 0;
    for (int i = 0; i < count; i++) {
        const struct step *s = &steps[i];
        num v;
        top -= s->takes;
        if (s->what == VALUE) v = s->value;
        else if (s->what == MEMORY) v = memory;
        else if (s->what == CALL) v = called(s->code, stack + top, s->takes);
        else if (s->takes == 1) v = single(s->code, stack[top]);
        else {
            if (s->divides && !stack[top + 1]) fail(1, s->where);
            v = twofold(s->code, stack[top], stack[top + 1]);
        }
        stack[top++] = fitted(v, s->where);
    }
    return stack[0];
}

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        size = (int)strcspn(line, "\n");
        line[size] = 0;
        if (strspn(line, " ") == (size_t)size) continue;
        at = count = 0;
        if (!setjmp(out)) {
            advance();
            expression(1);
            if (kind != END) fail(0, start);
            memory = computed();
            printf("%lld\n", memory);
        } else if (/*@word_first*/0/*@*/)
            printf("%s%s%s%d%s\n", /*@before*/"! "/*@*/, WORDS[wrong], /*@middle*/" "/*@*/, place + /*@column*/0/*@*/, /*@last*/""/*@*/);
        else
            printf("%s%d%s%s%s\n", /*@before*/"! "/*@*/, place + /*@column*/0/*@*/, /*@middle*/" "/*@*/, WORDS[wrong], /*@last*/""/*@*/);
    }
    return 0;
}
