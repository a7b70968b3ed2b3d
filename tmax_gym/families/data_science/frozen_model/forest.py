"""The scorer of the frozen-model family: a sum of trees with integer points, and a cut-off.

Draws the model, evaluates it, writes it as a program, and makes plausible mistakes in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tmax_gym.rng import Rng
from tmax_gym.world.programs.program import (
    RESERVED,
    Const,
    Emit,
    Field,
    If,
    Op,
    Program,
    Put,
    Register,
    Set,
    Stmt,
    Test,
    Var,
)

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Points."""

    points: int


@dataclass(frozen=True, slots=True)
class Split:
    """Left if the feature is below the value, otherwise right."""

    feature: int
    value: int
    left: Tree
    right: Tree


Tree = Leaf | Split


@dataclass(frozen=True, slots=True)
class Forest:
    """A model."""

    features: tuple[str, ...]
    ranges: tuple[tuple[int, int], ...]
    trees: tuple[Tree, ...]
    cut: int
    labels: tuple[str, str]
    """The label below the cut-off, and the label from it on."""

    def score(self, row: Row) -> int:
        """Return the points of a row."""
        total = 0
        for tree in self.trees:
            while isinstance(tree, Split):
                tree = tree.left if row[tree.feature] < tree.value else tree.right
            total += tree.points
        return total

    def line(self, row: Row) -> str:
        """Return the output of the tool."""
        points = self.score(row)
        return f"{self.labels[points >= self.cut]} {points}"

    def output(self, rows: Sequence[Row]) -> str:
        """Return the output of the tool for several rows."""
        return "".join(self.line(row) + "\n" for row in rows)

    def splits(self) -> list[tuple[str, int]]:
        """Return the feature and the value of every comparison, each pair once, sorted."""
        return sorted({(self.features[f], v) for f, v in _splits(self.trees)})

    def program(self) -> Program:
        """Return the tool."""
        body: list[Stmt] = [Set("points", Const(0))]
        body += [self._statement(tree) for tree in self.trees]
        below, above = (Put(label + " ") for label in self.labels)
        body.append(If(Test(">=", Var("points"), Const(self.cut)), (above,), (below,)))
        return Program(
            "forest",
            "record",
            (Register("points"),),
            close=(*body, Emit(Var("points")), Put("\n")),
            fields=tuple(
                Field(name, lo, hi)
                for name, (lo, hi) in zip(self.features, self.ranges, strict=True)
            ),
        )

    def _statement(self, tree: Tree) -> Stmt:
        if isinstance(tree, Leaf):
            return Set("points", Op("+", Var("points"), Const(tree.points)))
        test = Test("<", Var(self.features[tree.feature]), Const(tree.value))
        return If(test, (self._statement(tree.left),), (self._statement(tree.right),))

    def rows(self, rng: Rng, count: int) -> list[Row]:
        """Return rows; every second one has a feature at the edge of a split."""
        edges = _splits(self.trees)
        rows = []
        for number in range(count):
            row = [rng.integer(lo, hi) for lo, hi in self.ranges]
            if number % 2:
                feature, value = edges[number // 2 % len(edges)]
                row[feature] = value - rng.integer(0, 1)
            rows.append(tuple(row))
        return rows


def usable(names: Sequence[str]) -> list[str]:
    """Return the names that a program of any language may use for a feature, sorted."""
    whole = {n for n in names if n.replace("_", "").isalpha() and 3 < len(n) < 18}
    return sorted(whole - RESERVED - {"points"})


def drawn(features: Sequence[str], rng: Rng, *, trees: int, depth: int) -> Forest:
    """Return a model of which each label gets at least a third of the rows."""
    for attempt in range(100):
        r = rng.fork("attempt", attempt)
        ranges = tuple((0, r.choice((40, 99, 250, 999))) for _ in features)
        grown = tuple(_grown(ranges, r.fork("tree", n), n, depth) for n in range(trees))
        forest = Forest(tuple(features), ranges, grown, 1, ("low", "high"))
        scores = sorted(forest.score(row) for row in forest.rows(r.fork("probe"), 48))
        forest = replace(forest, cut=scores[24])
        high = sum(score >= forest.cut for score in scores)
        if 17 <= high <= 31 and len(set(scores)) >= min(6, 2 + 2 * trees):
            return forest
    raise ValueError(f"no balanced model of {trees} trees in 100 draws")


def _grown(ranges: Sequence[tuple[int, int]], rng: Rng, number: int, depth: int) -> Tree:
    if depth == 0:
        return Leaf(rng.integer(1, 97))
    feature = number % len(ranges) if depth > 1 else rng.integer(0, len(ranges) - 1)
    top = ranges[feature][1]
    left, right = (_grown(ranges, rng.fork(side), number + side, depth - 1) for side in (1, 2))
    return Split(feature, rng.integer(top // 5, top - top // 5), left, right)


def _splits(trees: Sequence[Tree]) -> list[tuple[int, int]]:
    splits: list[tuple[int, int]] = []
    waiting = list(trees)
    while waiting:
        tree = waiting.pop()
        if isinstance(tree, Split):
            splits.append((tree.feature, tree.value))
            waiting += [tree.left, tree.right]
    return splits


def mistakes(model: Forest) -> dict[str, Forest]:
    """Return the model with the mistakes of a hasty reader."""
    first = model.trees[0]
    assert isinstance(first, Split)
    flipped = Split(first.feature, first.value, first.right, first.left)
    return {
        "first split turned round": replace(model, trees=(flipped, *model.trees[1:])),
        "first split at half": replace(
            model, trees=(replace(first, value=first.value // 2), *model.trees[1:])
        ),
        "last tree cut back": replace(model, trees=(*model.trees[:-1], _first(model.trees[-1]))),
        "every leaf one off": replace(model, trees=tuple(map(_shifted, model.trees))),
    }


def _first(tree: Tree) -> Tree:
    return _first(tree.left) if isinstance(tree, Split) else tree


def _shifted(tree: Tree) -> Tree:
    if isinstance(tree, Leaf):
        return Leaf(tree.points + 1)
    return replace(tree, left=_shifted(tree.left), right=_shifted(tree.right))
