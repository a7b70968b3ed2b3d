"""What hundreds of machines cost at once: start, memory, commands in all, and as environments.

Covers 256 `native` sandboxes with a shell each; 16,384 commands through them, against one exec
of Docker per command (measured on a few in the same run, and scaled); 1,024 sandboxes in one
process; vector environments of both sizes; 256 containers from as many callers as come.
Commands are `:`, so that only what we add is measured.  Memory of user space is the
proportional set of a sandbox's first process and its bash; the kernel's is the growth of slabs,
stacks, page tables and per-cpu data.  Where no Docker answers, its targets are left out, and it
says so.

    python benchmarks/scale.py [--machines 256] [--many 1024] [--containers 256] [--json]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, median, store
from benchmarks.scale_peers import Containers, containers, execs
from tmax_gym.envs.vector import TerminalVectorEnv
from tmax_gym.errors import SandboxError, TmaxError
from tmax_gym.sandboxes import Backend, Sandbox, backend, images
from tmax_gym.shell import Shell
from tmax_gym.shell.scheduler import together
from tmax_gym.tasks.compose import Task
from tmax_gym.tasks.spec import StageRef, TaskSpec

START_SECONDS, MEGABYTES, RATE, TIMES = 3.0, 2.0, 15_000.0, 50.0
"""The project's goals for 256 sandboxes, and for 16,384 commands against as many execs."""
ROUNDS = 64
"""Commands in each machine: 256 x 64 are the 16,384 of a batch of rollouts."""
THREADS = 16
STEPS = 10
_KERNEL = ("Slab", "KernelStack", "PageTables", "Percpu")


@dataclass(slots=True)
class Fleet:
    """Machines that are up, and how they came up."""

    machines: list[tuple[Sandbox, Shell]] = field(default_factory=list)
    failures: int = 0
    seconds: float = 0.0
    user_mb: float = 0.0
    kernel_mb: float = 0.0

    @property
    def shells(self) -> list[Shell]:
        """Their shells."""
        return [shell for _, shell in self.machines]


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--machines", type=int, default=256)
    parser.add_argument("--many", type=int, default=1024, help="0 leaves it out")
    parser.add_argument("--containers", type=int, default=256, help="0 leaves Docker out")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    image = images.default_image()
    native = backend("native")
    native.open(image).close()  # the first of a process pays for the zygote
    seen, targets = commands(native, image, options.machines)
    notes: list[str] = []
    if options.many:
        with fleet(native, image, options.many) as many:
            seen[f"native {options.many}"] = row(many)
            targets[f"native_{options.many}_failures"] = Target(many.failures, 0)
            targets[f"native_{options.many}_megabytes_each"] = Target(many.user_mb, MEGABYTES)
    for size in (options.machines, options.many):
        if size:
            seen[f"vector {size}"] = vector(native, size)
    if options.containers:
        add_docker(image, options.containers, seen=seen, targets=targets, notes=notes)
    store("scale", {"notes": notes, "seen": seen}, targets, load=load)
    if not options.json:
        for name, values in seen.items():
            print(f"{name:24}", *(f"{k} {v:.6g}" for k, v in values.items()), sep="  ")
        print(*notes, sep="\n")
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def commands(
    native: Backend, image: str, size: int
) -> tuple[dict[str, dict[str, float]], dict[str, Target]]:
    """Start a fleet and run commands through it, both ways."""
    with fleet(native, image, size) as found:
        loop, threads = by_loop(found.shells), by_threads(found.shells)
        total = len(found.shells) * ROUNDS
        best = min(loop, threads)
        seen = {
            f"native {size}": row(found),
            "commands": {
                "count": total,
                "loop_seconds": loop,
                "loop_per_second": total / loop,
                "threads_seconds": threads,
                "threads_per_second": total / threads,
            },
        }
        targets = {
            f"native_{size}_seconds": Target(found.seconds, START_SECONDS),
            f"native_{size}_failures": Target(found.failures, 0),
            f"native_{size}_megabytes_each": Target(found.user_mb, MEGABYTES),
            "native_commands_per_second": Target(total / best, RATE, at_most=False),
        }
    return seen, targets


