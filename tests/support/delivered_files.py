"""Solved episodes as archives, and other ways to write their deliverables.

Covers running a reference solution once, keeping what it left, and grading that again with files
exchanged.  Does not cover programs that are handed in: what runs them is left out.
"""

from __future__ import annotations

import csv
import io
import json
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tmax_gym.checks.check import BadOutput, Case, Exchange, Outcome, Program, Reply
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.grading.verifier import Remains
from tmax_gym.nodes import Node, directory, link
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes.archive import ArchivedSandbox
from tmax_gym.tasks.compose import Task
from tmax_gym.world.archives import tar

Change = Callable[[str, str], str | None]
"""Takes a path and its text; returns another text, or None if it does not apply."""
TEXTS = (".csv", ".json", ".txt", ".tsv", ".md", ".conf")


class Unrun(Exception):
    """A check wants to run a delivered program."""


class Files(Remains):
    """Evidence without programs."""

    def run(
        self, program: Program, cases: Sequence[Case], *, timeout: float = 5.0
    ) -> tuple[Outcome, ...]:
        raise Unrun

    def talk(
        self, start: str, script: Sequence[Exchange], *, roots: tuple[str, ...] = ("/app",)
    ) -> tuple[Reply, ...]:
        raise Unrun


@dataclass(frozen=True)
class Solved:
    """What the reference solution of a task left below /app."""

    task: Task
    nodes: Mapping[str, Node]
    backend: Backend
    image: str

    @property
    def delivered(self) -> tuple[str, ...]:
        """Return the requested text files, with those in requested folders."""
        asked = self.task.outputs
        return tuple(
            path
            for path, node in self.nodes.items()
            if node.kind == "file" and path.endswith(TEXTS) and _is_asked(path, asked)
        )

    def scores(self, changed: Mapping[str, Node], place: Path) -> dict[str, float]:
        """Return the score of every check and gate that only reads, with some files exchanged."""
        nodes = {**self.nodes, **changed}
        for path in tuple(nodes):
            while (path := posixpath.dirname(path)) != "/":
                nodes.setdefault(path, directory(path))
        place.write_bytes(tar(nodes[path] for path in sorted(nodes)))
        with closing(ArchivedSandbox(place)) as left:
            evidence = Files(left, self.backend, self.image, 60.0)
            return dict(_scored(self.task, evidence))


def solved(task: Task, backend: Backend, image: str) -> Solved:
    """Run a task's reference solution; return its files."""
    with closing(task.open(backend, limits=EpisodeLimits(), seed=0, image=image)) as episode:
        for command in task.oracle:
            episode.shell.run(command)
        nodes = episode.sandbox.get(["/app"])
    kept = {n.path: n for n in nodes if n.kind in ("file", "dir", "link")}
    return Solved(task, kept, backend, image)


def _is_asked(path: str, asked: Sequence[str]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in asked)


def _scored(task: Task, evidence: Files) -> Iterator[tuple[str, float]]:
    for part in (*task.gates, *task.checks):
        measure = getattr(part, "score", None) or part.holds  # type: ignore[union-attr]
        try:
            yield part.id, float(measure(evidence))
        except Unrun:
            continue
        except BadOutput:
            yield part.id, 0.0


def rewritten(solved: Solved, change: Change) -> dict[str, Node]:
    """Return the delivered files that a change applies to, changed."""
    nodes: dict[str, Node] = {}
    for path in solved.delivered:
        changed = change(path, (solved.nodes[path].data or b"").decode())
        if changed is not None:
            nodes[path] = replace(solved.nodes[path], data=changed.encode())
    return nodes


def linked(solved: Solved, *, absolute: bool) -> dict[str, Node]:
    """Return links in place of the delivered files, and the files in another place."""
    nodes: dict[str, Node] = {}
    for path in solved.delivered:
        kept = f"/app/.kept{path}"
        nodes[kept] = replace(solved.nodes[path], path=kept)
        target = kept if absolute else posixpath.relpath(kept, posixpath.dirname(path))
        nodes[path] = link(path, target)
    return nodes


def _table(body: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(body)))


def _written(rows: Sequence[Sequence[str]], **form: Any) -> str:
    target = io.StringIO()
    csv.writer(target, lineterminator="\n", **form).writerows(rows)
    return target.getvalue()


def _of_table(change: Callable[[list[list[str]]], str]) -> Change:
    return lambda path, body: change(_table(body)) if path.endswith(".csv") else None


def _of_json(change: Callable[[Any], str]) -> Change:
    return lambda path, body: change(json.loads(body)) if path.endswith(".json") else None


def turned(value: Any) -> Any:
    """Return a JSON value with the keys of its objects in reverse order."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return [turned(one) for one in value] if isinstance(value, list) else value


def floating(value: Any) -> Any:
    """Return a JSON value with a decimal point in every whole number."""
    if isinstance(value, dict):
        return {key: floating(one) for key, one in value.items()}
    if isinstance(value, list):
        return [floating(one) for one in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def pointed(rows: list[list[str]]) -> str:
    """Return a table with `.0` after the cells of columns that hold only whole numbers."""
    columns = list(zip(*rows[1:], strict=False))
    whole = [all(c == "" or c == str(_int(c)) for c in column) for column in columns]
    body = [
        [f"{c}.0" if c and at < len(whole) and whole[at] else c for at, c in enumerate(row)]
        for row in rows[1:]
    ]
    return _written([*rows[:1], *body])


def _int(cell: str) -> int | None:
    try:
        return int(cell)
    except ValueError:
        return None


SAME: dict[str, Change] = {
    "CRLF": lambda _, body: body.replace("\n", "\r\n"),
    "no final newline": lambda _, body: body.rstrip("\n"),
    "byte order mark": lambda _, body: "\ufeff" + body,
    "blank lines at the end": lambda _, body: body.rstrip("\n") + "\n\n\n",
    "quoted CSV": _of_table(lambda rows: _written(rows, quoting=csv.QUOTE_ALL)),
    "spaced CSV": _of_table(lambda rows: "\n".join(", ".join(_quoted(row)) for row in rows)),
    "points in CSV": _of_table(pointed),
    "wide JSON": _of_json(lambda found: json.dumps(found, indent=4)),
    "tight JSON": _of_json(lambda found: json.dumps(found, separators=(",", ":"))),
    "turned JSON": _of_json(lambda found: json.dumps(turned(found), ensure_ascii=False)),
    "points in JSON": _of_json(lambda found: json.dumps(floating(found))),
}
"""Other ways to write the same content."""


def _quoted(row: Sequence[str]) -> list[str]:
    return [_written([[cell]]).rstrip("\n") if cell else "" for cell in row]


def _spoilt(value: Any) -> Any:
    """Return a JSON value with every leaf changed."""
    if isinstance(value, dict):
        return {key: _spoilt(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_spoilt(one) for one in value] or ["more"]
    return f"{value}?" if isinstance(value, str) else None


OTHER: dict[str, Change] = {
    "a row more": lambda path, body: (
        None if path.endswith(".json") else body.rstrip("\n") + "\n" + _another(body)
    ),
    "nothing": lambda *_: "",
    "other values": _of_json(lambda found: json.dumps(_spoilt(found))),
    "another header": _of_table(lambda rows: _written([[*rows[0], "more"], *rows[1:]])),
}
"""Changes of the content."""


def _another(body: str) -> str:
    last = body.rstrip("\n").rsplit("\n", 1)[-1]
    return "".join(chr(ord(c) ^ 1) if c.isalnum() and c.isascii() else c for c in last) + "\n"
