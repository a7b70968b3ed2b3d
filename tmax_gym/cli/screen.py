"""Format tasks, episodes, proofs and progress as plain lines for the terminal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tmax_gym.cli.diagnosis import Finding
    from tmax_gym.proofs.validate import Proof
    from tmax_gym.tasks.compose import Task
    from tmax_gym.tasks.spec import TaskSpec
    from tmax_gym.trajectory import Trajectory

AXES = ("domain", "complexity", "split", "fixture", "verifier", "language", "commands", "voice")
SIGNS = {"ok": "✓", "absent": "–", "broken": "✗"}
OUTPUT_LINES = 12
"""Lines of one observation that are printed; the others are counted."""


def progress(line: str) -> None:
    """Print a line of progress to standard error."""
    print(line, file=sys.stderr, flush=True)


def counter(what: str, *, every: int) -> Callable[[str], None]:
    """Return a callback for finished items that prints their number now and then."""
    numbers = count(1)

    def done(_: str) -> None:
        if (number := next(numbers)) % every == 0:
            progress(f"{number} {what}")

    return done


def finding(result: Finding) -> str:
    """Return one line of the doctor, with the remedy below it."""
    line = f"{SIGNS[result.state]} {result.name:<19} {result.text}"
    remedy = "".join(f"\n{'':22}{part}" for part in result.remedy.splitlines())
    return line + remedy


def rows(specs: Iterable[TaskSpec]) -> Iterator[str]:
    """Yield a line for every task: its name and the axes that select it, in columns."""
    specs = tuple(specs)
    width = max((len(spec.name) for spec in specs), default=0)
    for spec in specs:
        yield (
            f"{spec.name:<{width}}  {spec.domain:<20} {spec.complexity:<9} {spec.split:<5} "
            f"{spec.fixture:<21} {spec.verifier}"
        )


def described(task: Task, *, oracle: bool) -> str:
    """Return a task for reading: axes, instruction, files, grading."""
    spec = task.spec
    axes = "  ".join(f"{axis}={getattr(spec, axis)}" for axis in AXES)
    plan = " -> ".join(stage.family for stage in spec.plan)
    parts = [
        f"tmax/{task.name}",
        f"{axes}\nplan: {plan}   level={spec.level:g}   digest={task.digest}",
        f"# Instruction\n{task.instruction}",
        _titled("Files", (_entry(task, index) for index in range(len(task.nodes)))),
        _titled("Deliverables", task.outputs),
        _titled(
            "Grading",
            [
                *(f"gate   {gate.id}" for gate in task.gates),
                *(f"{check.weight:.3f}  {check.id} ({check.kind})" for check in task.checks),
            ],
        ),
    ]
    if oracle:
        parts.append(_titled("Reference solution", (f"$ {c}" for c in task.oracle)))
    return "\n\n".join(parts)


def _titled(title: str, lines: Iterable[str]) -> str:
    return "\n".join((f"# {title}", *(lines or ("none",))))


def _entry(task: Task, index: int) -> str:
    node = task.nodes[index]
    size = len(node.data or b"") if node.kind == "file" else ""
    target = f" -> {node.target}" if node.kind == "link" else ""
    return f"{node.mode:04o} {size:>8} {node.path}{'/' if node.kind == 'dir' else ''}{target}"


def episode(played: Trajectory) -> Iterator[str]:
    """Yield an episode command by command, then its verdict."""
    for number, step in enumerate(played.steps, start=1):
        yield f"[{number}] $ {step.action}"
        yield from _shortened(step.observation.splitlines())
        yield ""
    for part, score in played.parts:
        yield f"{score:.3f}  {part}"
    reward = "none" if played.reward is None else f"{played.reward:.3f}"
    message = f": {played.message}" if played.message else ""
    yield f"reward {reward}  ({played.ending} after {len(played.steps)} steps{message})"


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    yield from lines[:OUTPUT_LINES]
    if len(lines) > OUTPUT_LINES:
        yield f"... {len(lines) - OUTPUT_LINES} more lines"


def proof(result: Proof) -> str:
    """Return one line for a task, with the problems below if it is not proven."""
    if not result.problems:
        return f"ok    {result.name}  {result.seconds:.1f} s, {len(result.attempts)} cheats caught"
    return "\n      ".join((f"FAIL  {result.name}", *result.problems))


def counts(specs: Sequence[TaskSpec]) -> Iterator[str]:
    """Yield how many tasks have each label of each axis."""
    yield f"{len(specs)} tasks"
    for axis in (*AXES, "family"):
        labels = Counter(
            spec.family if axis == "family" else str(getattr(spec, axis)) for spec in specs
        )
        yield f"\n# {axis} ({len(labels)})"
        for label, number in sorted(labels.items(), key=lambda item: (-item[1], item[0])):
            yield f"{number:>6}  {100 * number / len(specs):5.1f} %  {label}"
