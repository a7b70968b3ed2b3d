"""The services of the unsound-service family: steps over batches of rows, and what they answer.

Covers the meaning of every step, the draw of a service and of its faults, and its source with any
of them in place.  Does not cover the source of a step: each language has modules of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tmax_gym.axes import Language
from tmax_gym.families.software_engineering.unsound_service import c, cpp, go, rust
from tmax_gym.families.software_engineering.unsound_service.kit import DOC, Call, Edits, Kit
from tmax_gym.rng import Rng

KITS: Mapping[Language, Kit] = {
    "c": c.KIT,
    "cpp": cpp.KIT,
    "go": go.KIT,
    "rust": rust.KIT,
}
Row = tuple[str, int]
Batches = tuple[tuple[Row, ...], ...]
_RANGES = {
    "window": (2, 5),
    "expand": (2, 4),
    "drop": (-40, 60),
    "recent": (2, 3),
    "spread": (3, 6),
    "rank": (6, 9),
    "price": (2, 7),
    "fee": (2, 9),
    "head": (6, 9),
}
"""The number of a step."""
_LATE = {"rank": 1, "head": 1, "recent": 2, "tally": 3, "join": 4, "spread": 5}
"""Steps that leave less for others to do, and how late they come.

Behind `tally` no name is seen twice, and a fault of `recent` that needs one would never show.
Behind `recent` there is nothing for `tally` to do.  So no service has both.
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault in its place."""

    step: str
    """"" where it is in what stands around the steps."""
    edits: Edits


@dataclass(frozen=True, slots=True)
class Service:
    """A program in one language."""

    language: Language
    calls: tuple[Call, ...]

    def source(self, faults: Sequence[Fault] = ()) -> str:
        """Return the source with these faults in it."""
        return KITS[self.language].source(self.calls, {f.step: f.edits for f in faults})

    def answer(self, batches: Batches) -> str:
        """Return the output of the right program."""
        end = " left 0" if self.language == "go" else ""
        lines = []
        for batch in batches:
            rows = list(batch)
            for call in self.calls:
                rows = STEPS[call.step](rows, *call.numbers)
            lines += [f"{name} {value}\n" for name, value in rows]
            lines.append(f"= {len(rows)} {sum(value for _, value in rows)}{end}\n")
        return "".join(lines)


def drawn(rng: Rng, language: Language, steps: int) -> Service:
    """Return a service with different steps; those that shrink a batch come last."""
    kit = KITS[language]
    others = sorted((kit.steps.keys() & DOC) - {kit.always})
    picked = rng.sample(others, steps - bool(kit.always))
    first = [kit.always] if kit.always else []
    ordered = [*first, *sorted(picked, key=lambda step: _LATE.get(step, 0))]
    calls = tuple(
        Call(step, (rng.integer(*_RANGES[step]),) if step in _RANGES else ()) for step in ordered
    )
    return Service(language, calls)


def faults(rng: Rng, service: Service, count: int) -> tuple[Fault, ...]:
    """Return one fault that spoils everything, and others in steps of their own."""
    kit = KITS[service.language]
    faults = [Fault(kit.always, rng.choice(kit.first))]
    steps = [call.step for call in service.calls if kit.faults[call.step]]
    for step in rng.sample(steps, min(count - 1, len(steps))):
        faults.append(Fault(step, rng.choice(kit.faults[step])))
    return tuple(faults)


def _tally(rows: list[Row]) -> list[Row]:
    sums: dict[str, int] = {}
    for name, value in rows:
        sums[name] = sums.get(name, 0) + value
    return list(sums.items())


def _window(rows: list[Row], length: int) -> list[Row]:
    values = [value for _, value in rows]
    return [(n, sum(values[max(0, at - length + 1) : at + 1])) for at, (n, _) in enumerate(rows)]


def _expand(rows: list[Row], most: int) -> list[Row]:
    return [row for row in rows for _ in range(1 + abs(row[1]) % most)]


def _join(rows: list[Row]) -> list[Row]:
    pairs = zip_longest(rows[::2], rows[1::2])
    return [(f"{a[0]}-{b[0]}", a[1] + b[1]) if b else a for a, b in pairs]


def _recent(rows: list[Row], room: int) -> list[Row]:
    kept: list[Row] = []
    for row in rows:
        kept = [row, *(other for other in kept if other[0] != row[0])][:room]
    return kept


def _spread(rows: list[Row], size: int) -> list[Row]:
    remainders = [value % size for _, value in rows]
    return [(f"b{at}", remainders.count(at)) for at in range(size)]


def _digest(rows: list[Row]) -> list[Row]:
    h = 7
    for name, value in rows:
        for byte in name.encode():
            h = (h * 31 + byte) % 2**32
        h = (h + value) % 2**32
    return [*rows, ("digest", h)]


STEPS: Mapping[str, Callable[..., list[Row]]] = {
    "tally": _tally,
    "window": _window,
    "expand": _expand,
    "drop": lambda rows, least: [row for row in rows if row[1] >= least],
    "join": _join,
    "recent": _recent,
    "spread": _spread,
    "digest": _digest,
    "rank": lambda rows, most: sorted(rows, key=lambda row: (-row[1], row[0]))[:most],
    "price": lambda rows, factor: [(n, v * factor + len(n)) for n, v in rows],
    "fee": lambda rows, factor: [(n, v + factor * len(n)) for n, v in rows],
    "head": lambda rows, most: rows[:most],
}
"""The steps in Python; each language has its own version of them."""
