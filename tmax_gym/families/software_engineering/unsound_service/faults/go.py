"""The faults of the unsound-service family in Go: goroutines that wait, lose, mix up or stay.

Each shows on every run: a deadlock does not depend on timing.
"""

from __future__ import annotations

from tmax_gym.families.software_engineering.unsound_service.kit import Edits

FIRST: tuple[Edits, ...] = (
    (("\tclose(jobs)\n\tcrew.Wait()\n", "\tcrew.Wait()\n\tclose(jobs)\n"),),
    (("\tclose(jobs)\n", ""),),
    (("\t\tgo func() {\n\t\t\tdefer crew.Done()\n\t\t\tfor at := range jobs",
      "\t\tfunc() {\n\t\t\tdefer crew.Done()\n\t\t\tfor at := range jobs"),),
    (("\tjobs := make(chan int)\n", "\tvar jobs chan int\n"),),
    (("\t\tgo func() {\n\t\t\tdefer crew.Done()\n\t\t\tfor at := range jobs",
      "\t\tgo func() {\n\t\t\tfor at := range jobs"),),
    (("\tfor at := range rows {\n\t\tjobs <- at\n\t}\n\tclose(jobs)\n\tcrew.Wait()\n",
      "\tcrew.Wait()\n\tfor at := range rows {\n\t\tjobs <- at\n\t}\n\tclose(jobs)\n"),),
    (("\t\t\tdefer crew.Done()\n\t\t\tfor at := range jobs",
      "\t\t\tdefer crew.Done()\n\t\t\tdefer close(jobs)\n\t\t\tfor at := range jobs"),),
)  # fmt: skip
FAULTS: dict[str, tuple[Edits, ...]] = {
    "price": (),
    "fee": (
        (("go func(at int, name string) {\n\t\t\tgot := desk.Ask(name)",
          "go func() {\n\t\t\tgot := desk.Ask(row.name)"), ("}(at, row.name)", "}()")),
        (("\t\tgot := <-answers\n\t\trows[got.at].value += factor * got.fee\n\t}\n\treturn rows",
          "\t\tgot := <-answers\n\t\trow := rows[got.at]\n\t\trow.value += factor * got.fee\n"
          "\t\tmade = append(made, row)\n\t}\n\treturn made"),
         ("\tanswers := make(chan answer)\n",
          "\tanswers := make(chan answer)\n\tmade := []Row{}\n")),
        (("\tanswers := make(chan answer)\n", "\tvar answers chan answer\n"),),
        (("\t\tgo func(at int, name string) {\n\t\t\tgot", "\t\tfunc(at int, name string) {"
          "\n\t\t\tgot"),
         ("make(chan answer)", "make(chan answer, len(rows))")),
    ),
    "tally": (
        (("go func(lane int) {\n\t\t\tdefer crew.Done()\n\t\t\tfor at := lane;",
          "go func() {\n\t\t\tdefer crew.Done()\n\t\t\tfor at := lane;"),
         ("\t\t}(lane)\n\t}\n\tcrew.Wait()", "\t\t}()\n\t}\n\tcrew.Wait()")),
        (("\tdefer s.mu.Unlock()\n", ""),),
        (("\tdelete(s.sums, name)\n\ts.mu.Unlock()\n",
          "\tif !there {\n\t\treturn 0, false\n\t}\n\tdelete(s.sums, name)\n\ts.mu.Unlock()\n"),),
        (("store := &Store{sums: map[string]int64{}}", "store := &Store{}"),),
        (("\t\tcrew.Add(1)\n\t\tgo func(lane int) {\n\t\t\tdefer crew.Done()\n\t\t\tfor at := lane",
          "\t\tgo func(lane int) {\n\t\t\tdefer crew.Done()\n\t\t\tfor at := lane"),),
    ),
    "drop": (
        (("\t\tdefer close(kept)\n", ""),),
        (("\t\tdefer close(raw)\n", ""),),
        (("\t\t\tif row.value >= least {\n", "\t\t\tif row.value < least {\n\t\t\t\treturn\n\t\t\t}"
          " else {\n"),),
        (("\tgo func() {\n\t\tdefer close(raw)\n", "\tfunc() {\n\t\tdefer close(raw)\n"),),
    ),
    "head": (
        (("\tclose(done)\n", ""), ("\tsource, done := make(chan Row), make(chan struct{})\n",
                                   "\tsource, done := make(chan Row), make(chan struct{}, 1)\n")),
        (("\tclose(done)\n", "\tdone <- struct{}{}\n"),),
        (("\t\t\tselect {\n\t\t\tcase source <- row:\n\t\t\tcase <-done:\n"
          "\t\t\t\treturn\n\t\t\t}\n",
          "\t\t\tsource <- row\n"),),
    ),
    "spread": (
        (("\t\t\tparts <- counts\n", "\t\t\tparts <- counts\n\t\t\tclose(parts)\n"),),
        (("\ttotals := make([]int64, size)\n\tfor lane := 0; lane < lanes; lane++ {\n\t\tfor at, "
          "count := range <-parts {\n\t\t\ttotals[at] += count\n\t\t}\n\t}\n",
          "\ttotals := make([]int64, size)\n\tfor counts := range parts {\n\t\tfor at, count := "
          "range counts {\n\t\t\ttotals[at] += count\n\t\t}\n\t}\n"),),
        (("\t\tgo func(lane int) {\n\t\t\tcounts", "\t\tgo func() {\n\t\t\tcounts"),
         ("\t\t}(lane)\n\t}\n\ttotals", "\t\t}()\n\t}\n\ttotals")),
        (("\ttotals := make([]int64, size)\n\tfor lane := 0; lane < lanes",
          "\ttotals := make([]int64, size)\n\tfor lane := 1; lane < lanes"),),
    ),
    "rank": (
        (("a, b := <-left, <-right", "a, b := <-left, <-left"),),
        (("\tto <- part\n", "\tto <- part\n\tto <- part[:0]\n"),),
        (("\tgo sorted(rows[:len(rows)/2], left)\n", "\tsorted(rows[:len(rows)/2], left)\n"),),
        (("\tmade := []Row{}\n\tfor len(a)", "\tmade := a[:0]\n\tfor len(a)"),),
    ),
}  # fmt: skip
