"""The Go of the unsound-service family: steps of goroutines, and a desk that wants company.

The desk holds every call until enough of them are open, so that a step which was made sequential
never ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tmax_gym.families.software_engineering.unsound_service import go_head
from tmax_gym.families.software_engineering.unsound_service.faults import go
from tmax_gym.families.software_engineering.unsound_service.kit import Call, Edits, Kit

_STEPS = {
    "price": """\
// @doc
func price(rows []Row, factor int64) []Row {
\tdesk.Expect(len(rows))
\tjobs := make(chan int)
\tvar crew sync.WaitGroup
\tfor lane := 0; lane < lanes; lane++ {
\t\tcrew.Add(1)
\t\tgo func() {
\t\t\tdefer crew.Done()
\t\t\tfor at := range jobs {
\t\t\t\trows[at].value = rows[at].value*factor + desk.Ask(rows[at].name)
\t\t\t}
\t\t}()
\t}
\tfor at := range rows {
\t\tjobs <- at
\t}
\tclose(jobs)
\tcrew.Wait()
\treturn rows
}
""",
    "fee": """\
// @doc
func fee(rows []Row, factor int64) []Row {
\ttype answer struct {
\t\tat  int
\t\tfee int64
\t}
\tdesk.Expect(len(rows))
\tanswers := make(chan answer)
\tfor at, row := range rows {
\t\tgo func(at int, name string) {
\t\t\tgot := desk.Ask(name)
\t\t\tanswers <- answer{at, got}
\t\t}(at, row.name)
\t}
\tfor range rows {
\t\tgot := <-answers
\t\trows[got.at].value += factor * got.fee
\t}
\treturn rows
}
""",
    "tally": """\
// Store holds sums by name; several may use it at once.
type Store struct {
\tmu   sync.Mutex
\tsums map[string]int64
}

// Add adds a row to the sum of its name.
func (s *Store) Add(row Row) {
\ts.mu.Lock()
\tdefer s.mu.Unlock()
\ts.sums[row.name] += row.value
}

// Take hands a sum out, once.
func (s *Store) Take(name string) (int64, bool) {
\ts.mu.Lock()
\tsum, there := s.sums[name]
\tdelete(s.sums, name)
\ts.mu.Unlock()
\treturn sum, there
}

// @doc
func tally(rows []Row) []Row {
\tstore := &Store{sums: map[string]int64{}}
\tvar crew sync.WaitGroup
\tfor lane := 0; lane < lanes; lane++ {
\t\tcrew.Add(1)
\t\tgo func(lane int) {
\t\t\tdefer crew.Done()
\t\t\tfor at := lane; at < len(rows); at += lanes {
\t\t\t\tstore.Add(rows[at])
\t\t\t}
\t\t}(lane)
\t}
\tcrew.Wait()
\tmade := []Row{}
\tfor _, row := range rows {
\t\tif sum, there := store.Take(row.name); there {
\t\t\tmade = append(made, Row{row.name, sum})
\t\t}
\t}
\treturn made
}
""",
    "drop": """\
// @doc
func drop(rows []Row, least int64) []Row {
\traw, kept := make(chan Row), make(chan Row)
\tgo func() {
\t\tdefer close(raw)
\t\tfor _, row := range rows {
\t\t\traw <- row
\t\t}
\t}()
\tgo func() {
\t\tdefer close(kept)
\t\tfor row := range raw {
\t\t\tif row.value >= least {
\t\t\t\tkept <- row
\t\t\t}
\t\t}
\t}()
\tmade := []Row{}
\tfor row := range kept {
\t\tmade = append(made, row)
\t}
\treturn made
}
""",
    "head": """\
// @doc
func head(rows []Row, most int) []Row {
\tsource, done := make(chan Row), make(chan struct{})
\tgo func() {
\t\tdefer close(source)
\t\tfor _, row := range rows {
\t\t\tselect {
\t\t\tcase source <- row:
\t\t\tcase <-done:
\t\t\t\treturn
\t\t\t}
\t\t}
\t}()
\tmade := []Row{}
\tfor row := range source {
\t\tmade = append(made, row)
\t\tif len(made) == most {
\t\t\tbreak
\t\t}
\t}
\tclose(done)
\treturn made
}
""",
    "spread": """\
// @doc
func spread(rows []Row, size int64) []Row {
\tparts := make(chan []int64)
\tfor lane := 0; lane < lanes; lane++ {
\t\tgo func(lane int) {
\t\t\tcounts := make([]int64, size)
\t\t\tfor at := lane; at < len(rows); at += lanes {
\t\t\t\tcounts[(rows[at].value%size+size)%size]++
\t\t\t}
\t\t\tparts <- counts
\t\t}(lane)
\t}
\ttotals := make([]int64, size)
\tfor lane := 0; lane < lanes; lane++ {
\t\tfor at, count := range <-parts {
\t\t\ttotals[at] += count
\t\t}
\t}
\tmade := []Row{}
\tfor at, total := range totals {
\t\tmade = append(made, Row{fmt.Sprint("b", at), total})
\t}
\treturn made
}
""",
    "rank": """\
func better(a, b Row) bool {
\tif a.value != b.value {
\t\treturn a.value > b.value
\t}
\treturn a.name < b.name
}

// sorted sorts a copy of some rows and sends it, the best first.
func sorted(rows []Row, to chan<- []Row) {
\tpart := append([]Row{}, rows...)
\tsort.Slice(part, func(a, b int) bool { return better(part[a], part[b]) })
\tto <- part
}

// @doc
func rank(rows []Row, most int) []Row {
\tleft, right := make(chan []Row), make(chan []Row)
\tgo sorted(rows[:len(rows)/2], left)
\tgo sorted(rows[len(rows)/2:], right)
\ta, b := <-left, <-right
\tmade := []Row{}
\tfor len(a)+len(b) > 0 && len(made) < most {
\t\tif len(b) == 0 || len(a) > 0 && better(a[0], b[0]) {
\t\t\tmade, a = append(made, a[0]), a[1:]
\t\t} else {
\t\t\tmade, b = append(made, b[0]), b[1:]
\t\t}
\t}
\treturn made
}
""",
}


class _GoKit(Kit):
    """A kit whose imports follow what is used."""

    def source(self, calls: Sequence[Call], faults: Mapping[str, Edits] | None = None) -> str:
        """Return the program, its imports first."""
        body, _, imports = super().source(calls, faults).partition("//IMPORTS\n")
        return body.replace("//HERE\n", imports)


KIT = _GoKit(
    head=go_head.HEAD,
    steps=_STEPS,
    first=go.FIRST,
    faults=go.FAULTS,
    main=go_head.main,
    strict="go build",
    always="price",
)
