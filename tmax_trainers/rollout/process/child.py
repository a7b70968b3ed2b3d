"""The rollout process: plays episodes for the trainer, and ends when the trainer has ended.

It leaves no sandbox behind, even if the trainer was killed: then the pipe ends, or the number of
the parent process changes.
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
    NewVersion,
    Report,
    Stop,
    pack,
    portable,
    unpack,
)
from tmax_trainers.rollout.records import Batch
from tmax_trainers.rollout.replay import Key, SavedGroup, SourceState
from tmax_trainers.rollout.source import Rollouts

POLL_SECONDS = 1.0
"""Interval at which a process that waits checks that the other one is alive."""
STOP_SECONDS = 20.0
"""Time for the running episodes to end; their sandboxes end with the process at the latest."""
Setup = Callable[[], Rollouts]
"""Makes the rollouts in the rollout process; it must be importable there by name."""


class Pipe(Protocol):
    """The methods that are used of a connection of `multiprocessing`."""

    def poll(self, timeout: float) -> bool:
        """Wait until there is a message or the end; return False after the timeout."""
        ...

    def recv(self) -> Any:
        """Return the next message; raise `EOFError` at the end."""
        ...

    def send(self, message: Any) -> None:
        """Send a message."""


def main(setup: Setup, pipe: Pipe, parent: int) -> None:
    """Play episodes until a message says stop, or the parent has ended.

    Args:
        setup: Makes the rollouts.
        pipe: Pipe to the parent.
        parent: Process number of the parent.
    """
    signal.signal(signal.SIGTERM, _exit)
    # The parent handles interrupts.  Not SIG_IGN, because sandboxes would inherit it.
    signal.signal(signal.SIGINT, _ignore)
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
    """The rollouts, and the pipe to the trainer."""

    def __init__(self, rollouts: Rollouts, pipe: Pipe) -> None:
        self._rollouts = rollouts
        self._pipe = pipe
        self._sending = threading.RLock()
        self._handed: set[int] = set()
        """Groups of batches that were sent and are still in the source's state."""
        self._known: frozenset[Key] = frozenset()
        """Episodes that the trainer has."""
        self._last: tuple[SourceState, frozenset[Key]] | None = None
        """The state of the last report, and its episodes."""
        self._stopping = False

    def serve(self, parent: int) -> None:
        """Handle messages until the end."""
        while not self._stopping:
            if self._pipe.poll(POLL_SECONDS):
                try:
                    message = self._pipe.recv()
                except (EOFError, OSError):
                    return
                self._handle(message)
            elif os.getppid() != parent:  # a fork of the parent may keep the pipe open
                return

    def close(self) -> None:
        """End the episodes; those that do not end in time end with the process."""
        self._stopping = True
        stopping = threading.Thread(target=self._rollouts.stop, daemon=True)
        stopping.start()
        with suppress(TmaxError):
            self._rollouts.close()
        stopping.join(STOP_SECONDS)

    def _handle(self, message: object) -> None:
        match message:
            case Begin():
                self._try(lambda: self._begin(message))
            case NewVersion(version):
                self._try(lambda: self._rollouts.update_version(version))
            case Ask(what="evaluate"):  # takes minutes, during which versions must be handled
                threading.Thread(target=self._answer, args=(message,), daemon=True).start()
            case Ask():
                self._answer(message)
            case Stop():
                self._stopping = True

    def _try(self, call: Callable[[], None]) -> None:
        """Call, and send the trainer the error that ends the rollouts."""
        try:
            call()
        except Exception as error:
            self._send(Failed(portable(error)))

    def _begin(self, begin: Begin) -> None:
        if begin.state is not None:
            self._rollouts.restore(unpack(begin.state, {}))
            self._known = begin.state.ended
        if begin.stamp is not None:
            self._rollouts.stamp(begin.stamp)
        if begin.version is not None:
            self._rollouts.update_version(begin.version)
        self._rollouts.start()
        threading.Thread(target=self._pump, name="tmax-reports", daemon=True).start()

    def _pump(self) -> None:
        """Send batches as they come, and the changes between them."""
        try:
            while not self._stopping:
                self._report(self._rollouts.next_batch(timeout=POLL_SECONDS))
        except BaseException as error:  # raised again in the trainer
            self._send(Failed(portable(error)))

    def _report(self, batch: Batch | None, *, asked: bool = False) -> None:
        """Send the state and the batch before it; nothing if nothing has changed."""
        with self._sending:
            given = batch.groups if batch is not None else ()
            self._handed |= {g.number for g in given}
            state = self._rollouts.state()
            waiting = (g for g in state.groups if g.number not in self._handed)
            self._handed &= {g.number for g in state.groups}
            groups = (*map(SavedGroup.of, given), *waiting)
            packed = pack(replace(state, groups=groups), self._known)
            summary = (packed.state, packed.ended)
            if batch is None and summary == self._last and not asked:
                return
            self._known, self._last = packed.ended, summary
            advantages = tuple(g.advantages for g in given)
            self._send(Report(packed, advantages, batch.metrics if batch is not None else None))

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
        # If the trainer has ended, the message is lost, and `serve` notices.
        with self._sending, suppress(OSError):
            self._pipe.send(message)


def _exit(*_: object) -> None:
    raise SystemExit(128 + signal.SIGTERM)


def _ignore(*_: object) -> None:
    """Do nothing."""
