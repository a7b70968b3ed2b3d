"""The Go of the compiler-said family: tools of one file each, the library copied in."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.debugging.compiler_said.kit import Call, Kit, Slip

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


_SECTIONS = {
    "record": """\

// Record: @doc
type Record struct {
\tname  string
\tvalue int64
}

// Table: all lines, in order.
type Table []Record
""",
    "reading": """\

// @doc
func readTable(from io.Reader) Table {
\tmade := Table{}
\tin := bufio.NewReader(from)
\tfor {
\t\tvar next Record
\t\tif _, err := fmt.Fscan(in, &next.name, &next.value); err != nil {
\t\t\treturn made
\t\t}
\t\tmade = append(made, next)
\t}
}
""",
    "report": """\

// @doc
func printTable(to io.Writer, shown Table) {
\tvar total int64
\tfor _, one := range shown {
\t\tfmt.Fprintln(to, one.name, one.value)
\t\ttotal += one.value
\t}
\tfmt.Fprintln(to, "rows", len(shown), "total", total)
}
""",
    "scale": """\

// @doc
func scale(t Table, factor, offset int64) Table {
\tfor i := range t {
\t\tt[i].value = t[i].value*factor + offset
\t}
\treturn t
}
""",
    "wrap": """\

// @doc
func wrap(t Table, size int64) Table {
\tfor i := range t {
\t\trest := t[i].value % size
\t\tif rest < 0 {
\t\t\trest += size
\t\t}
\t\tt[i].value = rest
\t}
\treturn t
}
""",
    "merge": """\

// @doc
func merge(t Table) Table {
\tplaces := map[string]int{}
\tkept := Table{}
\tfor _, row := range t {
\t\tplace, found := places[row.name]
\t\tif !found {
\t\t\tplace = len(kept)
\t\t\tplaces[row.name] = place
\t\t\tkept = append(kept, Record{row.name, 0})
\t\t}
\t\tkept[place].value += row.value
\t}
\treturn kept
}
""",
    "rank": """\

// @doc
func rank(t Table) Table {
\tsort.Slice(t, func(a, b int) bool {
\t\tif t[a].value != t[b].value {
\t\t\treturn t[a].value > t[b].value
\t\t}
\t\treturn t[a].name < t[b].name
\t})
\treturn t
}
""",
    "delta": """\

// @doc
func delta(t Table) Table {
\tvar before int64
\tfor i, row := range t {
\t\tif i == 0 {
\t\t\tbefore = row.value
\t\t}
\t\tt[i].value = row.value - before
\t\tbefore = row.value
\t}
\treturn t
}
""",
    "window": """\

// @doc
func window(t Table, length int) Table {
\tfor i := len(t) - 1; i >= 0; i-- {
\t\tfor back := 1; back < length && back <= i; back++ {
\t\t\tt[i].value += t[i-back].value
\t\t}
\t}
\treturn t
}
""",
    "keep": """\

// @doc
func keep(t Table, least int64) Table {
\tvar kept Table
\tfor _, row := range t {
\t\tif row.value >= least {
\t\t\tkept = append(kept, row)
\t\t}
\t}
\treturn kept
}
""",
    "head": """\

// @doc
func head(t Table, most int) Table {
\tif len(t) > most {
\t\treturn t[:most]
\t}
\treturn t
}
""",
    "fold": """\

// @doc
func fold(t Table) Table {
\tfor i, row := range t {
\t\tt[i].name = strings.ToLower(row.name)
\t}
\treturn t
}
""",
}
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
