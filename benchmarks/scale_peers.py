"""The Docker half of `scale.py`: many containers at once, and one exec per command.

Callers are many more than the engine bears side by side: the backend's own door has to keep
them in bounds.
"""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.shell import Shell

CALLERS = 32
"""With as many unbounded creators, Docker 20.10 came to a standstill (sandbox design §2)."""
EXECS, SIDE_BY_SIDE = 80, 4
"""Execs that are measured, and how many at once: 2 a core, more bring nothing."""


@dataclass(frozen=True, slots=True)
class Containers:
    """How many containers came up, and how they went."""

    size: int
    failures: int
    left: int
    """Machines that did not go."""
    start_seconds: float
    end_seconds: float

    def row(self) -> dict[str, float]:
        """Return the numbers."""
        return {
            "start_seconds": self.start_seconds,
            "starts_per_second": self.size / self.start_seconds,
            "end_seconds": self.end_seconds,
            "failures": self.failures,
            "left": self.left,
        }


def containers(docker: Backend, image: str, size: int) -> Containers:
    """Start containers with a shell each, all alive at the same time; then end them."""
    made: list[Sandbox] = []
    lock = threading.Lock()

    def start(number: int) -> bool:
        try:
            sandbox = docker.open(image)
            with lock:
                made.append(sandbox)
            return Shell(sandbox).run(f"echo {number}").output == f"{number}\n"
        except SandboxError as error:
            print(str(error).splitlines()[0], file=sys.stderr)
            return False

    def end(sandbox: Sandbox) -> bool:
        try:
            sandbox.close()
        except SandboxError as error:
            print(str(error).splitlines()[0], file=sys.stderr)
            return False
        return True

    with ThreadPoolExecutor(CALLERS) as pool:
        begun = time.perf_counter()
        answers = list(pool.map(start, range(size)))
        started = time.perf_counter()
        gone = list(pool.map(end, made))
        ended = time.perf_counter()
    return Containers(
        size, answers.count(False), gone.count(False), started - begun, ended - started
    )


def execs(docker: Backend, image: str) -> tuple[int, float]:
    """Return how many commands ran by one exec each, side by side, and the seconds of all."""
    import docker as sdk

    sandbox = docker.open(image)
    assert isinstance(docker, DockerBackend)
    assert isinstance(sandbox, DockerSandbox)
    local = threading.local()

    def run(_: int) -> None:
        if not hasattr(local, "api"):
            local.api = sdk.APIClient(base_url=sandbox.engine.address, version="auto")
        made = local.api.exec_create(sandbox.id, ["bash", "-c", ":"])
        local.api.exec_start(made["Id"])

    try:
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            list(pool.map(run, range(SIDE_BY_SIDE)))  # connections
            begun = time.perf_counter()
            list(pool.map(run, range(EXECS)))
            return EXECS, time.perf_counter() - begun
    finally:
        sandbox.close()
