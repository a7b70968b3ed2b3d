"""Many trials side by side, each kept as soon as it has ended; stopped in good order.

Trials go round by round (attempt 0 of every task first), so that a run that is stopped early
says something about every task.  The first SIGINT lets running trials clear up and ends the run;
the second ends the process at once, and what it leaves the next one removes.
Covers threads of one process.  Does not cover several machines.
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
from types import FrameType

from tmax_gym.bench.records import Key, TrialRecord
from tmax_gym.bench.running.datasets import Item
from tmax_gym.bench.running.trial import Bench, play
from tmax_gym.bench.screen.board import Board, Snapshot
from tmax_gym.bench.store import RunDirectory

_TICK = 0.25
_SUMMARY_SECONDS = 5.0
_INTERRUPTED = 128 + signal.SIGINT

Look = Callable[[Snapshot, TrialRecord | None], None]
"""Is shown the state, several times a second; and each record when it has ended."""


@dataclass(slots=True)
class RunResult:
    """How a run went."""

    records: dict[Key, TrialRecord] = field(default_factory=dict)
    """Every trial that has ended, those of earlier processes included."""
    stopped: bool = False
    """Whether trials were left out."""


def keys_of(items: Sequence[Item], attempts: int) -> tuple[tuple[Item, int], ...]:
    """Return every trial, round by round."""
    return tuple((item, attempt) for attempt in range(attempts) for item in items)


def run(
    bench: Bench,
    directory: RunDirectory,
    trials: Sequence[tuple[Item, int]],
    *,
    jobs: int = 1,
    again: bool = False,
    look: Look = lambda snapshot, record: None,
) -> RunResult:
    """Play the trials that have no record yet.

    Args:
        bench: What they share.
        directory: Where records are; trials that have one are not played again.
        trials: In the order in which they are begun.
        jobs: At the same time.
        again: Whether trials without a reward that no agent is to blame for are played again.
        look: Is shown how it goes.

    Raises:
        TmaxError: No trial can be played here; what has ended is kept.
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
            _play_all(_Work(bench, directory, board, result, look), todo, jobs)
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
    lock: threading.Lock = field(default_factory=threading.Lock)

    def one(self, item: Item, attempt: int) -> TrialRecord | None:
        """Play one trial, and keep its record."""
        if self.bench.stop.is_set():
            return None
        key = (item.name, attempt)
        self.board.began(key)
        try:
            record = play(self.bench, item, attempt)
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


def _play_all(work: _Work, todo: Sequence[tuple[Item, int]], jobs: int) -> None:
    left = iter(todo)
    pending: set[Future[TrialRecord | None]] = set()
    quiet = 0.0
    with ThreadPoolExecutor(jobs, thread_name_prefix="trial") as pool:
        while True:
            while len(pending) < jobs and not work.bench.stop.is_set():
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
    """Complete the event log: a process may be killed between a record and its event."""
    from tmax_gym.bench.events import EVENTS, read_events

    told = {
        (event["task"], event["attempt"])
        for event in read_events(directory.path / EVENTS)
        if event["event"] == "trial_ended"
    }
    for key in sorted(kept.keys() - told):
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
    """Let a first SIGINT or SIGTERM set `stop`, and a second one end the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupted(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            os._exit(_INTERRUPTED)
        stop.set()
        print(
            "\nstopping: running trials clear up (again to end at once)",
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
