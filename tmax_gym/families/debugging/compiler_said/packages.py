"""Packages of the compiler-said family: tools that are pipelines of stages over one library.

Covers the meaning of every stage, the draw of tools and of slips, and the files of a package
with any choice of its slips in place.  Does not cover the source of a section: each language has
a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.axes import Language
from tmax_gym.families.debugging.compiler_said import c, cpp, go, rust
from tmax_gym.families.debugging.compiler_said.kit import MAIN, SHARED, Call, Kit, Slip
from tmax_gym.rng import Rng
from tmax_gym.world.toolchains import SUFFIX

KITS: Mapping[Language, Kit] = {
    "c": c.KIT,
    "cpp": cpp.KIT,
    "go": go.KIT,
    "rust": rust.KIT,
}
Row = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Tool:
    """One program of a package."""

    name: str
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """A slip and the place where it is made."""

    section: str
    slip: Slip
    tool: str = ""
    """The tool whose own part has the slip; "" for a section of the library."""


@dataclass(frozen=True, slots=True)
class Package:
    """The library and its tools, in one language."""

    language: Language
    lib: str
    tools: tuple[Tool, ...]

    def files(self, broken: Sequence[Broken] = ()) -> dict[str, str]:
        """Return source by path below the package, with these slips in it."""
        kit, files = KITS[self.language], {}
        used = {call.stage for tool in self.tools for call in tool.calls}
        sections = {name: kit.section(name) for name in (*SHARED, *sorted(used))}
        for one in broken:
            if not one.tool:
                sections[one.section] = _slipped(sections[one.section], one.slip)
        if kit.suffix:
            files = {f"{self.lib}/{n}.{kit.suffix}": body for n, body in sections.items()}
        for tool in self.tools:
            main = kit.main(self.lib, tool.calls)
            for one in broken:
                main = _slipped(main, one.slip) if one.tool == tool.name else main
            if not kit.suffix:
                names = (*SHARED, *sorted(call.stage for call in tool.calls))
                main += "".join(sections[name] for name in names)
            files[f"{tool.name}.{SUFFIX[self.language]}"] = main
        return files


def _slipped(source: str, slip: Slip) -> str:
    if source.count(slip[0]) != 1:
        raise ValueError(f"{slip[0]!r} stands {source.count(slip[0])} times in {source!r}")
    return source.replace(*slip)


def drawn(rng: Rng, language: Language, *, tools: int, stages: int) -> Package:
    """Return a package of tools that each do something else."""
    lib = rng.choice(("tally", "ledgerlib", "rowkit", "gauge", "listing", "quarry", "abacus"))
    words = ("summary", "extract", "ranking", "profile", "digest", "trend", "shortlist", "survey")
    built: list[Tool] = []
    for number, name in enumerate(rng.sample(words, tools)):
        stream = rng.fork("tool", number)
        picked = stream.sample(sorted(STAGES), stages)
        built.append(Tool(name, tuple(Call(stage, _numbers(stage, stream)) for stage in picked)))
    return Package(language, lib, tuple(built))


def _numbers(stage: str, rng: Rng) -> tuple[int, ...]:
    """Return the arguments of a stage."""
    ranges = {
        "scale": ((2, 9), (1, 60)),
        "wrap": ((7, 240),),
        "window": ((2, 5),),
        "keep": ((-40, 60),),
        "head": ((5, 12),),
    }
    return tuple(rng.integer(low, high) for low, high in ranges.get(stage, ()))


def slips(rng: Rng, package: Package, count: int) -> tuple[Broken, ...]:
    """Return `count` slips in as many places, the first of them where every tool needs it."""
    kit = KITS[package.language]
    used = sorted({call.stage for tool in package.tools for call in tool.calls})
    shared = rng.shuffled(SHARED)
    places: list[tuple[str, str]] = [(name, "") for name in (*shared[1:], *used)]
    places += [(MAIN, tool.name) for tool in package.tools]
    picked = [(shared[0], ""), *rng.sample(places, min(count - 1, len(places)))]
    candidates = []
    for section, owner in picked:
        if owner:
            calls = next(tool.calls for tool in package.tools if tool.name == owner)
            choice = rng.choice(kit.main_slips(package.lib, calls))
        else:
            choice = rng.choice(kit.slips[section])
        candidates.append(Broken(section, choice, owner))
    return tuple(candidates)


def answer(tool: Tool, rows: Sequence[Row]) -> str:
    """Return the output of a tool."""
    now = list(rows)
    for call in tool.calls:
        now = STAGES[call.stage](now, *call.numbers)
    body = "".join(f"{name} {value}\n" for name, value in now)
    return f"{body}rows {len(now)} total {sum(value for _, value in now)}\n"


def _merge(rows: list[Row]) -> list[Row]:
    sums: dict[str, int] = {}
    for name, value in rows:
        sums[name] = sums.get(name, 0) + value
    return list(sums.items())


def _delta(rows: list[Row]) -> list[Row]:
    steps = [(b[0], b[1] - a[1]) for a, b in pairwise(rows)]
    return [*((name, 0) for name, _ in rows[:1]), *steps]


def _window(rows: list[Row], length: int) -> list[Row]:
    values = [value for _, value in rows]
    return [
        (name, sum(values[max(0, at - length + 1) : at + 1])) for at, (name, _) in enumerate(rows)
    ]


STAGES: Mapping[str, Callable[..., list[Row]]] = {
    "scale": lambda rows, factor, offset: [(n, v * factor + offset) for n, v in rows],
    "wrap": lambda rows, size: [(n, v % size) for n, v in rows],
    "merge": _merge,
    "rank": lambda rows: sorted(rows, key=lambda row: (-row[1], row[0])),
    "delta": _delta,
    "window": _window,
    "keep": lambda rows, least: [row for row in rows if row[1] >= least],
    "head": lambda rows, most: rows[:most],
    "fold": lambda rows: [(n.lower(), v) for n, v in rows],
}
"""The stages in Python; each language has its own version of them."""