def add_docker(
    image: str,
    size: int,
    *,
    seen: dict[str, dict[str, float]],
    targets: dict[str, Target],
    notes: list[str],
) -> None:
    """Measure containers and execs, or say why not."""
    try:
        docker = backend("docker")
        docker.open(image).close()
    except TmaxError as error:
        notes.append(f"no rows for docker: {str(error).splitlines()[0]}")
        return
    found: Containers = containers(docker, image, size)
    seen[f"docker {size}"] = found.row()
    targets[f"docker_{size}_failures"] = Target(found.failures, 0)
    targets[f"docker_{size}_left"] = Target(found.left, 0)
    count, seconds = execs(docker, image)
    total = seen["commands"]["count"]
    ours = min(seen["commands"]["loop_seconds"], seen["commands"]["threads_seconds"])
    seen["docker exec"] = {"count": count, "seconds": seconds, "per_second": count / seconds}
    notes.append(f"docker exec: {count} measured, scaled to {total:.0f}")
    times = total * seconds / count / ours
    targets["docker_exec_times_native_for_all"] = Target(times, TIMES, at_most=False)


@contextmanager
def fleet(native: Backend, image: str, size: int) -> Iterator[Fleet]:
    """Start machines with a shell each, and measure them; end them all."""
    found = Fleet()

    def start(_: int) -> tuple[Sandbox, Shell] | None:
        try:
            sandbox = native.open(image)
            try:
                return sandbox, Shell(sandbox)
            except SandboxError:
                sandbox.close()
        except SandboxError as error:
            print(str(error).splitlines()[0], file=sys.stderr)
        return None

    before = kernel_mb()
    with ThreadPoolExecutor(THREADS) as pool:
        begun = time.perf_counter()
        started = list(pool.map(start, range(size)))
        found.seconds = time.perf_counter() - begun
        found.machines = [machine for machine in started if machine]
        found.failures = size - len(found.machines)
        try:
            count = max(1, len(found.machines))
            found.kernel_mb = (kernel_mb() - before) / count
            found.user_mb = user_mb() / count
            yield found
        finally:
            list(pool.map(lambda machine: machine[0].close(), found.machines))
            for shell in found.shells:
                shell.close()


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
            ends = together({at: shell.steps(":") for at, shell in enumerate(shells)}, pool)
            assert all(end.result().exit_code == 0 for end in ends.values())
        return time.perf_counter() - begun


def vector(native: Backend, size: int) -> dict[str, float]:
    """Return what environments cost: start, step, memory, and how even they are served."""
    before = own_mb()
    envs = TerminalVectorEnv(size, empty_task(), backend=native)
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
        # A quarter sleeps: the others must not notice.
        begun = time.perf_counter()
        *_, infos = envs.step(["sleep 1" if at % 4 == 0 else ":" for at in range(size)])
        mixed = time.perf_counter() - begun
        quick = max(s for at, s in enumerate(infos["seconds"].tolist()) if at % 4)
        return {
            "start_seconds": started,
            "step_ms_each": median(steps) / size * 1e3,
            "python_mb_each": (own_mb() - before) / size,
            "slowest_times_median": median(uneven),
            "quarter_sleeps_1s_step_seconds": mixed,
            "quarter_sleeps_1s_slowest_other": quick,
        }
    finally:
        envs.close()


def empty_task() -> Task:
    """Return a task without a world: what is measured is not its content."""
    spec = TaskSpec(
        name="empty", domain="data_processing", skill="none", primitives=(), persona="",
        language="bash", complexity="short", commands="bash", fixture="text_only",
        verifier="exact_text", skin="none", register="plain", explicitness="explicit",
        plan=(StageRef("empty"),), seed=0, level=0.0, image="core", split="train",
    )  # fmt: skip
    return Task(
        spec=spec, instruction="Do nothing.", nodes=(), setup=(), oracle=(), checks=(), gates=(),
        outputs=(), hidden=(), volatile=(), tools=(), clauses=(), digest="empty",
    )  # fmt: skip


def row(found: Fleet) -> dict[str, float]:
    """Return a fleet's numbers."""
    return {
        "seconds": found.seconds,
        "failures": found.failures,
        "user_mb_each": found.user_mb,
        "kernel_mb_each": found.kernel_mb,
    }


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
    """Return what the kernel uses for its own tables."""
    fields = dict(line.split(":") for line in _lines("/proc/meminfo"))
    return sum(int(fields[name].split()[0]) for name in _KERNEL if name in fields) / 1024


def own_mb() -> float:
    """Return the resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _children(pid: int) -> list[int]:
    return [int(word) for word in " ".join(_lines(f"/proc/{pid}/task/{pid}/children")).split()]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:  # it has just ended
        return []


if __name__ == "__main__":
    sys.exit(main())
