"""The frame of a Go service in the unsound-service family: desk, rows and main function."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.software_engineering.unsound_service.kit import Call


def main(calls: Sequence[Call]) -> str:
    """Return the main function of a service."""
    sorts = any(call.step == "rank" for call in calls)
    imports = ("bufio", "fmt", "os", "runtime", *(("sort",) if sorts else ()), "sync", "time")
    steps = "".join(
        f"\t\trows = {call.step}({', '.join(('rows', *map(str, call.numbers)))})\n"
        for call in calls
    )
    listed = "".join(f'\t"{name}"\n' for name in imports)
    return (
        f"func main() {{\n\tin := bufio.NewScanner(os.Stdin)\n\tfor {{\n"
        f"\t\trows, more := readBatch(in)\n\t\tif !more {{\n\t\t\treturn\n\t\t}}\n{steps}"
        "\t\tprintBatch(rows)\n\t}\n}\n" + f"//IMPORTS\n{listed}"
    )


DESK = """\
// BEGIN desk
// Desk stands for the server of another team.  It answers in groups: a call is held until
// lanes of them are open, or as many as are still expected.
type Desk struct {
\tmu       sync.Mutex
\texpected int
\topen     []chan struct{}
}

// Expect says how many calls are to come, once before them.
func (d *Desk) Expect(calls int) {
\td.mu.Lock()
\tdefer d.mu.Unlock()
\td.expected = calls
}

// Ask returns the fee of a name.
func (d *Desk) Ask(name string) int64 {
\theld := make(chan struct{})
\td.mu.Lock()
\td.open = append(d.open, held)
\tif len(d.open) == lanes || len(d.open) == d.expected {
\t\td.expected -= len(d.open)
\t\tfor _, call := range d.open {
\t\t\tclose(call)
\t\t}
\t\td.open = nil
\t}
\td.mu.Unlock()
\t<-held
\treturn int64(len(name))
}

// END desk
"""
"""What no repair may touch."""
HEAD = f"""\
package main

import (
//HERE
)

const lanes = 4

{DESK}
var desk Desk

// Row is one row of a batch.
type Row struct {{
\tname  string
\tvalue int64
}}

// readBatch reads the lines "name value" up to a line "end"; false where none are left.
func readBatch(in *bufio.Scanner) ([]Row, bool) {{
\trows := []Row{{}}
\tfor in.Scan() {{
\t\tvar row Row
\t\tif in.Text() == "end" {{
\t\t\treturn rows, true
\t\t}}
\t\tfmt.Sscan(in.Text(), &row.name, &row.value)
\t\trows = append(rows, row)
\t}}
\treturn rows, len(rows) > 0
}}

// printBatch prints every row, then how many there are, their sum, and how many goroutines
// the batch has left behind.
func printBatch(rows []Row) {{
\tvar total int64
\tfor _, row := range rows {{
\t\tfmt.Println(row.name, row.value)
\t\ttotal += row.value
\t}}
\tfor tries := 0; runtime.NumGoroutine() > 1 && tries < 100; tries++ {{
\t\ttime.Sleep(time.Millisecond)
\t}}
\tfmt.Println("=", len(rows), total, "left", runtime.NumGoroutine()-1)
}}
"""
