"""The verifier: grades the state after an episode, out of the agent's reach.

First it kills every process of the agent.  It reads files entry by entry, and follows a link only
below `/app` (`tolerance.followed`).  The agent's programs run as `nobody` in a fresh sandbox from
the trusted root file system, without hidden data.  The score is computed here, on the host: nothing
that the agent wrote counts as a verdict.  Side channels of a shared kernel remain.
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
"""Errors that a check raises by its own fault, or its machine's, but never because of a file."""
_NOTE = 500
"""Most characters of a note, because an error may quote a file."""


class Gradable(Protocol):
    """What grading needs of a task: the files at the start, the checks and the gates."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Return the files before the first command."""

    @property
    def checks(self) -> Sequence[Check]:
        """Return the weighted checks."""

    @property
    def gates(self) -> Sequence[Gate]:
        """Return the conditions for any reward."""


def verify(
    task: Gradable, sandbox: Sandbox, backend: Backend, *, image: str, timeout: float = 60.0
) -> Verdict:
    """Grade the episode that ended in `sandbox`, which is frozen and stays open.

    Nothing that the agent did raises an error.

    Raises:
        SandboxError: A machine failed.
        VerifierError: A check failed by a fault of its own.
    """
    start = time.monotonic()
    sandbox.freeze()
    evidence = Remains(sandbox, backend, image, timeout)
    parts = _grade(task, evidence)
    return Verdict(_reward(parts), parts, time.monotonic() - start, evidence.waited)


def _grade(task: Gradable, evidence: Remains) -> tuple[Part, ...]:
    try:
        gates, checks = tuple(task.gates), tuple(task.checks)  # some tasks build them now
    except Exception as error:
        raise VerifierError(f"the checks of the task cannot be built: {error!r}") from error
    parts = [_weigh_gate(task, gate, evidence) for gate in gates]
    return (*parts, *(_weigh_check(task, check, evidence) for check in checks))


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
    """Return the score of a check or gate, and why it is 0.

    An agent must not escape a zero with files that make a check fail.  So a check scores 0 if it
    fails for the agent's files, but not for the files at the start.
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
        return 0.0, f"{name} cannot read the files that were left: {error!r}"[:_NOTE]


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
    """The files before the first command; implements `checks.Evidence`."""

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
        """Run nothing."""
        raise BadOutput(f"{program.path} is not run in the world at the start")

    def talk(
        self, start: str, script: Sequence[Exchange], *, roots: tuple[str, ...] = ("/app",)
    ) -> tuple[Reply, ...]:
        """Start nothing."""
        raise BadOutput(f"{start} is not started in the world at the start")
