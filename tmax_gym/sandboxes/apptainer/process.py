"""Client processes of Apptainer: runs one to its end, finds and kills what belongs to one.

Processes of a sandbox are found on this host by their session or their process namespace.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.sandboxes.host import processes
from tmax_gym.sandboxes.native.program_io import ends_within
from tmax_gym.sandboxes.program_pipes import ProgramPipes, close_all, exit_code, open_pipes

_KILL_SECONDS = 10.0
"""A killed program that has not ended by now hangs in the kernel."""
_REAP_SECONDS = 1.0
"""A client ends 0.01 s after the program for which it waits."""


@dataclass(slots=True)
class Ended:
    """How a client ended."""

    code: int
    stdout: bytes
    stderr: bytes
    late: bool
    truncated: bool


def run(
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: bytes = b"",
    timeout: float,
    cap: int = 1 << 20,
) -> Ended:
    """Run a client in a session of its own, all of which is killed at the time-out."""
    host_ends, program_ends = open_pipes()
    pipes = ProgramPipes(host_ends, cap=cap)
    try:
        try:
            process = subprocess.Popen(
                argv,
                stdin=program_ends[0],
                stdout=program_ends[1],
                stderr=program_ends[2],
                env=dict(environment),
                cwd="/",
                start_new_session=True,
            )
        finally:
            close_all(program_ends)
        with _pidfd(process.pid) as end:

            def exchange(data: bytes, seconds: float) -> bool:
                deadline = time.monotonic() + seconds
                return pipes.exchange(data, deadline, watched=end, ended=lambda: True)

            late = not exchange(stdin, timeout)
            if late:
                kill_session(process.pid)
                exchange(b"", _KILL_SECONDS)
        pipes.drain()
    finally:
        pipes.close()
    output = pipes.output
    code = exit_code(process.wait(_KILL_SECONDS))
    return Ended(code, output.stdout, output.stderr, late, output.truncated)


@contextlib.contextmanager
def _pidfd(pid: int) -> Iterator[int]:
    pidfd = os.pidfd_open(pid)
    try:
        yield pidfd
    finally:
        os.close(pidfd)


def kill_session(leader: int) -> None:
    """Kill every process of a session, its leader last.

    The leader collects the processes that it started in the instance.  Without it they would be
    left to the first process of this host, and an instance cannot end before they are gone.
    """
    processes.kill_until_gone(
        lambda: (pid for pid in processes.all_pids() if pid != leader and _session(pid) == leader)
    )
    with contextlib.suppress(ProcessLookupError), _pidfd(leader) as pidfd:
        if not ends_within(pidfd, _REAP_SECONDS):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def kill_namespace(space: str, spared: int) -> None:
    """Kill every process of a process namespace but one."""
    processes.kill_until_gone(
        lambda: (pid for pid in processes.all_pids() if pid != spared and namespace(pid) == space)
    )


def namespace(pid: int) -> str:
    """Return a process's process namespace, "" if it cannot be seen."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return ""


def in_session(leader: int, inside: int) -> int:
    """Return the host's number of a session's process by its number inside, 0 if there is none."""
    members = (pid for pid in processes.all_pids() if _session(pid) == leader)
    return next((p for p in members if processes.namespace_pids(p)[-1:] == [inside]), 0)


def _session(pid: int) -> int:
    fields = processes.stat(pid)
    return int(fields[processes.SESSION]) if fields else 0
