"""Batches: files of texts as an author sends them back, checked before they are stored.

A batch is plain text: a line `=== NAME`, then the text of that task, and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tmax_gym.errors import SpecError
from tmax_gym.proofs.validate import text_problems
from tmax_gym.tasks import catalogue, folder
from tmax_gym.texts import store
from tmax_gym.texts.store import Text

_HEAD = re.compile(r"^=== +(?:tmax/)?(\S+)(?: +=+)? *$", re.M)


@dataclass(frozen=True, slots=True)
class Refused:
    """A text that was not stored, and why."""

    name: str
    problems: tuple[str, ...]


def parse(text: str) -> dict[str, str]:
    r"""Return the texts of a batch by task name.

    >>> parse("=== a.b-0001\nDo it.\n\n=== tmax/a.b-0002\nDo that.\n")
    {'a.b-0001': 'Do it.', 'a.b-0002': 'Do that.'}

    Raises:
        SpecError: There is no head, text before the first one, or a name twice.
    """
    before, *parts = _HEAD.split(text)
    if before.strip() or not parts:
        raise SpecError("a batch begins with a line like: === audio-dropouts.abattoir-0003")
    names = parts[::2]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SpecError(f"the batch has two texts for {', '.join(twice)}")
    return {name: body.strip() for name, body in zip(names, parts[1::2], strict=True)}


def add(texts: Mapping[str, str], *, author: str) -> tuple[Refused, ...]:
    """Store the texts that are right; return the others with their problems.

    Raises:
        SpecError: The author is called `plain`, which means that there is none.
    """
    if author == store.PLAIN or not author.strip():
        raise SpecError("an author needs a name other than `plain`")
    accepted: list[Text] = []
    refused: list[Refused] = []
    for name, text in sorted(texts.items()):
        task = catalogue.load(name)
        if wrong := text_problems(task, text):
            refused.append(Refused(task.name, wrong))
        else:
            accepted.append(Text(task.name, store.digest(task.obligations), text, author))
    keep(accepted)
    return tuple(refused)


def keep(texts: Iterable[Text]) -> None:
    """Store texts, in place of those that their tasks had."""
    by_family: dict[str, list[Text]] = {}
    for text in texts:
        by_family.setdefault(text.name.partition(".")[0], []).append(text)
    for family, some in by_family.items():
        file = store.path(folder.texts(), family)
        with store.locked(file):
            merged = {**store.read(file), **{text.name: text for text in some}}
            store.write(file, merged.values())
