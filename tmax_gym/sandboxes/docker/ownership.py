"""Labels of containers, which tell whether the process that opened a container still lives.

When that process ends in any way, a `Watcher` removes its containers at once, and every new
backend removes those that are left (the watcher may have been killed as well).  Engines that are
reached by TCP have no watcher: there containers end with their input, and the next backend removes
them.
"""

from __future__ import annotations

import contextlib
import os
import socket

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.docker.engine import Engine
from tmax_gym.sandboxes.host.processes import is_same, start_time

LABEL = "tmax.owner"
"""Its value: boot id, pid namespace, process id and start time of the owner, and a serial."""
MACHINE = "tmax.machine"
"""Its value: a name that was known before the engine was asked for the container."""


def owner() -> str:
    """Return a new label of this process."""
    return f"{_machine()}:{os.getpid()}:{start_time(os.getpid())}:{os.urandom(4).hex()}"


def orphan(label: str) -> bool:
    """Return whether the owner in a label has ended, as far as this process can know."""
    parts = label.split(":")
    if len(parts) != 5:
        return False  # not ours
    boot, _, pid, started, _ = parts
    if boot != _machine().split(":")[0]:
        return True  # the machine was started anew
    if parts[:2] != _machine().split(":"):
        return False  # another container's process: not visible from here
    return not is_same(int(pid), started)


def remove_orphans(engine: Engine) -> None:
    """Remove the containers of owners that have ended."""
    with engine.errors("looking for leftovers"):
        labelled = engine.api.containers(all=True, filters={"label": [LABEL]})
    for container in labelled:
        if orphan(container["Labels"][LABEL]):
            with (
                contextlib.suppress(SandboxError),
                engine.admission.removal(),
                engine.errors("sweeping"),
            ):
                engine.api.remove_container(container["Id"], force=True, v=True)


def _machine() -> str:
    """Return boot id and pid namespace, within which a process number is unique."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()}:{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return f"{socket.gethostname()}:0"
