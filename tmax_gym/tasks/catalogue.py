"""Reads the catalogue in `env_specs/`: names without specs, and specs without expanding tasks."""

from __future__ import annotations

import difflib
import json
import lzma
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmax_gym.errors import SpecError, TaskNotFound
from tmax_gym.tasks import folder
from tmax_gym.tasks.spec import TaskSpec, from_row

if TYPE_CHECKING:
    from tmax_gym.tasks.compose import Task
    from tmax_gym.texts.store import Text

PREFIX = "tmax/"
INDEX = "index.json.xz"
"""Specs as columns: JSON, one list a field, all in the order of the names."""


@cache
def names() -> tuple[str, ...]:
    """Return the name of every task, sorted, from one small text file."""
    file = folder.root() / "names.txt"
    return tuple(file.read_text(encoding="ascii").split()) if file.exists() else ()


def instructions(names: Iterable[str]) -> dict[str, str]:
    """Return stored instructions by task name, without expanding a task.

    Raises `SpecError` if some are missing.
    """
    return {name: stored.text for name, stored in texts(names).items()}


def texts(names: Iterable[str]) -> dict[str, Text]:
    """Return stored instructions with their authors by task name; see `instructions`."""
    # Imported here because `import tmax_gym` needs only names.
    from tmax_gym.texts import store

    stored: dict[str, Text] = {}
    for slug, some in groupby(sorted(names), key=lambda name: name.partition(".")[0]):
        own = store.read(store.path(folder.texts(), slug))
        for name in some:
            if name not in own:
                raise SpecError(f"{name} has no stored text: run tmax catalogue build")
            stored[name] = own[name]
    return stored


def _present(name: str) -> Path:
    file = folder.root() / name
    if not file.exists():
        raise SpecError(f"{name} is missing from the catalogue: run tmax catalogue build")
    return file


@cache
def _columns() -> dict[str, list[Any]]:
    """Read the index; stored as columns, it takes 40 % less space than as rows."""
    with lzma.open(_present(INDEX), "rt", encoding="utf-8") as text:
        columns: dict[str, list[Any]] = json.load(text)
    return columns


@cache
def _places() -> dict[str, int]:
    return {name: place for place, name in enumerate(_columns()["name"])}


@cache
def _at(place: int) -> TaskSpec:
    return from_row({key: column[place] for key, column in _columns().items()})


def spec(name: str) -> TaskSpec:
    """Return the spec of a task, whose name may begin with `tmax/`.

    Raises `TaskNotFound` with the nearest names.
    """
    plain = name.removeprefix(PREFIX)
    if plain not in _places():
        near = difflib.get_close_matches(plain, names(), n=3, cutoff=0.4)
        hint = f"Did you mean {', '.join(near)}?" if near else "See: tmax list"
        raise TaskNotFound(f"no task is called {plain!r}. {hint}")
    return _at(_places()[plain])


def load(name: str) -> Task:
    """Return a task; raise `TaskNotFound`, or `SpecError` if the generator has changed."""
    # Imported here because it takes 20 ms, and `import tmax_gym` needs only names.
    from tmax_gym.tasks.compose import compose

    return compose(spec(name))


def select(
    *,
    domain: str | None = None,
    family: str | None = None,
    split: str | None = None,
    complexity: str | None = None,
    fixture: str | None = None,
    verifier: str | None = None,
) -> tuple[TaskSpec, ...]:
    """Return the specs with these labels, sorted by name."""
    wanted = {
        "domain": domain,
        "split": split,
        "complexity": complexity,
        "fixture": fixture,
        "verifier": verifier,
    }
    return tuple(
        row
        for _, row in sorted((name, _at(place)) for name, place in _places().items())
        if all(value is None or getattr(row, key) == value for key, value in wanted.items())
        and (family is None or row.family == family)
    )


def runnable(specs: Sequence[TaskSpec]) -> tuple[tuple[TaskSpec, ...], tuple[str, ...]]:
    """Return the tasks whose image is here, and a line about each missing image.

    A task that needs only `core` always counts as runnable: the host may have its programs.
    """
    # Imported here because `import tmax_gym` needs only names.
    from tmax_gym.sandboxes.images import is_absent, remedy
    from tmax_gym.world.toolchains import programs

    wanted = {(s.image, s.language) for s in specs if s.image != "core"}
    absent = {pair for pair in wanted if is_absent(pair[0], programs(pair[1]))}
    out = Counter(s.image for s in specs if (s.image, s.language) in absent)
    return tuple(s for s in specs if (s.image, s.language) not in absent), tuple(
        f"{count} of {len(specs)} tasks need the image {image}, which is not here. {remedy(image)}"
        for image, count in sorted(out.items())
    )
