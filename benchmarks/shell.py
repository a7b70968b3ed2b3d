"""Measure what a command costs: in our shell, on a bare pipe, and by `docker exec`.

Contenders take turns in every round, so that other load affects all of them alike, and are made
again for each round: a pipe takes 14 or 41 us, depending on whether its process shares our CPU,
and that stays the same while the process lives.  The bare pipe is the lower limit: one write to a
bash of this machine and one read, without a terminal and without isolation.
10 MB of output come from `zcat` of a log, which works for its output and has the target, from
`yes`, and from `cat`, which does no work: a pipe carries 64 kB at a time, a Linux terminal 4 kB.
`bare terminal` is the lower limit of a terminal, a loop of poll and read; for `yes` and `cat` it
takes 5 to 25 times as long as a pipe.  1 GB is printed once, to measure memory.
`program` starts one, `/bin/true`, from each shell.  `gvisor exec` is a client of `runsc` a
command, `apptainer exec` one of Apptainer.
Without one of these, its rows and targets are left out, and `notes` says so.

    python benchmarks/shell.py [--rounds 30] [--json]
"""

from __future__ import annotations

import gzip
import os
import pty
import select
import subprocess
import sys
import tempfile
import termios
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.script import (
    Target,
    exec_calls,
    finish,
    median,
    memory,
    options,
    reset_peak,
    table,
    timings,
)
from tmax_gym.errors import TmaxError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import Sandbox, backend, images
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.shell import Shell

