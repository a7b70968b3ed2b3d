"""Make programs with plausible mistakes: a few random edits of the right tree.

Covers off-by-one comparisons, wrong constants, operators and start values, swapped or missing
statements, and state that is kept or forgotten at line ends.  Does not cover programs that
crash or never end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from tmax_gym.rng import Rng
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.probes import sample_input
from tmax_gym.world.programs.program import (
    M32,
    Const,
    Emit,
    If,
    Op,
    Program,
    Repeat,
    Set,
    Test,
    walk,
)

_SWAPS = {
    "+": "--^",
    "-": "+",
    "^": "+|",
    "&": "|",
    "|": "^&",
    "/": "%",
    "%": "/",
}
_ORDERS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<")}
_TURNS = {"rol": "ror", "ror": "rol", "<<": ">>", ">>": "<<"}
# A mutant must be wrong on more than half of these inputs.
_CASES = 16
_ATTEMPTS = 400

Edit = Callable[[Rng], Any]


def _edits(tree: Any) -> list[Edit]:
    """Return the possible mistakes at one node; each returns the new node."""
    if isinstance(tree, Const):
        return [lambda r: Const(tree.value + r.choice((-1, 1)) & M32)]
    if isinstance(tree, Op) and tree.kind in _SWAPS:
        return [
            lambda r: _operation(tree, r.choice(_SWAPS[tree.kind])),
        ]
    if isinstance(tree, Op) and tree.kind in _TURNS:
        return [lambda r: _operation(tree, _TURNS[tree.kind])]
    if isinstance(tree, Test):
        if tree.kind in _ORDERS:
            return [lambda r: replace(tree, kind=r.choice(_ORDERS[tree.kind]))]
        return [lambda r: replace(tree, kind="!=" if tree.kind == "==" else "==")]
    if isinstance(tree, If):
        return [lambda r: replace(tree, other=()), lambda r: replace(tree, then=())]
    if isinstance(tree, Repeat) and tree.count > 1:
        return [lambda r: replace(tree, count=tree.count + r.choice((-1, 1)))]
    if isinstance(tree, Emit) and tree.base == 16 and tree.width:
        return [lambda r: replace(tree, width=0)]
    if isinstance(tree, tuple):
        return [lambda r: _shortened(tree, r), lambda r: _swapped(tree, r)]
    return []


def _operation(tree: Op, kind: str) -> Op:
    # A divisor or count may be unfit for the new operator; the caller drops such edits.
    return replace(tree, kind=kind)  # type: ignore[arg-type]


def _shortened(body: tuple[Any, ...], rng: Rng) -> tuple[Any, ...]:
    """Return a block without one of its statements; prints are kept."""
    places = [i for i, s in enumerate(body) if isinstance(s, Set | If | Repeat)]
    drop = rng.choice(places) if places else -1
    return tuple(s for i, s in enumerate(body) if i != drop)


def _swapped(body: tuple[Any, ...], rng: Rng) -> tuple[Any, ...]:
    """Return a block with two neighbours in the wrong order."""
    if len(body) < 2:
        return body
    at = rng.integer(0, len(body) - 2)
    return (*body[:at], body[at + 1], body[at], *body[at + 2 :])


def _places(tree: Any) -> Iterator[Any]:
    """Yield every node and every block below `tree`."""
    if isinstance(tree, tuple):
        yield tree
        for item in tree:
            yield from _places(item)
    elif not isinstance(tree, str | int):
        yield tree
        for field in fields(tree):
            yield from _places(getattr(tree, field.name))


def _rebuilt(tree: Any, old: Any, new: Any) -> Any:
    """Return `tree` with the object `old` replaced (by identity)."""
    if tree is old:
        return new
    if isinstance(tree, tuple):
        return tuple(_rebuilt(item, old, new) for item in tree)
    if isinstance(tree, str | int):
        return tree
    changed = {f.name: _rebuilt(getattr(tree, f.name), old, new) for f in fields(tree)}
    return type(tree)(**changed)


def _candidate(program: Program, rng: Rng) -> Program:
    """Return the program with one random edit, which may have no effect."""
    if program.registers and rng.chance(0.15):
        index = rng.integer(0, len(program.registers) - 1)
        old = program.registers[index]
        if rng.chance(0.5) and program.unit != "byte":
            new = replace(old, per_line=not old.per_line)
        else:
            new = replace(old, start=old.start ^ 1)
        kept = (*program.registers[:index], new, *program.registers[index + 1 :])
        return replace(program, registers=kept)
    parts = [name for name in ("step", "close", "finish") if getattr(program, name)]
    part = rng.weighted(parts, [len(list(walk(getattr(program, p)))) for p in parts])
    tree = getattr(program, part)
    places = [(node, edit) for node in _places(tree) for edit in _edits(node)]
    if not places:
        return program
    node, edit = rng.choice(places)
    return replace(program, **{part: _rebuilt(tree, node, edit(rng))})


def mutants(program: Program, rng: Rng, count: int) -> tuple[Program, ...]:
    """Return `count` different programs, each wrong on more than half of 16 random inputs.

    Their outputs on these inputs all differ.
    """
    cases = [sample_input(program, rng.fork("case", i)) for i in range(_CASES)]
    right = [run(program, case) for case in cases]
    mutants_: list[Program] = []
    outputs = {tuple(right)}
    for attempt in range(_ATTEMPTS):
        if len(mutants_) == count:
            return tuple(mutants_)
        try:
            wrong = _candidate(program, rng.fork("edit", attempt))
        except ValueError:
            continue
        printed = tuple(run(wrong, case) for case in cases)
        differs = sum(a != b for a, b in zip(right, printed, strict=True))
        if printed not in outputs and 2 * differs > _CASES:
            outputs.add(printed)
            mutants_.append(wrong)
    if len(mutants_) == count:
        return tuple(mutants_)
    raise ValueError(
        f"{program.kind}: {_ATTEMPTS} edits gave {len(mutants_)} of {count} mutants; ask for fewer"
    )
