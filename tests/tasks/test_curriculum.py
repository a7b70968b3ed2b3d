"""The curriculum: from few commands to many, short texts to long ones, sure families to others."""

from __future__ import annotations

from itertools import groupby

import pytest

from tmax_gym.errors import TaskNotFound
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.commands import count_commands
from tmax_gym.tasks.compose import compose
from tmax_gym.tasks.curriculum import blind_trials, curriculum


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


def test_tasks_equal_in_both_begin_with_families_that_were_solved_more_often() -> None:
    counts = blind_trials.stored()["family"]
    failed = sorted(family for family, tried in counts.items() if tried.solved < tried.trials)
    specs = {spec.name: spec for spec in catalogue.select()[::3]}
    texts = catalogue.instructions(specs)
    keys = {name: (spec.steps, len(texts[name].split())) for name, spec in specs.items()}
    parted = 0
    for key, equal in groupby(curriculum(specs), key=lambda name: keys[name]):
        ends = [specs[name].family in failed for name in equal]
        assert ends == sorted(ends), key
        parted += len(set(ends)) == 2
    assert failed and parted > 10


def test_a_curriculum_of_unknown_tasks_is_refused() -> None:
    with pytest.raises(TaskNotFound):
        curriculum(["no.such-0001"])
