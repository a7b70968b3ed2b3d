"""Mistakes of the backup-bug family: right text, wrong text, and lines that they affect.

Other lines keep clear of every mistake: whole blocks, no equals sign, no pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tmax_gym.rng import Rng

Line = Callable[[Rng, str, Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake."""

    name: str
    module: str
    right: str
    wrong: str
    line: Line
    """Returns an inventory line that it spoils, from (stream, path, patterns)."""


def entry(
    kind: str = "f", *, mode: str = "644", size: int = 2048, mtime: int = 5000, target: str = ""
) -> str:
    """Return one side of a line."""
    return f"{kind},{mode},{size},{mtime},{target}"


def plain_line(rng: Rng, path: str) -> str:
    """Return a line that no mistake touches."""
    size, mtime = rng.integer(1, 90) * 1024, rng.integer(4000, 9000)
    old = entry(size=size, mtime=mtime)
    new = rng.choice(
        (
            old,
            entry(size=size + 1024, mtime=mtime + 60),
            entry(size=size, mtime=mtime + rng.integer(1, 99)),
            entry(size=size, mtime=mtime, mode="600"),
            "-",
        )
    )
    if rng.chance(0.15):
        old = "-"
        new = new if new != "-" else entry("d", mode="755", size=0, mtime=mtime)
    return f"{path}|{old}|{new}"


def _older(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    mtime = rng.integer(5000, 9000)
    return f"{path}|{entry(mtime=mtime)}|{entry(mtime=mtime - rng.integer(1, 999))}"


def _special(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    mode = rng.choice(("4755", "2755", "1777", "6711"))
    return f"{path}|{rng.choice(('-', entry(mode='755')))}|{entry(mode=mode, mtime=7000)}"


def _namesake(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    return f"{path}/{patterns[1][:-1]}|-|{entry(mtime=rng.integer(1, 9000))}"


def _neighbour(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    top = patterns[2][1:] + rng.choice(("2", "-old", "er", ".d"))
    return f"{top}/{path}|-|{entry(mtime=rng.integer(1, 9000))}"


def _equals(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    return f"{path}={rng.secret(2)}|-|{entry(mtime=rng.integer(1, 9000))}"


def _begun(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    size = rng.integer(1, 90) * 1024 - rng.integer(1, 1000)
    return f"{path}|-|{entry(size=size)}"


def _relinked(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    old, new = (entry("l", mode="777", size=4, target=f"../{rng.secret(3)}") for _ in range(2))
    return f"{path}|{old}|{new}"


def _again(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    name = patterns[4][1:]
    return f"{patterns[1]}{path.partition('/')[0]}{rng.integer(0, 9)}/{name}|-|{entry()}"


def _inside(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    return f"{path}{patterns[0][1:]}.csv|-|{entry(mtime=rng.integer(1, 9000))}"


def _turned(rng: Rng, path: str, patterns: Sequence[str]) -> str:
    new = entry(size=rng.integer(1, 40) * 1024)
    return f"{path}|{entry('d', mode='755', size=0)}|{new}"


FAULTS = (
    Fault("older", "actions", "old.mtime != new.mtime", "old.mtime < new.mtime", _older),
    Fault("special bits", "actions", "new.mode & 0o7777", "new.mode & 0o777", _special),
    Fault("namesake", "entries", "pattern[:-1] in parts[:-1]", "pattern[:-1] in parts", _namesake),
    Fault(
        "neighbour",
        "entries",
        'path == top or path.startswith(top + "/")',
        "path.startswith(top)",
        _neighbour,
    ),
    Fault(
        "equals",
        "actions",
        'path.replace("=", "==").replace("/", "=.")',
        'path.replace("/", "=.")',
        _equals,
    ),
    Fault("begun", "actions", "(entry.size + 1023) // 1024", "entry.size // 1024", _begun),
    Fault("relinked", "actions", "old.target == new.target", "old.mtime == new.mtime", _relinked),
    Fault("again", "entries", "out = out and not matches(path, pattern[1:])", "continue", _again),
    Fault(
        "inside",
        "entries",
        "parts[-1].endswith(pattern[1:])",
        "pattern[1:] in parts[-1]",
        _inside,
    ),
    Fault("turned", "actions", '("add", "copy", "replace")', '("add", "copy")', _turned),
)
