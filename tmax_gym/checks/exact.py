"""Exact-text checks with partial credit: a value, lines, JSON fields, table rows, a file tree.

Malformed data raises `BadOutput` and scores 0.  `tolerance.py` reads data and says which
differences do not count.  Numbers that need only be close are metrics: see
`check.metric_threshold`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tmax_gym.checks import tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, fraction
from tmax_gym.checks.tolerance import Cells
from tmax_gym.nodes import Node

NOT_WHOLE = 0.6
"""Factor on a row score below 1, because a table with most rows right is not a right table."""


def reduced(share: float) -> float:
    """Return a share of right parts as a score: all of them are worth more than their sum.

    >>> reduced(1.0), reduced(0.5)
    (1.0, 0.3)
    """
    return share if share == 1.0 else share * NOT_WHOLE


def read_text(evidence: Evidence, path: str) -> str:
    """Return a UTF-8 file's text.  Raises `BadOutput`."""
    return tolerance.text(evidence.read(path), path)


def read_json(evidence: Evidence, path: str) -> object:
    """Return a JSON file's value, or raise `BadOutput`."""
    return tolerance.value(read_text(evidence, path), path)


def read_rows(evidence: Evidence, path: str, *, delimiter: str = ",") -> list[Cells]:
    """Return a delimited file's rows, header first, or raise `BadOutput`."""
    return tolerance.rows(read_text(evidence, path), path, delimiter=delimiter)


def read_table(
    evidence: Evidence, path: str, header: Sequence[str], *, delimiter: str = ","
) -> list[Cells]:
    """Return a delimited file's rows below a header, or raise `BadOutput`."""
    table = read_rows(evidence, path, delimiter=delimiter)
    if not table or table[0] != tuple(header):
        raise BadOutput(f"{path} does not begin with the header {','.join(header)}")
    return table[1:]


def value(id_: str, path: str, expected: str, *, weight: float = 1.0) -> Check:
    """Return a check that a file holds exactly this text, apart from space around it."""

    def score(evidence: Evidence) -> float:
        actual, wanted = _paired(path, read_text(evidence, path).strip(), expected.strip())
        return float(actual == wanted)

    return Check(id_, "exact_text", score, weight)


def lines(
    id_: str,
    path: str,
    expected: Sequence[str],
    *,
    initial: Sequence[str] = (),
    ordered: bool = True,
    weight: float = 1.0,
) -> Check:
    """Return a check over lines: F1 of the multiset, full marks only for the right order.

    The score of the `initial` lines, an input that is handed in as output, counts as 0.
    """
    wanted = [line.rstrip() for line in expected]
    start = _row_score(initial, wanted, ordered=ordered) if initial else 0.0

    def score(evidence: Evidence) -> float:
        actual, right = _paired(path, read_text(evidence, path), "\n".join(wanted))
        return max(0.0, (_row_score(actual, right, ordered=ordered) - start) / (1.0 - start))

    return Check(id_, "exact_text", score, weight)


def fields(id_: str, path: str, expected: Mapping[str, object], *, weight: float = 1.0) -> Check:
    """Return a check of a JSON object: the share of expected fields with equal values.

    Additional fields do not count; a number equals a number of the same value.
    """

    def score(evidence: Evidence) -> float:
        actual = read_json(evidence, path)
        if not isinstance(actual, dict):
            raise BadOutput(f"{path} holds no JSON object")
        hits = sum(k in actual and tolerance.same(actual[k], v) for k, v in expected.items())
        return fraction(hits, len(expected))

    return Check(id_, "exact_text", score, weight)


def rows(
    id_: str,
    path: str,
    expected: Sequence[Sequence[object]],
    *,
    header: Sequence[str] = (),
    ordered: bool = True,
    delimiter: str = ",",
    weight: float = 1.0,
) -> Check:
    """Return a check of a delimited table: F1 of its rows, reduced unless all are equal.

    With `header` the first line must be exactly that, or the whole check scores 0.
    """
    wanted = [tuple(str(cell) for cell in row) for row in expected]

    def score(evidence: Evidence) -> float:
        if header:
            actual = read_table(evidence, path, header, delimiter=delimiter)
        else:
            actual = read_rows(evidence, path, delimiter=delimiter)
        return _row_score(tolerance.alike(actual, wanted), wanted, ordered=ordered)

    return Check(id_, "exact_text", score, weight)


def tree(
    id_: str,
    root: str,
    expected: Sequence[Node],
    *,
    initial: Sequence[Node] = (),
    same: Callable[[Node, Node], bool] | None = None,
    weight: float = 1.0,
) -> Check:
    """Return a check of a file tree: F1 of its entries, above what the untouched tree gets.

    Two entries are equal by path, kind, content and link target, or by `same`.  If the tree is
    empty at the start, a link counts as the file that it leads to.
    """
    equal = same or _same_node
    wanted = {n.path: n for n in expected}
    start = _tree_f1({n.path: n for n in initial}, wanted, equal) if initial else 0.0
    if start >= 1.0:
        raise ValueError(f"check {id_!r}: the untouched tree is already the expected one")

    def score(evidence: Evidence) -> float:
        actual = {n.path: n for n in evidence.tree(root) if n.path != root}
        if not start:
            files = [path for path in actual if path in wanted and wanted[path].kind == "file"]
            actual |= {path: reached(evidence, actual[path]) for path in files}
        return max(0.0, (_tree_f1(actual, wanted, equal) - start) / (1.0 - start))

    return Check(id_, "exact_text", score, weight)


def reached(evidence: Evidence, node: Node) -> Node:
    """Return the file that a link leads to, with the link's path; other entries unchanged."""
    if node.kind != "link":
        return node
    try:
        return replace(node, kind="file", data=evidence.read(node.path), target="")
    except BadOutput:
        return node


def _paired(path: str, actual: str, wanted: str) -> tuple[list[Cells], list[Cells]]:
    """Return the lines of two texts, as rows of cells if the file is a table."""

    def split(content: str) -> list[Cells]:
        kept = tolerance.lines(content)
        if path.endswith(".csv"):
            return tolerance.rows("\n".join(kept), path)
        return [(line,) for line in kept]

    right = split(wanted)
    return tolerance.alike(split(actual), right), right


def _row_score(actual: Sequence[object], wanted: Sequence[object], *, ordered: bool) -> float:
    if list(actual) == list(wanted) or (not ordered and Counter(actual) == Counter(wanted)):
        return 1.0
    hits = sum((Counter(actual) & Counter(wanted)).values())
    f1 = fraction(2 * hits, len(actual) + len(wanted))
    return NOT_WHOLE * f1


def _same_node(actual: Node, wanted: Node) -> bool:
    return (actual.kind, actual.data, actual.target) == (wanted.kind, wanted.data, wanted.target)


def _tree_f1(
    actual: Mapping[str, Node], wanted: Mapping[str, Node], equal: Callable[[Node, Node], bool]
) -> float:
    hits = sum(path in wanted and equal(node, wanted[path]) for path, node in actual.items())
    return fraction(2 * hits, len(actual) + len(wanted))
