"""Measure many containers at once, and one exec per command: the Docker part of `scale.py`.

There are many more callers than the engine can serve at once, so that the backend has to limit
them.
"""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.shell import Shell

CALLERS = 32
"""With so many creators at once, Docker 20.10 stands still."""
EXECS, SIDE_BY_SIDE = 80, 4
"""Execs in all, and at once: 2 for each core, as more are not faster."""


def containers(docker: Backend, image: str, size: int) -> dict[str, float]:
    """Start containers with a shell each, all alive at once, then end them; return the figures."""
    opened: list[Sandbox] = []
    lock = threading.Lock()

    def start(number: int) -> bool:
        try:
            sandbox = docker.open(image)
            with lock:
                opened.append(sandbox)
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
        closed = list(pool.map(end, opened))
        ended = time.perf_counter()
    return {
        "start_seconds": started - begun,
        "starts_per_second": size / (started - begun),
        "end_seconds": ended - started,
        "failures": answers.count(False),
        "left": closed.count(False),
    }


def execs(docker: Backend, image: str) -> tuple[int, float]:
    """Run commands by one exec each, some at once; return their number and the seconds of all."""
    import docker as sdk

    sandbox = docker.open(image)
    assert isinstance(docker, DockerBackend)
    assert isinstance(sandbox, DockerSandbox)
    local = threading.local()

    def run(_: int) -> None:
        if not hasattr(local, "api"):
            local.api = sdk.APIClient(base_url=sandbox.engine.address, version="auto")
        created = local.api.exec_create(sandbox.id, ["bash", "-c", ":"])
        local.api.exec_start(created["Id"])

    try:
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            list(pool.map(run, range(SIDE_BY_SIDE)))  # connections
            begun = time.perf_counter()
            list(pool.map(run, range(EXECS)))
            return EXECS, time.perf_counter() - begun
    finally:
        sandbox.close()
