"""Products: what a stage leaves behind that a later stage can work on.

A family declares its products with their true content, so that a later stage can compute what it
expects from the truth and not from what the agent made.  Stages that work on products are
*follow-ups* (`contract.FollowUp`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.rng import Rng

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
"""A leading zero shows that the digits are a name and not a number."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of exact values in a file that the agent makes."""

    path: str
    columns: tuple[str, ...]
    """The names of all columns of the file, in order."""
    rows: Sequence[tuple[str, ...]]
    """The right rows as they stand in the file, in its order, unquoted."""
    noun: str
    """What one row is, in the plural: "recordings"."""
    separator: str = ","
    header: bool = True
    """Whether the file begins with the names of the columns."""

    def column(self, name: str) -> tuple[str, ...]:
        """Return the values of a column; raises `ValueError` if there is none of this name."""
        place = self.columns.index(name)
        return tuple(row[place] for row in self.rows)

    @property
    def integers(self) -> tuple[str, ...]:
        """Return the names of the columns that hold plain integers in every row."""
        return tuple(
            name
            for place, name in enumerate(self.columns)
            if self.rows and all(_is_integer(row[place]) for row in self.rows)
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the names of the columns whose values are all different and not empty."""
        return tuple(
            name
            for place, name in enumerate(self.columns)
            if all(row[place] for row in self.rows)
            and len({row[place] for row in self.rows}) == len(self.rows)
        )


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of exact values in a file that the agent makes."""

    path: str
    fields: Mapping[str, str | int]
    """Its top-level strings and integers that are exact; there may be other fields."""
    noun: str
    """What it describes, in the singular: "finding"."""


@dataclass(frozen=True, slots=True)
class Files:
    """A directory in which the agent makes or keeps files with exact content."""

    root: str
    contents: Mapping[str, bytes]
    """The right content by path relative to `root`: all regular files below it."""
    noun: str
    """What one file is, in the plural: "scenes"."""


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a program."""

    stdin: bytes
    stdout: bytes
    status: int = 0


@dataclass(frozen=True, slots=True)
class Program:
    """A program that the agent writes or repairs: a filter without arguments, never a service."""

    source: str
    """Path of the file that the agent delivers."""
    run: str
    """The command that runs it, with `{out}` for the path of the binary if there is `build`."""
    case: Callable[[Rng], Case]
    """Draws an input of the kind that the checks use, with the right output."""
    noun: str
    """What one input is, in the plural: "captures"."""
    build: str = ""
    """The command that compiles it to `{out}`; "" if nothing needs compiling."""


@dataclass(frozen=True, slots=True)
class Edits:
    """Files that exist from the start and that the agent edits in place."""

    root: str
    """The directory that holds them all."""
    before: Mapping[str, bytes]
    """Their content at the start by path relative to `root`; at least one must change."""
    noun: str
    """What is edited, in the singular: "package"."""


@dataclass(frozen=True, slots=True)
class Request:
    """One GET request to a service and its right answer."""

    path: str
    """The target, as in `/items/7?deep=1`."""
    status: int
    fields: Mapping[str, str | int]
    """Top-level strings and integers of the JSON object that is answered."""


@dataclass(frozen=True, slots=True)
class Service:
    """An HTTP service that the agent brings up, on 127.0.0.1."""

    start: str
    """The script that starts it (and all that it needs)."""
    port: int
    requests: tuple[Request, ...]
    """At least eight different requests whose answers are the same after every start."""
    noun: str
    """What it serves, in the plural: "pages"."""
    headers: Mapping[str, str]
    """Headers that every request needs; often none."""


Product = Table | Record | Files | Program | Edits | Service


def _is_integer(value: str) -> bool:
    return _INTEGER.fullmatch(value) is not None
