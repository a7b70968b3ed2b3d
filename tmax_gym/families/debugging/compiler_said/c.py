"""The C of the compiler-said family: a library of headers, and tools that use it."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.debugging.compiler_said.kit import Call, Kit, Slip
from tmax_gym.families.shared.programs import program_sections


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
    record = "" if name == "record" else '#include "record.h"\n'
    return f"#ifndef {guard}\n#define {guard}\n{record}{body}\n#endif\n"


_BODIES = program_sections(__package__, "library.c")
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
