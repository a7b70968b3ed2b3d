"""Pairwise alignment by a plan: what is prescribed, its evaluator, and its scoring sheet.

Covers global, fitting and local alignment with affine gaps, one alignment out of equally good
ones, and both strands.  Does not cover more than two sequences or letters beside A, C, G, T, N.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from tmax_gym.rng import Rng

LETTERS = "ACGTN"
STATES = "MID"
"""A letter above a letter; a letter of the query alone; a letter of the target alone."""
NONE = -100_000_000
_COMPLEMENT = str.maketrans(LETTERS, "TGCAN")
Record = tuple[str, str]
"""Name and sequence."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The scoring that a task prescribes."""

    mode: Literal["global", "fit", "local"]
    weights: tuple[int, ...]
    """Score of each letter with each, in the order of `LETTERS`, row by row."""
    firsts: tuple[int, int]
    """Price of the first letter of a gap: of the query alone, of the target alone."""
    nexts: tuple[int, int]
    """Price of each further letter."""
    touch: bool
    """Whether one kind of gap may stand next to the other."""
    order: str
    """Which column comes first where several are as good, as letters of `STATES`."""
    front: bool
    """Whether columns are compared from the first one on, not from the last one."""
    late: bool
    """Whether the last place of several is taken, in the direction of comparison."""
    split: bool
    """Whether equal and unequal letters are told apart."""
    runs: bool
    """Whether equal columns are counted and not repeated."""
    strands: bool
    """Whether the reverse complement of a query is tried as well."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the outputs for one query."""
        places = {"global": "", "fit": "start end", "local": "from to start end"}[self.mode]
        strand = ("strand",) if self.strands else ()
        return ("query", *strand, "score", *places.split(), "columns")


def rows(plan: Plan, records: Sequence[Record]) -> list[tuple[str, ...]]:
    """Return a row a query; the first record is the target."""
    target = records[0][1].upper()
    return [_row(plan, name, (query.upper(), target)) for name, query in records[1:]]


def _row(plan: Plan, name: str, pair: tuple[str, str]) -> tuple[str, ...]:
    best, strand = _aligned(plan, *pair), "+"
    if plan.strands:
        turned = _aligned(plan, pair[0].translate(_COMPLEMENT)[::-1], pair[1])
        if turned[0] > best[0]:
            best, strand = turned, "-"
    score, places, columns = best
    kept = {"global": (), "fit": places[2:], "local": places}[plan.mode]
    return (name, *((strand,) if plan.strands else ()), str(score), *map(str, kept), columns)


def _aligned(plan: Plan, query: str, target: str) -> tuple[int, tuple[int, ...], str]:
    """Return the score, the four places, and the columns."""
    if plan.front:
        query, target = query[::-1], target[::-1]
    value = _filled(plan, query, target)
    ends = _ends(plan, len(query), len(target))
    best, row, column = 0 if plan.mode == "local" else NONE, -1, -1
    for i, j in ends:
        here = max(value[s][i][j] for s in STATES)
        if here > best or (plan.late and here == best and row >= 0):
            best, row, column = here, i, j
    if row < 0:
        return 0, (0, 0, 0, 0), "*"
    i, j, letters = _traced(plan, value, (query, target, row, column))
    m, n = len(query), len(target)
    places = (i + 1, row, j + 1, column)
    if plan.front:
        places = (m - row + 1, m - i, n - column + 1, n - j)
    else:
        letters = letters[::-1]
    if plan.runs:
        letters = "".join(f"{len(list(run))}{letter}" for letter, run in groupby(letters))
    return best, places, letters


def _ends(plan: Plan, m: int, n: int) -> Iterator[tuple[int, int]]:
    """Yield the cells in which an alignment may end, by target and then by query."""
    for j in range(n if plan.mode == "global" else 0, n + 1):
        for i in range(0 if plan.mode == "local" else m, m + 1):
            yield i, j


def _opens(plan: Plan, i: int, j: int) -> int:
    """Return 0 where an alignment may begin behind so many letters."""
    free = plan.mode == "local" or (i == 0 and (plan.mode == "fit" or j == 0))
    return 0 if free else NONE


def _filled(plan: Plan, query: str, target: str) -> dict[str, list[list[int]]]:
    """Return the best score of each cell by its last column."""
    m, n = len(query), len(target)
    value = {s: [[NONE] * (n + 1) for _ in range(m + 1)] for s in STATES}
    match, insert, delete = (value[s] for s in STATES)
    (first_i, first_d), (next_i, next_d) = plan.firsts, plan.nexts
    letters = [LETTERS.index(letter) for letter in target]
    for i in range(m + 1):
        at = 5 * LETTERS.index(query[i - 1]) if i else 0
        for j in range(n + 1):
            if i and j:
                before = max(match[i - 1][j - 1], insert[i - 1][j - 1], delete[i - 1][j - 1])
                gain = plan.weights[at + letters[j - 1]]
                match[i][j] = max(before, _opens(plan, i - 1, j - 1)) + gain
            if i:
                before = max(match[i - 1][j], _opens(plan, i - 1, j))
                if plan.touch:
                    before = max(before, delete[i - 1][j])
                insert[i][j] = max(before - first_i, insert[i - 1][j] - next_i)
            if j:
                before = max(match[i][j - 1], _opens(plan, i, j - 1))
                if plan.touch:
                    before = max(before, insert[i][j - 1])
                delete[i][j] = max(before - first_d, delete[i][j - 1] - next_d)
    return value


