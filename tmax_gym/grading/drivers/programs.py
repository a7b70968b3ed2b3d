"""Part of drivers: starts programs without rights, finds their processes and kills them.

Everything about a process is read as bytes, as its author chose its name and its arguments.
"""

from __future__ import annotations

import os
import signal
import struct
import time

NOBODY = 65534
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",
}


def one_user() -> bool:
    """Return whether this sandbox has only one user, as sandboxes made without root do."""
    with open("/proc/self/uid_map", "rb") as ids:
        return all(int(line.split()[2]) < NOBODY for line in ids)


ALONE = one_user()


def close_up() -> None:
    """Keep programs of the same user from reading and tracing this process."""
    import ctypes

    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE


def drop_capabilities() -> None:
    """Give up root's capabilities; as no new privileges are allowed, for good."""
    import ctypes

    # capset, version 3: twice effective, permitted, inheritable
    ctypes.CDLL(None).capset(struct.pack("=Ii", 0x20080522, 0), bytes(24))


def demote() -> None:
    """Become `nobody` in a session of its own, with Python's signal handling undone."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    if ALONE:
        drop_capabilities()
    else:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def running() -> list[int]:
    """Return the processes of programs, without zombies."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and is_program(int(name))]


def is_program(pid: int) -> bool:
    """Return whether a process is alive and belongs to a program, not to this driver."""
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            lines = dict(line.split(b":", 1) for line in status if b":" in line)
        # A process whose first thread has ended is a zombie, but its others run and hold its ports.
        alive = lines[b"State"].strip()[:1] not in b"ZX" or int(lines[b"Threads"]) > 1
        user = int(lines[b"Uid"].split()[0])  # the real user: a set-uid program changes the other
    except (OSError, KeyError, IndexError, ValueError):
        return False  # it has just ended
    return alive and (pid not in (1, os.getpid()) if ALONE else user == NOBODY)


def reap() -> None:
    """Collect ended children, and ended processes that were re-parented to this one."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def end_all() -> None:
    """Kill every process of programs, and wait until none is left."""
    pause = 0.001
    for _ in range(200):
        left = running()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        reap()
        if not left:
            return
        time.sleep(pause)
        pause = min(1.5 * pause, 0.01)
