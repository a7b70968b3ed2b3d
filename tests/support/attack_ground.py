"""The ground on which attacks are played: decoys on the host, a sibling, and what they saw.

Covers one attack after another on one backend, with what must hold after each: nothing was
reached, the ending is the agent's, the reward is nothing, and the host is as before.
Does not cover what other programs of this host do meanwhile: only our own traces are counted.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.attack_cases import BREACH, Attack
from tests.support.tiny_tasks import equals, tiny_task
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.checks.check import Case, Check, Evidence, Program
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.sandboxes import Backend, Layer, Limits, Sandbox
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.host import cgroups, cleanup
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Ending, Trajectory

_CACHES = 48 << 20
"""Bytes that a group may hold beyond what it held before."""
LIMITS = Limits(memory=256 << 20, pids=128, cpus=1.0, disk=64 << 20, inodes=5000)
"""Small, so that they are reached soon."""
REPOSITORY = Path(__file__).parents[2]
PAID = 0.05
"""More than this is a reward."""
ALIVE = 'command echo al""ive'
SOLUTION = (
    "echo 5912 > /app/answer.txt; mkdir -p /app/out; printf first > /app/out/a",
    "echo 'print(int(input()) * 2)' > /app/double.py",
)
SETTINGS = ("kernel/core_pattern", "kernel/hostname", "vm/swappiness", "net/ipv4/ip_forward")
_SPARE = 6
"""Processes and cgroups that a sibling may have."""
_GONE = 10.0
"""Seconds after which what is left of a machine counts as left behind."""


@dataclass(frozen=True)
class Seen:
    """How one attack went."""

    reached: tuple[str, ...]
    """What it should not have reached, or what it did not even try."""
    ending: str
    reward: float | None
    harm: tuple[str, ...]
    """What it left on the host."""
    seconds: float
    frail: bool = False
    """Whether the machine ends, by the agent's act, if all its memory is used up: on gVisor."""

    def wrong(self, attack: Attack) -> list[str]:
        """Return what did not hold."""
        found = [*self.reached, *self.harm]
        lost = attack.deadly or (self.frail and not attack.quiet)
        allowed = {"submitted", "shell_lost"} if lost else {"submitted"}
        if self.ending not in allowed:
            found.append(f"ending: {self.ending}")
        if self.reward is None or self.reward > PAID:
            found.append(f"reward: {self.reward}")
        return found


def task() -> Task:
    """Return a task with a file, a tree and a program, none of which is there."""

    def tree(evidence: Evidence) -> float:
        found = {node.path: node.data for node in evidence.tree("/app/out")}
        return float(found.get("/app/out/a") == b"first" and len(found) == 2)

    def double(evidence: Evidence) -> float:
        cases = [Case(stdin=b"%d\n" % n) for n in (40, 123_456)]
        done = evidence.run(Program("/app/double.py", "python"), cases, timeout=1.0)
        wanted = [b"80\n", b"246912\n"]
        return sum(o.stdout == w and not o.exit_code for o, w in zip(done, wanted, strict=True)) / 2

    return tiny_task(
        "attacked.plain-1",
        "Write the number to /app/answer.txt, the word to /app/out/a, a program to /app/double.py.",
        oracle=SOLUTION,
        checks=[
            equals("/app/answer.txt", "5912", id_="answer"),
            Check("tree", "exact_text", tree),
            Check("double", "fuzz_equivalence", double),
        ],
    )


@dataclass
class Watched:
    """A backend that remembers what it opened."""

    inner: Backend
    opened: list[Sandbox] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.inner.name

    def problem(self) -> str | None:
        return self.inner.problem()

    def capabilities(self) -> frozenset[str]:
        return self.inner.capabilities()

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> Sandbox:
        sandbox = self.inner.open(image, limits=limits, layer=layer)
        self.opened.append(sandbox)
        return sandbox


