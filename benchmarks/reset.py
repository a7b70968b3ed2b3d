"""What a new episode's machine costs: from nothing to 20 task files and an answered prompt.

Contenders take turns in every round.  `native, new task`, the one with the target, lays out
files that no machine had before; `native, same task` is what every other episode of a group
pays.  `docker run` starts a container with bash on a terminal and waits for its first answer,
without any files; by the SDK and attached before the start, its fastest way.  Where no Docker
answers, its rows and the target are left out, and it says so.

    python benchmarks/reset.py [--rounds 15] [--json]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, conclude, last_line, lines, median
from tmax_gym.errors import TmaxError
from tmax_gym.files import digest, text
from tmax_gym.sandboxes import Backend, Layer, backend, images
from tmax_gym.sandboxes.docker import DockerBackend
from tmax_gym.sandboxes.docker_engine import Engine
from tmax_gym.shell import Shell

SHARE = 0.1
"""What a native reset may take of a `docker run` in the same run (the project's goal)."""
FILES, SIZE = 20, 2_550
"""20 files of 51 kB in all: what the design was measured with."""

Start = Callable[[], float]
"""Makes a machine ready, destroys it, and returns the seconds until it was ready."""


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    notes: list[str] = []
    with ExitStack() as opened:
        starts = contenders(opened, notes)
        for start in starts.values():
            start()  # the first of a process pays for connections and caches
        seconds = {name: list[float]() for name in starts}
        for _ in range(options.rounds):
            for name, start in starts.items():
                seconds[name].append(start())
    targets = {}
    if "docker run" in seconds:
        share = median(seconds["native, new task"]) / median(seconds["docker run"])
        targets["native_reset_per_docker_run"] = Target(share, SHARE)
    conclude("reset", {"reset": seconds}, targets, notes=notes, load=load)
    if not options.json:
        print("\n".join([*lines("reset", seconds, "native, same task"), *notes]))
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def contenders(opened: ExitStack, notes: list[str]) -> dict[str, Start]:
    """Return what there is on this machine."""
    image = images.default_image()
    native = backend("native")
    kept = task(0)
    # A group's first machine holds the layer; the others find it.
    opened.callback(native.open(image, layer=kept).close)
    starts: dict[str, Start] = {
        "native, new task": ready(native, image, fresh=True),
        "native, same task": ready(native, image, fresh=False),
    }
    try:
        docker = backend("docker")
        docker.open(image).close()
    except TmaxError as error:
        notes.append(f"no rows for docker: {str(error).splitlines()[0]}")
        return starts
    assert isinstance(docker, DockerBackend)
    starts["docker"] = ready(docker, image, fresh=True)
    starts["docker run"] = bare(docker, image)
    return starts


def task(serial: int) -> Layer:
    """Return the files of a task."""
    nodes = tuple(
        text(f"/app/part{n % 4}/file{n}.txt", f"{serial} {n}\n" + "x" * SIZE) for n in range(FILES)
    )
    return Layer(digest(nodes), nodes)


def ready(where: Backend, image: str, *, fresh: bool) -> Start:
    """Return a start by our backend, with files and our shell."""
    serial = time.time_ns() % 1_000_000_000

    def start() -> float:
        nonlocal serial
        serial += 1
        layer = task(serial if fresh else 0)
        begun = time.perf_counter()
        sandbox = where.open(image, layer=layer)
        try:
            with Shell(sandbox, cwd="/app") as shell:
                result = shell.run("echo ready")
                seconds = time.perf_counter() - begun
                staged = shell.run("find /app -type f | wc -l; wc -c <part3/file19.txt")
        finally:
            sandbox.close()
        assert result.output == "ready\n", result
        files, size = map(int, staged.output.split())
        assert files == FILES
        assert size >= SIZE
        return seconds

    return start


def bare(docker: DockerBackend, image: str) -> Start:
    """Return a start of a container with bash, as `docker run -it` makes it."""
    engine = docker.engine
    reference = engine.image(image)

    def start() -> float:
        begun = time.perf_counter()
        made = engine.api.create_container(
            reference,
            ["bash", "--norc"],
            tty=True,
            stdin_open=True,
            host_config=engine.api.create_host_config(network_mode="none"),
        )["Id"]
        try:
            return _answered(engine, made) - begun
        finally:
            engine.api.remove_container(made, force=True)

    return start


def _answered(engine: Engine, container: str) -> float:
    """Start a container and return when its bash has answered."""
    attach = f"/containers/{container}/attach?stream=1&stdin=1&stdout=1"
    with engine.hijack(attach) as stream:
        engine.api.start(container)
        stream.sendall(b"echo re''ady\n")
        seen = b""
        while b"ready" not in seen:
            data = stream.recv(4096)
            assert data, seen
            seen += data
        return time.perf_counter()


if __name__ == "__main__":
    sys.exit(main())
