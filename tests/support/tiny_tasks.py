"""A few hand-written tasks without a family: real worlds, solutions and checks."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.checks.check import Check, Evidence, Gate, unchanged
from tmax_gym.nodes import Node, text
from tmax_gym.tasks.compose import Task
from tmax_gym.tasks.spec import StageRef, TaskSpec

NUMBERS = text("/app/numbers.txt", "7\n11\n24\n")


def tiny_task(
    name: str,
    instruction: str,
    *,
    nodes: Sequence[Node] = (),
    oracle: Sequence[str] = (),
    checks: Sequence[Check] = (),
    gates: Sequence[Gate] = (),
    setup: Sequence[str] = (),
) -> Task:
    """Return a task with these parts and neutral labels."""
    spec = TaskSpec(
        name=name,
        domain="data_processing",
        skill="none",
        primitives=(),
        persona="",
        language="bash",
        complexity="short",
        commands="bash",
        fixture="text_only",
        verifier="exact_text",
        skin="none",
        voice="statement",
        plan=(StageRef("tiny"),),
        seed=0,
        level=0.0,
        image="core",
        split="train",
    )
    return Task(
        spec=spec,
        instruction=instruction,
        author="plain",
        nodes=tuple(nodes),
        setup=tuple(setup),
        oracle=tuple(oracle),
        checks=tuple(checks),
        gates=tuple(gates),
        outputs=(),
        hidden=(),
        volatile=(),
        tools=(),
        obligations=(),
        digest=f"digest-of-{name}",
    )


def equals(path: str, content: str, *, id_: str = "content", weight: float = 1.0) -> Check:
    """Return a check that a file has this content, except for trailing white space."""

    def score(evidence: Evidence) -> float:
        return float(evidence.read(path).decode(errors="replace").strip() == content)

    return Check(id_, "exact_text", score, weight)


def sum_task() -> Task:
    """Add three numbers; the inputs must stay."""
    return tiny_task(
        "sum.plain-1",
        "Write the sum of the numbers in /app/numbers.txt to /app/sum.txt.",
        nodes=[NUMBERS],
        oracle=["cd /app", "awk '{ s += $1 } END { print s }' numbers.txt > sum.txt"],
        checks=[equals("/app/sum.txt", "42")],
        gates=[unchanged("inputs", [NUMBERS])],
    )


def halves_task() -> Task:
    """Write two files, worth a quarter and three quarters; a set-up makes /app/ready."""
    return tiny_task(
        "halves.plain-2",
        "Write a to /app/one and b to /app/two.",
        oracle=["test -f /app/ready", "echo a > /app/one", "echo b > /app/two"],
        checks=[
            equals("/app/one", "a", id_="one", weight=0.25),
            equals("/app/two", "b", id_="two", weight=0.75),
        ],
        setup=["touch /app/ready"],
    )


def faulty_task() -> Task:
    """A task whose verifier has a bug."""

    def score(evidence: Evidence) -> float:
        return 1 / len(evidence.tree("/absent"))

    check = Check("bug", "exact_text", score)
    return tiny_task("faulty.plain-3", "Do nothing.", nodes=[NUMBERS], checks=[check])


def by_name() -> dict[str, Task]:
    """Return every tiny task by its name."""
    return {task.name: task for task in (sum_task(), halves_task(), faulty_task())}
