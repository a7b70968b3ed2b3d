"""Measure hundreds of sandboxes at once: start, memory, commands, and vector environments.

Measures 256 `native` sandboxes with a shell each; 16,384 commands in them, against one
`docker exec` per command (a few are measured in the same run, and scaled); 1,024 sandboxes in one
process; vector environments of both sizes; 256 containers that many callers start.
Commands are `:`, so that only our own cost is measured.  User memory is the proportional set size
of a sandbox's first process and its bash; kernel memory is the growth of slabs, stacks, page
tables and per-CPU data.  Without Docker, its targets are left out, and `notes` says so.

    python benchmarks/scale.py [--machines 256] [--many 1024] [--containers 256] [--json]
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.script import Target, exec_calls, finish, median, memory, options
from tests.support.tiny_tasks import tiny_task
from tmax_gym.envs.vector import TerminalVectorEnv
from tmax_gym.errors import SandboxError, TmaxError
from tmax_gym.sandboxes import Backend, Sandbox, backend, images
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.shell import Shell
from tmax_gym.shell.scheduler import run_all

START_SECONDS, MEGABYTES, RATE, TIMES = 3.0, 2.0, 15_000.0, 50.0
"""The project's goals for 256 sandboxes, and for 16,384 commands against as many execs."""
ROUNDS = 64
"""Commands in each sandbox: 256 x 64 are the 16,384 of a batch of rollouts."""
THREADS, CALLERS = 16, 32
"""Threads that start sandboxes: of `native`, and of `docker`, whose backend has to limit them
because Docker 20.10 stands still with so many creators at once."""
EXECS, SIDE_BY_SIDE = 80, 4
"""Execs in all, and at once: 2 for each core, as more are not faster."""
STEPS = 10
_KERNEL = ("Slab", "KernelStack", "PageTables", "Percpu")


@dataclass(slots=True)
class Fleet:
    """Sandboxes that are running, and the cost of starting them."""

    sandboxes: list[tuple[Sandbox, Shell]] = field(default_factory=list)
    failures: int = 0
    seconds: float = 0.0
    user_mb: float = 0.0
    kernel_mb: float = 0.0
    end_seconds: float = 0.0
    left: int = 0
    """Sandboxes that could not be destroyed."""

    @property
    def shells(self) -> list[Shell]:
        """Return their shells."""
        return [shell for _, shell in self.sandboxes]

    def row(self) -> dict[str, float]:
        """Return the figures."""
        return {
            "seconds": self.seconds,
            "failures": self.failures,
            "user_mb_each": self.user_mb,
            "kernel_mb_each": self.kernel_mb,
        }


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    many, docker = (1024, "0 leaves it out"), (256, "0 leaves Docker out")
    given = options(__doc__, machines=256, many=many, containers=docker)
    image = images.default_image()
    native = backend("native")
    native.open(image).close()  # the first one of a process starts the zygote
    figures, targets = commands(native, image, given.machines)
    notes: list[str] = []
    if given.many:
        with fleet(native, image, given.many) as large:
            figures[f"native {given.many}"] = large.row()
            targets[f"native_{given.many}_failures"] = Target(large.failures, 0)
            targets[f"native_{given.many}_megabytes_each"] = Target(large.user_mb, MEGABYTES)
    for size in filter(None, (given.machines, given.many)):
        figures[f"vector {size}"] = vector(native, size)
    if given.containers:
        add_docker(image, given.containers, figures=figures, targets=targets, notes=notes)
    lines = [
        "  ".join([f"{name:24}", *(f"{key} {value:.6g}" for key, value in values.items())])
        for name, values in figures.items()
    ]
    results = {"notes": notes, "seen": figures}
    return finish("scale", results, targets, given, [*lines, *notes])


def commands(
    native: Backend, image: str, size: int
) -> tuple[dict[str, dict[str, float]], dict[str, Target]]:
    """Start a fleet and run commands in it, with one thread and with many."""
    with fleet(native, image, size) as started:
        loop, threads = by_loop(started.shells), by_threads(started.shells)
        total = len(started.shells) * ROUNDS
        best = min(loop, threads)
        figures = {
            f"native {size}": started.row(),
            "commands": {
                "count": total,
                "loop_seconds": loop,
                "loop_per_second": total / loop,
                "threads_seconds": threads,
                "threads_per_second": total / threads,
            },
        }
        targets = {
            f"native_{size}_seconds": Target(started.seconds, START_SECONDS),
            f"native_{size}_failures": Target(started.failures, 0),
            f"native_{size}_megabytes_each": Target(started.user_mb, MEGABYTES),
            "native_commands_per_second": Target(total / best, RATE, at_most=False),
        }
    return figures, targets


def add_docker(
    image: str,
    size: int,
    *,
    figures: dict[str, dict[str, float]],
    targets: dict[str, Target],
    notes: list[str],
) -> None:
    """Measure containers and execs, or note why not."""
    try:
        docker = backend("docker")
        docker.open(image).close()
    except TmaxError as error:
        notes.append(f"no rows for docker: {str(error).splitlines()[0]}")
        return
    with fleet(docker, image, size, threads=CALLERS) as started:
        pass
    figures[f"docker {size}"] = {
        "start_seconds": started.seconds,
        "starts_per_second": size / started.seconds,
        "end_seconds": started.end_seconds,
        "failures": started.failures,
        "left": started.left,
    }
    targets[f"docker_{size}_failures"] = Target(started.failures, 0)
    targets[f"docker_{size}_left"] = Target(started.left, 0)
    count, seconds = EXECS, execs(docker, image)
    total = figures["commands"]["count"]
    ours = min(figures["commands"]["loop_seconds"], figures["commands"]["threads_seconds"])
    figures["docker exec"] = {"count": count, "seconds": seconds, "per_second": count / seconds}
    notes.append(f"docker exec: {count} measured, scaled to {total:.0f}")
    times = total * seconds / count / ours
    targets["docker_exec_times_native_for_all"] = Target(times, TIMES, at_most=False)


