"""Driver: runs one program once a case as `nobody` and reports how each run ended.

Reads one JSON object from standard input: {"argv", "build", "roots", "cases": [{"argv", "stdin",
"files": [[path, base64, mode]], "collect"}], "chained", "timeout", "budget", "stretch", "cap"}.
Writes one JSON line: {"build": {"code", "out"}, "cases": [{"code", "out", "late", "files"}],
"waited"}: the seconds of waiting for a processor, which neither limit counts.  The first `chained`
cases see the files that the cases before them left; all others start from what those left together.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import stat
import sys
import time
from binascii import a2b_base64, b2a_base64

TYPE_CHECKING = False
if TYPE_CHECKING:  # 5 ms, which every verification would wait for; `subprocess` takes 10
    from typing import Any

    # These stand before this text where it runs.
    from tmax_gym.grading.drivers.processor import Allowance
    from tmax_gym.grading.drivers.programs import (
        ALONE,
        ENVIRONMENT,
        NOBODY,
        close_up,
        demote,
        end_all,
    )
    from tmax_gym.grading.drivers.surroundings import Surroundings

LIMITS = (
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_FSIZE, 256 << 20),
    (resource.RLIMIT_NOFILE, 256),
    (resource.RLIMIT_MSGQUEUE, 0),  # POSIX queues outlive a process, and can be found by name
)


def run(argv: list[str], stdin: bytes, limit: Allowance, cap: int) -> tuple[int, bytes, bool]:
    """Run one program; return (exit code, first `cap` bytes of output, timed out)."""
    try:
        pid, pipe = spawn(argv, stdin)
    except OSError:  # an earlier run has used up a limit
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


def spawn(argv: list[str], data: bytes) -> tuple[int, int]:
    """Start a program without privileges; return its process and the end of a pipe from it."""
    stdin = os.memfd_create("stdin")  # a file without a name, which no program can replace
    try:
        with open(stdin, "wb", closefd=False) as file:
            file.write(data)
        os.lseek(stdin, 0, os.SEEK_SET)
        reader, writer = os.pipe()
        try:
            pid = os.fork()
            if pid == 0:
                become(argv, stdin, writer)
        except OSError:
            os.close(reader)
            raise
        finally:
            os.close(writer)
    finally:
        os.close(stdin)
    return pid, reader


def become(argv: list[str], stdin: int, stdout: int) -> None:
    """Turn this forked process into the program; never returns."""
    code = 126
    try:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        demote()
        os.umask(0o022)
        for limit, value in LIMITS:
            try:
                resource.setrlimit(limit, (value, value))
            except ValueError:
                if limit != resource.RLIMIT_MSGQUEUE:  # gVisor's kernel does not let it be set
                    raise
        os.chdir("/tmp")
        os.execvpe(argv[0], argv, ENVIRONMENT)
    except FileNotFoundError:
        code = 127
    finally:
        os._exit(code)


def wait(pid: int, limit: Allowance) -> int | None:
    """Return a process's status; None if it has not ended a second after its output."""
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
    """Return bytes as text for a report."""
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
    """Place a case's files; return False if an earlier run left no room for them."""
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


def report(case: dict[str, Any], ended: tuple[int, bytes, bool], cap: int) -> dict[str, Any]:
    """Return a case's row."""
    code, out, late = ended
    files = collect(case["collect"], cap)
    return {"code": code, "out": encoded(out), "late": late, "files": files}


def play(job: dict[str, Any], whole: Allowance) -> list[dict[str, Any]]:
    """Run the program on every case; return a row for each."""
    cases, cap = job["cases"], job["cap"]
    rows: list[dict[str, Any]] = []
    surroundings: Surroundings | None = None
    possible = True
    for number, case in enumerate(cases):
        left = len(cases) - number
        if surroundings is None and number >= job["chained"] and left > 1:
            paths = [path for one in cases[number:] for path, _, _ in one["files"]]
            surroundings = Surroundings(job["roots"], paths)
        if whole.rest() <= 0:
            ended = 124, b"", True
        elif not (possible and prepared(case["files"])):
            ended = 126, b"", False
        else:
            limit = Allowance(job["timeout"], job["stretch"])
            stdin = a2b_base64(case["stdin"])
            ended = run(job["argv"] + case["argv"], stdin, limit, cap)
            whole.excuse(limit.waited())
        rows.append(report(case, ended, cap))
        end_all()
        if surroundings and left > 1:
            possible = surroundings.restore()
    return rows


def main() -> None:
    """Serve one request."""
    job = json.load(sys.stdin)
    if ALONE:
        close_up()
    build, rows = None, []
    whole = Allowance(job["budget"], job["stretch"])  # one for building and running
    if job["build"]:
        code, out, _ = run(job["build"], b"", whole, job["cap"])
        build = {"code": code, "out": encoded(out)}
        end_all()
    if build is None or build["code"] == 0:
        rows = play(job, whole)
    json.dump({"build": build, "cases": rows, "waited": whole.waited()}, sys.stdout)


main()
