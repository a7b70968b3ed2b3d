"""The catalogue's writer: plans expanded, labelled, sealed and stored in `env_specs/`.

Covers `names.txt`, `index.jsonl.gz` and `instructions.jsonl.gz`, byte-identical for one
generator.  Does not cover evidence: see `validate.py`.
"""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from tmax_gym import catalogue, planner
from tmax_gym.spec import Complexity, TaskSpec
from tmax_gym.task import Task, compose
from tmax_gym.words.lint import MAX_WORDS

BUCKETS: tuple[tuple[int, Complexity], ...] = ((5, "short"), (14, "moderate"), (29, "complex"))
"""Most commands of the reference solution in a bucket (task design 2.4); above: intricate."""


def build(
    *, target: Path | None = None, progress: Callable[[str], None] = lambda _: None
) -> tuple[TaskSpec, ...]:
    """Write the whole catalogue; return its specs, sorted by name."""
    made = []
    for planned in planner.plan():
        made.append(labelled(fitted(planned)))
        progress(planned.name)
    made.sort(key=lambda task: task.name)
    specs = tuple(task.spec for task in made)
    out = target or catalogue.root()
    out.mkdir(parents=True, exist_ok=True)
    (out / "names.txt").write_text("".join(f"{s.name}\n" for s in specs), encoding="ascii")
    write_rows(out / "index.jsonl.gz", (s.to_json() for s in specs))
    texts = (
        json.dumps({"name": t.name, "instruction": t.instruction}, sort_keys=True) for t in made
    )
    write_rows(out / "instructions.jsonl.gz", texts)
    return specs


def fitted(spec: TaskSpec) -> Task:
    """Return the task of a planned spec.

    A text that is too long has its rules put into documents, and where that is not enough it
    is told tersely.
    """
    pointed = replace(spec, explicitness="pointer")
    for way in (spec, pointed, replace(pointed, register="terse")):
        task = compose(way)
        if len(task.instruction.split()) <= MAX_WORDS:
            break
    return task


def labelled(task: Task) -> Task:
    """Return the task with the labels that only its expansion shows."""
    count = count_commands(task.oracle)
    bucket: Complexity = next((name for most, name in BUCKETS if count <= most), "intricate")
    heaviest = max(task.checks, key=lambda check: check.weight)
    spec = replace(task.spec, complexity=bucket, persona=task.persona, verifier=heaviest.kind)
    return replace(task, spec=spec)


def write_rows(file: Path, lines: Iterable[str]) -> None:
    """Write a compressed table whose bytes depend on its lines alone."""
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=9, mtime=0) as packed:
        packed.writelines(f"{line}\n".encode() for line in lines)
    file.write_bytes(raw.getvalue())


def count_commands(commands: Sequence[str]) -> int:
    """Return the number of simple commands in a solution; here-documents are not commands."""
    total = 0
    for command in commands:
        code = re.sub(r"<<'(\w+)'(.*?)\n.*?\n\1(\n|$)", r"\2\n", command, flags=re.S)
        code = re.sub(r"'[^']*'|\"[^\"]*\"", "Q", code)
        parts = re.split(r"\|\||&&|[|;&\n]", re.sub(r"[<>]&|&>|>\|", "", code))
        words = [p.strip() for p in parts]
        total += sum(bool(w) and w not in ("done", "fi", "esac", "}", ")", "then") for w in words)
    return total
