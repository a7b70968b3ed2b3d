"""Many native sandboxes at once, bare and as environments: none fails, nothing is left."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.tiny_tasks import halves_task
from tmax_gym.envs.vector import TerminalVectorEnv
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.shell import Shell

MACHINES = 256
COMMANDS = 20


def descendants() -> set[str]:
    """Return every process below this one, from /proc alone: numbers return, so with its start."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_bytes()  # a process may have any name
            except OSError:
                continue
            fields = stat.rpartition(b")")[2].decode().split()
            parents[int(entry.name)] = int(fields[1]), f"process {entry.name} of {fields[19]}"
    found, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, (parent, _) in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return {parents[pid][1] for pid in found - {os.getpid()} if pid in parents}


OWN = f"tmax-{os.getpid()}-"
"""In the name of all that this process makes; other things come and go meanwhile."""


def mounts() -> set[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {line.split()[4] for line in lines if OWN in line}


def cgroups() -> set[str]:
    places = os.walk("/sys/fs/cgroup", onerror=lambda _: None)
    return {path for path, _, _ in places if OWN in path}


def present() -> set[str]:
    """Return all that sandboxes of this process leave where they are not ended."""
    return descendants() | mounts() | cgroups()


def test_256_sandboxes_run_20_commands_each_and_leave_nothing(
    native_backend: Backend, image: str
) -> None:
    native_backend.open(image).close()  # whatever is kept for the whole process is there now
    before = present()

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


def await_state(before: set[str]) -> None:
    """Wait until nothing is there that was not before; what was may have gone."""
    deadline = time.monotonic() + 60
    while present() - before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert present() - before == set()


@pytest.mark.slow
def test_1024_environments_step_in_one_process_and_leave_nothing(native_backend: Backend) -> None:
    native_backend.open("host").close()
    before = present()
    envs = TerminalVectorEnv(1024, halves_task(), backend=native_backend)
    envs.reset()
    for turn in range(3):
        shown = envs.step([f"echo {turn}.{number}" for number in range(1024)])[0]
        assert [text.split("\n")[0] for text in shown] == [f"{turn}.{n}" for n in range(1024)]
    envs.close()
    await_state(before)