def _traced(
    plan: Plan, value: dict[str, list[list[int]]], cell: tuple[str, str, int, int]
) -> tuple[int, int, str]:
    """Return where the alignment that ends in a cell begins, and its columns from the end."""
    query, target, i, j = cell
    best = max(value[s][i][j] for s in STATES)
    state, letters = next(s for s in plan.order if value[s][i][j] == best), ""
    while True:
        need, price, kind = value[state][i][j], 0, "ID".find(state)
        if kind < 0:
            price = -plan.weights[5 * LETTERS.index(query[i - 1]) + LETTERS.index(target[j - 1])]
            same = query[i - 1] == target[j - 1]
            letters += ("=" if same else "X") if plan.split else "M"
        else:
            letters, price = letters + state, plan.firsts[kind]
        i, j = i - (state != "D"), j - (state != "I")
        if _opens(plan, i, j) - price == need:
            return i, j, letters
        for s in plan.order:
            barred = not plan.touch and {s, state} == {"I", "D"}
            cost = plan.nexts[kind] if s == state and kind >= 0 else price
            if not barred and value[s][i][j] - cost == need:
                state = s
                break


def drawn(rng: Rng, level: float) -> Plan:
    """Return a plan; the higher the level, the more it asks for."""
    opening, further = rng.sample(range(4, 8), 2), [rng.integer(1, 2) for _ in range(2)]
    if level < 0.4:
        opening[1], further[1] = opening[0], further[0]
    modes: tuple[Literal["global", "fit", "local"], ...] = ("global", "fit", "local")
    return Plan(
        mode=rng.choice(modes if level >= 0.2 else modes[:2]),
        weights=_weights(rng.fork("weights"), level),
        firsts=(opening[0], opening[1]),
        nexts=(further[0], further[1]),
        touch=rng.chance(0.5),
        order="".join(rng.shuffled(STATES)),
        front=rng.chance(0.5),
        late=rng.chance(0.5),
        split=rng.chance(0.5),
        runs=rng.chance(0.7),
        strands=level >= 0.55 and rng.chance(0.8),
    )


def _weights(rng: Rng, level: float) -> tuple[int, ...]:
    """Return a symmetric table: equal letters, transitions, other pairs, and N."""
    kinds = rng.choice((1, 2)) if level < 0.5 else 3
    equal, other = [rng.integer(3, 5) for _ in range(4)], -rng.integer(2, 4)
    nearby = other + rng.integer(1, 2) if kinds > 1 else other
    unknown = rng.choice((0, -1))
    table = []
    for a in LETTERS:
        for b in LETTERS:
            pair = {a, b}
            if "N" in pair:
                table.append(unknown)
            elif a == b:
                table.append(equal["ACGT".index(a)] if kinds == 3 else equal[0])
            else:
                table.append(nearby if pair in ({"A", "G"}, {"C", "T"}) else other)
    return tuple(table)


def sheet(plan: Plan) -> str:
    """Return the scores of letter pairs and the prices of gaps, as a file of a lab has them."""
    lines = ["   " + "".join(f"{letter:>4}" for letter in LETTERS)]
    for row, letter in enumerate(LETTERS):
        cells = "".join(f"{weight:>4}" for weight in plan.weights[5 * row : 5 * row + 5])
        lines.append(f"{letter:<3}{cells}")
    for kind, name in enumerate(("query", "target")):
        lines.append(f"gap {name}_only first={plan.firsts[kind]} further={plan.nexts[kind]}")
    return "".join(f"{line}\n" for line in lines)


def mistakes(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """Yield what a hasty reader would build."""
    yield (
        "gap opened and extended",
        replace(plan, firsts=(plan.firsts[0] + plan.nexts[0], plan.firsts[1] + plan.nexts[1])),
    )
    yield "linear gaps", replace(plan, nexts=plan.firsts)
    yield "compared from the other end", replace(plan, front=not plan.front, late=not plan.late)
    yield "other preference", replace(plan, order=plan.order[::-1])
    yield "other place", replace(plan, late=not plan.late)
    yield "gaps that touch", replace(plan, touch=not plan.touch)
    flat = tuple(5 if i % 6 == 0 else -4 for i in range(25))
    yield "usual scores", replace(plan, weights=flat)
    yield "one strand", replace(plan, strands=False)
    yield "one letter for columns", replace(plan, split=not plan.split)


def records(rng: Rng, *, queries: int, sizes: tuple[int, int], plan: Plan) -> list[Record]:
    """Return a target and queries made from it: cut, changed, with gaps at repeats."""
    size, longest = sizes
    alphabet = rng.choice(("ACGT", "ACGT", "AACT", "GGCA"))
    target = "".join(rng.choices(alphabet, size))
    for _ in range(2):  # repeats are where several alignments are equally good
        at, width = rng.integer(1, size - 4), rng.integer(1, 3)
        target = (target[:at] + target[at : at + width] * 2 + target[at:])[:size]
    records = [("", target)]
    for _ in range(queries):
        span = size if plan.mode == "global" else min(size, longest)
        at = rng.integer(0, size - span)
        query = target[at : at + span]
        for _ in range(rng.integer(1, 4)):
            query = _changed(rng, query)
        if plan.strands and rng.chance(0.5):
            query = query.translate(_COMPLEMENT)[::-1]
        records.append(("", query))
    return records


def _changed(rng: Rng, text: str) -> str:
    """Return a sequence after one event."""
    at, width = rng.integer(1, max(1, len(text) - 3)), rng.integer(1, 3)
    kind = rng.choice(("swap", "swap", "drop", "add", "again", "blank"))
    if kind == "drop" and len(text) > 7:
        return text[:at] + text[at + width :]
    if kind == "add":
        return text[:at] + "".join(rng.choices("ACGT", width)) + text[at:]
    if kind == "again":
        return text[:at] + text[at : at + width] * 2 + text[at + width :]
    return text[:at] + ("N" if kind == "blank" else rng.choice("ACGT")) + text[at + 1 :]
