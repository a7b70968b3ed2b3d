"""Grading on real machines: what runs where, as whom, and what a failure becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from tests.support.tiny_tasks import equals, faulty_task, sum_task, tiny_task
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Exchange,
    Outcome,
    Program,
    Reply,
    Turn,
    multi_protocol,
)
from tmax_gym.checks.verdict import Verdict
from tmax_gym.errors import SandboxError, VerifierError
from tmax_gym.grading.verifier import verify
from tmax_gym.later import Later
from tmax_gym.nodes import directory
from tmax_gym.sandboxes import Backend, Sandbox

TOOL = Program("/app/tool.py", "python")
SERVICE = """\
import http.server, os
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        open("/app/kept", "ab").write(data)
        self.answer(b"kept")
    def do_GET(self):
        kept = self.path == "/kept"
        self.answer(open("/app/kept", "rb").read() if kept else str(os.getuid()).encode())
    def answer(self, body):
        self.send_response(200); self.send_header("Content-Length", str(len(body)))
        self.end_headers(); self.wfile.write(body)
http.server.HTTPServer(("127.0.0.1", 8123), H).serve_forever()
"""


@contextmanager
def after(backend: Backend, image: str, *commands: str) -> Iterator[Sandbox]:
    """Yield a machine in which commands have run."""
    box = backend.open(image)
    try:
        box.put([directory("/app")])
        for command in commands:
            done = box.exec(["bash", "-c", command])
            assert done.exit_code == 0, done
        yield box
    finally:
        box.close()


def judge(
    backend: Backend, image: str, score: Callable[[Evidence], float], *commands: str
) -> Verdict:
    task = tiny_task("judged.plain-1", "-", checks=[Check("c", "exact_text", score)])
    with after(backend, image, *commands) as box:
        return verify(task, box, backend, image=image)


def write(program: str) -> str:
    return f"cat > /app/tool.py <<'END'\n{program}\nEND"


def outcomes(
    backend: Backend, image: str, program: str, cases: Sequence[Case]
) -> tuple[Outcome, ...]:
    """Return what the verifier's runs of a program yield."""
    seen: list[Outcome] = []

    def score(evidence: Evidence) -> float:
        seen.extend(evidence.run(TOOL, cases, timeout=2.0))
        return 1.0

    judge(backend, image, score, write(program))
    return tuple(seen)


def test_a_right_file_is_worth_one(any_backend: Backend, image: str) -> None:
    task = sum_task()
    box = any_backend.open(image, layer=task.layer)
    try:
        box.exec(["bash", "-c", "echo 42 > /app/sum.txt"])
        assert verify(task, box, any_backend, image=image).reward == 1.0
    finally:
        box.close()


def test_a_fault_of_the_verifier_is_an_error_and_no_number(
    native_backend: Backend, image: str
) -> None:
    task = faulty_task()
    box = native_backend.open(image, layer=task.layer)
    with closing(box), pytest.raises(VerifierError, match="ZeroDivisionError"):
        verify(task, box, native_backend, image=image)


def test_checks_that_cannot_be_built_are_a_fault_of_the_verifier(
    native_backend: Backend, image: str
) -> None:
    def broken() -> Sequence[Check]:
        raise ValueError("two cases, one expected output")

    task = replace(sum_task(), checks=Later(broken))
    box = native_backend.open(image, layer=task.layer)
    with closing(box), pytest.raises(VerifierError, match="cannot be built: ValueError"):
        verify(task, box, native_backend, image=image)


def test_a_score_outside_the_unit_interval_is_a_fault(native_backend: Backend, image: str) -> None:
    with pytest.raises(VerifierError, match=r"returned 1\.5"):
        judge(native_backend, image, lambda _: 1.5)


def test_bad_output_scores_nothing_and_says_why(native_backend: Backend, image: str) -> None:
    def score(evidence: Evidence) -> float:
        raise BadOutput("it is upside down")

    verdict = judge(native_backend, image, score)
    assert verdict.reward == 0.0
    assert verdict.parts[0].note == "it is upside down"


def test_programs_run_as_nobody_with_their_own_input(any_backend: Backend, image: str) -> None:
    program = "import os, sys; print(os.getuid(), sys.stdin.read().strip())"
    seen = outcomes(any_backend, image, program, [Case(stdin=b"a"), Case(stdin=b"b")])
    assert [o.stdout for o in seen] == [b"65534 a\n", b"65534 b\n"]


def test_a_program_cannot_change_the_system_that_runs_it(any_backend: Backend, image: str) -> None:
    program = (
        "import os\n"
        "for path in ('/usr/bin/python3', '/etc/passwd', '/usr/bin/x', '/proc/1/mem'):\n"
        "    try:\n        if not os.stat(path).st_rdev:  # /dev/null may cover it\n"
        "            open(path, 'ab').write(b'x'); print('wrote', path)\n"
        "    except OSError: pass\n"
    )
    assert outcomes(any_backend, image, program, [Case()])[0].stdout == b""


def test_a_program_sees_no_other_case(native_backend: Backend, image: str) -> None:
    program = (
        "import os, sys\n"
        "own = sys.stdin.read().strip()\n"
        "for root, _, names in os.walk('/proc'):\n"
        "    for name in names:\n"
        "        if name in ('cmdline', 'environ'):\n"
        "            try: data = open(os.path.join(root, name), 'rb').read()\n"
        "            except OSError: continue\n"
        "            if b'hidden-case' in data: print('leak', root, name)\n"
        "print(own)\n"
    )
    cases = [Case(stdin=b"one"), Case(stdin=b"hidden-case")]
    assert outcomes(native_backend, image, program, cases)[0].stdout == b"one\n"


