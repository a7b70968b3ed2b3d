"""The rollout process from inside: obeys the trainer, and ends when the trainer is gone.

Covers batches and states on their way out, requests, and an end that leaves no sandbox: also
where the trainer was killed, which is seen by the end of the pipe and by the parent's number.
Does not cover starting this process: see `rollouts.py`.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

from tmax_gym.errors import TmaxError
from tmax_trainers.rollout.process.messages import (
    Answer,
    Ask,
    Begin,
    Failed,
    Key,
    NewVersion,
    Parcel,
    Report,
    Stop,
    pack,
    portable,
    unpack,
)
from tmax_trainers.rollout.records import Batch
from tmax_trainers.rollout.replay import SavedGroup
from tmax_trainers.rollout.source import Rollouts

BEAT = 1.0
"""Seconds after which a process that waits looks whether the other one lives."""
PATIENCE = 20.0
"""Seconds for the running episodes to end; their sandboxes end with the process at the latest."""
Setup = Callable[[], Rollouts]
"""Makes what plays the episodes, in the rollout process; must be importable by name there."""


class Pipe(Protocol):
    """What is used of a connection of `multiprocessing`."""

    def poll(self, timeout: float) -> bool:
        """Return whether there is something to receive, or the end."""
        ...

    def recv(self) -> Any:
        """Return the next message.  Raises `EOFError` where nobody is left to send one."""
        ...

    def send(self, message: Any) -> None:
        """Send a message."""


def main(setup: Setup, pipe: Pipe, parent: int) -> None:
    """Play until told to stop, or until the parent is gone.

    Args:
        setup: Makes what plays.
        pipe: To the parent.
        parent: Its process number.
    """
    signal.signal(signal.SIGTERM, _leave)
    # The parent decides what an interrupt means.  A function, for sandboxes would inherit SIG_IGN.
    signal.signal(signal.SIGINT, _stay)
    try:
        rollouts = setup()
    except Exception as error:
        pipe.send(Failed(portable(error)))
        return
    host = _Host(rollouts, pipe)
    try:
        host.serve(parent)
    finally:
        host.close()


class _Host:
    """What plays, and the pipe that it answers by."""

    def __init__(self, rollouts: Rollouts, pipe: Pipe) -> None:
        self._rollouts = rollouts
        self._pipe = pipe
        self._sending = threading.RLock()
        self._handed: set[int] = set()
        """Groups of batches that were sent and are still in the source's state."""
        self._known: set[Key] = set()
        """Episodes that the trainer has."""
        self._last: Parcel | None = None
        self._stopping = False

    def serve(self, parent: int) -> None:
        """Obey until the end."""
        while not self._stopping:
            if self._pipe.poll(BEAT):
                try:
                    message = self._pipe.recv()
                except (EOFError, OSError):
                    return
                self._obey(message)
            elif os.getppid() != parent:  # the pipe may live on in a fork of the parent's
                return

    def close(self) -> None:
        """End the episodes; those that still wait for something end with the process."""
        self._stopping = True
        ending = threading.Thread(target=self._rollouts.stop, daemon=True)
        ending.start()
        with suppress(TmaxError):
            self._rollouts.close()
        ending.join(PATIENCE)

    def _obey(self, message: object) -> None:
        match message:
            case Begin():
                self._try(lambda: self._begin(message))
            case NewVersion(version):
                self._try(lambda: self._rollouts.update_version(version))
            case Ask(what="evaluate"):  # takes minutes, in which versions must be heard of
                threading.Thread(target=self._answer, args=(message,), daemon=True).start()
            case Ask():
                self._answer(message)
            case Stop():
                self._stopping = True

    def _try(self, call: Callable[[], None]) -> None:
        """Call, and tell the trainer what stops the source."""
        try:
            call()
        except Exception as error:
            self._send(Failed(portable(error)))

    def _begin(self, told: Begin) -> None:
        if told.state is not None:
            self._rollouts.restore(unpack(told.state, {}))
            self._known = told.state.known()
        if told.stamp is not None:
            self._rollouts.stamp(told.stamp)
        if told.version is not None:
            self._rollouts.update_version(told.version)
        self._rollouts.start()
        threading.Thread(target=self._pump, name="tmax-reports", daemon=True).start()

    def _pump(self) -> None:
        """Send batches as they come, and what has changed between them."""
        try:
            while not self._stopping:
                self._report(self._rollouts.next_batch(timeout=BEAT))
        except BaseException as error:  # raised again in the trainer
            self._send(Failed(portable(error)))

    def _report(self, batch: Batch | None, *, asked: bool = False) -> None:
        with self._sending:
            given = batch.groups if batch is not None else ()
            self._handed |= {g.number for g in given}
            state = self._rollouts.state()
            waiting = (g for g in state.groups if g.number not in self._handed)
            self._handed &= {g.number for g in state.groups}
            groups = (*map(SavedGroup.of, given), *waiting)
            parcel = pack(replace(state, groups=groups), self._known)
            last = self._last
            same = last is not None and (last.state, last.groups) == (parcel.state, parcel.groups)
            if batch is None and same and not asked:
                return
            self._known, self._last = (
                parcel.known(),
                replace(parcel, keys=(), episodes=(), tokens={}),
            )
            advantages = tuple(g.advantages for g in given)
            self._send(Report(parcel, advantages, batch.metrics if batch is not None else None))

    def _answer(self, ask: Ask) -> None:
        value: Any = None
        try:
            match ask.what:
                case "state":
                    self._report(None, asked=True)
                case "inside":
                    value = self._rollouts.inside()
                case "evaluate":
                    value = self._rollouts.evaluate(ask.value or 0)
                case "stamp":
                    self._rollouts.stamp(ask.value or 0)
        except Exception as error:
            self._send(Answer(ask.number, error=portable(error)))
        else:
            self._send(Answer(ask.number, value))

    def _send(self, message: object) -> None:
        # A trainer that is gone hears nothing; `serve` sees that it is.
        with self._sending, suppress(OSError):
            self._pipe.send(message)


def _leave(*_: object) -> None:
    raise SystemExit(128 + signal.SIGTERM)


def _stay(*_: object) -> None:
    """Do nothing."""
