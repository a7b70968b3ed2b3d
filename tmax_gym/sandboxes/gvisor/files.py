"""What a gVisor sandbox has on its host: the client program, a directory, and cgroups."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tmax_gym.sandboxes.gvisor import command
from tmax_gym.sandboxes.host import instances

_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class SandboxFiles:
    """The places of one sandbox, which end with it."""

    id: str
    program: str
    """Path of `runsc`."""
    directory: Path
    """Its configuration, state, and the points where its disk and its logs are mounted."""
    groups: tuple[str, ...]
    """Cgroups that all of its processes on the host have joined."""

    @contextlib.contextmanager
    def described(self, process: str) -> Iterator[tuple[list[str], Path]]:
        """Yield the command that starts what is described, and the file with its number inside.

        The description lies in memory: the command line, which all users see, has only its place.
        """
        pid_file = self.directory / f"number-{next(_NUMBERS)}"
        description = os.memfd_create("process", os.MFD_CLOEXEC)
        try:
            with open(description, "w", encoding="utf-8", closefd=False) as file:
                file.write(process)
            place = f"/proc/{os.getpid()}/fd/{description}"
            yield (
                command.exec_argv(
                    self.program, str(self.directory), process=place, pid_file=str(pid_file)
                ),
                pid_file,
            )
        finally:
            os.close(description)
            pid_file.unlink(missing_ok=True)


def end_client(client: subprocess.Popen[bytes]) -> None:
    """Kill the client of an ended sandbox: what it would clean up is below our directory."""
    client.kill()
    client.wait()


def discard(files: SandboxFiles) -> None:
    """Remove the files and cgroups of an ended sandbox from its host."""
    for group in files.groups:
        instances.remove_group(group)
    instances.remove(files.directory)
