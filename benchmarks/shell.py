"""What a command costs: through our shell, through a bare pipe, by an exec of the engine.

All contenders take turns in every round, so that other load hits all of them alike.  The bare
pipe is the floor: one write and one read to a bash of this machine, no terminal, no wall.
Where no Docker answers, its rows and its target are left out, and it says so.

    python benchmarks/shell.py [--rounds 30] [--json]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, conclude, last_line, lines, median
from tmax_gym.errors import TmaxError
from tmax_gym.files import Node
from tmax_gym.sandboxes import backend, images
from tmax_gym.sandboxes.docker_sandbox import DockerSandbox
from tmax_gym.shell import Shell

SLOWDOWN = 10.0
"""What `:` may cost, times the bare pipe (the project's goal)."""
SPEEDUP = 100.0
"""How much faster than one exec a command has to be (the project's goal)."""
MANY, FEW = 40, 2
"""Commands a turn: cheap contenders, and those that take 50 ms."""
BIG = Node("/big", data=b"0123456789abcde\n" * (10_000_000 // 16))

Run = Callable[[str], int]
"""Runs a command and returns how many bytes it printed."""


class Pipe:
    """A bash on two pipes."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.inward, self.outward = self.process.stdin.fileno(), self.process.stdout.fileno()

    def run(self, command: str) -> int:
        """Run one command."""
        os.write(self.inward, f"{command}\nprintf '\\036%s\\n' $?\n".encode())
        total, tail = 0, b""
        while not (tail.endswith(b"\n") and b"\x1e" in tail):
            data = os.read(self.outward, 1 << 16)
            total += len(data)
            tail = (tail + data)[-8:]
        return total - 3  # the mark, one digit, the newline

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate()


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    notes: list[str] = []
    with ExitStack() as opened:
        runs, where = contenders(opened, notes)
        small = {name: list[float]() for name in runs}
        big = {name: list[float]() for name in runs}
        for turn in range(options.rounds):
            for name, run in runs.items():
                count = FEW if name == "docker exec" else MANY
                small[name] += [timed(run, ":", 0) for _ in range(count)]
                if turn % 5 == 0:
                    big[name].append(timed(run, f"cat {where[name]}", len(BIG.data or b"")))
    targets = {
        "native_command_times_bare_pipe": Target(
            median(small["native shell"]) / median(small["pipe"]), SLOWDOWN
        )
    }
    if "docker exec" in small:
        targets["docker_exec_times_native_command"] = Target(
            median(small["docker exec"]) / median(small["native shell"]), SPEEDUP, at_most=False
        )
        targets["docker_exec_times_docker_command"] = Target(
            median(small["docker exec"]) / median(small["docker shell"]), SPEEDUP, at_most=False
        )
    conclude("shell", {"colon": small, "10 MB": big}, targets, notes=notes, load=load)
    if not options.json:
        print("\n".join([*lines(":", small, "pipe"), "", *lines("10 MB", big, "pipe"), *notes]))
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def contenders(opened: ExitStack, notes: list[str]) -> tuple[dict[str, Run], dict[str, str]]:
    """Return what runs commands, and where each finds the large file."""
    directory = opened.enter_context(tempfile.TemporaryDirectory())
    local = Path(directory) / "big"
    local.write_bytes(BIG.data or b"")
    pipe = Pipe()
    opened.callback(pipe.close)
    runs: dict[str, Run] = {"pipe": pipe.run}
    where = {"pipe": str(local)}
    for name in ("native", "docker"):
        try:
            sandbox = backend(name).open(images.default_image())
        except TmaxError as error:
            if name == "native":
                raise
            notes.append(f"no rows for docker: {str(error).splitlines()[0]}")
            continue
        opened.callback(sandbox.close)
        sandbox.put([BIG])
        # The limit is raised so that nothing is thrown away: the pipe keeps nothing either.
        shell = opened.enter_context(Shell(sandbox, output_limit=32 << 20))
        runs[f"{name} shell"] = through(shell)
        where[f"{name} shell"] = BIG.path
        if isinstance(sandbox, DockerSandbox):
            runs["docker exec"] = by_exec(sandbox)
            where["docker exec"] = BIG.path
    return runs, where


def through(shell: Shell) -> Run:
    """Return a runner by our shell."""

    def run(command: str) -> int:
        result = shell.run(command, timeout=60.0)
        assert result.exit_code == 0, result
        return len(result.output_bytes)

    return run


def by_exec(sandbox: DockerSandbox) -> Run:
    """Return a runner by one exec a command, with the SDK's own calls."""
    import docker

    api = docker.APIClient(base_url=sandbox.engine.address, version="auto")

    def run(command: str) -> int:
        made = api.exec_create(sandbox.id, ["bash", "-c", command])
        return len(api.exec_start(made["Id"]))

    return run


def timed(run: Run, command: str, expected: int) -> float:
    """Return the seconds of one command, checking that all of its output came."""
    start = time.perf_counter()
    seen = run(command)
    seconds = time.perf_counter() - start
    assert seen == expected, f"{seen} bytes instead of {expected}"
    return seconds


if __name__ == "__main__":
    sys.exit(main())
