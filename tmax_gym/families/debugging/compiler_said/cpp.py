"""The C++ of the compiler-said family: library headers in a namespace, and tools that use them."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.debugging.compiler_said.kit import Call, Kit, Slip
from tmax_gym.families.shared.programs import program_sections


def _main(lib: str, calls: Sequence[Call]) -> str:
    names = ("reading", *(call.stage for call in calls), "report")
    steps = "".join(
        f"    lib::{call.stage}({', '.join(('t', *map(str, call.numbers)))});\n" for call in calls
    )
    return (
        "".join(f'#include "{lib}/{name}.hpp"\n' for name in names)
        + f"\nint main() {{\n    lib::Table t = lib::read_table(std::cin);\n{steps}"
        + "    lib::print_table(std::cout, t);\n}\n"
    )


def _main_slips(lib: str, calls: Sequence[Call]) -> tuple[Slip, ...]:
    first, last = calls[0].stage, calls[-1].stage
    return (
        (f'#include "{lib}/{first}.hpp"\n', ""),
        (f"lib::{last}(", f"lib::{last}s("),
        ("lib::Table t =", "const lib::Table t ="),
        ("(std::cout, t);\n", "(std::cout, t)\n"),
    )


_BODIES = program_sections(__package__, "library.cpp")


def _header(name: str, body: str) -> str:
    record = "" if name == "record" else '#include "record.hpp"\n'
    return f"#pragma once\n{record}{body}"


_SLIPS: dict[str, tuple[Slip, ...]] = {
    "record": (
        ("value;\n};", "value;\n}"),
        ("#pragma once\n", ""),
        ("struct Record {", "class Record {"),
        ("std::vector<Record>;", "std::vector;"),
        ("}  // namespace", "// namespace"),
        ("std::string name;", "const std::string name;"),
    ),
    "reading": (
        ("std::istream &from", "const std::istream &from"),
        ("std::istream &from", "std::istream from"),
        ("next.name >> next.value", "next.name << next.value"),
        ("inline Table read_table", "inline Record read_table"),
        ('"record.hpp"', "<record.hpp>"),
    ),
    "report": (
        ("inline void lib::print_table(", "inline void print_tables("),
        ("(const Record &one", "(Record &one"),
        ("one.name << ' '", "one.name < ' '"),
        ("const lib::Table &shown)", "lib::Table &shown)"),
    ),
    "scale": (
        ("factor, std::int64_t offset", "factor"),
        ("(Record &row", "(const Record &row"),
    ),
    "wrap": (("(Record &row", "(const Record &row"), ("(row.value < 0)", "row.value < 0")),
    "merge": (
        ("std::map<std::string, std::size_t>", "std::map<std::string>"),
        ("place->second", "place.second"),
        ("#include <map>\n", ""),
    ),
    "rank": (
        ("a.name < b.name", "a.name < b"),
        ("[](const Record &a, const Record &b)", "[](const Record &a)"),
        ("    });\n", "    };\n"),
    ),
    "delta": (
        ("std::int64_t before", "const std::int64_t before"),
        ("t.front().value", "t.front()"),
    ),
    "window": (("inline void window(Table &t", "inline void window(const Table &t"),
               ("t[i - back].value", "t[i - back]->value")),
    "keep": (("[least](", "[]("), ("t.end());", "t.end();"), ("auto low", "auto lower")),
    "head": (
        ("inline void lib::head(lib::Table &t", "inline void head(lib::Table &t"),
        ("lib::Table &t, std::size_t most) {", "const lib::Table &t, std::size_t most) {"),
    ),
    "fold": (("static_cast<char>(", "static_cast<char("), ("(Record &row", "(const Record &row")),
}  # fmt: skip
KIT = Kit(
    sections={name: _header(name, body) for name, body in _BODIES.items()},
    slips=_SLIPS,
    main=_main,
    main_slips=_main_slips,
    suffix="hpp",
)
