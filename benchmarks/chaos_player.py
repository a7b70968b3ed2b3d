"""Play the episodes of a chaos run, in a process and a parent that are killed now and then.

    python benchmarks/chaos_player.py parent|play '<json>'

The parent starts the player and ends with its status.  The player plays the plan with several
threads and skips episodes that the journal has.  It ends when the plan is complete, or when its
parent, which holds a pipe to it, is gone.  Through another pipe it asks the supervisor, which is
never killed, for faults of the host.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.chaos_agent import Witness
from benchmarks.chaos_faults import Watched, strike
from benchmarks.chaos_plan import INSIDE, OF_MACHINE, Planned, key_of, load, plan, played
from tmax_gym.agents.rollout import rollout
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.errors import BackendUnavailable
from tmax_gym.journal import Journal
from tmax_gym.rng import Rng
from tmax_gym.sandboxes import Limits, Sandbox, backend

LIMITS = EpisodeLimits(
    max_steps=256,
    episode_seconds=300.0,
    command_timeout=60.0,
    verify_timeout=60.0,
    sandbox=Limits(memory=1 << 30, disk=128 << 20, inodes=20_000),
)
"""Small disks, so that filling one is quick; time for ten times slower commands."""
RETRIES = 2
_TRY_SECONDS = 0.3
"""Seconds in which a fault may find something to hit: there may be no program at first."""


def main() -> int:
    """Be the parent or the player."""
    options = json.loads(sys.argv[2])
    return _parent(options) if sys.argv[1] == "parent" else Player(options).run()


def _parent(options: dict[str, Any]) -> int:
    words = [sys.executable, __file__, "play", json.dumps(options)]
    child = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=(options["requests"],))
    append(Path(options["place"], "lives.jsonl"), {"parent": os.getpid(), "player": child.pid})
    return 1 if child.wait() else 0


class Player:
    """Plays the episodes of a plan that are not in the journal."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.place = Path(options["place"])
        self.requests = int(options["requests"])
        self.threads = int(options["threads"])
        self.seed = int(options["seed"])
        self.backend_name = str(options["backend"])
        self.plan = plan(
            options["episodes"],
            every=options["every"],
            seed=self.seed,
            backend=self.backend_name,
            catalogued=options["catalogued"],
        )
        self.orphaned = False
        self.parent = os.getppid()  # later it may be the supervisor, which adopts orphans
        self.timers: list[threading.Timer] = []
        self.timing = threading.Lock()

    def run(self) -> int:
        """Play, and record how many descriptors and threads are left at the end."""
        threading.Thread(target=self._follow_parent, daemon=True).start()
        before = _held()
        self.backend = self._backend()
        with Journal(self.place / "journal.jsonl") as self.journal:
            done = {key_of(episode) for episode in played(self.journal.path)}
            missing = [planned for planned in self.plan if planned.key not in done]
            with ThreadPoolExecutor(self.threads, thread_name_prefix="episode") as pool:
                for _ in pool.map(self._episode, missing):
                    pass
            for timer in self.timers:
                timer.join()
        self.backend.close()
        after = _held()
        append(self.place / "ends.jsonl", {"before": before, "after": after})
        return 0

    def _backend(self) -> Any:
        for _ in range(60):  # the engine may be restarting
            with contextlib.suppress(BackendUnavailable):
                return backend(self.backend_name)
            time.sleep(0.5)
        return backend(self.backend_name)

    def _follow_parent(self) -> None:
        while os.read(0, 1):
            pass
        # The parent is dead, so nothing waits for the result.  This is an ordinary end, not a
        # kill; episodes that it interrupts are played again.
        self.orphaned = True
        threading.Thread(target=_exit_anyway, daemon=True).start()
        self.backend.close()
        os._exit(3)

    def _episode(self, planned: Planned) -> None:
        task = load(planned.task)
        watched = Watched(self.backend)
        agent = Witness(
            planned.commands,
            name=planned.agent,
            strike=lambda attempt, turn: self._plan_strike(planned, watched, attempt, turn),
        )
        begun = time.monotonic()
        trajectory = rollout(
            task,
            agent,
            backend=watched,
            seed=planned.number,
            limits=LIMITS,
            retries=RETRIES,
        )
        agent.end()
        watched.newest = None  # finished faults still refer to it
        if self.orphaned:
            return
        row = {"episode": planned.number, "begun": begun, "ended": time.monotonic()}
        append(self.place / "spans.jsonl", {**row, "pid": os.getpid(), "calls": agent.calls})
        self.journal.add(asdict(trajectory))

    def _plan_strike(self, planned: Planned, watched: Watched, attempt: int, turn: int) -> None:
        fault = planned.fault
        if fault is None or fault.turn != turn or (attempt > 1 and not fault.again):
            return
        once = fault.kind not in (*INSIDE, *OF_MACHINE)
        if once and (attempt > 1 or self._asked_before(planned)):
            return
        target = (planned, watched, watched.newest, attempt)
        if not fault.delay and fault.kind in (*INSIDE, "machine"):
            self._strike(*target)
            return
        timer = threading.Timer(fault.delay, self._strike, target)
        timer.daemon = True
        timer.start()
        with self.timing:
            self.timers = [known for known in self.timers if known.is_alive()] + [timer]

    def _asked_before(self, planned: Planned) -> bool:
        """Return whether an earlier player had this fault: repeated, it would stop every player."""
        rows = read_rows(self.place / "requests.jsonl")
        return any(row["episode"] == planned.number for row in rows)

    def _strike(
        self, planned: Planned, watched: Watched, played: Sandbox | None, attempt: int
    ) -> None:
        fault = planned.fault
        assert fault is not None
        row = {"episode": planned.number, "kind": fault.kind, "attempt": attempt}
        if fault.kind in (*INSIDE, *OF_MACHINE):
            begun, hit, where = time.monotonic(), "", "agent"
            rng = Rng("strike", self.seed, planned.number, attempt)
            while (sandbox := watched.newest) and not hit:
                where = "agent" if sandbox is played else "verifier"
                hit = strike(fault.kind, sandbox, rng, where=where)
                if time.monotonic() - begun > _TRY_SECONDS:
                    break
                time.sleep(0.005)
            span = {"begun": begun, "ended": time.monotonic(), "hit": hit, "where": where}
            append(self.place / "faults.jsonl", {**row, **span})
            return
        row |= {"player": os.getpid(), "parent": self.parent, "guards": self._guards()}
        append(self.place / "requests.jsonl", row)
        os.write(self.requests, json.dumps(row).encode() + b"\n")

    def _guards(self) -> list[int]:
        """Return the processes that would clean up after this one: zygote, watcher."""
        pids = []
        for name in ("_zygote", "_watcher"):
            guard = getattr(self.backend, name, None)
            process = getattr(guard, "_process", None)
            if process is not None:
                pids.append(int(process.pid))
        return pids


def _exit_anyway() -> None:
    time.sleep(25)
    os._exit(4)


def _held() -> dict[str, int]:
    """Return the number of this process's descriptors and threads."""
    gc.collect()  # an exception in a reference cycle may keep a connection open
    return {"fds": len(os.listdir("/proc/self/fd")), "threads": threading.active_count()}


def append(file: Path, row: dict[str, Any]) -> None:
    """Append a line with one write, so that other writers cannot interleave."""
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, json.dumps(row, sort_keys=True).encode() + b"\n")
    finally:
        os.close(fd)


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Return the rows that `append` wrote."""
    try:
        whole = file.read_text().rpartition("\n")[0]
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in whole.split("\n") if line]


if __name__ == "__main__":
    sys.exit(main())
