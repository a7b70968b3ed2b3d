"""The verifier of an exported task: the task's own checks, run in Harbor's verifier container.

Reads the task's spec and a tar of what the agent left, and writes `reward.json`.  Nothing is
written where the verifier itself failed: no reward is better than a wrong one.  Runs from the
bundle (`bundle.py`) with the standard library alone.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tmax_gym.checks.verdict import Part, Verdict
from tmax_gym.errors import TmaxError
from tmax_gym.grading.verifier import verify
from tmax_gym.sandboxes.archive import ArchivedSandbox
from tmax_gym.sandboxes.in_place import InPlaceBackend, end_others
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.tasks.spec import from_row

ALONE = "--alone"
SECONDS = 300.0
"""For the agent's programs, all together: five times an episode's own limit, on any machine."""


def main(arguments: Sequence[str]) -> int:
    """Grade; return the exit status.

    Args:
        arguments: The spec's file, the tar's file, the directory for `reward.json`; or
            `--alone`, to end every other process where the machine is the agent's.
    """
    if list(arguments) == [ALONE]:
        end_others()
        return 0
    spec_file, remains, target = map(Path, arguments)
    try:
        verdict = grade(compose(from_row(json.loads(spec_file.read_text("utf-8")))), remains)
    except TmaxError as error:
        print(f"not graded: {error}", file=sys.stderr)
        raise
    for part in verdict.parts:
        print(f"{part.score:.4f} {part.kind} {part.id} {part.note}".rstrip())
    _put_down(target / "reward.json", json.dumps(as_rewards(verdict), sort_keys=True) + "\n")
    print(f"reward {verdict.reward}")
    return 0


def _put_down(place: Path, text: str) -> None:
    """Write a whole file in place of whatever is there: anybody may write into the directory."""
    aside = place.with_suffix(".part")
    aside.unlink(missing_ok=True)
    fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    with open(fd, "w", encoding="utf-8") as file:
        file.write(text)
    aside.replace(place)


def grade(task: Task, remains: Path) -> Verdict:
    """Return the verdict on what an agent left.

    Raises:
        VerifierError: A check failed.
        SandboxError: A machine failed, the tar is absent, or this process is not root.
    """
    backend = InPlaceBackend(task.roots)
    return verify(task, ArchivedSandbox(remains), backend, image="", timeout=SECONDS)


def as_rewards(verdict: Verdict) -> dict[str, float]:
    """Return a verdict as Harbor's numbers by name: `reward`, and every part by its id."""
    return {_name(part): part.score for part in verdict.parts} | {"reward": verdict.reward}


def _name(part: Part) -> str:
    return f"part.{part.id}" if part.id == "reward" else part.id
