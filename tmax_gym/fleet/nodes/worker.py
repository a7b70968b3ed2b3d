"""`NodeWorker`: the one process of a node, which does the works of its leases side by side.

Its sandboxes come from the node's own pool, so a lease costs what an episode costs without a
fleet.  Every failure becomes an outcome; what the driver does with it is the driver's decision.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tmax_gym.episodes import phases
from tmax_gym.errors import FleetError, SandboxError, TmaxError
from tmax_gym.fleet.contract import Doing, Health, Job, Lease, Outcome
from tmax_gym.fleet.nodes.pace import StartPace
from tmax_gym.sandboxes import trial_account
from tmax_gym.sandboxes.host import cleanup

ROOM = 64
"""Leases at the same time, unless the node says otherwise: most episodes wait for the policy."""
START, COMMAND, VERIFY = "start", "first command", "verify"
"""The phases of an outcome."""


class NodeWorker:
    """Implements `Worker`; its methods may be called from many threads.

    Args:
        room: Leases that it works on at the same time.
        pace: Limits how fast leases begin.
    """

    def __init__(self, *, room: int = ROOM, pace: StartPace | None = None) -> None:
        self._room = room
        self._pace = pace or StartPace()
        self._lock = threading.Lock()
        self._jobs: dict[str, Doing] = {}
        self._opening = threading.Lock()
        self._running: dict[int, trial_account.Account] = {}
        self._draining = False

    def run(self, lease: Lease, job: Job) -> Outcome:
        """Do the work of a lease; return when it has ended, whatever happens."""
        account = trial_account.Account()
        with self._lock:
            if self._draining:
                return Outcome(lease.number, None, "this node takes no more leases")
            self._running[lease.number] = account
        try:
            time.sleep(self._pace.take())
            with trial_account.used(account), phases.recorded() as parts:
                outcome = self._outcome(lease, job)
        finally:
            with self._lock:
                del self._running[lease.number]
        for part, seconds in parts:
            if part == "start":
                self._pace.learn(seconds)
        return replace(outcome, phases=named(parts))

    def warm(self, job: Job, environments: Sequence[str]) -> None:
        """Prepare for works with these environments."""
        # A lease will fail for the same reason, and its outcome says why.
        with contextlib.suppress(TmaxError):
            self._open(job).warm(environments)

    def health(self) -> Health:
        """Return how the node is."""
        with self._lock:
            running = len(self._running)
        return Health(running, self._room, self._pace.rate, memory(), self._draining)

    def cancel(self, number: int) -> None:
        """End a lease early: its sandboxes are destroyed."""
        with self._lock:
            account = self._running.get(number)
        if account is not None:
            account.give_up()

    def cancel_all(self) -> None:
        """End every lease early, because the driver is gone."""
        with self._lock:
            numbers = sorted(self._running)
        for number in numbers:
            self.cancel(number)

    def drain(self) -> None:
        """Take no more leases; those that run go on."""
        with self._lock:
            self._draining = True

    def close(self) -> None:
        """End all leases, jobs and sandboxes of this process; remove those of killed ones.

        Ray and Slurm kill the processes as well that would clean up after a worker.  Idempotent.
        """
        self.drain()
        self.cancel_all()
        with self._lock:
            jobs, self._jobs = list(self._jobs.values()), {}
        for doing in jobs:
            doing.close()
        cleanup.close_all()
        cleanup.sweep_again()

    def _outcome(self, lease: Lease, job: Job) -> Outcome:
        try:
            return Outcome(lease.number, self._open(job)(lease.work.request))
        except SandboxError as error:
            return Outcome(lease.number, None, str(error) or repr(error))
        except TmaxError as error:
            return Outcome(lease.number, None, str(error) or repr(error), hopeless=True)
        except Exception:  # a fault in the job's code must not end the node
            return Outcome(lease.number, None, traceback.format_exc(), hopeless=True)

    def _open(self, job: Job) -> Doing:
        """Return the opened job, which all its leases on this node share."""
        with self._opening:
            with self._lock:
                doing = self._jobs.get(job.digest)
                if self._draining and doing is None:
                    raise FleetError("this node takes no more leases")
            if doing is None:
                doing = job.open()
                with self._lock:
                    self._jobs[job.digest] = doing
        return doing


def named(parts: phases.Phases) -> tuple[tuple[str, float], ...]:
    """Return the phases of what was played: each start, and the first command and grading after it.

    >>> named([("start", 1.0), ("command", 0.5), ("command", 0.25), ("grading", 1), ("grading", 2)])
    (('start', 1.0), ('first command', 0.5), ('verify', 3.0))
    """
    rows: list[tuple[str, float]] = []
    before, verify = "", False
    for part, seconds in parts:
        if part == "start":
            rows.append((START, seconds))
            verify = False
        elif part == "command" and before == "start":
            rows.append((COMMAND, seconds))
        elif part == "grading":
            so_far = rows.pop()[1] if verify else 0.0
            rows.append((VERIFY, so_far + seconds))
            verify = True
        before = part
    return tuple(rows)


def memory() -> int:
    """Return the bytes of memory that this process has to itself or shares, by /proc."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
