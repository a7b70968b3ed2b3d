"""The processes that a chaos run kills: one that plays, and its parent.

    python benchmarks/chaos_player.py parent|play '<json>'

The parent starts the player and ends with its status.  The player goes through the plan with
several threads, leaves out what the journal has, and ends when it is through or when its
parent, whose pipe it holds, is gone.  What only the supervisor can do (it never dies) is asked
of it through another pipe.  Judges nothing.
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
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.chaos_agents import Witness
from benchmarks.chaos_plan import INSIDE, OF_MACHINE, Planned, load, plan
from benchmarks.chaos_strikes import Watched, strike
from benchmarks.journal import Journal
from tmax_gym.agents.rollout import rollout
from tmax_gym.envs.episode import EpisodeLimits
from tmax_gym.errors import BackendUnavailable
from tmax_gym.rng import Rng
from tmax_gym.sandboxes import Limits, Sandbox, backend

LIMITS = EpisodeLimits(
    max_steps=256,
    episode_seconds=300.0,
    command_timeout=60.0,
    verify_timeout=60.0,
    sandbox=Limits(memory=1 << 30, disk=128 << 20, inodes=20_000),
)
"""Small disks, so that a full one is soon full; time for ten times slower commands."""
RETRIES = 2
_TRY_SECONDS = 0.3
"""For a fault to find something to hit: there may be no program at the first moment."""


def main() -> int:
    """Be the parent or the player."""
    options = json.loads(sys.argv[2])
    return _parent(options) if sys.argv[1] == "parent" else Player(options).run()


def _parent(options: dict[str, Any]) -> int:
    words = [sys.executable, __file__, "play", json.dumps(options)]
    child = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=(options["requests"],))
    _append(Path(options["place"], "lives.jsonl"), {"parent": os.getpid(), "player": child.pid})
    return 1 if child.wait() else 0


class Player:
    """Plays what is left of a plan."""

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
        self.parent = os.getppid()  # later it may be the supervisor, who adopts orphans
        self.timers: list[threading.Timer] = []
        self.timing = threading.Lock()

    def run(self) -> int:
        """Play, and say at the end what is still held."""
        threading.Thread(target=self._follow_parent, daemon=True).start()
        before = _held()
        self.machines = self._backend()
        with Journal(self.place / "journal.jsonl") as self.journal:
            left = [one for one in self.plan if one.key not in self.journal]
            with ThreadPoolExecutor(self.threads, thread_name_prefix="episode") as pool:
                for _ in pool.map(self._episode, left):
                    pass
            for timer in self.timers:
                timer.join()
        self.machines.close()
        after = _held()
        _append(self.place / "ends.jsonl", {"before": before, "after": after})
        return 0

    def _backend(self) -> Any:
        for _ in range(60):  # the engine may be on its way back
            with contextlib.suppress(BackendUnavailable):
                return backend(self.backend_name)
            time.sleep(0.5)
        return backend(self.backend_name)

    def _follow_parent(self) -> None:
        while os.read(0, 1):
            pass
        # Its parent is dead: nobody waits for the result.  An ordinary end, not a kill; what
        # it cuts short is played again.
        self.orphaned = True
        threading.Thread(target=_exit_anyway, daemon=True).start()
        self.machines.close()
        os._exit(3)

    def _episode(self, planned: Planned) -> None:
        task = load(planned.task)
        machines = Watched(self.machines)
        agent = Witness(
            planned.commands,
            name=planned.agent,
            strike=lambda attempt, turn: self._plan_strike(planned, machines, attempt, turn),
        )
        begun = time.monotonic()
        trajectory = rollout(
            task,
            agent,
            backend=machines,
            seed=planned.number,
            limits=LIMITS,
            retries=RETRIES,
        )
        agent.end()
        machines.newest = None  # strikes that are done hold it
        if self.orphaned:
            return
        row = {"episode": planned.number, "begun": begun, "ended": time.monotonic()}
        _append(self.place / "spans.jsonl", {**row, "pid": os.getpid(), "calls": agent.calls})
        self.journal.end(trajectory)

    def _plan_strike(self, planned: Planned, machines: Watched, attempt: int, turn: int) -> None:
        fault = planned.fault
        if fault is None or fault.turn != turn or (attempt > 1 and not fault.again):
            return
        once = fault.kind not in (*INSIDE, *OF_MACHINE)
        if once and (attempt > 1 or self._asked_before(planned)):
            return
        target = (planned, machines, machines.newest, attempt)
        if not fault.delay and fault.kind in (*INSIDE, "machine"):
            self._strike(*target)
            return
        timer = threading.Timer(fault.delay, self._strike, target)
        timer.daemon = True
        timer.start()
        with self.timing:
            self.timers = [one for one in self.timers if one.is_alive()] + [timer]

    def _asked_before(self, planned: Planned) -> bool:
        """Return whether an earlier life has had this fault: it would never get past it."""
        rows = read_rows(self.place / "requests.jsonl")
        return any(row["episode"] == planned.number for row in rows)

    def _strike(
        self, planned: Planned, machines: Watched, played: Sandbox | None, attempt: int
    ) -> None:
        fault = planned.fault
        assert fault is not None
        row = {"episode": planned.number, "kind": fault.kind, "attempt": attempt}
        if fault.kind in (*INSIDE, *OF_MACHINE):
            begun, hit, where = time.monotonic(), "", "agent"
            rng = Rng("strike", self.seed, planned.number, attempt)
            while (sandbox := machines.newest) and not hit:
                where = "agent" if sandbox is played else "verifier"
                hit = strike(fault.kind, sandbox, rng, where=where)
                if time.monotonic() - begun > _TRY_SECONDS:
                    break
                time.sleep(0.005)
            span = {"begun": begun, "ended": time.monotonic(), "hit": hit, "where": where}
            _append(self.place / "faults.jsonl", {**row, **span})
            return
        row |= {"player": os.getpid(), "parent": self.parent, "guards": self._guards()}
        _append(self.place / "requests.jsonl", row)
        os.write(self.requests, json.dumps(row).encode() + b"\n")

    def _guards(self) -> list[int]:
        """Return the processes that would clean up after this one: zygote, watcher."""
        found = []
        for name in ("_zygote", "_watcher"):
            guard = getattr(self.machines, name, None)
            process = getattr(guard, "_process", None)
            if process is not None:
                found.append(int(process.pid))
        return found


def _exit_anyway() -> None:
    time.sleep(25)
    os._exit(4)


def _held() -> dict[str, int]:
    """Return how many descriptors and threads this process has."""
    gc.collect()  # an exception in a cycle may hold a connection
    return {"fds": len(os.listdir("/proc/self/fd")), "threads": threading.active_count()}


def _append(file: Path, row: dict[str, Any]) -> None:
    """Add a line at once, whoever else writes and whatever happens next."""
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, json.dumps(row, sort_keys=True).encode() + b"\n")
    finally:
        os.close(fd)


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Return what `_append` wrote."""
    try:
        whole = file.read_text().rpartition("\n")[0]
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in whole.split("\n") if line]


if __name__ == "__main__":
    sys.exit(main())
