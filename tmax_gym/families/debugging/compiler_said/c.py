"""The C of the compiler-said family: a library of headers, and tools upon it."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.debugging.compiler_said.kit import Call, Kit, Slip


def _main(lib: str, calls: Sequence[Call]) -> str:
    names = ("reading", *(call.stage for call in calls), "report")
    steps = "".join(
        f"    {call.stage}({', '.join(('&t', *map(str, call.numbers)))});\n" for call in calls
    )
    return (
        "".join(f'#include "{lib}/{name}.h"\n' for name in names)
        + f"\nint main(void)\n{{\n    struct table t = read_table(stdin);\n{steps}"
        + "    print_table(stdout, &t);\n    return 0;\n}\n"
    )


def _main_slips(lib: str, calls: Sequence[Call]) -> tuple[Slip, ...]:
    first, last = calls[0].stage, calls[-1].stage
    return (
        (f'#include "{lib}/{first}.h"\n', ""),
        (f'#include "{lib}/{last}.h"', f'#include "{lib}/{last}s.h"'),
        ("struct table t =", "struct table *t ="),
        ("read_table(stdin);\n", "read_table(stdin)\n"),
    )


def _header(name: str, body: str) -> str:
    guard = f"{name.upper()}_H"
    return f"#ifndef {guard}\n#define {guard}\n{body}\n#endif\n"


_BODIES = {
    "record": """\
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
""",
    "reading": """\
#include "record.h"
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
""",
    "report": """\
#include "record.h"
#include <inttypes.h>
#include <stdio.h>

/* @doc */
static void print_table(FILE *to, const struct table *shown)
{
    int64_t total = 0;
    for (size_t i = 0; i < shown->count; i++) {
        const struct record *one = &shown->rows[i];
        fprintf(to, "%s %" PRId64 "\\n", one->name, one->value);
        total += one->value;
    }
    fprintf(to, "rows %zu total %" PRId64 "\\n", shown->count, total);
}
""",
    "scale": """\
#include "record.h"

/* @doc */
static void scale(struct table *t, int64_t factor, int64_t offset)
{
    for (size_t i = 0; i < t->count; i++)
        t->rows[i].value = t->rows[i].value * factor + offset;
}
""",
    "wrap": """\
#include "record.h"

/* @doc */
static void wrap(struct table *t, int64_t size)
{
    for (size_t i = 0; i < t->count; i++) {
        int64_t rest = t->rows[i].value % size;
        t->rows[i].value = rest < 0 ? rest + size : rest;
    }
}
""",
    "merge": """\
#include "record.h"
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
""",
    "rank": """\
#include "record.h"
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
""",
    "delta": """\
#include "record.h"

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
""",
    "window": """\
#include "record.h"

/* @doc */
static void window(struct table *t, size_t length)
{
    for (size_t i = t->count; i-- > 0;)
        for (size_t back = 1; back < length && back <= i; back++)
            t->rows[i].value += t->rows[i - back].value;
}
""",
    "keep": """\
#include "record.h"

/* @doc */
static void keep(struct table *t, int64_t least)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].value >= least)
            t->rows[kept++] = t->rows[i];
    t->count = kept;
}
""",
    "head": """\
#include "record.h"

/* @doc */
static void head(struct table *t, size_t most)
{
    if (t->count > most)
        t->count = most;
}
""",
    "fold": """\
#include "record.h"

/* @doc */
static void fold(struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        for (char *c = t->rows[i].name; *c; c++)
            if (*c >= 'A' && *c <= 'Z')
                *c = (char)(*c - 'A' + 'a');
}
""",
}
_SLIPS: dict[str, tuple[Slip, ...]] = {
    "record": (
        ("int64_t value;\n};", "int64_t value;\n}"),
        ("#include <stdint.h>\n", ""),
        ("#define RECORD_H", "#define RECORDS_H"),
        ("\n#endif\n", "\n"),
        ("int64_t value;", "int64_t number;"),
        ("struct record {", "struct rekord {"),
    ),
    "reading": (
        ("SCNd64", "SCN64"),
        ("static struct table read_table", "static struct table *read_table"),
        ("#include <inttypes.h>\n", ""),
        ("4096 };", "4096 }"),
        ("(made.count < ROOM)", "(made->count < ROOM)"),
        ('#include "record.h"', '#include "records.h"'),
    ),
    "report": (
        ("static void print_table(", "static void print_tables("),
        ("int64_t total = 0;", "const int64_t total = 0;"),
        ("FILE *to", "FILES *to"),
        ('PRId64 "\\n", one->name', 'PRId64\\n", one->name'),
    ),
    "scale": (
        ("int64_t factor, int64_t offset", "int64_t factor"),
        ("t->rows[i].value =", "t.rows[i].value ="),
    ),
    "wrap": (("rest + size : rest;", "rest + size;"), ("int64_t rest", "int64_t left")),
    "merge": (("size_t kept = 0;", "const size_t kept = 0;"), ("name) != 0)", "name) != 0")),
    "rank": (
        ("*a = left, *b = right;", "*a = left, b = right;"),
        ("sizeof(struct record)", "sizeof(record)"),
        ("larger_first);", "larger_first(t));"),
    ),
    "delta": (
        ("        int64_t now = t->rows[i].value;\n", ""),
        ("before = now;\n    }\n", "before = now;\n"),
    ),
    "window": (("i = t->count; i-- > 0;)", "i = t->count, i-- > 0;)"), ("size_t length", "size_t")),
    "keep": ((">= least)", "=> least)"), ("t->count = kept", "t->size = kept")),
    "head": (
        ("(struct table *t", "(const struct table *t"),
        ("static void head(", "static void heads("),
    ),
    "fold": (("char *c =", "char c ="), ("'A' && *c", "'A && *c")),
}
KIT = Kit(
    sections={name: _header(name, body) for name, body in _BODIES.items()},
    slips=_SLIPS,
    main=_main,
    main_slips=_main_slips,
    suffix="h",
)
