"""`ProcessRollouts`: rollouts in their own operating-system process, which is replaced if it dies.

A lost process is not a lost episode.  `GroupSource` plays a lost episode again with another seed;
here a whole process is started again, which keeps every episode that was reported, plays the
running ones again with the same seeds, and neither loses nor repeats a batch.  What its code raises
is raised here.  A process that hangs is not detected here, but by the trainer's time limit.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import replace
from itertools import count
from typing import Any

from tmax_gym.errors import TrainingError
from tmax_gym.trajectory import Group, Trajectory
from tmax_trainers.rollout.process import child
from tmax_trainers.rollout.process.handle import RolloutProcess, cause
from tmax_trainers.rollout.process.messages import (
    Answer,
    Ask,
    Begin,
    Failed,
    NewVersion,
    Report,
    Stop,
    pack,
    unpack,
)
from tmax_trainers.rollout.records import Batch, GroupConfig, Metrics, ScoredGroup
from tmax_trainers.rollout.replay import HandedOut, Key, SavedGroup, SourceState, check_sizes

logger = logging.getLogger(__name__)
RESTARTS = 3
"""Deaths in a row, without a batch between them, after which no other process is started."""


class ProcessRollouts:
    """A `Rollouts` whose work is done in a child process.

    Args:
        setup: Makes the rollouts in the child; it is sent there by name.
        config: Sizes of batches, which must be those of `setup`.
        restarts: Deaths in a row, without a batch between them, that are tolerated.
    """

    def __init__(
        self, setup: child.Setup, config: GroupConfig, *, restarts: int = RESTARTS
    ) -> None:
        self.config = config
        self._setup = setup
        self._restarts = restarts
        self._version: int | None = None
        self._stamp: int | None = None
        self._known: SourceState | None = None
        """The source after its last report, without the batches that were handed out."""
        self._store: dict[Key, Trajectory] = {}
        """The episodes of the last report."""
        self._handed = HandedOut()
        self._batches: deque[Batch] = deque()
        self._deaths = 0
        """Deaths since the last batch."""
        self._error: BaseException | None = None
        self._stopped = False
        self._process: RolloutProcess | None = None
        self._asked: dict[int, tuple[Ask, Future[Any]]] = {}
        self._numbers = count()
        self._condition = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="tmax-rollouts", daemon=True)

    def start(self) -> None:
        """Start the process; versions are counted from the present one.

        Raises:
            TrainingError: The rollouts cannot be sent to another process.
        """
        with self._condition:
            self._process = self._begin()
        self._thread.start()

    def stop(self) -> None:
        """End the episodes, then the process."""
        with self._condition:
            self._stopped = True
            process = self._process
            self._condition.notify_all()
        if process is not None:
            process.send(Stop())
            self._thread.join(2 * child.STOP_SECONDS)
            process.kill()
            self._thread.join()

    close = stop

    def __enter__(self) -> ProcessRollouts:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def update_version(self, version: int) -> None:
        """Set the present policy version."""
        with self._condition:
            self._version = version
            self._handed.forget(version - (self._known.base if self._known else version))
            if self._process is not None:
                self._process.send(NewVersion(version))

    def next_batch(self, timeout: float | None = None) -> Batch | None:
        """Wait for the next batch; return None after the timeout, or when the source stops."""
        with self._condition:
            self._condition.wait_for(lambda: self._stopped or self._error or self._batches, timeout)
            if self._batches and not self._stopped:
                return self._batches.popleft()
            if self._error is not None:
                raise self._error
            return None

    def state(self) -> SourceState:
        """Return the state as `GroupSource.state`, with the batches that wait here."""
        if self._running():
            self._ask("state")
        with self._condition:
            if self._known is None:
                raise TrainingError("the rollouts have not begun; call start first")
            version = self._known.version if self._version is None else self._version
            groups = (*self._handed.groups(), *self._known.groups)
            return replace(
                self._known, version=version, batches=self._handed.trained, groups=groups
            )

    def restore(self, state: SourceState) -> None:
        """Continue from a state; call it before `start`."""
        check_sizes(state, self.config)
        with self._condition:
            self._known, self._version = state, state.version
            self._handed = HandedOut(state.batches)
            self._store = state.episodes()

    def evaluate(self, step: int) -> tuple[Trajectory, ...]:
        """Return the held-out episodes that were graded, without their tokens."""
        return tuple(self._ask("evaluate", step))

    def inside(self) -> dict[str, float]:
        """Return the number of episodes in each part at this moment."""
        return dict(self._ask("inside")) if self._running() else {}

    def stamp(self, version: int) -> None:
        """Set the version of the engine's present weights; return when the process knows it."""
        with self._condition:
            self._stamp = version
        if self._running():
            self._ask("stamp", version)

    def _running(self) -> bool:
        with self._condition:
            return self._process is not None and not self._stopped

    def _ask(self, what: str, value: int | None = None) -> Any:
        """Return the answer of the process or, if it dies before, of the next one."""
        with self._condition:
            if self._process is None or self._stopped:
                raise self._error or TrainingError(f"no rollout process runs to ask for {what}")
            ask, future = Ask(next(self._numbers), what, value), Future[Any]()
            self._asked[ask.number] = (ask, future)
            self._process.send(ask)
        return future.result()

    def _begin(self) -> RolloutProcess:
        """Start a process that continues from the last report."""
        state = None
        if self._known is not None:
            batches = self._handed.trained + len(self._handed)
            state = pack(replace(self._known, batches=batches), ())
        process = RolloutProcess(self._setup)
        process.send(Begin(state, self._version, self._stamp))
        for ask, _ in self._asked.values():
            process.send(ask)
        return process

    def _run(self) -> None:
        """Handle the messages of one process after the other."""
        while (process := self._process) is not None:
            try:
                for message in process.messages():
                    self._handle(message)
            except Exception as error:  # a message that cannot be read here
                with self._condition:
                    self._error = self._error or error
                process.kill()
            self._replace(process.status())

    def _handle(self, message: object) -> None:
        match message:
            case Report():
                self._report(message)
            case Answer(number, value, error):
                with self._condition:
                    _, future = self._asked.pop(number)
                if error is None:
                    future.set_result(value)
                else:
                    future.set_exception(error)
            case Failed(error):
                with self._condition:
                    self._error = self._error or error
                    self._condition.notify_all()

    def _report(self, report: Report) -> None:
        """Record a state, and the batch before it."""
        state = unpack(report.state, self._store)
        size = len(report.advantages)
        with self._condition:
            if report.metrics is not None:
                groups = tuple(map(_scored, state.groups[:size], report.advantages))
                restarts: Metrics = {"rollouts/restarts_total": float(self._deaths)}
                self._batches.append(Batch(groups, report.metrics | restarts))
                self._handed.add(groups)
                self._deaths = 0
            self._known = replace(state, groups=state.groups[size:])
            self._condition.notify_all()

    def _replace(self, status: int | None) -> None:
        """Start another process after the last one has ended, unless the rollouts have ended."""
        with self._condition:
            wanted = not (self._stopped or self._error)
            self._process = self._another(status) if wanted else None
            if self._process is None:
                error = self._error or TrainingError("the rollouts were stopped")
                for _, future in self._asked.values():
                    future.set_exception(error)
                self._asked.clear()
            self._condition.notify_all()

    def _another(self, status: int | None) -> RolloutProcess | None:
        """Return the next process; or None, after setting the error."""
        self._deaths += 1
        if self._deaths > self._restarts:
            self._error = TrainingError(
                f"the rollout process died {self._deaths} times without a batch in between, the "
                f"last time: {cause(status)}. Look at its output on stderr and at the machine's "
                "memory (dmesg); rollouts.process=shared plays in the trainer's process"
            )
            return None
        logger.warning(
            "the rollout process died (%s); starting another one, %s of at most %s",
            cause(status), self._deaths, self._restarts,
        )  # fmt: skip
        try:
            return self._begin()
        except Exception as error:  # next_batch raises it again
            self._error = error
            return None


def _scored(group: SavedGroup, advantages: tuple[float, ...]) -> ScoredGroup:
    members = tuple(m for m in group.members if m is not None)
    return ScoredGroup(Group(group.task, members), advantages, group.number, group.version)
