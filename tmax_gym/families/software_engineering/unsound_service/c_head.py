"""The frame of a C service in the unsound-service family: rows, batches and the main function."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.software_engineering.unsound_service.kit import Call


def main(calls: Sequence[Call]) -> str:
    """Return the main function of a service."""
    steps = "".join(
        f"        {call.step}({', '.join(('&batch', *map(str, call.numbers)))});\n"
        for call in calls
    )
    return (
        "int main(void)\n{\n    struct batch batch = {0};\n"
        f"    while (read_batch(stdin, &batch)) {{\n{steps}"
        "        print_batch(stdout, &batch);\n        release(&batch);\n    }\n"
        "    return 0;\n}\n"
    )


HEAD = """\
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
        fprintf(to, "%s %" PRId64 "\\n", row->name, row->value);
        total += row->value;
    }
    fprintf(to, "= %zu %" PRId64 "\\n", shown->count, total);
}
"""
