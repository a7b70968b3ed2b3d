"""Exact-text checks with partial credit: a value, lines, JSON fields, table rows, a file tree.

Covers comparison of data that was read; anything malformed raises `BadOutput` and scores 0.
Does not cover tolerance: a number within a band is a metric, see `checks.metric_threshold`.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from tmax_gym.checks import BadOutput, Check, Evidence, fraction
from tmax_gym.files import Node

NOT_WHOLE = 0.6
"""Factor on a row score below 1: most rows right is not yet a right table (task design 3.4)."""


def read_text(evidence: Evidence, path: str) -> str:
    """Return a UTF-8 file's text.  Raises `BadOutput`."""
    try:
        return evidence.read(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadOutput(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error


def read_json(evidence: Evidence, path: str) -> object:
    """Return a JSON file's value.  Raises `BadOutput`."""
    try:
        value: object = json.loads(read_text(evidence, path))
    except (ValueError, RecursionError) as error:
        raise BadOutput(f"{path} is not JSON: {error}") from error
    return value


def read_rows(evidence: Evidence, path: str, *, delimiter: str = ",") -> list[tuple[str, ...]]:
    """Return a delimited file's rows, header first, empty lines left out."""
    try:
        reader = csv.reader(io.StringIO(read_text(evidence, path)), delimiter=delimiter)
        return [tuple(row) for row in reader if row]
    except csv.Error as error:
        raise BadOutput(f"{path} is not a table: {error}") from error


def value(id_: str, path: str, expected: str, *, weight: float = 1.0) -> Check:
    """Return a check that a file holds exactly this text, apart from space around it."""

    def score(evidence: Evidence) -> float:
        return float(read_text(evidence, path).strip() == expected.strip())

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

    What the `initial` lines would score, an input passed off as the output, earns 0.
    """
    wanted = [line.rstrip() for line in expected]
    start = _row_score(initial, wanted, ordered=ordered) if initial else 0.0

    def score(evidence: Evidence) -> float:
        found = [line.rstrip() for line in read_text(evidence, path).strip("\n").split("\n")]
        return max(0.0, (_row_score(found, wanted, ordered=ordered) - start) / (1.0 - start))

    return Check(id_, "exact_text", score, weight)


def fields(id_: str, path: str, expected: Mapping[str, object], *, weight: float = 1.0) -> Check:
    """Return a check of a JSON object: the share of expected fields with equal values.

    Additional fields do not count; a number equals a number of the same value.
    """

    def score(evidence: Evidence) -> float:
        found = read_json(evidence, path)
        if not isinstance(found, dict):
            raise BadOutput(f"{path} holds no JSON object")
        hits = sum(k in found and _same(found[k], v) for k, v in expected.items())
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
    """Return a check of a delimited table: F1 of its rows, discounted unless wholly equal.

    With `header` the first line must be exactly that, or the whole check scores 0.
    """
    wanted = [tuple(str(cell) for cell in row) for row in expected]

    def score(evidence: Evidence) -> float:
        found = read_rows(evidence, path, delimiter=delimiter)
        if header:
            if not found or tuple(c.strip() for c in found[0]) != tuple(header):
                raise BadOutput(f"{path} does not begin with the header {','.join(header)}")
            found = found[1:]
        stripped = [tuple(cell.strip() for cell in row) for row in found]
        return _row_score(stripped, wanted, ordered=ordered)

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

    Two entries are equal by path, kind, content and link target, or by `same`.
    """
    equal = same or _same_node
    wanted = {n.path: n for n in expected}
    start = _tree_f1({n.path: n for n in initial}, wanted, equal) if initial else 0.0
    if start >= 1.0:
        raise ValueError(f"check {id_!r}: the untouched tree is already the expected one")

    def score(evidence: Evidence) -> float:
        found = {n.path: n for n in evidence.tree(root) if n.path != root}
        return max(0.0, (_tree_f1(found, wanted, equal) - start) / (1.0 - start))

    return Check(id_, "exact_text", score, weight)


def _row_score(found: Sequence[object], wanted: Sequence[object], *, ordered: bool) -> float:
    if list(found) == list(wanted) or (not ordered and Counter(found) == Counter(wanted)):
        return 1.0
    hits = sum((Counter(found) & Counter(wanted)).values())
    f1 = fraction(2 * hits, len(found) + len(wanted))
    return NOT_WHOLE * f1


def _same(found: object, wanted: object) -> bool:
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    return found == wanted


def _same_node(found: Node, wanted: Node) -> bool:
    return (found.kind, found.data, found.target) == (wanted.kind, wanted.data, wanted.target)


def _tree_f1(
    found: Mapping[str, Node], wanted: Mapping[str, Node], equal: Callable[[Node, Node], bool]
) -> float:
    hits = sum(path in wanted and equal(node, wanted[path]) for path, node in found.items())
    return fraction(2 * hits, len(found) + len(wanted))
