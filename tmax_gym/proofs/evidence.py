"""Store proofs, and tell which of them still hold: also if only the text of a task has changed.

The file is `env_specs/evidence.jsonl.gz`, with a line for every task; several sweeps may write it
at once.  `validate.py` makes the proofs.
"""

from __future__ import annotations

import fcntl
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tmax_gym.errors import SpecError
from tmax_gym.proofs.fingerprint import ran
from tmax_gym.proofs.validate import Depth, Proof, faults, other_ways
from tmax_gym.tasks import catalogue, folder
from tmax_gym.tasks.build import CHUNK, write_rows
from tmax_gym.tasks.chain import too_long
from tmax_gym.tasks.compose import GENERATOR, Task, compose
from tmax_gym.tasks.spec import TaskSpec
from tmax_gym.texts import store

Row = dict[str, object]
_PLAIN = Depth()


def stored() -> Path:
    """Return the catalogue's file of proofs."""
    return folder.root() / "evidence.jsonl.gz"


def read(file: Path) -> dict[str, Row]:
    """Return stored proofs by task name; empty if there are none."""
    if not file.exists():
        return {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {str(row["name"]): row for row in rows}


def is_current(row: Row | None, *, depth: Depth = _PLAIN) -> bool:
    """Return whether a stored proof holds for today's task and generator."""
    if row is None or row["problems"] or row["generator"] != GENERATOR:
        return False
    if (depth.cheats and not row["attempts"]) or (depth.deep and not row.get("levels")):
        return False
    return row["digest"] == catalogue.spec(str(row["name"])).digest


def add(file: Path, proofs: Iterable[Proof]) -> int:
    """Merge proofs into the stored ones, atomically; return how many there are then.

    Failed proofs are not stored, and a proof with cheats is not replaced by one without.
    """
    new = {proof.name: json.loads(proof.to_json()) for proof in proofs if not proof.problems}
    return _merge(file, new)


def carry(file: Path, *, jobs: int) -> int:
    """Keep proofs of tasks whose text alone has changed; return for how many.

    Nothing is run, because the same programs would run in the same world against the same values.
    The new texts must have no faults.
    """
    known = set(catalogue.names())
    rows = [row for name, row in sorted(read(file).items()) if name in known]
    alike = [row for row in rows if row.get("ran") and row["generator"] == GENERATOR]
    stale = [row for row in alike if not is_current(row)]
    with ProcessPoolExecutor(jobs) as pool:
        digests = list(pool.map(_carried, stale, chunksize=CHUNK))
    pairs = zip(stale, digests, strict=True)
    kept = {str(row["name"]): {**row, "digest": digest} for row, digest in pairs if digest}
    _merge(file, kept)
    return len(kept)


def _carried(row: Row) -> str:
    """Return the digest of today's task if the row's proof holds for it, else ""."""
    task = compose(catalogue.spec(str(row["name"])))
    return task.digest if not faults(task) and _ran(task, row) == row.get("ran") else ""


def _ran(task: Task, row: Row) -> str:
    ways = other_ways(task) if row["attempts"] else ()
    return ran(task, [way for way, _ in ways])


def differing(specs: Sequence[TaskSpec], rows: Mapping[str, Row], *, jobs: int) -> tuple[str, ...]:
    """Return the faults of tasks: another digest or text, or checks that were not proven."""
    pairs = [(spec, rows.get(spec.name)) for spec in specs]
    if jobs == 1:
        return tuple(filter(None, map(_drift, pairs)))
    with ProcessPoolExecutor(jobs) as pool:
        return tuple(filter(None, pool.map(_drift, pairs, chunksize=CHUNK)))


def _drift(pair: tuple[TaskSpec, Row | None]) -> str:
    spec, row = pair
    try:
        task = compose(spec)
    except SpecError as error:
        return str(error).splitlines()[0]
    if not _has_text(task):
        return f"task {spec.name} has another text than the stored one: run tmax catalogue build."
    if too_long(task):
        return f"task {spec.name} has grown too long for three stages: run tmax catalogue build."
    if row is None or not row.get("ran") or row["digest"] != task.digest:
        return ""
    return "" if _ran(task, row) == row["ran"] else f"task {spec.name} is not what was proven."


def _has_text(task: Task) -> bool:
    """Return whether the stored text is that of the task and was written from its obligations."""
    stored = store.read(store.path(folder.texts(), task.spec.family)).get(task.name)
    if stored is None or stored.text != task.instruction:
        return False
    return stored.obligations == store.digest(task.obligations)


def _merge(file: Path, new: Mapping[str, Row]) -> int:
    """Add rows to the stored ones; drop those of removed tasks."""
    with (file.parent / f".{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = set(catalogue.names())
        old = {name: row for name, row in read(file).items() if name in known}
        merged = {**old, **{n: _richer(old.get(n), row) for n, row in new.items() if n in known}}
        lines = (json.dumps(row, sort_keys=True) for _, row in sorted(merged.items()))
        write_rows(file, lines)
        return len(merged)


def _richer(old: Row | None, new: Row) -> Row:
    """Return a new proof, with parts that only an earlier proof of the same task has."""
    if old is None or any(old[key] != new[key] for key in ("digest", "generator")):
        return new
    kept = {key: old[key] for key in ("attempts", "levels", "necessary") if old.get(key)}
    more = {key: value for key, value in kept.items() if not new[key]}
    return {**new, **more, **({"ran": old.get("ran", "")} if "attempts" in more else {})}
