"""Many native sandboxes at once: none fails, nothing is left."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.shell import Shell

MACHINES = 256
COMMANDS = 20


def descendants() -> set[int]:
    """Return every process below this one, from /proc alone."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found, grown = {os.getpid()}, True
    while grown:
        more = {p for p, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return found - {os.getpid()}


def mounts() -> int:
    return len(Path("/proc/self/mountinfo").read_text().splitlines())


def cgroups() -> int:
    return sum(1 for _ in Path("/sys/fs/cgroup").rglob("*tmax*"))


def test_256_sandboxes_run_20_commands_each_and_leave_nothing(
    native_backend: Backend, image: str
) -> None:
    native_backend.open(image).close()  # whatever is kept for the whole process is there now
    before = (len(descendants()), mounts(), cgroups())

    def start(number: int) -> tuple[Sandbox, Shell]:
        sandbox = native_backend.open(image)
        return sandbox, Shell(sandbox, cwd="/")

    def work(item: tuple[int, tuple[Sandbox, Shell]]) -> list[str]:
        number, (_, shell) = item
        return [shell.run(f"echo $(( {number} * {turn} ))").output for turn in range(COMMANDS)]

    with ThreadPoolExecutor(16) as pool:
        machines = list(pool.map(start, range(MACHINES)))
        answers = list(pool.map(work, enumerate(machines)))
        for sandbox, shell in machines:
            shell.close()
            sandbox.close()
    assert answers == [[f"{n * t}\n" for t in range(COMMANDS)] for n in range(MACHINES)]
    deadline = time.monotonic() + 20
    while (len(descendants()), mounts(), cgroups()) != before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert (len(descendants()), mounts(), cgroups()) == before
