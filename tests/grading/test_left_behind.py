"""What an agent leaves never makes the verifier fail: arbitrary bytes wherever it may put some."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.grading.test_verifier import after, judge, write
from tests.support.tiny_tasks import equals, tiny_task
from tmax_gym.checks import exact
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Exchange,
    Gate,
    Program,
    Turn,
    multi_protocol,
)
from tmax_gym.errors import VerifierError
from tmax_gym.grading.verifier import verify
from tmax_gym.sandboxes import Backend

TOOL = Program("/app/tool.py", "python")
NAME = r"\377\376\200 \033[2J %n"
DAEMONS = {
    "name of a process": "open('/proc/self/comm', 'wb').write(b'\\xff\\xfe\\x80: (x) S\\n')",
    "name with a newline": "open('/proc/self/comm', 'wb').write(b'a\\nState:\\tZ')",
    "name of a thread": (
        "import threading\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "for t in os.listdir('/proc/self/task'):\n"
        "    open(f'/proc/self/task/{t}/comm', 'wb').write(b'\\xff')"
    ),
    "arguments": "if len(sys.argv) < 2: os.execv(sys.executable, [b'\\xff', b'-c', RUN, b'\\xfe'])",
    "environment": (
        "if b'A\\xff' not in os.environb:\n"
        "    os.execve(sys.executable, ['python3', '-c', RUN], {b'A\\xff': b'\\xfe=\\n'})"
    ),
    "directory of a process": "os.mkdir(b'/tmp/\\xff\\xfe'); os.chdir(b'/tmp/\\xff\\xfe')",
    "name of a program": (
        "import shutil\n"
        "if '\\udcff' not in sys.executable and not os.path.exists(b'/tmp/\\xff'):\n"
        "    shutil.copy(sys.executable, b'/tmp/\\xff')\n"
        "    os.execv(b'/tmp/\\xff', [b'/tmp/\\xff', '-c', RUN])"
    ),
    "stopped process": "os.kill(os.getpid(), signal.SIGSTOP)",
    "status that a signal gave": (
        "if os.fork() == 0: signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    ),
    "many zombies": ("for _ in range(40):\n    if os.fork() == 0: os._exit(0)"),
    "mount table in a namespace of its own": (
        "import ctypes\nctypes.CDLL(None).unshare(0x10000000)"
    ),
}
LEAVE = """
import os, signal, sys, time
RUN = {daemon!r}
HEAD = 'import os, signal, sys, time; RUN = ""\\n'
if os.fork() == 0:
    os.setsid()
    null = os.open('/dev/null', os.O_RDWR)
    for fd in range(3): os.dup2(null, fd)
    RUN = HEAD + RUN + '\\ntime.sleep(60)'
    exec(RUN)
    os._exit(0)
