"""The filter of the hidden-predicate family: a condition on columns of whole numbers.

Draws it, writes it as a program and as SQL, and evaluates the SQL of an agent safely.  There are
no NULLs, because the filter reads numbers only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tmax_gym.checks.check import BadOutput
from tmax_gym.rng import Rng
from tmax_gym.world.programs.evaluate import apply
from tmax_gym.world.programs.program import (
    RESERVED,
    Cond,
    Const,
    Expr,
    Field,
    If,
    Logic,
    Op,
    Program,
    Put,
    Register,
    Set,
    Test,
    Var,
)

Row = tuple[int, ...]
_TAKEN = RESERVED | {"records", "place", "index", "order", "group", "limit", "values", "check"}
LONGEST = 1500
"""Characters of an expression; the longest reference has 260."""
_STEPS = 2_000_000
_FUNCTIONS = frozenset(("abs", "coalesce", "ifnull", "iif", "max", "min", "nullif", "sign"))


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition and the columns that it reads."""

    columns: tuple[str, ...]
    ranges: tuple[tuple[int, int], ...]
    terms: tuple[Cond, ...]
    joins: tuple[str, ...]
    """How each term but the first is joined to what stands before it."""

    @property
    def condition(self) -> Cond:
        """Return the whole condition."""
        whole = self.terms[0]
        for join, term in zip(self.joins, self.terms[1:], strict=True):
            whole = Logic("and" if join == "and" else "or", whole, term)
        return whole

    def program(self) -> Program:
        """Return the tool: one verdict a record."""
        fields = [
            Field(name, lo, hi) for name, (lo, hi) in zip(self.columns, self.ranges, strict=True)
        ]
        verdict = If(self.condition, (Put("keep\n"),), (Put("drop\n"),))
        count = Set("records", Op("+", Var("records"), Const(1)))
        return Program(
            "predicate",
            "record",
            (Register("records"),),
            close=(count, verdict),
            fields=tuple(fields),
        )

    def keeps(self, rows: Sequence[Row]) -> list[bool]:
        """Return the verdicts."""
        holds = _condition(self.condition, self.columns)
        return [holds(row) for row in rows]

    def rows(self, rng: Rng, count: int) -> list[Row]:
        """Return rows, one in three at the edge of a term."""
        rows = []
        for number in range(count):
            r = rng.fork(number)
            row = [r.integer(lo, hi) for lo, hi in self.ranges]
            if number % 3 == 0:
                term = self.terms[number // 3 % len(self.terms)]
                if isinstance(term, Test) and isinstance(term.left, Var):
                    assert isinstance(term.right, Const)
                    at = self.columns.index(term.left.name)
                    lo, hi = self.ranges[at]
                    row[at] = min(hi, max(lo, term.right.value + r.integer(-1, 1)))
            rows.append(tuple(row))
        return rows


def usable(names: Sequence[str]) -> list[str]:
    """Return the names that the tool and the database can both use, sorted."""
    whole = {n for n in names if n.replace("_", "").isalpha() and 3 < len(n) < 16}
    return sorted(whole - _TAKEN)


def drawn(columns: Sequence[str], rng: Rng, terms: int) -> Filter:
    """Return a filter that keeps between a quarter and three quarters, by every term."""
    for attempt in range(200):
        r = rng.fork("attempt", attempt)
        ranges = tuple((0, r.choice((60, 99, 250, 999))) for _ in columns)
        candidate = Filter(
            tuple(columns),
            ranges,
            tuple(_term(columns, ranges, n, rng=r.fork("term", n)) for n in range(terms)),
            tuple(r.choice(("and", "or")) for _ in range(terms - 1)),
        )
        probe = candidate.rows(r.fork("probe"), 60)
        truth = candidate.keeps(probe)
        if not 0.27 < sum(truth) / 60 < 0.73:
            continue
        if all(_moved(without, probe, truth) for without in shorter(candidate)):
            return candidate
    raise ValueError(f"no balanced filter of {terms} terms in 200 draws")


def shorter(whole: Filter) -> list[Filter]:
    """Return the filter without its last term, and without its first."""
    if len(whole.terms) == 1:
        return []
    return [
        replace(whole, terms=whole.terms[:-1], joins=whole.joins[:-1]),
        replace(whole, terms=whole.terms[1:], joins=whole.joins[1:]),
    ]


def _moved(other: Filter, probe: Sequence[Row], truth: Sequence[bool]) -> bool:
    seen = zip(other.keeps(probe), truth, strict=True)
    return sum(one != two for one, two in seen) >= 5


def _term(
    columns: Sequence[str], ranges: Sequence[tuple[int, int]], number: int, *, rng: Rng
) -> Test:
    at = number % len(columns)
    column, top = Var(columns[at]), ranges[at][1]
    kind = rng.choice(("edge", "edge", "remainder", "sum")) if number else "edge"
    if kind == "remainder":
        base = rng.integer(3, 7)
        return Test("<", Op("%", column, Const(base)), Const(rng.integer(1, base - 1)))
    if kind == "sum":
        other = (at + 1) % len(columns)
        scaled = Op("*", Var(columns[other]), Const(rng.integer(2, 4)))
        bound = rng.integer(top // 2, top + 2 * ranges[other][1])
        return Test(">", Op("+", column, scaled), Const(bound))
    bound = rng.integer(top // 4, 3 * top // 4)
    return Test("<" if rng.chance(0.5) else ">=", column, Const(bound))


def _condition(tree: Cond, columns: Sequence[str]) -> Callable[[Row], bool]:
    """Return a condition as a closure; its numbers are too small to wrap."""
    if isinstance(tree, Logic):
        one, two = _condition(tree.left, columns), _condition(tree.right, columns)
        if tree.kind == "and":
            return lambda row: one(row) and two(row)
        return lambda row: one(row) or two(row)
    work, left, right = tree.kind, _number(tree.left, columns), _number(tree.right, columns)
    return lambda row: apply(work, left(row), right(row)) == 1


def _number(tree: Expr, columns: Sequence[str]) -> Callable[[Row], int]:
    if isinstance(tree, Const):
        value = tree.value
        return lambda row: value
    if isinstance(tree, Var):
        at = columns.index(tree.name)
        return lambda row: row[at]
    work, left, right = tree.kind, _number(tree.left, columns), _number(tree.right, columns)
    return lambda row: apply(work, left(row), right(row))


def sql(tree: Cond | Expr) -> str:
    """Return a condition as SQL, every part in brackets."""
    if isinstance(tree, Const):
        return str(tree.value)
    if isinstance(tree, Var):
        return tree.name
    kind = tree.kind.upper() if isinstance(tree, Logic) else tree.kind
    return f"({sql(tree.left)} {kind} {sql(tree.right)})"


def evaluated(text: str, columns: Sequence[str], rows: Sequence[Row]) -> list[bool]:
    """Return the value of an agent's expression for every row.

    Raises:
        BadOutput: It is too long, malformed, slow, or does more than look at the row.
    """
    bare = text.strip().rstrip(";")
    if not bare or len(bare) > LONGEST or "\0" in bare:
        raise BadOutput(f"an expression of 1 to {LONGEST} characters is wanted, not {len(bare)}")
    link = sqlite3.connect(":memory:")
    try:
        link.execute(f"CREATE TABLE t ({', '.join(f'{c} INTEGER' for c in columns)})")
        link.executemany(f"INSERT INTO t VALUES ({', '.join('?' for _ in columns)})", rows)
        link.set_authorizer(_allowed)
        link.set_progress_handler(lambda: 1, _STEPS)
        verdicts = link.execute(f"SELECT CASE WHEN ({bare}\n) THEN 1 ELSE 0 END FROM t").fetchall()
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise BadOutput(f"the expression cannot be evaluated: {error}") from error
    finally:
        link.close()
    if len(verdicts) != len(rows) or any(len(row) != 1 for row in verdicts):
        raise BadOutput(f"the expression gives {len(verdicts)} verdicts for {len(rows)} rows")
    return [bool(row[0]) for row in verdicts]


def _allowed(action: int, first: str | None, second: str | None, *_: object) -> int:
    read = action == sqlite3.SQLITE_READ and first == "t"
    called = action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS
    fine = action == sqlite3.SQLITE_SELECT or read or called
    return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY
