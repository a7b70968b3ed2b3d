"""Short texts as vectors by a plan: its evaluator.

Covers features and their hashes, covariances, the choice of axes, and the nearest items, all in
whole numbers.  Does not cover which plans there are, or text beyond ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cmp_to_key
from itertools import pairwise

from tmax_gym.families.data_science.nearest_shelf.plans import HASHES, Plan

M32 = 0xFFFFFFFF
SCALE = 64
"""Largest entry of the common direction."""
Item = tuple[str, str]
"""Name and text."""
Vector = list[int]


def answer(
    plan: Plan, ask: tuple[str, int], items: Sequence[Item], *, requests: Sequence[str]
) -> str:
    """Return the lines for one question; `ask` is its name and how many items are wanted."""
    name, most = ask
    common = _common(plan, items)
    vectors = [_vector(plan, text, common, len(items)) for _, text in items]
    if name == "vectors":
        return _lines([id_, *v] for (id_, _), v in zip(items, vectors, strict=True))
    table = covariance(vectors)
    if name == "covariance":
        return _lines(row[: n + 1] for n, row in enumerate(table))
    direction = _direction(plan, table) if plan.removed else []
    reduced = [_without(direction, v) for v in vectors]
    axes = _kept(plan, covariance(reduced))
    if name == "axes":
        return _lines([direction, axes] if plan.removed else [axes])
    shelf = [[v[axis] for axis in axes] for v in reduced]
    places = {id_: n for n, (id_, _) in enumerate(items)}
    answers = []
    for request in requests:
        if plan.liked:
            liked = [places[id_] for id_ in request.split()]
            wanted = [sum(column) for column in zip(*(shelf[n] for n in liked), strict=True)]
        else:
            vector = _without(direction, _vector(plan, request, common, len(items)))
            liked, wanted = [], [vector[axis] for axis in axes]
        order = [n for n in _ranked(plan, shelf, wanted) if n not in liked]
        answers.append([items[n][0] for n in order[:most]])
    return _lines(answers)


def _lines(rows: Iterator[Sequence[object]] | Sequence[Sequence[object]]) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


def hashed(plan: Plan, feature: str) -> int:
    """Return the 32-bit hash of a feature."""
    value, factor = HASHES[plan.hash]
    for byte in feature.encode():
        mixed = value ^ byte if plan.hash == "fnv" else value
        value = (mixed * factor + (0 if plan.hash == "fnv" else byte)) & M32
    return value


def features(plan: Plan, text: str) -> list[int]:
    """Return the hash of every feature of a text."""
    words = re.findall("[a-z0-9]+" if plan.digits else "[a-z]+", text.lower())
    words = [word for word in words if len(word) >= plan.shortest]
    features = list(words)
    if plan.features == "pairs":
        features += [f"{a}+{b}" for a, b in pairwise(words)]
    elif plan.features == "trigrams":
        marked = [f"#{word}#" for word in words]
        features = [word[n : n + 3] for word in marked for n in range(len(word) - 2)]
    return [hashed(plan, feature) for feature in features]


def _common(plan: Plan, items: Sequence[Item]) -> Mapping[int, int]:
    """Return the number of items with each feature; empty if the plan does not need it."""
    documents: dict[int, int] = {}
    if plan.weight == "rarity":
        for _, text in items:
            for feature in set(features(plan, text)):
                documents[feature] = documents.get(feature, 0) + 1
    return documents


def _vector(plan: Plan, text: str, common: Mapping[int, int], size: int) -> Vector:
    """Return the vector of a text before any axis is left out."""
    vector = [0] * plan.axes
    hashes = features(plan, text)
    for feature in dict.fromkeys(hashes) if plan.weight == "once" else hashes:
        weight = 1
        if plan.weight == "rarity":
            weight = size // common[feature] if feature in common else 0
        down = plan.signed >= 0 and feature >> plan.signed & 1
        vector[(feature >> 16 if plan.high else feature) % plan.axes] += -weight if down else weight
    return vector


def covariance(vectors: Sequence[Vector]) -> list[Vector]:
    """Return the covariances of all axes, times the square of the number of vectors."""
    columns, n = list(zip(*vectors, strict=True)), len(vectors)
    return [
        [n * sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y) for y in columns]
        for x in columns
    ]


def _cut(top: int, bottom: int) -> int:
    """Return a quotient without its fraction."""
    return top // bottom if top >= 0 else -(-top // bottom)


def _direction(plan: Plan, table: Sequence[Vector]) -> Vector:
    """Return the direction along which the vectors vary most, as power iteration finds it."""
    direction = [1] * plan.axes
    for _ in range(plan.rounds):
        product = [sum(a * b for a, b in zip(row, direction, strict=True)) for row in table]
        largest = max(map(abs, product))
        if largest == 0:
            break
        direction = [_cut(SCALE * value, largest) for value in product]
    return direction


def _without(direction: Vector, values: Vector) -> Vector:
    """Return a vector without its part along a direction."""
    if not any(direction):
        return values
    along = sum(a * b for a, b in zip(direction, values, strict=True))
    length = sum(a * a for a in direction)
    return [v - _cut(d * along, length) for d, v in zip(direction, values, strict=True)]


def _kept(plan: Plan, table: Sequence[Vector]) -> list[int]:
    """Return the axes that are kept, by falling variance."""
    order = sorted(range(plan.axes), key=lambda axis: (-table[axis][axis], axis))
    if plan.reduce == "variance":
        return order[: plan.kept]
    kept: list[int] = []
    top, bottom = plan.limit
    for a in order:
        alike = (bottom * table[a][b] ** 2 > top * table[a][a] * table[b][b] for b in kept)
        if table[a][a] > 0 and not any(alike):
            kept.append(a)
    return kept


def _ranked(plan: Plan, shelf: Sequence[Vector], wanted: Vector) -> list[int]:
    """Return the places of all items, the nearest first."""
    keys = [_nearness(plan, values, wanted) for values in shelf]

    def compare(a: int, b: int) -> int:
        left, right = keys[a][0] * keys[b][1], keys[b][0] * keys[a][1]
        if left != right:
            return -1 if left > right else 1
        return b - a if plan.late else a - b

    return sorted(range(len(shelf)), key=cmp_to_key(compare))


def _nearness(plan: Plan, values: Vector, wanted: Vector) -> tuple[int, int]:
    """Return how near two vectors are as a fraction, larger for nearer."""
    pairs = list(zip(values, wanted, strict=True))
    dot = sum(a * b for a, b in pairs)
    if plan.measure == "cosine":
        return dot * abs(dot), max(1, sum(a * a for a in values))
    if plan.measure == "euclid":
        return -sum((a - b) ** 2 for a, b in pairs), 1
    if plan.measure == "manhattan":
        return -sum(abs(a - b) for a, b in pairs), 1
    if plan.measure == "signs":
        return sum((a > 0) - (a < 0) == (b > 0) - (b < 0) for a, b in pairs), 1
    return dot, 1
