"""The directory of a run, open for one process at a time.

    run.json              settings, and the tasks with their digests
    trials/<t>__<n>.json  a record for each trial that has ended; appears whole or not at all
    trials.jsonl          rewards, endings, digests and tags, for `tmax compare`
    events.jsonl          the event log
    remains/              files that trials left, by content, for `tmax regrade`
    harbor/               the same run as a job directory of Harbor

A run that was killed at any moment can be continued.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from tmax_gym.bench.events import EVENTS, EventLog
from tmax_gym.bench.records import Key, TrialRecord, from_json, run_of, to_json
from tmax_gym.errors import BenchError
from tmax_gym.reports import statistics
from tmax_gym.reports.statistics.comparison import named

RUN, TRIALS = "run.json", "trials"
FORMAT = 1
_PART = ".part"


@dataclass(frozen=True, slots=True)
class RunFile:
    """The content of `run.json`."""

    name: str
    dataset: str
    settings: Mapping[str, Any]
    """Everything that decides a result, as plain values."""
    config: str
    """Hash of `settings`."""
    beside: Mapping[str, Any]
    """Options that decide no result: jobs, the endpoint's address."""
    digests: Mapping[str, str]
    """The digest of every task that was chosen so far."""
    attempts: int


class RunDirectory:
    """One run on disk, open for one process at a time."""

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
        """Write a record; afterwards it survives the end of the process."""
        write_atomic(self.path / TRIALS / file_name(record.key), to_json(record) + "\n")

    def begin(self, run: RunFile) -> None:
        """Write the run's settings, or refuse settings that differ from those it has.

        Raises:
            BenchError: The run was begun with other settings, or a task has changed since.
        """
        before = read_run_file(self.path) if (self.path / RUN).exists() else None
        digests = dict(run.digests)
        if before is not None:
            _same(before, run, self.path)
            digests = {**before.digests, **digests}
        attempts = max(run.attempts, before.attempts if before else 0)
        row = {"format": FORMAT, **asdict(run), "digests": digests, "attempts": attempts}
        write_atomic(self.path / RUN, json.dumps(row, sort_keys=True, indent=1) + "\n")

    def summarise(self, records: Mapping[Key, TrialRecord]) -> None:
        """Write `trials.jsonl`."""
        run = run_of(self.path.name, tuple(records.values()))
        lines = "".join(statistics.to_json(trial) + "\n" for trial in run.trials)
        write_atomic(self.path / statistics.trials.TRIALS, lines)

    def close(self) -> None:
        """Release the directory for other processes.  Idempotent."""
        with self._lock:
            self.events.close()
            if self._held >= 0:
                os.close(self._held)
                self._held = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def file_name(key: Key) -> str:
    """Return the name of a trial's file: readable and unique.

    >>> file_name(("sum.plain-1", 0))
    'sum.plain-1__0.json'
    """
    return f"{stem(key)}.json"


def stem(key: Key) -> str:
    """Return the name of a trial's files, without an ending."""
    task, attempt = key
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", task)[:100].lstrip(".") or "task"
    if plain != task:
        plain += "-" + hashlib.blake2b(task.encode(), digest_size=4).hexdigest()
    return f"{plain}__{attempt}"


def write_atomic(file: Path, data: str | bytes) -> None:
    """Write a file that appears whole or not at all, also after a loss of power."""
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
    records = []
    for file in (path / TRIALS).glob("[!.]*.json"):
        try:
            records.append(from_json(file.read_bytes()))
        except (OSError, ValueError) as error:
            raise BenchError(
                f"{file} is no record of a trial: {error}.\nRemove it to play that trial again."
            ) from error
    return tuple(sorted(records, key=lambda record: record.key))


def read_run_file(path: Path) -> RunFile:
    """Return the content of a run's `run.json`.

    Raises:
        BenchError: It is no such directory.
    """
    try:
        row = json.loads((path / RUN).read_text(encoding="utf-8"))
        return RunFile(**{field.name: row[field.name] for field in fields(RunFile)})
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
            f"the run {path} was begun with other settings: {named(ways)}.\n"
            "Give the same ones to go on with it, or another directory with -o."
        )
    both = before.digests.keys() & run.digests.keys()
    changed = sorted(task for task in both if before.digests[task] != run.digests[task])
    if changed:
        raise BenchError(
            f"{len(changed)} tasks have changed since the run {path} was begun: "
            f"{named(changed)}.\nBegin a new run with -o."
        )


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with those of an inner table as `table.name`."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        inner = value if isinstance(value, Mapping) and value else {"": value}
        flat |= {f"{name}.{key}".rstrip("."): one for key, one in inner.items()}
    return flat
