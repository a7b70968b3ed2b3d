"""Measure how long a new episode takes to start: `env.reset()` with 20 task files.

Contenders take turns in every round, each with a real `TerminalEnv`; those without a target come
afterwards.  `native, same task` is the case of a group's members; `native, new task` lays out
files that no sandbox had before.  `docker, warm` finds a container in the pool, which is full again
before the next turn; `docker, cold` has no pool.  `docker run` starts a container with bash on a
terminal and waits for its first answer, without any files; it is made with the SDK and attached
before the start, which is its fastest way.
Without an engine, its rows and targets are left out, and `notes` says so.  `apptainer` and `gvisor`
have no target; `notes` has the figures of Ray's sandboxes on gVisor, which are not measured here.

    python benchmarks/reset.py [--rounds 40] [--json]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack

from benchmarks.script import Target, finish, median, options, table, timings, usable
from tests.support.tiny_tasks import tiny_task
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.errors import TmaxError
from tmax_gym.nodes import text
from tmax_gym.sandboxes import Backend, backend, images
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.docker.engine import Engine
from tmax_gym.sandboxes.pool.stats import quantile
from tmax_gym.tasks.compose import Task

SHARE = 0.1
"""Largest duration of a native reset of a new task, as a share of `docker run` (same run)."""
TIMES = 15.0
"""A `docker run` takes at least as long as so many native resets."""
P50 = {"native, same task": 10.0, "docker, warm": 15.0, "docker, cold": 160.0}
P99 = {"native, same task": 60.0, "docker, warm": 60.0}
"""Largest milliseconds (the project's goals)."""
OTHERS = ("apptainer", "gvisor")
"""Backends without a target."""
FILES, SIZE = 20, 2_550
"""20 files with 51 kB in all."""
RAY = (
    "Ray 2.60's own sandboxes on gVisor (`ray.experimental.sandbox`), not measured by this script: "
    "create 175 ms, exec 30 ms, delete 45 ms, no persistent shell, on a quiet machine of 2 cores"
)
_REFILL = 60.0
"""Seconds for the pool to be full again; 0.3 are usual."""

Start = Callable[[], float]
"""Starts a sandbox, destroys it, and returns the seconds until it was ready."""


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    given = options(__doc__, rounds=40)
    notes: list[str] = []
    with ExitStack() as opened:
        starts = contenders(opened, notes)
        for start in starts.values():
            start()  # the first one of a process opens connections and fills caches
        seconds = {name: list[float]() for name in starts}
        # What has a target first: a start on gVisor leaves the kernel much to clear away.
        others = [name for name in starts if name.startswith(OTHERS)]
        for names in ([name for name in starts if name not in others], others):
            for _ in range(given.rounds):
                for name in names:
                    seconds[name].append(starts[name]())
    results = timings({"reset": seconds}, notes)
    lines = [*table("reset", seconds, "native, same task"), *notes]
    return finish("reset", results, targets(seconds), given, lines)


def targets(seconds: Mapping[str, Sequence[float]]) -> dict[str, Target]:
    """Return the targets of the contenders that ran."""
    reached = {}
    for share, goals in ((0.5, P50), (0.99, P99)):
        for name, goal in goals.items():
            if name in seconds:
                value = quantile(sorted(seconds[name]), share) * 1e3
                label = name.replace(", ", "_").replace(" ", "_")
                reached[f"{label}_p{round(share * 100)}_ms"] = Target(value, goal)
    if "docker run" in seconds:
        run = median(seconds["docker run"])
        share = median(seconds["native, new task"]) / run
        reached["native_reset_per_docker_run"] = Target(share, SHARE)
        times = run / median(seconds["native, same task"])
        reached["docker_run_per_native_reset"] = Target(times, TIMES, at_most=False)
    return reached


def contenders(opened: ExitStack, notes: list[str]) -> dict[str, Start]:
    """Return the contenders that work on this machine."""
    image = images.default_image()
    native = backend("native")
    # The first sandbox of a group lays out the files; the others share them.
    first = TerminalEnv(task(0), backend=native, image=image)
    first.reset()
    opened.callback(first.close)
    starts: dict[str, Start] = {
        "native, new task": reset(native, image, fresh=True),
        "native, same task": reset(native, image, fresh=False),
    }
    for name, machines in usable(OTHERS, notes, image=image).items():
        starts[f"{name}, new task"] = reset(machines, image, fresh=True)
        if name == "gvisor":
            notes.append(RAY)
    warm, cold = DockerBackend(), DockerBackend(pool=0)
    if problem := warm.problem():
        notes.append(f"no rows for docker: {problem.splitlines()[0]}")
        return starts
    opened.callback(warm.close)
    opened.callback(cold.close)
    try:
        cold.open(image).close()
    except TmaxError as error:
        notes.append(f"no rows for docker: {str(error).splitlines()[0]}")
        return starts
    starts["docker, warm"] = refilled(warm, reset(warm, image, fresh=True))
    starts["docker, cold"] = reset(cold, image, fresh=True)
    starts["docker run"] = bare(cold, image)
    return starts


def task(serial: int) -> Task:
    """Return a task with files of its own."""
    nodes = [
        text(f"/app/part{n % 4}/file{n}.txt", f"{serial} {n}\n" + "x" * SIZE) for n in range(FILES)
    ]
    return tiny_task(f"reset.plain-{serial}", "Do nothing.", nodes=nodes)


def reset(sandboxes: Backend, image: str, *, fresh: bool) -> Start:
    """Return a start that resets an environment: with a new task each time, or always the same."""
    serial = time.time_ns() % 1_000_000_000

    def start() -> float:
        nonlocal serial
        serial += 1
        env = TerminalEnv(task(serial if fresh else 0), backend=sandboxes, image=image)
        try:
            begun = time.perf_counter()
            env.reset(seed=1)
            seconds = time.perf_counter() - begun
            observation = env.step("find /app -type f | wc -l; wc -c <part3/file19.txt")[0]
        finally:
            env.close()
        files, size = map(int, observation.split()[:2])
        assert files == FILES, observation
        assert size >= SIZE, observation
        return seconds

    return start


def refilled(docker: DockerBackend, start: Start) -> Start:
    """Return a start that afterwards waits until the pool is full again."""

    def full() -> float:
        seconds = start()
        deadline = time.monotonic() + _REFILL
        time.sleep(0.1)  # a refill begins a moment later
        while not docker.stats().waiting or docker.stats().creating:
            assert time.monotonic() < deadline, "the pool was not refilled"
            time.sleep(0.02)
        return seconds

    return full


def bare(docker: DockerBackend, image: str) -> Start:
    """Return a start of a container with bash, as `docker run -it` makes it."""
    engine = docker.engine
    reference = engine.image(image)

    def start() -> float:
        begun = time.perf_counter()
        container = engine.api.create_container(
            reference,
            ["bash", "--norc"],
            tty=True,
            stdin_open=True,
            host_config=engine.api.create_host_config(network_mode="none"),
        )["Id"]
        try:
            return _answered(engine, container) - begun
        finally:
            engine.api.remove_container(container, force=True)

    return start


def _answered(engine: Engine, container: str) -> float:
    """Start a container and return when its bash has answered."""
    attach = f"/containers/{container}/attach?stream=1&stdin=1&stdout=1"
    with engine.hijack(attach) as stream:
        engine.api.start(container)
        stream.sendall(b"echo re''ady\n")
        output = b""
        while b"ready" not in output:
            data = stream.recv(4096)
            assert data, output
            output += data
        return time.perf_counter()


if __name__ == "__main__":
    sys.exit(main())
