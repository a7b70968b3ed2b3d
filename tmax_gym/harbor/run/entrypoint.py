"""An image's ENTRYPOINT, started as Harbor starts it: with `sh -c "sleep infinity"` as its command.

Covers the wait until it has come to its command, and what it leaves running beside it.
Does not cover CMD: Harbor's command takes its place.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from tmax_gym.errors import ImageError
from tmax_gym.harbor.run.build.dockerfile.scope import PATH
from tmax_gym.sandboxes import Sandbox, User

COMMAND = ("sh", "-c", "sleep infinity")
PATIENCE = 10.0
"""Seconds for a set-up to end: a server that never comes to its command just stays."""
_SLEEP = 0.1
_START = """
home=$(getent passwd "$(id -u)" 2> /dev/null | cut -d: -f6)
setsid env -i "HOME=${home:-/}" "$@" > /dev/null 2>&1 < /dev/null &
echo $!
"""
_SCAN = """
for p in /proc/[0-9]*; do
  said=$(tr '\\0' ' ' < $p/cmdline 2> /dev/null) || continue
  [ -n "$said" ] && printf '%s %s\\n' "${p#/proc/}" "$said"
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
    """Start an ENTRYPOINT; return the programs that it leaves running beside its command.

    Raises:
        ImageError: It ended: a container of this image would end with it.
    """
    before = _processes(sandbox)
    words = [f"{name}={value}" for name, value in {"PATH": PATH, **env}.items()]
    argv = [*words, *entrypoint, *COMMAND]
    done = sandbox.exec(["/bin/sh", "-c", _START, "-", *argv], cwd=cwd, user=user)
    main = done.stdout.decode(errors="replace").strip()
    deadline = time.monotonic() + PATIENCE
    while True:
        time.sleep(_SLEEP)
        now = {pid: said for pid, said in _processes(sandbox).items() if pid not in before}
        if main not in now:
            raise ImageError(
                f"its ENTRYPOINT {' '.join(entrypoint)[:99]!r} ended, and a container of this "
                "image ends with it: let it run the command that it is given"
            )
        if any(_waits(said) for said in now.values()) or time.monotonic() > deadline:
            break
    time.sleep(_SLEEP)
    again = _processes(sandbox)  # what looked around has ended
    left = {pid: said for pid, said in now.items() if pid in again}
    arrived = any(map(_waits, left.values()))
    return tuple(
        sorted(
            said.strip()[:60]
            for pid, said in left.items()
            if not _waits(said) and not (pid == main and arrived)
        )
    )


def _waits(said: str) -> bool:
    """Return whether a process is the command; what an entry point forks is called like itself."""
    return said.strip() in ("sleep infinity", "sh -c sleep infinity", "/bin/sh -c sleep infinity")


def _processes(sandbox: Sandbox) -> dict[str, str]:
    done = sandbox.exec(["/bin/sh", "-c", _SCAN])
    rows = (line.partition(" ") for line in done.stdout.decode(errors="replace").splitlines())
    return {pid: said for pid, _, said in rows}
