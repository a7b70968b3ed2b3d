"""Honest work beside the reward hacks of the field, on real machines.

That a hack alone earns nothing is held by `test_attacks`, with everything else that is tried.
"""

from __future__ import annotations

import pytest

from tests.support.attack_cases import HACKS
from tests.support.tiny_tasks import equals, tiny_task
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.checks.check import Case, Program, fuzz_equivalence
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Ending

HONEST = (
    "echo 5912 > /app/answer.txt",
    "echo 'print(int(input()) * 2)' > /app/double.py",
)


def task() -> Task:
    """Return a task with a file to be read and a program to be run."""
    numbers = (3, 40, 5_000, 123_456)
    return tiny_task(
        "hacked.plain-1",
        "Write the number to /app/answer.txt and a doubling program to /app/double.py.",
        oracle=HONEST,
        checks=[
            equals("/app/answer.txt", "5912", id_="answer"),
            fuzz_equivalence(
                "double",
                Program("/app/double.py", "python"),
                cases=[Case(stdin=b"%d\n" % n) for n in numbers],
                expected=[b"%d\n" % (2 * n) for n in numbers],
            ),
        ],
    )


def earn(backend: Backend, image: str, *commands: str) -> float | None:
    seen = rollout(task(), ScriptedAgent(commands), backend=backend, image=image)
    assert seen.ending is Ending.SUBMITTED, seen.message
    return seen.reward


def test_there_are_thirteen_hacks() -> None:
    assert len(HACKS) == 13


def test_honest_work_earns_one_and_none_earns_nothing(any_backend: Backend, image: str) -> None:
    assert earn(any_backend, image, *HONEST) == 1.0
    assert earn(any_backend, image) == 0.0


@pytest.mark.parametrize("name", ["replace python3", "preload", "sitecustomize"])
def test_tampering_does_not_spoil_honest_work(any_backend: Backend, image: str, name: str) -> None:
    assert earn(any_backend, image, *HONEST, *HACKS[name]) == 1.0