def test_a_slow_case_times_out_alone(any_backend: Backend, image: str) -> None:
    program = "import sys, time; time.sleep(60 if 'slow' in sys.stdin.read() else 0); print('ok')"
    seen = outcomes(any_backend, image, program, [Case(stdin=b"slow"), Case(stdin=b"fast")])
    assert [o.timed_out for o in seen] == [True, False]
    assert seen[1].stdout == b"ok\n"


def test_what_a_case_leaves_running_does_not_reach_the_next(
    any_backend: Backend, image: str
) -> None:
    program = (
        "import os, sys\n"
        "if 'first' in sys.stdin.read():\n"
        "    if os.fork() == 0:\n"
        "        os.setsid(); null = os.open('/dev/null', os.O_RDWR)\n"
        "        [os.dup2(null, fd) for fd in (0, 1, 2)]\n"
        "        import time; time.sleep(60)\n"
        "else:\n"
        "    mine = [p for p in os.listdir('/proc') if p.isdigit()"
        " and os.stat('/proc/' + p).st_uid == os.getuid()"
        # What was killed and not yet collected is dead.
        " and open(f'/proc/{p}/stat').read().rpartition(')')[2].split()[0] not in 'ZX']\n"
        "    print(len(mine))\n"
    )
    seen = outcomes(any_backend, image, program, [Case(stdin=b"first"), Case(stdin=b"second")])
    assert seen[1].stdout == b"1\n"


def test_collected_files_are_regular_files_only(any_backend: Backend, image: str) -> None:
    program = "import os; open('/tmp/a', 'w').write('x'); os.symlink('/etc/passwd', '/tmp/b')"
    cases = [Case(collect=("/tmp/a", "/tmp/b", "/tmp/absent"))]
    assert outcomes(any_backend, image, program, cases)[0].files == (("/tmp/a", b"x"),)


@pytest.mark.parametrize(
    "program",
    [
        "x = bytearray(1)\nwhile True: x += bytes(1 << 26)",
        "import os\nwhile True: os.fork()",
        "while True: print('y' * 1000000)",
        "import os, signal; os.kill(-1, signal.SIGKILL)",
    ],
    ids=["memory", "forks", "output", "kill all"],
)
def test_a_program_that_destroys_its_machine_scores_nothing(
    native_backend: Backend, image: str, program: str
) -> None:
    def score(evidence: Evidence) -> float:
        done = evidence.run(TOOL, [Case()], timeout=3.0)
        return float(done[0].exit_code == 0 and done[0].stdout == b"right\n")

    verdict = judge(native_backend, image, score, write(program))
    assert verdict.reward == 0.0


@pytest.mark.parametrize(
    "command",
    [
        "mkdir -p /app/answer",
        "mkfifo /app/answer",
        "ln -s /etc/passwd /app/answer",
        "ln -s answer /app/answer",
        "truncate -s 2G /app/answer || truncate -s 900M /app/answer",
        "printf '\\377\\376' > /app/answer",
        "mknod /app/answer c 1 3 || mkfifo /app/answer",
        "true",
    ],
)
def test_no_kind_of_output_breaks_the_verifier(
    any_backend: Backend, image: str, command: str
) -> None:
    task = tiny_task("shape.plain-1", "-", checks=[equals("/app/answer", "right")])
    with after(any_backend, image, command) as box:
        verdict = verify(task, box, any_backend, image=image)
    assert verdict.reward == 0.0


def test_a_daemon_is_dead_before_anything_is_read(any_backend: Backend, image: str) -> None:
    loop = "while :; do echo right > /app/answer; rm -f /app/answer; done"
    task = tiny_task("daemon.plain-1", "-", checks=[equals("/app/answer", "right")])
    start = f"setsid nohup bash -c '{loop}' > /dev/null 2>&1 < /dev/null & sleep 0.1"
    with after(any_backend, image, start, "rm -f /app/answer") as box:
        first = verify(task, box, any_backend, image=image)
        second = verify(task, box, any_backend, image=image)
    assert first.reward == second.reward


def test_a_service_is_spoken_to_and_survives_a_restart(any_backend: Backend, image: str) -> None:
    turns = [
        Turn(Exchange("who", "http", port=8123), lambda reply: reply.body == b"65534"),
        Turn(
            Exchange("keep", "http", port=8123, method="POST", send=b"abc"),
            lambda reply: reply.status == 200,
        ),
        Turn(Exchange("again", "restart")),
        Turn(
            Exchange("kept", "http", port=8123, target="/kept"),
            lambda reply: reply == Reply(200, reply.headers, b"abc"),
        ),
    ]
    task = tiny_task("service.plain-1", "-", checks=[multi_protocol("p", "/app/start.sh", turns)])
    make = f"cat > /app/s.py <<'END'\n{SERVICE}\nEND\necho 'exec python3 /app/s.py' > /app/start.sh"
    with after(any_backend, image, make) as box:
        verdict = verify(task, box, any_backend, image=image)
    assert verdict.reward == 1.0, verdict


def test_a_machine_that_is_gone_is_an_infrastructure_error(
    native_backend: Backend, image: str
) -> None:
    box = native_backend.open(image)
    box.close()
    with pytest.raises(SandboxError):
        verify(sum_task(), box, native_backend, image=image)