class Ground:
    """A host with decoys, and machines to be attacked on it."""

    def __init__(self, backend: Backend, image: str) -> None:
        self.backend = Watched(backend)
        self.image = image
        self._closing = contextlib.ExitStack()
        self.hits: list[str] = []
        self._listen()
        self.secret = Path(self._closing.enter_context(tempfile.TemporaryDirectory())) / "secret"
        self.secret.write_text("host")
        words = ["python3", "-c", "import sys; sys.stdin.read()", "tmax-canary"]
        self.canary = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self._closing.callback(self.canary.wait)
        self._closing.callback(self.canary.kill)
        backend.open(image).close()  # what is kept for the whole process is there now
        self.before = self._state()
        self.sibling = backend.open(image)
        self._closing.callback(self.sibling.close)
        self.sibling.exec(["bash", "-c", _SIBLING])
        if backend.name == "gvisor":  # a machine is three processes: one more must be noticed
            self.before["processes"] = len(_descendants()) - _SPARE + 2

    def close(self) -> None:
        self._closing.close()

    def _listen(self) -> None:
        self.abstract = f"tmax-decoy-{secrets.token_hex(4)}"
        tcp = socket.create_server(("0.0.0.0", 0))
        self.port = tcp.getsockname()[1]
        unix = socket.socket(socket.AF_UNIX)
        unix.bind(f"\0{self.abstract}")
        unix.listen()
        for name, server in (("a port of the host", tcp), ("an abstract socket", unix)):
            self._closing.callback(server.close)
            self._closing.callback(server.shutdown, socket.SHUT_RDWR)
            threading.Thread(target=self._accept, args=(name, server), daemon=True).start()

    def _accept(self, name: str, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                server.accept()[0].close()
                self.hits.append(name)

    def play(self, attacks: Sequence[Attack]) -> list[Seen]:
        """Play attacks one after another on one machine; only quiet ones may be several."""
        commands = [self._filled(c) for attack in attacks for c in attack.commands]
        limits = EpisodeLimits(
            max_steps=len(commands) + 3,
            command_timeout=8.0,
            verify_timeout=20.0,
            observation_limit=20_000,
            sandbox=LIMITS,
        )
        begun = time.monotonic()
        agent = ScriptedAgent([*commands, ALIVE])
        seen = rollout(
            task(), agent, backend=self.backend, image=self.image, limits=limits, retries=0
        )
        seconds = time.monotonic() - begun
        harm = tuple(self.harm())
        ending = seen.ending.value if seen.ending.graded else f"{seen.ending.value}: {seen.message}"
        found, at = [], 0
        for attack in attacks:
            reached = _reached(attack, seen, at)
            if self.backend.name == "gvisor":
                harmless = [re.compile(f"{BREACH} {pattern}") for pattern in attack.own_kernel]
                reached = tuple(r for r in reached if not any(h.fullmatch(r) for h in harmless))
            at += len(attack.commands)
            frail = self.backend.name == "gvisor"
            each = seconds / len(attacks)
            found.append(Seen(reached, ending, seen.reward, harm, each, frail))
        return found

    def honest(self) -> float | None:
        """Return what the same task pays for work."""
        agent = ScriptedAgent([*SOLUTION, ALIVE])
        return rollout(task(), agent, backend=self.backend, image=self.image).reward

    def _filled(self, command: str) -> str:
        words = {
            "SECRET": self.secret,
            "REPOSITORY": REPOSITORY,
            "CANARY": self.canary.pid,
            "PORT": self.port,
            "HOST": _own_address(),
            "ABSTRACT": self.abstract,
        }
        for word, value in words.items():
            command = command.replace(f"@{word}@", str(value))
        return command

    def harm(self) -> Iterator[str]:
        """Yield what the last machines left, or did to the host."""
        opened, self.backend.opened = self.backend.opened, []
        deadline = time.monotonic() + _GONE
        left = self._left(opened)
        while left and time.monotonic() < deadline:
            time.sleep(0.02)
            left = self._left(opened)
        yield from left
        hits, self.hits = self.hits, []
        yield from (f"{hit} was reached" for hit in hits)
        if self.secret.read_text() != "host":
            yield "a file of the host was changed"
        if self.canary.poll() is not None:
            yield "a process of the host was killed"
        answer = self.sibling.exec(["bash", "-c", "cat /app/sibling /dev/shm/sibling"], timeout=10)
        if answer.stdout != b"sibling\nsibling\n":
            yield f"the sibling says {answer}"

    def _left(self, opened: list[Sandbox]) -> list[str]:
        inner = self.backend.inner
        if isinstance(inner, DockerBackend):
            left = [why for box in opened for why in _container_left(inner, box.id)]
        else:
            left = []
        now = self._state()
        left += [f"{name}: {was} became {now[name]}" for name, was in self.before.items()
                 if _worse(name, was, now[name])]  # fmt: skip
        return left

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = {
            f"sysctl {name}": _read(Path("/proc/sys") / name) for name in SETTINGS
        }
        state["clock"] = time.time() - time.monotonic()
        if not isinstance(self.backend.inner, DockerBackend):
            state["processes"] = len(_descendants())
            state["cgroups"] = sum(1 for _ in _own_groups("*/"))
            state["memory"] = max(map(_held, _own_groups("")), default=0)
            state["mounts"] = _read(Path("/proc/self/mountinfo")).count(cleanup.label())
        return state


_SIBLING = """
mkdir -p /app; echo sibling | tee /app/sibling /tmp/sibling > /dev/shm/sibling
setsid python3 -c 'import ctypes, socket, time
libc = ctypes.CDLL(None)
libc.shmget(0x7777, ctypes.c_size_t(4096), 0o1666); libc.msgget(0x7777, 0o1666)
s = socket.create_server(("127.0.0.1", 7777))
u = socket.socket(socket.AF_UNIX); u.bind("\\0tmax-sibling"); u.listen()
time.sleep(10000)' tmax-sibling > /dev/null 2>&1 < /dev/null &
"""


def _reached(attack: Attack, seen: Trajectory, at: int) -> tuple[str, ...]:
    """Return what the output of an attack, which began at a step, says that it reached."""
    steps = seen.steps[at : at + len(attack.commands)]
    lines = [line for step in steps for line in step.observation.splitlines()]
    found = [line for line in lines if BREACH in line and "END_OF" not in line]
    if seen.ending is not Ending.SUBMITTED:
        return tuple(found)
    if attack.quiet and not any(line.endswith("tried") for line in lines):
        found.append(f"it did not run: {' | '.join(lines)[-400:]}")
    if "alive" not in seen.steps[-1].observation and "alive" not in seen.steps[-2].observation:
        found.append(f"no shell answers: {seen.steps[-1].observation[-200:]}")
    return tuple(found)


def _worse(name: str, was: Any, now: Any) -> bool:
    if name == "clock":
        return bool(abs(now - was) > 1.0)
    if name == "memory":  # the sibling lives, and caches come and go
        return bool(now > was + _CACHES)
    if name in ("processes", "cgroups"):  # a sibling has its two processes, and one a controller
        return bool(now > was + _SPARE)
    return bool(now != was)


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")  # a name may hold any bytes
    except OSError:
        return ""


def _own_groups(below: str) -> Iterator[Path]:
    for parent in cgroups.layout().directories():
        yield from parent.glob(f"{cleanup.label()}*/{below}")


def _held(group: Path) -> int:
    """Return the bytes that a group holds, less what the kernel gives back when asked.

    What it keeps of files that were looked at (names, inodes) outlives the machine that looked:
    `rm -rf /` leaves 200 MB in five seconds.
    """
    used = _usage(group)
    if used > _CACHES:
        for name, words in (("memory.force_empty", "0"), ("memory.reclaim", str(used))):
            with contextlib.suppress(OSError):  # of the other version, or not all could be had
                (group / name).write_text(words)
        used = _usage(group)
    return used


def _usage(group: Path) -> int:
    return int(_read(group / "memory.usage_in_bytes") or _read(group / "memory.current") or 0)


def _descendants() -> set[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        stat = _read(entry / "stat") if entry.name.isdigit() else ""
        # gVisor runs programs in processes without a command line, and keeps those for later.
        if stat and "(exe)" not in stat:
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return found - {os.getpid()}


def _container_left(backend: DockerBackend, name: str) -> Iterator[str]:
    if backend.engine.api.containers(all=True, filters={"id": name}):
        yield f"container {name} is there"
    for group in Path("/sys/fs/cgroup").glob(f"*/*/*{name}*"):
        yield f"cgroup {group}"


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link, contextlib.suppress(OSError):
        link.connect(("192.0.2.1", 9))  # nothing is sent
        return str(link.getsockname()[0])
    return "127.0.0.2"
