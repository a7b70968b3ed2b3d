"""Many native sandboxes at once, bare and as environments: none fails, nothing is left."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.tiny_tasks import halves_task
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.shell import Shell
from tmax_gym.vector import TerminalVectorEnv

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


OWN = f"tmax-{os.getpid()}-"
"""In the name of all that this process makes; other things come and go meanwhile."""


def mounts() -> int:
    return Path("/proc/self/mountinfo").read_text().count(OWN)


def cgroups() -> int:
    places = os.walk("/sys/fs/cgroup", onerror=lambda _: None)
    return sum(OWN in path for path, _, _ in places)


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
    await_state(before)


def await_state(before: tuple[int, int, int]) -> None:
    deadline = time.monotonic() + 20
    while (len(descendants()), mounts(), cgroups()) != before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert (len(descendants()), mounts(), cgroups()) == before


@pytest.mark.slow
def test_1024_environments_step_in_one_process_and_leave_nothing(native_backend: Backend) -> None:
    native_backend.open("host").close()
    before = (len(descendants()), mounts(), cgroups())
    envs = TerminalVectorEnv(1024, halves_task(), backend=native_backend)
    envs.reset()
    for turn in range(3):
        shown = envs.step([f"echo {turn}.{number}" for number in range(1024)])[0]
        assert [text.split("\n")[0] for text in shown] == [f"{turn}.{n}" for n in range(1024)]
    envs.close()
    await_state(before)
