"""Driver: runs one program once a case as `nobody` and reports how each run ended.

Reads one JSON object from standard input: {"argv", "build", "cases": [{"argv", "stdin",
"files": [[path, base64, mode]], "collect"}], "timeout", "budget", "stretch", "cap"}.  Writes one
JSON line: {"build": {"code", "out"}, "cases": [{"code", "out", "late", "files"}], "waited"}: the
seconds for a processor, which neither limit counts.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import stat
import struct
import sys
import time
from binascii import a2b_base64, b2a_base64

TYPE_CHECKING = False
if TYPE_CHECKING:  # 5 ms, which every verification would wait for; `subprocess` takes 10
    from typing import Any

    from tmax_gym.drivers.processor import Allowance  # stands before this text where it runs

NOBODY = 65534
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",
}


def one_user() -> bool:
    """Return whether this machine has no other user than ours: one without root has not."""
    with open("/proc/self/uid_map") as ids:
        return all(int(line.split()[2]) < NOBODY for line in ids)


ALONE = one_user()


def close_up() -> None:
    """Keep programs of the same user from reading and tracing this process."""
    import ctypes

    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE


def drop_capabilities() -> None:
    """Give up what makes a user a root; no new privileges means for good."""
    import ctypes

    # capset, version 3: twice effective, permitted, inheritable
    ctypes.CDLL(None).capset(struct.pack("=Ii", 0x20080522, 0), bytes(24))


def demote() -> None:
    """Become `nobody` with bounded files, processes and no core dumps."""
    os.setsid()
    if ALONE:
        drop_capabilities()
    else:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    os.umask(0o022)
    for limit, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 256 << 20),
        (resource.RLIMIT_NOFILE, 256),
    ):
        resource.setrlimit(limit, (value, value))


def end_all() -> None:
    """Kill every process of `nobody`, and wait until none is left."""
    for _ in range(100):
        left = [p for p in os.listdir("/proc") if p.isdigit() and foreign(p)]
        if not left:
            return
        for pid in left:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        reap()
        time.sleep(0.002)


def foreign(pid: str) -> bool:
    """Return whether a process belongs to a program, and not to this driver."""
    if ALONE:
        return int(pid) not in (1, os.getpid()) and owner(pid) is not None
    return owner(pid) == NOBODY


def owner(pid: str) -> int | None:
    """Return the real user of a process that is not a zombie, else None."""
    try:
        with open(f"/proc/{pid}/status") as status:
            lines = dict(line.split(":", 1) for line in status if ":" in line)
    except OSError:
        return None
    return None if lines["State"].strip()[0] in "ZX" else int(lines["Uid"].split()[0])


def reap() -> None:
    """Collect zombies that were re-parented to this process."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def run(argv: list[str], stdin: bytes, limit: Allowance, cap: int) -> tuple[int, bytes, bool]:
    """Run one program; return (exit code, first `cap` bytes of output, timed out)."""
    try:
        with open("/tmp/.case-in", "wb") as file:
            file.write(stdin)
        pid, pipe = spawn(argv, "/tmp/.case-in")
    except OSError:  # what ran before has left no room
        return 126, b"", False
    out, late = drain(pipe, limit, cap)
    status = None if late else wait(pid, limit)
    late = status is None
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if status is None:
        os.waitpid(pid, 0)
    os.close(pipe)
    code = 124 if status is None else os.waitstatus_to_exitcode(status)
    return (code if code >= 0 else 128 - code), out, late


def spawn(argv: list[str], source: str) -> tuple[int, int]:
    """Start a program, unprivileged; return its process and the end of a pipe from it."""
    stdin = os.open(source, os.O_RDONLY)
    reader, writer = os.pipe()
    try:
        pid = os.fork()
        if pid == 0:
            become(argv, stdin, writer)
    except OSError:
        os.close(reader)
        raise
    finally:
        os.close(stdin)
        os.close(writer)
    return pid, reader


def become(argv: list[str], stdin: int, stdout: int) -> None:
    """Turn this forked process into the program; never returns."""
    code = 126
    try:
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        demote()
        os.chdir("/tmp")
        os.execvpe(argv[0], argv, ENVIRONMENT)
    except FileNotFoundError:
        code = 127
    finally:
        os._exit(code)


def wait(pid: int, limit: Allowance) -> int | None:
    """Return a process's status; None where it has not ended a second after its output."""
    pause, deadline, before = 0.0005, time.monotonic() + 1.0, limit.waited()
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        limit.left()
        if time.monotonic() > deadline + limit.waited() - before:
            return None
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


def drain(pipe: int, limit: Allowance, cap: int) -> tuple[bytes, bool]:
    """Read until the end of the stream or the limit; keep the first `cap` bytes."""
    kept: list[bytes] = []
    size = 0
    poll = select.poll()
    poll.register(pipe, select.POLLIN | select.POLLHUP)
    while True:
        if limit.left() <= 0:
            return b"".join(kept), True
        if not poll.poll(limit.pause() * 1000):
            continue
        chunk = os.read(pipe, 65536)
        if not chunk:
            return b"".join(kept), False
        if size < cap:
            kept.append(chunk[: cap - size])
        size += len(chunk)


def encoded(data: bytes) -> str:
    """Return bytes as they travel in a report."""
    return b2a_base64(data, newline=False).decode()


def place(files: list[tuple[str, str, int]]) -> None:
    """Write the files of a case, readable and writable for `nobody`."""
    for path, data, mode in files:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "wb") as file:
            file.write(a2b_base64(data))
        os.chown(path, NOBODY, NOBODY)
        os.chmod(path, mode)


def prepared(files: list[tuple[str, str, int]]) -> bool:
    """Place a case's files; return False where an earlier run left no room for them."""
    try:
        place(files)
    except OSError:
        return False
    return True


def collect(paths: list[str], cap: int) -> dict[str, str]:
    """Return the regular files among `paths`, base64, by path."""
    found: dict[str, str] = {}
    for path in paths:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue
        with os.fdopen(fd, "rb") as file:
            info = os.fstat(fd)
            if stat.S_ISREG(info.st_mode) and info.st_size <= cap:
                found[path] = encoded(file.read(cap))
    return found


def main() -> None:
    """Serve one request."""
    job = json.load(sys.stdin)
    cap = job["cap"]
    if ALONE:
        close_up()
    report: dict[str, Any] = {"build": None, "cases": []}
    stretch = job["stretch"]
    whole = Allowance(job["budget"], stretch)  # one for building and running
    if job["build"]:
        code, out, _ = run(job["build"], b"", whole, cap)
        report["build"] = {"code": code, "out": encoded(out)}
        end_all()
    if report["build"] is None or report["build"]["code"] == 0:
        for case in job["cases"]:
            ready = prepared(case["files"])
            limit = Allowance(job["timeout"], stretch)
            code, out, late = (
                (124, b"", True)
                if whole.rest() <= 0
                else (126, b"", False)
                if not ready
                else run(job["argv"] + case["argv"], a2b_base64(case["stdin"]), limit, cap)
            )
            whole.excuse(limit.waited())
            report["cases"].append(
                {
                    "code": code,
                    "out": encoded(out),
                    "late": late,
                    "files": collect(case["collect"], cap),
                }
            )
            end_all()
    report["waited"] = whole.waited()
    json.dump(report, sys.stdout)


main()
