"""The C++ of the compiler-said family: a library of headers in a namespace, and tools upon it."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.debugging.compiler_said.kit import Call, Kit, Slip


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


_SECTIONS = {
    "record": """\
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lib {

// @doc
struct Record {
    std::string name;
    std::int64_t value;
};

// All lines, in order.
using Table = std::vector<Record>;

}  // namespace lib
""",
    "reading": """\
#pragma once
#include "record.hpp"
#include <iostream>

namespace lib {

// @doc
inline Table read_table(std::istream &from) {
    Table made;
    for (Record next; from >> next.name >> next.value;)
        made.push_back(next);
    return made;
}

}  // namespace lib
""",
    "report": """\
#pragma once
#include "record.hpp"
#include <ostream>

namespace lib {

// @doc
void print_table(std::ostream &to, const Table &shown);

}  // namespace lib

inline void lib::print_table(std::ostream &to, const lib::Table &shown) {
    std::int64_t total = 0;
    for (const Record &one : shown) {
        to << one.name << ' ' << one.value << '\\n';
        total += one.value;
    }
    to << "rows " << shown.size() << " total " << total << '\\n';
}
""",
    "scale": """\
#pragma once
#include "record.hpp"

namespace lib {

// @doc
inline void scale(Table &t, std::int64_t factor, std::int64_t offset) {
    for (Record &row : t)
        row.value = row.value * factor + offset;
}

}  // namespace lib
""",
    "wrap": """\
#pragma once
#include "record.hpp"

namespace lib {

// @doc
inline void wrap(Table &t, std::int64_t size) {
    for (Record &row : t) {
        row.value %= size;
        if (row.value < 0)
            row.value += size;
    }
}

}  // namespace lib
""",
    "merge": """\
#pragma once
#include "record.hpp"
#include <map>

namespace lib {

// @doc
inline void merge(Table &t) {
    std::map<std::string, std::size_t> places;
    Table kept;
    for (const Record &row : t) {
        const auto [place, added] = places.emplace(row.name, kept.size());
        if (added)
            kept.push_back(row);
        else
            kept[place->second].value += row.value;
    }
    t = kept;
}

}  // namespace lib
""",
    "rank": """\
#pragma once
#include "record.hpp"
#include <algorithm>

namespace lib {

// @doc
inline void rank(Table &t) {
    std::sort(t.begin(), t.end(), [](const Record &a, const Record &b) {
        return a.value != b.value ? a.value > b.value : a.name < b.name;
    });
}

}  // namespace lib
""",
    "delta": """\
#pragma once
#include "record.hpp"

namespace lib {

// @doc
inline void delta(Table &t) {
    std::int64_t before = t.empty() ? 0 : t.front().value;
    for (Record &row : t) {
        const std::int64_t now = row.value;
        row.value = now - before;
        before = now;
    }
}

}  // namespace lib
""",
    "window": """\
#pragma once
#include "record.hpp"

namespace lib {

// @doc
inline void window(Table &t, std::size_t length) {
    for (std::size_t i = t.size(); i-- > 0;)
        for (std::size_t back = 1; back < length && back <= i; ++back)
            t[i].value += t[i - back].value;
}

}  // namespace lib
""",
    "keep": """\
#pragma once
#include "record.hpp"
#include <algorithm>

namespace lib {

// @doc
inline void keep(Table &t, std::int64_t least) {
    const auto low = [least](const Record &row) { return row.value < least; };
    t.erase(std::remove_if(t.begin(), t.end(), low), t.end());
}

}  // namespace lib
""",
    "head": """\
#pragma once
#include "record.hpp"

namespace lib {

// @doc
void head(Table &t, std::size_t most);

}  // namespace lib

inline void lib::head(lib::Table &t, std::size_t most) {
    if (t.size() > most)
        t.resize(most);
}
""",
    "fold": """\
#pragma once
#include "record.hpp"

namespace lib {

// @doc
inline void fold(Table &t) {
    for (Record &row : t)
        for (char &c : row.name)
            if (c >= 'A' && c <= 'Z')
                c = static_cast<char>(c - 'A' + 'a');
}

}  // namespace lib
""",
}
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
KIT = Kit(sections=_SECTIONS, slips=_SLIPS, main=_main, main_slips=_main_slips, suffix="hpp")
