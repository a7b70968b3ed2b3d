"""A tiny solved task of each verifier kind, to measure the cost of verification."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.tiny_tasks import equals, tiny_task
from tmax_gym.checks.check import (
    Case,
    Check,
    Evidence,
    Exchange,
    Program,
    Turn,
    adversarial_corpus,
    fuzz_equivalence,
    metric_threshold,
    multi_protocol,
)
from tmax_gym.nodes import directory
from tmax_gym.tasks.compose import Task

_DOUBLE = Program("/app/double.py", "python")
_GUARD = Program("/app/guard.sh", "bash")
_SERVE = """cat > /app/serve.py <<'END'
import socket
server = socket.create_server(("127.0.0.1", 8123))
while True:
    link, _ = server.accept()
    if link.recv(99): link.sendall(b"pong\\n")
    link.close()
END
echo 'exec python3 -S -E /app/serve.py' > /app/start.sh"""


@dataclass(frozen=True)
class Kind:
    name: str
    task: Task


def kinds() -> tuple[Kind, ...]:
    """Return a task of every verifier kind, with the commands that solve it."""
    numbers = (3, 40, 5_000, 123_456)
    return (
        _kind("exact_text", "echo right > /app/answer", equals("/app/answer", "right")),
        _kind(
            "metric_threshold",
            "seq 100 > /app/numbers",
            metric_threshold("length", _length, base=0.0, threshold=100.0),
        ),
        _kind(
            "fuzz_equivalence",
            "echo 'print(int(input()) * 2)' > /app/double.py",
            fuzz_equivalence(
                "double",
                _DOUBLE,
                cases=[Case(stdin=b"%d\n" % n) for n in numbers],
                expected=[b"%d\n" % (2 * n) for n in numbers],
            ),
        ),
        _kind(
            "adversarial_corpus",
            "echo 'read x; [ \"$x\" = good ]' > /app/guard.sh",
            adversarial_corpus(
                "guard",
                _GUARD,
                evil=[Case(stdin=b"evil\n"), Case(stdin=b"bad\n")],
                clean=[Case(stdin=b"good\n"), Case(stdin=b"good\n")],
                accepts=lambda outcome: outcome.exit_code == 0,
            ),
        ),
        _kind(
            "multi_protocol",
            _SERVE,
            multi_protocol(
                "service",
                "/app/start.sh",
                [
                    Turn(
                        Exchange("ping", "tcp", port=8123, send=b"ping\n"),
                        lambda reply: reply.body == b"pong\n",
                    )
                ],
            ),
        ),
    )


def _kind(name: str, solution: str, check: Check) -> Kind:
    task = tiny_task(
        f"{name.replace('_', '-')}.plain-1",
        "-",
        nodes=[directory("/app")],
        oracle=[solution],
        checks=[check],
    )
    return Kind(name, task)


def _length(evidence: Evidence) -> float:
    return float(len(evidence.read("/app/numbers").splitlines()))
