#include <stdio.h>
//@ record
#include <stddef.h>
#include <stdint.h>

/* @doc */
struct record {
    char name[32];
    int64_t value;
};

/* All lines, in order. */
struct table {
    struct record *rows;
    size_t count;
};
//@ reading
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 4096 };

/* @doc */
static struct table read_table(FILE *from)
{
    struct table made = { calloc(ROOM, sizeof(struct record)), 0 };
    while (made.count < ROOM) {
        struct record *next = &made.rows[made.count];
        if (fscanf(from, "%31s %" SCNd64, next->name, &next->value) != 2)
            break;
        made.count++;
    }
    return made;
}
//@ report
#include <inttypes.h>
#include <stdio.h>

/* @doc */
static void print_table(FILE *to, const struct table *shown)
{
    int64_t total = 0;
    for (size_t i = 0; i < shown->count; i++) {
        const struct record *one = &shown->rows[i];
        fprintf(to, "%s %" PRId64 "\n", one->name, one->value);
        total += one->value;
    }
    fprintf(to, "rows %zu total %" PRId64 "\n", shown->count, total);
}
//@ scale

/* @doc */
static void scale(struct table *t, int64_t factor, int64_t offset)
{
    for (size_t i = 0; i < t->count; i++)
        t->rows[i].value = t->rows[i].value * factor + offset;
}
//@ wrap

/* @doc */
static void wrap(struct table *t, int64_t size)
{
    for (size_t i = 0; i < t->count; i++) {
        int64_t rest = t->rows[i].value % size;
        t->rows[i].value = rest < 0 ? rest + size : rest;
    }
}
//@ merge
#include <string.h>

/* @doc */
static void merge(struct table *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        size_t at = 0;
        while (at < kept && strcmp(t->rows[at].name, t->rows[i].name) != 0)
            at++;
        if (at < kept)
            t->rows[at].value += t->rows[i].value;
        else
            t->rows[kept++] = t->rows[i];
    }
    t->count = kept;
}
//@ rank
#include <stdlib.h>
#include <string.h>

static int larger_first(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* @doc */
static void rank(struct table *t)
{
    qsort(t->rows, t->count, sizeof(struct record), larger_first);
}
//@ delta

/* @doc */
static void delta(struct table *t)
{
    int64_t before = t->count ? t->rows[0].value : 0;
    for (size_t i = 0; i < t->count; i++) {
        int64_t now = t->rows[i].value;
        t->rows[i].value = now - before;
        before = now;
    }
}
//@ window

/* @doc */
static void window(struct table *t, size_t length)
{
    for (size_t i = t->count; i-- > 0;)
        for (size_t back = 1; back < length && back <= i; back++)
            t->rows[i].value += t->rows[i - back].value;
}
//@ keep

/* @doc */
static void keep(struct table *t, int64_t least)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].value >= least)
            t->rows[kept++] = t->rows[i];
    t->count = kept;
}
//@ head

/* @doc */
static void head(struct table *t, size_t most)
{
    if (t->count > most)
        t->count = most;
}
//@ fold

/* @doc */
static void fold(struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        for (char *c = t->rows[i].name; *c; c++)
            if (*c >= 'A' && *c <= 'Z')
                *c = (char)(*c - 'A' + 'a');
}
//@

int main(void)
{
    struct table t = read_table(stdin);
    print_table(stdout, &t);
    return 0;
}
