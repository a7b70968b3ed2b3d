"""The closed tool of the black-box family: the note beside it, limits of a clone, and mistakes.

The note says who uses the tool and not how it works.  The limits reject a source with machine
code in disguise.  The tool itself is drawn from `world.grammars`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from tmax_gym.checks.check import BadOutput, Evidence, Gate
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Skin
from tmax_gym.world.programs.program import Emit, Program, Put

PURPOSE = {
    "automaton": "checks {things} reports line by line before they are filed",
    "checksum": "seals the lines of {things} lists, so that a changed line is noticed",
    "cipher": "masks {things} lists before they leave {place}",
    "filter": "smooths the raw readings of the {measure} logger",
    "limiter": "decides which requests for {things} go through at {place}",
    "tokenizer": "breaks {things} notes into pieces for the index",
}
SIZE = 16_000
"""Longest source of a clone, in bytes: four times the longest reference solution."""
BLOB = 400
"""Characters of encoded data that a source may hold.  The tool's code alone needs more."""
_RUN = re.compile(rb"[A-Za-z0-9+/=_-]{40,}")
_BYTES = re.compile(rb"(?i)(?:(?:\\x|0x|\\)[0-9a-f]{1,3}[\s,'\"]*){64,}")


def note(kind: str, name: str, *, skin: Skin, rng: Rng) -> str:
    """Return the text that lies beside the tool."""
    purpose = PURPOSE[kind].format(
        things=skin.thing(rng).singular, place=skin.place(rng), measure=skin.measure(rng).name
    )
    return (
        f"{name}\n\n"
        f"Written by a contractor for {skin.org(rng)}; it {purpose}.\n"
        f"Asked for by {skin.person(rng)}. The source was never delivered and the contractor is\n"
        "gone. It reads standard input, writes standard output and takes no options.\n"
    )


def own_work(path: str, id_: str = "own work") -> Gate:
    """Return a gate: the source, where there is one, is text without encoded machine code."""

    def holds(evidence: Evidence) -> bool:
        try:
            source = evidence.read(path)
        except BadOutput:
            return True
        return plain(source)

    return Gate(id_, holds)


def plain(source: bytes) -> bool:
    """Return whether a source could have been written by hand."""
    if len(source) > SIZE or b"\0" in source or b"\x7fELF" in source:
        return False
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    encoded = sum(len(run) for run in _RUN.findall(source))
    return encoded <= BLOB and not _BYTES.search(source)


def other_base(program: Program) -> Program:
    """Return the program with every number in the other of the two bases."""

    def edit(tree: Any) -> Any:
        if isinstance(tree, Emit):
            return replace(tree, base=10 if tree.base == 16 else 16, width=0)
        return tree

    return _edited(program, edit)


def no_text(program: Program) -> Program:
    """Return the program with a blank wherever it prints a text."""
    return _edited(program, lambda tree: Put(" ") if isinstance(tree, Put) else tree)


def _edited(program: Program, edit: Callable[[Any], Any]) -> Program:
    """Return the program with every node of its three parts passed through `edit`."""

    def walk(tree: Any) -> Any:
        if isinstance(tree, tuple):
            return tuple(walk(item) for item in tree)
        if isinstance(tree, str | int):
            return tree
        changed = {f.name: walk(getattr(tree, f.name)) for f in fields(tree)}
        return edit(type(tree)(**changed))

    parts = {name: walk(getattr(program, name)) for name in ("step", "close", "finish")}
    return replace(program, **parts)
