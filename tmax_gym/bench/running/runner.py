"""Run many trials in threads, write each record as soon as its trial has ended, and stop cleanly.

Trials are played round by round (attempt 0 of every task first), so that a run that is stopped
early has results for every task.  The first SIGINT lets running trials clean up and ends the run;
the second ends the process at once, and the next run removes what it leaves.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

from tmax_gym.bench.records import Key, TrialRecord
from tmax_gym.bench.running.datasets import Item
from tmax_gym.bench.running.trial import Bench, play
from tmax_gym.bench.screen.board import Board, Snapshot
from tmax_gym.bench.store import RunDirectory

_TICK = 0.25
_SUMMARY_SECONDS = 5.0
_INTERRUPTED = 128 + signal.SIGINT

Play = Callable[[Item, int], TrialRecord | None]
"""Plays one trial; returns None if the run was stopped."""
Look = Callable[[Snapshot, TrialRecord | None], None]
"""Called with the state several times a second, and with each new record."""


@dataclass(slots=True)
class RunResult:
    """The records of a run, and whether it was stopped."""

    records: dict[Key, TrialRecord] = field(default_factory=dict)
    """Every trial that has ended, also in earlier processes."""
    stopped: bool = False
    """Whether trials were not played."""


@dataclass(frozen=True, slots=True)
class Players:
    """What plays the trials of a run."""

    play: Play
    room: Callable[[], int]
    """Returns how many trials run at the same time; it may change during a run."""

    @classmethod
    def here(cls, bench: Bench, jobs: int) -> Players:
        """Play so many trials at the same time in this process."""
        return cls(partial(play, bench), lambda: jobs)


def keys_of(items: Sequence[Item], attempts: int) -> tuple[tuple[Item, int], ...]:
    """Return every trial, round by round."""
    return tuple((item, attempt) for attempt in range(attempts) for item in items)


def run(
    bench: Bench,
    directory: RunDirectory,
    trials: Sequence[tuple[Item, int]],
    *,
    players: Players,
    again: bool = False,
    look: Look | None = None,
) -> RunResult:
    """Play the trials that have no record yet.

    Args:
        bench: Everything that they share.
        directory: Holds the records; trials that have one are not played again.
        trials: The trials, in the order in which they start.
        players: What plays them, here or on a fleet.
        again: Whether trials are repeated that failed by no fault of an agent.
        look: Shows the progress.

    Raises:
        TmaxError: No trial can be played here; records are kept.
    """
    known = directory.records()
    wanted = {(item.name, attempt) for item, attempt in trials}
    kept = {
        key: record
        for key, record in known.items()
        if not (again and key in wanted and record.ending.blameless)
    }
    _recount(directory, kept)
    result = RunResult(dict(kept))
    board = Board(len(wanted), (kept[key] for key in sorted(wanted & kept.keys())))
    todo = [(item, attempt) for item, attempt in trials if (item.name, attempt) not in kept]
    directory.events.add("run_started", trials=len(wanted), found=len(wanted & kept.keys()))
    with interruptible(bench.stop):
        try:
            _play_all(
                _Work(bench, directory, board, result, look or (lambda *_: None), players.play),
                todo,
                players.room,
            )
        finally:
            directory.summarise(result.records)
    result.stopped = bench.stop.is_set()
    done = len(wanted & result.records.keys())
    directory.events.add("run_stopped" if result.stopped else "run_ended", done=done)
    return result


@dataclass(slots=True)
class _Work:
    bench: Bench
    directory: RunDirectory
    board: Board
    result: RunResult
    look: Look
    play: Play
    lock: threading.Lock = field(default_factory=threading.Lock)

    def one(self, item: Item, attempt: int) -> TrialRecord | None:
        """Play one trial, and keep its record."""
        if self.bench.stop.is_set():
            return None
        key = (item.name, attempt)
        self.board.began(key)
        try:
            record = self.play(item, attempt)
        except BaseException:
            self.bench.stop.set()  # no other trial would get further
            self.board.left(key)
            raise
        if record is None:
            self.board.left(key)
            self.bench.events.add("trial_stopped", task=item.name, attempt=attempt)
            return None
        self.directory.put(record)
        self.bench.events.add("trial_ended", **_facts(record))
        self.board.ended(record)
        with self.lock:
            self.result.records[key] = record
        return record


def _play_all(work: _Work, todo: Sequence[tuple[Item, int]], room: Callable[[], int]) -> None:
    left = iter(todo)
    pending: set[Future[TrialRecord | None]] = set()
    quiet = 0.0
    # A thread is made only when a trial needs one, so `room` decides how many there are.
    with ThreadPoolExecutor(max(1, len(todo)), thread_name_prefix="trial") as pool:
        while True:
            while len(pending) < room() and not work.bench.stop.is_set():
                if (following := next(left, None)) is None:
                    break
                pending.add(pool.submit(work.one, *following))
            if not pending:
                return
            done, pending = wait(pending, timeout=_TICK, return_when=FIRST_COMPLETED)
            work.board.stopping = work.bench.stop.is_set()
            for future in done:
                work.look(work.board.snapshot(), future.result())
            work.look(work.board.snapshot(), None)
            quiet += _TICK
            if done and quiet >= _SUMMARY_SECONDS:
                quiet = 0.0
                with work.lock:
                    records = dict(work.result.records)
                work.directory.summarise(records)


def _recount(directory: RunDirectory, kept: Mapping[Key, TrialRecord]) -> None:
    """Complete the event log: a process may have been killed between a record and its event."""
    from tmax_gym.bench.events import EVENTS, read_events

    logged = {
        (event["task"], event["attempt"])
        for event in read_events(directory.path / EVENTS)
        if event["event"] == "trial_ended"
    }
    for key in sorted(kept.keys() - logged):
        directory.events.add("trial_ended", **_facts(kept[key]), recovered=True)


def _facts(record: TrialRecord) -> dict[str, object]:
    used = record.usage
    return {
        "task": record.task,
        "attempt": record.attempt,
        "ending": str(record.ending),
        "reward": record.reward,
        "tries": record.trajectory.attempts,
        "steps": len(record.trajectory.steps),
        "seconds": round(record.phases.total, 3),
        "working": round(record.working, 3),
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cost": used.cost,
    }


@contextmanager
def interruptible(stop: threading.Event) -> Iterator[None]:
    """Set `stop` at the first SIGINT or SIGTERM; end the process at the second one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupted(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            os._exit(_INTERRUPTED)
        stop.set()
        print(
            "\nstopping: running trials clean up (interrupt again to end at once)",
            file=sys.stderr,
            flush=True,
        )

    before = {
        number: signal.signal(number, interrupted) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
