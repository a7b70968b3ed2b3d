"""Writes the catalogue: expands all plans and stores specs and texts in `env_specs/`.

The same generator always writes the same bytes.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from tmax_gym.tasks import catalogue, folder, planner
from tmax_gym.tasks.chain import extended
from tmax_gym.tasks.commands import complexity, count_commands
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.tasks.spec import TaskSpec
from tmax_gym.texts import store
from tmax_gym.texts.store import Text

CHUNK = 16
"""Tasks that a process takes at a time."""


def build(
    *,
    target: Path | None = None,
    most: int | None = None,
    jobs: int = 2,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[TaskSpec, ...]:
    """Write the catalogue into a directory, by default its own; return its specs, sorted by name.

    `most` limits the tasks of each family (`quotas.quotas`); `progress` gets the name of every
    task.  The bytes do not depend on the number of processes (`jobs`).
    """
    rows = []
    for row in expanded(list(planner.plan(most=most)), jobs=jobs):
        rows.append(row)
        progress(row[0].name)
    rows.sort(key=lambda row: row[0].name)
    specs = tuple(spec for spec, _ in rows)
    out = target or folder.root()
    out.mkdir(parents=True, exist_ok=True)
    texts = out / folder.texts().name
    for slug, some in groupby(rows, key=lambda row: row[0].family):
        store.write(store.path(texts, slug), (text for _, text in some))
    (out / "names.txt").write_text("".join(f"{s.name}\n" for s in specs), encoding="ascii")
    write_index(out / catalogue.INDEX, specs)
    return specs


def expanded(planned: Sequence[TaskSpec], *, jobs: int) -> Iterator[tuple[TaskSpec, Text]]:
    """Yield the final spec and the text of every planned one, in their order."""
    if jobs == 1:
        yield from map(_expanded, planned)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_expanded, planned, chunksize=CHUNK)


def _expanded(planned: TaskSpec) -> tuple[TaskSpec, Text]:
    task = labelled(extended(planned))
    if task.spec.verifier != planned.verifier:  # words may depend on what is checked
        task = compose(task.spec)
    text = Text(task.name, store.digest(task.obligations), task.instruction, task.author)
    return task.spec, text


def labelled(task: Task) -> Task:
    """Return the task with the labels that depend on its expansion."""
    heaviest = max(task.checks, key=lambda check: check.weight)
    steps = count_commands(task.oracle)
    voice = task.spec.voice
    spec = replace(
        task.spec,
        steps=steps,
        complexity=complexity(steps),
        verifier=heaviest.kind,
        # A short request that has no document states the task.
        voice="statement" if voice == "short" and task.document is None else voice,
    )
    return replace(task, spec=spec)


def write_index(file: Path, specs: Sequence[TaskSpec]) -> None:
    """Write specs as columns, in one atomic step; the bytes depend on the specs alone."""
    rows = [json.loads(spec.to_json()) for spec in specs]
    columns = {key: [row[key] for row in rows] for key in sorted(rows[0] if rows else ())}
    text = json.dumps(columns, separators=(",", ":"), sort_keys=True)
    _replace(file, lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def write_rows(file: Path, lines: Iterable[str]) -> None:
    """Write a compressed table in one atomic step; the bytes depend on its lines alone."""
    raw = io.BytesIO()
    # `gzip.compress` writes a header that depends on the version of Python.
    with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=9, mtime=0) as packed:
        packed.writelines(f"{line}\n".encode() for line in lines)
    _replace(file, raw.getvalue())


def _replace(file: Path, data: bytes) -> None:
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    aside.write_bytes(data)
    os.replace(aside, file)
