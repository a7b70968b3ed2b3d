//@ frame
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One row of a batch; it owns its name. */
struct row {
    char *name;
    int64_t value;
    struct row *next;
};

/* The rows of a batch in order; it owns them. */
struct batch {
    struct row *first, *last;
    size_t count;
};

/* Makes a row with a name of its own. */
static struct row *new_row(const char *name, int64_t value)
{
    struct row *made = malloc(sizeof *made);
    made->name = malloc(strlen(name) + 1);
    strcpy(made->name, name);
    made->value = value;
    made->next = NULL;
    return made;
}

/* Gives back a row and its name. */
static void free_row(struct row *gone)
{
    free(gone->name);
    free(gone);
}

/* Hangs a row on the end of a batch, which owns it from then on. */
static void append(struct batch *to, struct row *added)
{
    if (to->last != NULL)
        to->last->next = added;
    else
        to->first = added;
    to->last = added;
    to->count++;
}

/* Takes the first row out of a batch: it is the caller's; NULL where there is none. */
static struct row *take(struct batch *from)
{
    struct row *taken = from->first;
    if (taken == NULL)
        return NULL;
    from->first = taken->next;
    if (from->first == NULL)
        from->last = NULL;
    from->count--;
    taken->next = NULL;
    return taken;
}

/* Gives back all rows of a batch, which is empty then. */
static void release(struct batch *done)
{
    struct row *row;
    while ((row = take(done)) != NULL)
        free_row(row);
}

/* Reads the lines "name value" up to a line "end"; returns 0 where none are left. */
static int read_batch(FILE *from, struct batch *to)
{
    char name[64];
    int64_t value;
    while (fscanf(from, "%63s", name) == 1) {
        if (strcmp(name, "end") == 0)
            return 1;
        if (fscanf(from, "%" SCNd64, &value) != 1)
            break;
        append(to, new_row(name, value));
    }
    return to->count > 0;
}

/* Prints every row, and then how many there are and their sum. */
static void print_batch(FILE *to, const struct batch *shown)
{
    int64_t total = 0;
    for (const struct row *row = shown->first; row != NULL; row = row->next) {
        fprintf(to, "%s %" PRId64 "\n", row->name, row->value);
        total += row->value;
    }
    fprintf(to, "= %zu %" PRId64 "\n", shown->count, total);
}
//@ tally
/* @doc */
static void tally(struct batch *b)
{
    struct batch kept = {0};
    struct row *row;
    while ((row = take(b)) != NULL) {
        struct row *same = kept.first;
        while (same != NULL && strcmp(same->name, row->name) != 0)
            same = same->next;
        if (same == NULL) {
            append(&kept, row);
        } else {
            same->value += row->value;
            free_row(row);
        }
    }
    *b = kept;
}
//@ window
/* @doc */
static void window(struct batch *b, size_t length)
{
    int64_t *ring = calloc(length, sizeof *ring);
    int64_t sum = 0;
    size_t at = 0;
    for (struct row *row = b->first; row != NULL; row = row->next) {
        sum += row->value - ring[at];
        ring[at] = row->value;
        row->value = sum;
        if (++at == length)
            at = 0;
    }
    free(ring);
}
//@ expand
/* @doc */
static void expand(struct batch *b, int64_t most)
{
    struct batch grown = {0};
    struct row *row;
    while ((row = take(b)) != NULL) {
        append(&grown, row);
        for (int64_t more = llabs(row->value) % most; more > 0; more--) {
            struct row *twin = new_row(row->name, row->value);
            append(&grown, twin);
        }
    }
    *b = grown;
}
//@ drop
/* @doc */
static void drop(struct batch *b, int64_t least)
{
    struct row **link = &b->first;
    b->last = NULL;
    while (*link != NULL) {
        struct row *row = *link;
        if (row->value >= least) {
            b->last = row;
            link = &row->next;
            continue;
        }
        *link = row->next;
        free_row(row);
        b->count--;
    }
}
//@ join
/* @doc */
static void join(struct batch *b)
{
    struct batch made = {0};
    struct row *left, *right;
    while ((left = take(b)) != NULL) {
        right = take(b);
        if (right == NULL) {
            append(&made, left);
            break;
        }
        size_t room = strlen(left->name) + strlen(right->name) + 2;
        char *both = malloc(room);
        sprintf(both, "%s-%s", left->name, right->name);
        append(&made, new_row(both, left->value + right->value));
        free(both);
        free_row(left);
        free_row(right);
    }
    *b = made;
}
//@ recent
/* @doc */
static void recent(struct batch *b, size_t room)
{
    struct batch kept = {0};
    struct row *row;
    while ((row = take(b)) != NULL) {
        struct row **link = &kept.first;
        while (*link != NULL && strcmp((*link)->name, row->name) != 0)
            link = &(*link)->next;
        struct row *old = *link;
        if (old != NULL) {
            *link = old->next;
            free_row(old);
            kept.count--;
        }
        row->next = kept.first;
        kept.first = row;
        if (++kept.count > room) {
            for (link = &kept.first; (*link)->next != NULL;)
                link = &(*link)->next;
            free_row(*link);
            *link = NULL;
            kept.count--;
        }
    }
    for (row = kept.first; row != NULL; row = row->next)
        kept.last = row;
    *b = kept;
}
//@ spread
/* @doc */
static void spread(struct batch *b, int64_t size)
{
    int64_t *counts = calloc((size_t)size, sizeof *counts);
    char name[24];
    for (const struct row *row = b->first; row != NULL; row = row->next) {
        int64_t at = row->value % size;
        if (at < 0)
            at += size;
        counts[at]++;
    }
    release(b);
    for (int64_t i = 0; i < size; i++) {
        snprintf(name, sizeof name, "b%" PRId64, i);
        append(b, new_row(name, counts[i]));
    }
    free(counts);
}
//@ digest
/* @doc */
static void digest(struct batch *b)
{
    uint32_t h = 7;
    for (const struct row *row = b->first; row != NULL; row = row->next) {
        size_t length = strlen(row->name);
        for (size_t i = 0; i < length; i++)
            h = h * 31 + (unsigned char)row->name[i];
        h += (uint32_t)row->value;
    }
    append(b, new_row("digest", h));
}
//@ rank
static int better(const void *left, const void *right)
{
    const struct row *a = *(struct row *const *)left, *b = *(struct row *const *)right;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* @doc */
static void rank(struct batch *b, size_t most)
{
    size_t count = b->count;
    struct row **all = malloc((count + 1) * sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = take(b);
    qsort(all, count, sizeof *all, better);
    for (size_t i = 0; i < count; i++) {
        if (i < most)
            append(b, all[i]);
        else
            free_row(all[i]);
    }
    free(all);
}
//@
int main(void) { return 0; }
