"""The verifier: grades what an episode left, out of the agent's reach.

Covers: every process of the agent is killed first; its files are read entry by entry, and a
link is followed only below `/app` (`tolerance.followed`); its programs run as `nobody` in a
fresh sandbox from the trusted root file system, with no hidden data in it; the score is computed
here, on the host.  Nothing that the agent wrote is ever read as a verdict.
Does not cover side channels of a kernel that both share.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Exchange,
    Gate,
    Outcome,
    Program,
    Reply,
)
from tmax_gym.checks.verdict import Part, Verdict
from tmax_gym.errors import SandboxError, VerifierError
from tmax_gym.grading.evidence import Remains
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import Backend, Sandbox

_BUGS = (NameError, ImportError, AssertionError, NotImplementedError, OSError)
"""What a check raises by its own mistake, or its machine's, and never for what a file holds."""
_NOTE = 500
"""Characters of a note at most: an error may quote a file."""


class Gradable(Protocol):
    """What is graded: a task's world at the start, and what is looked at in the end."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Return the world before the first command."""
        ...

    @property
    def checks(self) -> tuple[Check, ...]:
        """Return the weighted checks."""
        ...

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Return what must hold for any reward."""
        ...


def verify(
    task: Gradable, sandbox: Sandbox, backend: Backend, *, image: str, timeout: float = 60.0
) -> Verdict:
    """Grade the episode that ended in `sandbox`, which is frozen and stays open.

    Never raises for what the agent did.

    Raises:
        SandboxError: A machine failed.
        VerifierError: A check failed by a fault of its own.
    """
    start = time.monotonic()
    sandbox.freeze()
    with Remains(sandbox, backend, image, timeout) as evidence:
        parts = _grade(task, evidence)
    return Verdict(_reward(parts), parts, time.monotonic() - start, evidence.waited)


def _grade(task: Gradable, evidence: Remains) -> tuple[Part, ...]:
    parts = [_weigh_gate(task, gate, evidence) for gate in task.gates]
    return (*parts, *(_weigh_check(task, check, evidence) for check in task.checks))


def _reward(parts: Sequence[Part]) -> float:
    gates = 1.0
    for part in parts:
        if part.kind == "gate":
            gates *= part.score
    scored = [p for p in parts if p.kind != "gate"]
    if all(p.score == 1.0 for p in scored):
        return gates  # exactly 1, whatever the weights round to
    total = sum(p.weight for p in scored)
    return gates * sum(p.weight * p.score for p in scored) / total


def _weigh_gate(task: Gradable, gate: Gate, evidence: Evidence) -> Part:
    held, note = _look(task, f"gate {gate.id}", gate.holds, evidence)
    return Part(gate.id, "gate", 1.0, held, note)


def _weigh_check(task: Gradable, check: Check, evidence: Evidence) -> Part:
    score, note = _look(task, f"check {check.id}", check.score, evidence)
    if not 0.0 <= score <= 1.0:
        raise VerifierError(f"check {check.id} returned {score}, which is not in [0, 1]")
    return Part(check.id, check.kind, check.weight, score, note)


def _look(
    task: Gradable, name: str, look: Callable[[Evidence], float], evidence: Evidence
) -> tuple[float, str]:
    """Return what a check or gate says of the evidence, and why that is nothing, where it is.

    An agent must not escape a zero by leaving what a check cannot make sense of: a check that
    fails over what was left, and not over the world as it was at the start, scores 0.
    """
    try:
        return float(look(evidence)), ""
    except BadOutput as bad:
        return 0.0, str(bad)
    except (SandboxError, VerifierError):
        raise
    except Exception as error:
        if isinstance(error, _BUGS) or _fails(look, AtStart(task)):
            raise VerifierError(f"{name} failed: {error!r}") from error
        return 0.0, f"{name} cannot make sense of what was left: {error!r}"[:_NOTE]


def _fails(look: Callable[[Evidence], float], evidence: Evidence) -> bool:
    """Return whether a check fails by a fault of its own."""
    try:
        look(evidence)
    except BadOutput:
        return False
    except Exception:
        return True
    return False


class AtStart:
    """The world as the task puts it down, before any command; implements `checks.Evidence`."""

    def __init__(self, task: Gradable) -> None:
        self._nodes = {node.path: node for node in task.nodes}

    def node(self, path: str) -> Node:
        """Return one entry."""
        if path not in self._nodes:
            raise BadOutput(f"{path} does not exist")
        return self._nodes[path]

    def read(self, path: str, *, limit: int = 8 << 20) -> bytes:
        """Return a regular file's content."""
        data = self.node(path).data
        if data is None or len(data) > limit:
            raise BadOutput(f"{path} cannot be read")
        return data

    def tree(self, root: str) -> tuple[Node, ...]:
        """Return everything at and below `root`."""
        inside = f"{root.rstrip('/')}/"
        paths = sorted(p for p in self._nodes if p == root or p.startswith(inside))
        return tuple(self._nodes[path] for path in paths)

    def run(
        self, program: Program, cases: Sequence[Case], *, timeout: float = 5.0, chained: int = 0
    ) -> tuple[Outcome, ...]:
        """Run nothing: what a check does with outcomes is known once it has some."""
        raise BadOutput(f"{program.path} is not run in the world at the start")

    def talk(
        self, start: str, script: Sequence[Exchange], *, roots: tuple[str, ...] = ("/app",)
    ) -> tuple[Reply, ...]:
        """Start nothing."""
        raise BadOutput(f"{start} is not started in the world at the start")
