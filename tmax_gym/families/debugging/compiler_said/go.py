"""The Go of the compiler-said family: each tool is one file that contains the library."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.debugging.compiler_said.kit import Call, Kit, Slip
from tmax_gym.families.shared.programs import program_sections

_IMPORTS = {"fold": "strings", "rank": "sort"}


def _main(lib: str, calls: Sequence[Call]) -> str:
    packages = {"bufio", "fmt", "io", "os", *(_IMPORTS.get(c.stage, "os") for c in calls)}
    imports = "".join(f'\t"{name}"\n' for name in sorted(packages))
    steps = "".join(
        f"\tt = {call.stage}({', '.join(('t', *map(str, call.numbers)))})\n" for call in calls
    )
    return (
        f"package main\n\n// The library {lib} stands below: one file is easier to hand around.\n\n"
        f"import (\n{imports})\n\n"
        f"func main() {{\n\tt := readTable(os.Stdin)\n{steps}\tprintTable(os.Stdout, t)\n}}\n"
    )


def _main_slips(lib: str, calls: Sequence[Call]) -> tuple[Slip, ...]:
    last = calls[-1].stage
    return (
        ('\t"bufio"\n', '\t"bufio"\n\t"errors"\n'),
        ('\t"io"\n', ""),
        (f"\tt = {last}(", f"\tt := {last}("),
        ("t := readTable", "t = readTable"),
        ("(os.Stdout, t)", "(os.Stdout, &t)"),
    )


_SECTIONS = program_sections(__package__, "library.go")
_SLIPS: dict[str, tuple[Slip, ...]] = {
    "record": (
        ("\tvalue int64", "\tvalue, int64"),
        ("\tname  string", "\tname  String"),
        ("[]Record\n", "[Record]\n"),
        ("\tvalue int64", "\tvalue int32"),
        ("type Record struct {", "type Record {"),
    ),
    "reading": (
        ("made = append(made, next)", "append(made, next)"),
        ("if _, err := fmt", "if err := fmt"),
        ("made := Table{}\n", "made := Table{}\n\tlines := 0\n"),
        ("(from io.Reader) Table {", "(from io.Reader) {"),
        ("\tvar next Record\n", ""),
    ),
    "report": (
        ("for _, one", "for i, one"),
        ("var total int64", "var total int"),
        ("to io.Writer", "to io.Writers"),
    ),
    "scale": (("\treturn t\n", ""), ("for i := range t", "for i = range t")),
    "wrap": (("rest := ", "rest = "), ("size int64", "size int")),
    "merge": (
        ("place, found := places", "place := places"),
        ("{row.name, 0}", "{row.name}"),
        ("map[string]int{}", "map[string]int64{}"),
    ),
    "rank": (
        ("\t})\n", "\t}\n"),
        ("func(a, b int) bool {", "func(a, b int) {"),
        ("func(a, b int)", "func(a, b Record)"),
    ),
    "delta": (("for i, row", "for _, row"), ("var before int64", "before := 0")),
    "window": (("length int", "length int64"), ("i >= 0; i-- {", "i >= 0, i-- {")),
    "keep": (("for _, row", "for row"), ("least int64", "least int")),
    "head": (("t[:most]\n\t}\n\treturn t", "t[:most]\n\t}"), ("most int)", "most int64)")),
    "fold": (("for i, row", "for _, row"), ("strings.ToLower(row.name)", "row.name.ToLower()")),
}
KIT = Kit(sections=_SECTIONS, slips=_SLIPS, main=_main, main_slips=_main_slips)
