"""A run's directory: its settings, a record a trial, what statistics read; for one process.

    run.json            what was asked for, and the tasks with their digests
    trials/<t>__<n>.json  one a trial that has ended; appears whole or not at all
    trials.jsonl        the same for `tmax compare`: rewards, statuses, digests, tags
    events.jsonl        everything that happened, in order
    remains/            what trials left, by content, for `tmax regrade`
    harbor/             the same run as one of Harbor's job directories

A run that was killed at any moment goes on from it.  Does not cover two processes at once: the
second is refused.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tmax_gym.bench.events import EVENTS, EventLog
from tmax_gym.bench.records import Key, TrialRecord, from_json, run_of, to_json
from tmax_gym.errors import BenchError
from tmax_gym.reports import statistics

RUN, TRIALS = "run.json", "trials"
FORMAT = 1
_PART = ".part"
NAMED = 5


@dataclass(frozen=True, slots=True)
class RunFile:
    """What `run.json` says."""

    name: str
    dataset: str
    settings: Mapping[str, Any]
    """Everything that decides a result, as plain values."""
    config: str
    """Hash of `settings`."""
    beside: Mapping[str, Any]
    """What decides no result: jobs, the endpoint's address."""
    digests: Mapping[str, str]
    """Of every task that was asked for so far."""
    attempts: int


class RunDirectory:
    """One run on disk, open for one process."""

    def __init__(self, path: Path) -> None:
        """Open or make the directory.

        Raises:
            BenchError: Another process writes to it, or it cannot be written.
        """
        self.path = path
        self._lock = threading.Lock()
        try:
            (path / TRIALS).mkdir(parents=True, exist_ok=True)
            self._held = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BenchError(
                f"the run {path} is in use or cannot be written: {error.strerror}.\n"
                "Wait for the other process, or choose another directory with -o."
            ) from error
        for part in (*path.glob(f".*{_PART}"), *(path / TRIALS).glob(f".*{_PART}")):
            part.unlink()
        self.events = EventLog(path / EVENTS)

    def records(self) -> dict[Key, TrialRecord]:
        """Return every trial that has ended, by task and attempt."""
        return {record.key: record for record in read_records(self.path)}

    def put(self, record: TrialRecord) -> None:
        """Keep a record; when this returns, it outlives the process."""
        write_atomic(self.path / TRIALS / file_name(record.key), to_json(record) + "\n")

    def begin(self, run: RunFile) -> None:
        """Write the run's settings, or refuse other ones than it has.

        Raises:
            BenchError: The run was begun with other settings, or a task has changed since.
        """
        before = read_run_file(self.path) if (self.path / RUN).exists() else None
        digests = dict(run.digests)
        if before is not None:
            _same(before, run, self.path)
            digests = {**before.digests, **digests}
        row = {
            "format": FORMAT,
            "name": run.name,
            "dataset": run.dataset,
            "settings": dict(run.settings),
            "config": run.config,
            "beside": dict(run.beside),
            "digests": digests,
            "attempts": max(run.attempts, before.attempts if before else 0),
        }
        write_atomic(self.path / RUN, json.dumps(row, sort_keys=True, indent=1) + "\n")

    def summarise(self, records: Mapping[Key, TrialRecord]) -> None:
        """Write `trials.jsonl`."""
        run = run_of(self.path.name, tuple(records.values()))
        lines = "".join(statistics.to_json(trial) + "\n" for trial in run.trials)
        write_atomic(self.path / statistics.trials.TRIALS, lines)

    def close(self) -> None:
        """Let another process write to it.  Idempotent."""
        with self._lock:
            self.events.close()
            if self._held >= 0:
                os.close(self._held)
                self._held = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def file_name(key: Key) -> str:
    """Return the name of a trial's file: readable, and different for different trials.

    >>> file_name(("sum.plain-1", 0))
    'sum.plain-1__0.json'
    """
    return f"{stem(key)}.json"


def stem(key: Key) -> str:
    """Return a trial's name for files."""
    task, attempt = key
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", task)[:100].lstrip(".") or "task"
    if plain != task:
        plain += "-" + hashlib.blake2b(task.encode(), digest_size=4).hexdigest()
    return f"{plain}__{attempt}"


def write_atomic(file: Path, data: str | bytes) -> None:
    """Write a file so that it appears whole or not at all, also after a loss of power."""
    aside = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}{_PART}")
    try:
        with open(aside, "wb") as out:
            out.write(data.encode("utf-8", "replace") if isinstance(data, str) else data)
            out.flush()
            os.fsync(out.fileno())
        os.replace(aside, file)
        place = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise BenchError(
            f"{file} cannot be written: {error.strerror}. Make room on its disk."
        ) from error


def read_records(path: Path) -> tuple[TrialRecord, ...]:
    """Return the records of a run's directory, sorted by task and attempt.

    Raises:
        BenchError: A record cannot be read.
    """
    found = []
    for file in (path / TRIALS).glob("[!.]*.json"):
        try:
            found.append(from_json(file.read_bytes()))
        except (OSError, ValueError) as error:
            raise BenchError(
                f"{file} is no record of a trial: {error}.\nRemove it to play that trial again."
            ) from error
    return tuple(sorted(found, key=lambda record: record.key))


def read_run_file(path: Path) -> RunFile:
    """Return what a run's directory says of itself.

    Raises:
        BenchError: It is no such directory.
    """
    try:
        row = json.loads((path / RUN).read_text(encoding="utf-8"))
        return RunFile(
            row["name"],
            row["dataset"],
            row["settings"],
            row["config"],
            row["beside"],
            row["digests"],
            row["attempts"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchError(
            f"{path} is no run of tmax bench: its {RUN} cannot be read ({error!r})."
        ) from error


def _same(before: RunFile, run: RunFile, path: Path) -> None:
    if before.config != run.config:
        old, new = _flat(before.settings), _flat(run.settings)
        ways = [
            f"{name} was {old.get(name)!r} and is {new.get(name)!r}"
            for name in sorted({*old, *new})
            if old.get(name) != new.get(name)
        ]
        raise BenchError(
            f"the run {path} was begun with other settings: {'; '.join(ways[:NAMED])}.\n"
            "Give the same ones to go on with it, or another directory with -o."
        )
    both = before.digests.keys() & run.digests.keys()
    changed = sorted(task for task in both if before.digests[task] != run.digests[task])
    if changed:
        more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        raise BenchError(
            f"{len(changed)} tasks have changed since the run {path} was begun: "
            f"{', '.join(changed[:NAMED])}{more}.\nBegin a new run with -o."
        )


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with those of an inner table as `table.name`."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        inner = value if isinstance(value, Mapping) and value else {"": value}
        found |= {f"{name}.{key}".rstrip("."): what for key, what in inner.items()}
    return found