@contextmanager
def fleet(sandboxes: Backend, image: str, size: int, *, threads: int = THREADS) -> Iterator[Fleet]:
    """Start sandboxes with a shell each, and measure them; close them at the end."""
    result = Fleet()

    def start(_: int) -> tuple[Sandbox, Shell] | None:
        with reported():
            sandbox = sandboxes.open(image)
            try:
                return sandbox, Shell(sandbox)
            except SandboxError:
                sandbox.close()
                raise
        return None

    def end(each: tuple[Sandbox, Shell]) -> bool:
        with reported():
            each[0].close()
            return True
        return False

    before = kernel_mb()
    with ThreadPoolExecutor(threads) as pool:
        begun = time.perf_counter()
        started = list(pool.map(start, range(size)))
        result.seconds = time.perf_counter() - begun
        result.sandboxes = [each for each in started if each]
        result.failures = size - len(result.sandboxes)
        try:
            count = max(1, len(result.sandboxes))
            result.kernel_mb = (kernel_mb() - before) / count
            result.user_mb = user_mb() / count
            yield result
        finally:
            begun = time.perf_counter()
            result.left = list(pool.map(end, result.sandboxes)).count(False)
            result.end_seconds = time.perf_counter() - begun
            for shell in result.shells:
                shell.close()


@contextmanager
def reported() -> Iterator[None]:
    """Print the failure of a sandbox and go on."""
    try:
        yield
    except SandboxError as error:
        print(str(error).splitlines()[0], file=sys.stderr)


def execs(docker: Backend, image: str) -> float:
    """Run commands by one exec each, some at once; return the seconds of all."""
    sandbox = docker.open(image)
    assert isinstance(sandbox, DockerSandbox)
    local = threading.local()

    def run(_: int) -> None:
        if not hasattr(local, "run"):
            local.run = exec_calls(sandbox)
        local.run(":")

    try:
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            list(pool.map(run, range(SIDE_BY_SIDE)))  # connections
            begun = time.perf_counter()
            list(pool.map(run, range(EXECS)))
            return time.perf_counter() - begun
    finally:
        sandbox.close()


def by_threads(shells: Sequence[Shell]) -> float:
    """Return the seconds for all commands, each thread serving its shells in turn."""

    def work(first: int) -> None:
        for _ in range(ROUNDS):
            for shell in shells[first::THREADS]:
                assert shell.run(":").exit_code == 0

    with ThreadPoolExecutor(THREADS) as pool:
        begun = time.perf_counter()
        list(pool.map(work, range(THREADS)))
        return time.perf_counter() - begun


def by_loop(shells: Sequence[Shell]) -> float:
    """Return the seconds for all commands, driven by one thread, round by round."""
    with ThreadPoolExecutor(1) as pool:
        begun = time.perf_counter()
        for _ in range(ROUNDS):
            ends = run_all({at: shell.steps(":") for at, shell in enumerate(shells)}, pool)
            assert all(end.result().exit_code == 0 for end in ends.values())
        return time.perf_counter() - begun


def vector(native: Backend, size: int) -> dict[str, float]:
    """Measure environments: start, step, memory, and how evenly they are served."""
    before = memory("VmRSS")
    task = tiny_task("empty.plain-1", "Do nothing.")
    envs = TerminalVectorEnv(size, task, backend=native)
    try:
        begun = time.perf_counter()
        envs.reset(seed=0)
        started = time.perf_counter() - begun
        steps, uneven = [], []
        for _ in range(STEPS):
            begun = time.perf_counter()
            *_, infos = envs.step([":"] * size)
            steps.append(time.perf_counter() - begun)
            assert not infos["exit_code"].any(), infos
            waits = sorted(infos["seconds"].tolist())
            uneven.append(waits[-1] / median(waits))
        # A quarter sleeps: the others must not be slower.
        begun = time.perf_counter()
        *_, infos = envs.step(["sleep 1" if at % 4 == 0 else ":" for at in range(size)])
        mixed = time.perf_counter() - begun
        quick = max(s for at, s in enumerate(infos["seconds"].tolist()) if at % 4)
        return {
            "start_seconds": started,
            "step_ms_each": median(steps) / size * 1e3,
            "python_mb_each": (memory("VmRSS") - before) / (1 << 20) / size,
            "slowest_times_median": median(uneven),
            "quarter_sleeps_1s_step_seconds": mixed,
            "quarter_sleeps_1s_slowest_other": quick,
        }
    finally:
        envs.close()


def user_mb() -> float:
    """Return the proportional memory of everything below this process but the zygote itself."""
    total = 0
    for zygote in _children(os.getpid()):
        pending = _children(zygote)
        while pending:
            pid = pending.pop()
            pending += _children(pid)
            for line in _lines(f"/proc/{pid}/smaps_rollup"):
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
    return total / 1024


def kernel_mb() -> float:
    """Return the memory of the kernel's own tables."""
    fields = dict(line.split(":") for line in _lines("/proc/meminfo"))
    return sum(int(fields[name].split()[0]) for name in _KERNEL if name in fields) / 1024


def _children(pid: int) -> list[int]:
    return [int(word) for word in " ".join(_lines(f"/proc/{pid}/task/{pid}/children")).split()]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:  # it has just ended
        return []


if __name__ == "__main__":
    sys.exit(main())
