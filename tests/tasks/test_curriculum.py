"""The curriculum: from few commands to many, and from short texts to long ones."""

from __future__ import annotations

import pytest

from tmax_gym.errors import TaskNotFound
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.commands import count_commands
from tmax_gym.tasks.compose import compose
from tmax_gym.tasks.curriculum import curriculum


def test_a_stored_task_has_as_many_steps_as_its_solution_has_commands() -> None:
    for name in catalogue.names()[::1201]:
        spec = catalogue.spec(name)
        assert spec.steps == count_commands(compose(spec).oracle) > 0


def test_a_curriculum_is_sorted_by_commands_and_then_by_words() -> None:
    names = catalogue.names()[::53]
    texts = catalogue.instructions(names)
    order = curriculum(reversed(names))
    keys = [(catalogue.spec(name).steps, len(texts[name].split())) for name in order]
    assert sorted(order) == list(names)
    assert keys == sorted(keys)
    assert len({steps for steps, _ in keys}) > 10


def test_a_curriculum_of_unknown_tasks_is_refused() -> None:
    with pytest.raises(TaskNotFound):
        curriculum(["no.such-0001"])