SLOWDOWN = 5.0
"""Largest cost of `:` and of 10 MB of output, in bare pipes (the project's goal)."""
MEGABYTES = 100.0
"""Largest growth of this process while 1 GB is printed (the project's goal)."""
SPEEDUP = 100.0
"""How much faster than one exec a command has to be (the project's goal)."""
MANY, FEW = 40, 2
"""Commands in a turn: of fast contenders, and of those that take 50 ms."""
LARGE, HUGE = 10_000_000, 1_000_000_000
YES = "yes 0123456789abcde | head -c {}"
BIG = Node("/big", data=b"0123456789abcde\n" * (LARGE // 16))

Run = Callable[[str], int]
"""Runs a command and returns how many bytes it printed."""


def packed() -> Node:
    """Return a compressed log of 10 MB, whose lines differ."""
    rows = (
        f"{n * 7919 % 86_400:05d} node{n % 17} request {n} took {n * n % 977} ms, status "
        f"{200 + n % 5}\n"
        for n in range(LARGE // 40)
    )
    text = "".join(rows).encode()[:LARGE]
    assert len(text) == LARGE
    return Node("/log.gz", data=gzip.compress(text, 6, mtime=0))


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


class Tty:
    """A terminal without a shell: a new bash for each command."""

    def run(self, command: str) -> int:
        """Run one command."""
        master, slave = pty.openpty()
        modes = termios.tcgetattr(slave)
        modes[1] &= ~termios.OPOST
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-c", command], stdout=slave, stdin=subprocess.DEVNULL
        )
        os.close(slave)
        poller = select.poll()
        poller.register(master, select.POLLIN)
        total = 0
        while poller.poll():
            try:
                total += len(os.read(master, 1 << 16))
            except OSError:  # nobody holds the other side any more
                break
        process.wait()
        os.close(master)
        return total


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    given = options(__doc__, rounds=30)
    notes: list[str] = []
    grown = growth()  # first, while no memory is left over from other large outputs
    small, programs, unpacked, repeated, copied = (
        defaultdict[str, list[float]](list) for _ in range(5)
    )
    large = (BIG, packed())
    for turn in range(given.rounds):
        with ExitStack() as opened:
            runs, directories = contenders(opened, notes, large)
            for name, run in runs.items():
                count = FEW if name.endswith(" exec") else MANY
                if name != "bare terminal":
                    timed(run, ":", 0)
                    small[name] += [timed(run, ":", 0) for _ in range(count)]
                    programs[name] += [timed(run, "/bin/true", 0) for _ in range(FEW)]
                if turn % 5 == 0:
                    directory = directories[name]
                    unpacked[name].append(timed(run, f"zcat {directory}/log.gz", LARGE))
                    repeated[name].append(timed(run, YES.format(LARGE), LARGE))
                    copied[name].append(timed(run, f"cat {directory}/big", LARGE))
    seconds = {"colon": small, "program": programs, "10 MB of zcat": unpacked}
    seconds |= {"10 MB of yes": repeated, "10 MB of cat": copied}
    notes = sorted(set(notes))
    targets = compare(small, unpacked) | {"native_1_gb_megabytes": Target(grown, MEGABYTES)}
    lines = [line for title, rows in seconds.items() for line in (*table(title, rows, "pipe"), "")]
    return finish("shell", timings(seconds, notes), targets, given, [*lines, *notes])


def compare(
    small: Mapping[str, Sequence[float]], large: Mapping[str, Sequence[float]]
) -> dict[str, Target]:
    """Return the targets that are ratios."""
    ours = median(small["native shell"])
    targets = {
        "native_command_times_bare_pipe": Target(ours / median(small["pipe"]), SLOWDOWN),
        "native_10_mb_times_bare_pipe": Target(
            median(large["native shell"]) / median(large["pipe"]), SLOWDOWN
        ),
    }
    if "docker exec" in small:
        by_exec = median(small["docker exec"])
        targets["docker_exec_times_native_command"] = Target(by_exec / ours, SPEEDUP, at_most=False)
        targets["docker_exec_times_docker_command"] = Target(
            by_exec / median(small["docker shell"]), SPEEDUP, at_most=False
        )
    return targets


def growth() -> float:
    """Return the megabytes by which this process grows while a command prints 1 GB."""
    sandbox = backend("native").open(images.default_image())
    try:
        with Shell(sandbox) as shell:
            shell.run(":")
            reset_peak()
            before = memory("VmRSS")
            result = shell.run(YES.format(HUGE), timeout=300.0)
            grown = (memory("VmHWM") - before) / (1 << 20)
    finally:
        sandbox.close()
    assert result.exit_code == 0, result.notice
    assert len(result.output_bytes) + result.truncated_bytes == HUGE
    return grown


def contenders(
    opened: ExitStack, notes: list[str], large: Sequence[Node]
) -> tuple[dict[str, Run], dict[str, str]]:
    """Return the contenders, and the directory where each finds the large files."""
    local = opened.enter_context(tempfile.TemporaryDirectory())
    for node in large:
        Path(local + node.path).write_bytes(node.data or b"")
    pipe = Pipe()
    opened.callback(pipe.close)
    runs: dict[str, Run] = {"pipe": pipe.run, "bare terminal": Tty().run}
    directories = {"pipe": local, "bare terminal": local}
    for name in ("native", "apptainer", "gvisor", "docker"):
        try:
            sandbox = backend(name).open(images.default_image())
        except TmaxError as error:
            if name == "native":
                raise
            notes.append(f"no rows for {name}: {str(error).splitlines()[0]}")
            continue
        opened.callback(sandbox.close)
        sandbox.put(large)
        # The limit is so high that no output is dropped.
        shell = opened.enter_context(Shell(sandbox, output_limit=32 << 20))
        runs[f"{name} shell"] = through(shell)
        directories[f"{name} shell"] = ""
        if isinstance(sandbox, DockerSandbox):
            runs["docker exec"] = exec_calls(sandbox)
            directories["docker exec"] = ""
        elif name != "native":
            runs[f"{name} exec"] = through_exec(sandbox)
            directories[f"{name} exec"] = ""
    return runs, directories


def through(shell: Shell) -> Run:
    """Return a contender that uses our shell."""

    def run(command: str) -> int:
        result = shell.run(command, timeout=60.0)
        assert result.exit_code == 0, result
        return len(result.output_bytes)

    return run


def through_exec(sandbox: Sandbox) -> Run:
    """Return a contender that starts a bash for each command."""

    def run(command: str) -> int:
        result = sandbox.exec(["bash", "-c", command], max_output=2 * LARGE)
        assert result.exit_code == 0, result
        return len(result.stdout)

    return run


def timed(run: Run, command: str, expected: int) -> float:
    """Return the seconds of one command, checking that all of its output came."""
    start = time.perf_counter()
    printed = run(command)
    seconds = time.perf_counter() - start
    assert printed == expected, f"{printed} bytes instead of {expected}"
    return seconds


if __name__ == "__main__":
    sys.exit(main())
