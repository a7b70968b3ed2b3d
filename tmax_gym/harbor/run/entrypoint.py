"""Start an image's ENTRYPOINT as Harbor does, with `sh -c "sleep infinity"` in place of its CMD.

It waits until the ENTRYPOINT has started this command, and lists the programs that run beside it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from tmax_gym.errors import ImageError
from tmax_gym.harbor.run.build.dockerfile.scope import PATH
from tmax_gym.sandboxes import Sandbox, User

COMMAND = ("sh", "-c", "sleep infinity")
PATIENCE = 10.0
"""Seconds to wait for the command: a server that never starts it just keeps running."""
_SLEEP = 0.1
_START = """
home=$(getent passwd "$(id -u)" 2> /dev/null | cut -d: -f6)
setsid env -i "HOME=${home:-/}" "$@" > /dev/null 2>&1 < /dev/null &
echo $!
"""
_SCAN = """
for p in /proc/[0-9]*; do
  line=$(tr '\\0' ' ' < $p/cmdline 2> /dev/null) || continue
  [ -n "$line" ] && printf '%s %s\\n' "${p#/proc/}" "$line"
done
"""


def begin(
    sandbox: Sandbox,
    entrypoint: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str,
    user: User,
) -> tuple[str, ...]:
    """Start an ENTRYPOINT; return the programs that keep running beside its command.

    Raises:
        ImageError: It ended, and so would a container of this image.
    """
    before = _processes(sandbox)
    words = [f"{name}={value}" for name, value in {"PATH": PATH, **env}.items()]
    argv = [*words, *entrypoint, *COMMAND]
    done = sandbox.exec(["/bin/sh", "-c", _START, "-", *argv], cwd=cwd, user=user)
    main = done.stdout.decode(errors="replace").strip()
    deadline = time.monotonic() + PATIENCE
    while True:
        time.sleep(_SLEEP)
        now = {pid: line for pid, line in _processes(sandbox).items() if pid not in before}
        if main not in now:
            raise ImageError(
                f"its ENTRYPOINT {' '.join(entrypoint)[:99]!r} ended, and a container of this "
                "image ends with it: let it run the command that it is given"
            )
        if any(map(_waits, now.values())) or time.monotonic() > deadline:
            break
    time.sleep(_SLEEP)
    again = _processes(sandbox)  # without the processes of the last scan
    left = {pid: line for pid, line in now.items() if pid in again}
    arrived = any(map(_waits, left.values()))
    return tuple(
        sorted(
            line.strip()[:60]
            for pid, line in left.items()
            if not _waits(line) and not (pid == main and arrived)
        )
    )


def _waits(line: str) -> bool:
    """Return whether a process is the command; a fork of the ENTRYPOINT has its own name."""
    return line.strip() in ("sleep infinity", "sh -c sleep infinity", "/bin/sh -c sleep infinity")


def _processes(sandbox: Sandbox) -> dict[str, str]:
    done = sandbox.exec(["/bin/sh", "-c", _SCAN])
    rows = (line.partition(" ") for line in done.stdout.decode(errors="replace").splitlines())
    return {pid: line for pid, _, line in rows}