time.sleep(0.1)
print('done')
"""


@pytest.mark.parametrize("daemon", DAEMONS.values(), ids=DAEMONS)
def test_a_graded_program_leaves_a_process_with_odd_bytes_and_is_graded(
    native_backend: Backend, image: str, daemon: str
) -> None:
    def score(evidence: Evidence) -> float:
        ended = evidence.run(TOOL, [Case(), Case()], timeout=5.0)
        return float([outcome.stdout for outcome in ended] == [b"done\n"] * 2)

    verdict = judge(native_backend, image, score, write(LEAVE.format(daemon=daemon)))
    assert verdict.reward == 1.0, verdict


@pytest.mark.parametrize("daemon", DAEMONS.values(), ids=DAEMONS)
def test_a_graded_service_leaves_a_process_with_odd_bytes_and_is_graded(
    native_backend: Backend, image: str, daemon: str
) -> None:
    turns = [
        Turn(Exchange("a", "restart"), lambda reply: True),
        Turn(Exchange("b", "http", port=8123), lambda reply: reply.status == 200),
    ]
    check = multi_protocol("c", "/app/start.sh", turns)
    serve = "exec python3 -m http.server -d /tmp --bind 127.0.0.1 8123"
    commands = (
        write(LEAVE.format(daemon=daemon)),
        f"printf '%s\\n' 'python3 /app/tool.py' '{serve}' > /app/start.sh",
    )
    verdict = judge(native_backend, image, check.score, *commands)
    assert verdict.reward == 1.0, verdict


HEADLESS = """
import ctypes, http.server, itertools, platform, threading
numbers = itertools.count()
class Count(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(next(numbers)).encode())
server = http.server.HTTPServer(('127.0.0.1', 8123), Count)
threading.Thread(target=server.serve_forever).start()
ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[platform.machine()], 0)
"""
"""A service whose first thread ends; the kernel shows it as a zombie while it goes on."""


def test_a_service_whose_first_thread_has_ended_is_ended_by_a_restart(
    native_backend: Backend, image: str
) -> None:
    def answers(body: bytes, name: str) -> Turn:
        return Turn(Exchange(name, "http", port=8123), lambda reply: reply.body == body)

    turns = [
        answers(b"0", "first"),
        answers(b"1", "second"),
        Turn(Exchange("restart", "restart"), lambda reply: True),
        answers(b"0", "third"),
    ]
    check = multi_protocol("c", "/app/start.sh", turns)
    commands = (write(HEADLESS), "echo 'exec python3 /app/tool.py' > /app/start.sh")
    verdict = judge(native_backend, image, check.score, *commands)
    assert verdict.reward == 1.0, verdict


ANSWERS = {
    "nothing": b"",
    "no status": b"\xff\xfe\x00\n",
    "a status that is no number": b"HTTP/1.1 \xff\xff OK\r\n\r\n",
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc",
    "a length that is no number": b"HTTP/1.1 200 OK\r\nContent-Length: \xff\r\n\r\nabc",
    "a huge length": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
    "odd headers": b"HTTP/1.1 200 OK\r\n\xff\xfe\x00: \x80\r\n: :\r\n \r\n\r\nabc",
    "a bad chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\xff",
    "a negative chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc",
    "a thousand headers": b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1000 + b"\r\n",
    "a header without end": b"HTTP/1.1 200 OK\r\na: " + b"x" * 100_000,
    "another version": b"HTTP/9.9 200 OK\r\n\r\n",
    "a continuation": b"HTTP/1.1 100 Continue\r\n\r\n" * 20,
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_service_that_answers_with_odd_bytes_is_graded(
    native_backend: Backend, image: str, answer: bytes
) -> None:
    turns = [Turn(Exchange("a", "http", port=8123), lambda reply: reply.body == b"right")]
    check = multi_protocol("c", "/app/start.sh", turns)
    serve = (
        "import socket\nserver = socket.create_server(('127.0.0.1', 8123))\n"
        "while True:\n    link, _ = server.accept()\n"
        f"    link.recv(65536); link.sendall({answer!r}); link.close()\n"
    )
    start = "echo 'exec python3 /app/tool.py' > /app/start.sh"
    verdict = judge(native_backend, image, check.score, write(serve), start)
    assert verdict.reward == 0.0, verdict


LEFT = {
    "names": f"cd /app; for n in 1 2 3; do printf x > \"$(printf '{NAME}')$n\"; done",
    "names of directories": f"mkdir -p \"/app/$(printf '{NAME}')/$(printf '\\377')\"",
    "names with newlines": "printf x > $'/app/a\\nb'; mkdir $'/app/\\n'",
    "long names": "printf x > /app/$(printf 'x%.0s' $(seq 255))",
    "a deep tree": (
        'python3 -c \'import os\nos.chdir("/app")\n'
        'for n in range(1000): os.mkdir("deep"); os.chdir("deep")\''
    ),
    "links to odd names": "ln -s $'\\377\\376' /app/link; ln -s $'\\377' $'/app/\\376'",
    "attributes": "printf x > /app/f; setfattr -n user.$'\\377' -v $'\\376' /app/f; true",
    "rights": "printf x > /app/f; chmod 7000 /app/f; mkdir /app/d; chmod 0 /app/d",
    "owners": "printf x > /app/f; chown 4294967294:4294967294 /app/f; true",
    "times": "printf x > /app/f; touch -d @-99999999999 /app/f; touch -d @99999999999 /app; true",
    "devices": "mknod /app/null c 1 3; mkfifo /app/fifo; true",
    "a socket": "python3 -c 'import socket; socket.socket(1).bind(\"/app/socket\")'",
    "processes": (
        "(exec -a $'\\377\\376' sleep 60) > /dev/null 2>&1 < /dev/null &\n"
        "(printf '\\377\\n' > /proc/$BASHPID/comm; sleep 60; :) > /dev/null 2>&1 < /dev/null &\n"
        "sleep 0.1"
    ),
    "a process with odd variables": (
        "env -i $'A\\377'=$'\\376' sleep 60 > /dev/null 2>&1 < /dev/null & sleep 0.1"
    ),
    "a stopped process": "sleep 60 > /dev/null 2>&1 < /dev/null & kill -STOP $!",
    "deleted directory": "mkdir /app/gone; cd /app/gone; rmdir /app/gone",
    "an output of bytes": "head -c 3000 /dev/urandom > /app/answer",
    "a huge line": "head -c 7000000 /dev/zero | tr '\\0' x > /app/answer",
}


@pytest.mark.parametrize("command", LEFT.values(), ids=LEFT)
def test_an_agent_leaves_odd_bytes_and_is_graded(
    any_backend: Backend, image: str, command: str
) -> None:
    """The files go along with a program that is run: they are read, sent and put down."""

    def right(evidence: Evidence) -> float:
        (outcome,) = evidence.run(TOOL, [Case()])
        return float(outcome.stdout == b"right\n" and len(evidence.tree("/app")) > 0)

    checks = [Check("program", "fuzz_equivalence", right), equals("/app/answer", "right")]
    task = tiny_task("bytes.plain-1", "-", checks=checks)
    with after(any_backend, image, write("print('right')"), command) as box:
        verdict = verify(task, box, any_backend, image=image)
    assert verdict.reward == 0.5, verdict


FILES = {
    "deep JSON": "'[' * 200_000",
    "deep objects": "'{\"a\":' * 100_000",
    "a long number": "'9' * 100_000",
    "no number": '\'{"a": NaN, "b": -Infinity, "c": 1e999}\'',
    "a surrogate": '\'{"a": "\\\\ud800"}\'',
    "a huge cell": "'a,b\\n' + 'x' * 500_000 + ',1\\n'",
    "an open quote": "'a,b\\n\"' + 'x,\\n' * 100_000",
    "zero bytes": "'a,b\\n\\0,\\0\\n' * 100",
    "a list": "'[1, null, {}]'",
    "a mark of order": "'\\ufeffa,b\\n'",
}
READERS: dict[str, Callable[[Evidence], float]] = {
    "JSON": lambda e: float(exact.read_json(e, "/app/out") == 5),
    "rows": lambda e: float(exact.read_rows(e, "/app/out") == []),
    "number": lambda e: float(int(exact.read_text(e, "/app/out")) == 5),
    "field": lambda e: float(exact.read_json(e, "/app/out")["a"] == 5),  # type: ignore[index]
    "cells": lambda e: float(int(exact.read_rows(e, "/app/out")[1][1]) == 5),
    "lines": exact.lines("c", "/app/out", ["x"]).score,
    "fields": exact.fields("c", "/app/out", {"a": 5}).score,
    "table": exact.rows("c", "/app/out", [("x", "5")], header=("a", "b")).score,
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_no_content_makes_a_check_fail(native_backend: Backend, image: str, content: str) -> None:
    checks = [Check(name, "exact_text", reader) for name, reader in READERS.items()]
    task = tiny_task("content.plain-1", "-", checks=checks)
    with after(native_backend, image, f"python3 -c {content_command(content)}") as box:
        verdict = verify(task, box, native_backend, image=image)
    assert all(part.score < 1.0 for part in verdict.parts)


def content_command(expression: str) -> str:
    """Return shell words that write the value of a Python expression to /app/out."""
    from shlex import quote

    source = f"open('/app/out', 'w').write({expression})"
    return quote(source)


@pytest.mark.parametrize(
    "error",
    [KeyError("a"), TypeError("None"), OverflowError("int"), RecursionError(), IndexError()],
    ids=lambda error: type(error).__name__,
)
def test_a_gate_that_stumbles_over_a_file_pays_nothing(
    native_backend: Backend, image: str, error: Exception
) -> None:
    def holds(evidence: Evidence) -> bool:
        evidence.read("/app/out")
        raise error

    check = Check("c", "exact_text", lambda _: 1.0)
    task = tiny_task("gate.plain-1", "-", checks=[check], gates=[Gate("g", holds)])
    with after(native_backend, image, "echo 5 > /app/out") as box:
        verdict = verify(task, box, native_backend, image=image)
    assert verdict.reward == 0.0
    assert type(error).__name__ in verdict.parts[0].note


def test_a_check_that_has_a_bug_of_its_own_is_a_fault_of_the_verifier(
    native_backend: Backend, image: str
) -> None:
    def score(evidence: Evidence) -> float:
        assert evidence.tree("/app")
        raise NameError("name 'wanted' is not defined")

    with pytest.raises(VerifierError, match="wanted"):
        judge(native_backend, image, score)


def test_bad_output_stays_bad_output(native_backend: Backend, image: str) -> None:
    def score(evidence: Evidence) -> float:
        raise BadOutput("no table")

    verdict = judge(native_backend, image, score)
    assert (verdict.parts[0].score, verdict.parts[0].note) == (0.0, "no table")
