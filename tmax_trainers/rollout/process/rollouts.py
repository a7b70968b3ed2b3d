"""Rollouts in an operating-system process of their own, and another one when that dies.

Covers batches and requests over a pipe, and the death of the process, by whatever cause: every
episode that it had told of is kept, those that ran are run again with the same seeds, and no
batch is lost or given twice.  What its code raises is raised here, as it is where rollouts share
the trainer's process.
Does not cover a process that lives and hangs: the trainer's own time limit does.
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
from tmax_trainers.rollout.process.handle import Life, cause
from tmax_trainers.rollout.process.messages import (
    Answer,
    Ask,
    Begin,
    Failed,
    Key,
    NewVersion,
    Report,
    Stop,
    pack,
    unpack,
)
from tmax_trainers.rollout.records import Batch, GroupConfig, Metrics, ScoredGroup
from tmax_trainers.rollout.replay import SavedGroup, SourceState, same_size

logger = logging.getLogger(__name__)
RESTARTS = 3
"""Deaths in a row, without a batch between them, after which no other process is started."""


class ProcessRollouts:
    """A `Rollouts` whose work is done in a child process.

    Args:
        setup: Makes what plays, in the child; sent there by name.
        config: What a batch is made of; `setup` must use the same.
        restarts: Deaths in a row, without a batch between them, that are made good.
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
        """The source after its last report, without what was handed out."""
        self._store: dict[Key, Trajectory] = {}
        self._handed: deque[tuple[int, tuple[ScoredGroup, ...]]] = deque()
        """Batches that came and may not be trained on yet, by number."""
        self._came = 0
        self._batches: deque[Batch] = deque()
        self._deaths = 0
        """Since the last batch."""
        self._error: BaseException | None = None
        self._stopped = False
        self._life: Life | None = None
        self._asked: dict[int, tuple[Ask, Future[Any]]] = {}
        self._numbers = count()
        self._condition = threading.Condition()
        self._thread = threading.Thread(target=self._attend, name="tmax-rollouts", daemon=True)

    def start(self) -> None:
        """Start the process; versions are counted from the one that is live now.

        Raises:
            TrainingError: What plays the episodes cannot leave this process.
        """
        with self._condition:
            self._life = self._begin()
        self._thread.start()

    def stop(self) -> None:
        """End the episodes, then the process."""
        with self._condition:
            self._stopped = True
            life = self._life
            self._condition.notify_all()
        if life is not None:
            life.tell(Stop())
            self._thread.join(2 * child.PATIENCE)
            life.kill()
            self._thread.join()

    def close(self) -> None:
        """End the process."""
        self.stop()

    def __enter__(self) -> ProcessRollouts:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def update_version(self, version: int) -> None:
        """Tell which policy version is live."""
        with self._condition:
            self._version = version
            base = self._known.base if self._known is not None else version
            while self._handed and self._handed[0][0] < version - base:
                self._handed.popleft()
            if self._life is not None:
                self._life.tell(NewVersion(version))

    def next_batch(self, timeout: float | None = None) -> Batch | None:
        """Return the next batch, waiting for it; None if the timeout ends or the source stops."""
        with self._condition:
            self._condition.wait_for(lambda: self._stopped or self._error or self._batches, timeout)
            if self._batches and not self._stopped:
                return self._batches.popleft()
            if self._error is not None:
                raise self._error
            return None

    def state(self) -> SourceState:
        """Return what is needed to go on: as `GroupSource.state`, batches that wait here too."""
        with self._condition:
            alive = self._life is not None and not self._stopped
        if alive:
            self._ask("state")
        with self._condition:
            if self._known is None:
                raise TrainingError("the rollouts have not begun; call start first")
            handed = [SavedGroup.of(g) for _, groups in self._handed for g in groups]
            version = self._known.version if self._version is None else self._version
            return replace(
                self._known,
                version=version,
                batches=self._came - len(self._handed),
                groups=(*handed, *self._known.groups),
            )

    def restore(self, state: SourceState) -> None:
        """Go on from a state; before `start`."""
        same_size(state, self.config)
        with self._condition:
            self._known, self._version = state, state.version
            self._came = state.batches
            self._store = {
                (g.number, place): member
                for g in state.groups
                for place, member in enumerate(g.members)
                if member is not None
            }

    def evaluate(self, step: int) -> tuple[Trajectory, ...]:
        """Return the held-out episodes that were graded, without their tokens."""
        return tuple(self._ask("evaluate", step))

    def inside(self) -> dict[str, float]:
        """Return how many episodes are in which part at this moment; nothing where none can be."""
        with self._condition:
            if self._life is None or self._stopped:
                return {}
        return dict(self._ask("inside"))

    def stamp(self, version: int) -> None:
        """Tell which weights the engine draws from; returns when the process knows."""
        with self._condition:
            self._stamp = version
            if self._life is None or self._stopped:
                return
        self._ask("stamp", version)

    def _ask(self, what: str, value: int | None = None) -> Any:
        """Return the answer; where the process dies, that of the next one."""
        with self._condition:
            if self._life is None or self._stopped:
                raise self._error or TrainingError(f"no rollout process runs to ask for {what}")
            ask, future = Ask(next(self._numbers), what, value), Future[Any]()
            self._asked[ask.number] = (ask, future)
            self._life.tell(ask)
        return future.result()

    def _begin(self) -> Life:
        """Start a process that goes on where the last one stopped telling."""
        state = None
        if self._known is not None:
            state = pack(replace(self._known, batches=self._came), ())
        life = Life(self._setup)
        life.tell(Begin(state, self._version, self._stamp))
        for ask, _ in self._asked.values():
            life.tell(ask)
        return life

    def _attend(self) -> None:
        """Take in what processes tell, one process after the other."""
        while (life := self._life) is not None:
            try:
                for message in life.messages():
                    self._take(message)
            except Exception as error:  # what it told cannot be read here
                with self._condition:
                    self._error = self._error or error
                life.kill()
            self._mourn(life.status())

    def _take(self, message: object) -> None:
        match message:
            case Report():
                self._note(message)
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

    def _note(self, report: Report) -> None:
        """Take in a state, and the batch before it."""
        state = unpack(report.state, self._store)
        size = len(report.advantages)
        with self._condition:
            if report.metrics is not None:
                groups = tuple(map(_scored, state.groups[:size], report.advantages))
                more: Metrics = {"rollouts/restarts_total": float(self._deaths)}
                self._batches.append(Batch(groups, report.metrics | more))
                self._handed.append((self._came, groups))
                self._came += 1
                self._deaths = 0
            self._known = replace(state, groups=state.groups[size:])
            self._condition.notify_all()

    def _mourn(self, status: int | None) -> None:
        """Start another process, unless none is wanted or it would be in vain."""
        with self._condition:
            wanted = not (self._stopped or self._error)
            self._life = self._another(status) if wanted else None
            if self._life is None:
                gone = self._error or TrainingError("the rollouts were stopped")
                for _, future in self._asked.values():
                    future.set_exception(gone)
                self._asked.clear()
            self._condition.notify_all()

    def _another(self, status: int | None) -> Life | None:
        """Return the next process, or None where there is an error instead."""
        self._deaths += 1
        if self._deaths > self._restarts:
            self._error = _hopeless(self._deaths, status)
            return None
        logger.warning(
            "the rollout process died (%s); starting another one, %s of at most %s",
            cause(status), self._deaths, self._restarts,
        )  # fmt: skip
        try:
            return self._begin()
        except Exception as error:  # raised again where batches are waited for
            self._error = error
            return None


def _scored(group: SavedGroup, advantages: tuple[float, ...]) -> ScoredGroup:
    members = tuple(m for m in group.members if m is not None)
    return ScoredGroup(Group(group.task, members), advantages, group.number, group.version)


def _hopeless(deaths: int, status: int | None) -> TrainingError:
    return TrainingError(
        f"the rollout process died {deaths} times without a batch in between, the last time: "
        f"{cause(status)}. Look at what it wrote to stderr and at the machine's memory (dmesg); "
        "rollouts.process=shared runs the same in the trainer's process"
    )
