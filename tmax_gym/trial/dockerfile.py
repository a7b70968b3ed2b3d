"""Dockerfiles, read: what they are built on, and those that our own sandboxes can follow.

Covers continuation lines, comments, ARG and ENV substitution in the forms `$A`, `${A}` and
`${A:-x}`, and the instructions of one stage.  Does not cover here-documents, several stages,
downloads by ADD, other shells or other users: those need a container engine.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tmax_gym.errors import HarborError

_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))")
_SILENT = ("ARG", "FROM", "LABEL", "CMD", "ENTRYPOINT", "EXPOSE", "MAINTAINER", "STOPSIGNAL")
_KNOWN = (*_SILENT, "ENV", "WORKDIR", "RUN", "COPY", "ADD", "USER")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, its variables filled in where Docker does that."""

    word: str
    rest: str

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words of either form, JSON or plain, without flags."""
        if self.rest.startswith("["):
            found = json.loads(self.rest)
            return tuple(str(word) for word in found)
        return tuple(w for w in shlex.split(self.rest) if not w.startswith("--"))


def read(text: str) -> tuple[Instruction, ...]:
    r"""Return the instructions of a Dockerfile.

    >>> read("ARG B=core\nFROM $B\nRUN a \\\n  b\n")[1:]
    (Instruction(word='FROM', rest='core'), Instruction(word='RUN', rest='a    b'))
    """
    values: dict[str, str] = {}
    found = []
    for line in _joined(text):
        word, _, rest = line.partition(" ")
        word, rest = word.upper(), rest.strip()
        if word not in ("RUN", "CMD", "ENTRYPOINT"):
            rest = _filled(rest, values)
        if word == "ARG":
            name, given, value = rest.partition("=")
            values[name] = value.strip("'\"") if given else values.get(name, "")
        if word == "ENV":
            values |= variables(rest)
        found.append(Instruction(word, rest))
    return tuple(found)


def variables(rest: str) -> dict[str, str]:
    """Return what an ENV sets.

    >>> variables("A=1 B='two words'"), variables("A the rest")
    ({'A': '1', 'B': 'two words'}, {'A': 'the rest'})
    """
    if "=" not in rest.split(" ", 1)[0]:
        name, _, value = rest.partition(" ")
        return {name: value.strip()}
    return dict(word.partition("=")[::2] for word in shlex.split(rest))


def bases(text: str) -> tuple[str, ...]:
    """Return the images that a Dockerfile is built on, its own stages left out."""
    stages: set[str] = set()
    found = []
    for instruction in read(text):
        if instruction.word != "FROM" or not (words := instruction.words):
            continue
        if words[0] not in stages and words[0] != "scratch":
            found.append(words[0])
        if len(words) > 2 and words[1].upper() == "AS":
            stages.add(words[2])
    return tuple(found)


def ours(reference: str) -> str:
    """Return which image of ours a reference means, "" for none.

    >>> ours("localhost/tmax/poly:latest"), ours("debian:12")
    ('poly', '')
    """
    name = reference.partition(":")[0].removeprefix("localhost/")
    return name.removeprefix("tmax/") if name in ("tmax/core", "tmax/poly") else ""


def obstacle(text: str) -> str:
    """Return why nothing but a container engine can follow a Dockerfile, "" where we can."""
    try:
        steps = read(text)
    except ValueError as error:
        return f"its Dockerfile cannot be read: {error}"
    roots = bases(text)
    if len([s for s in steps if s.word == "FROM"]) != 1 or not roots:
        return "its Dockerfile has several stages"
    if not ours(roots[0]):
        return f"its image is {roots[0]}, not ours (tmax/core)"
    for step in steps:
        if step.word not in _KNOWN or "<<" in step.rest or "--from=" in step.rest:
            return f"its Dockerfile has a {step.word} that only a container engine can follow"
        if step.word == "ADD" and "://" in step.rest:
            return "its Dockerfile downloads"
        if step.word == "USER" and step.rest not in ("root", "0", "0:0"):
            return f"it works as the user {step.rest}"
    return ""


def run_argv(step: Instruction) -> list[str]:
    """Return the program of a RUN."""
    if step.rest.startswith("["):
        return list(step.words)
    rest = re.sub(r"^(--\S+\s+)+", "", step.rest)
    return ["/bin/sh", "-c", rest]


def _joined(text: str) -> Iterator[str]:
    held = ""
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.rstrip().endswith("\\"):
            held += line.rstrip()[:-1] + " "
            continue
        yield (held + line).strip()
        held = ""
    if held.strip():
        raise HarborError("Dockerfile: its last line goes on after the end")


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(
        lambda m: values.get(m[1] or m[3]) or (m[2] or values.get(m[1] or m[3], "")), text
    )
