"""Every family, at every level and in every cell: what can be checked without a machine."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tmax_gym import families
from tmax_gym.checks.check import Check
from tmax_gym.tasks import planner
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.tasks.spec import TaskSpec
from tmax_gym.texts import checks as text_checks

LEVELS = (0.05, 0.3, 0.6, 0.95)


def specs(slug: str) -> list[TaskSpec]:
    """Return a spec for each cell of a family at two levels, and for each level of it."""
    chosen = []
    cells = planner._cells(families.family(slug))
    for number in range(max(2 * len(cells), len(LEVELS))):
        fixture, verifier, language = cells[number // 2 % len(cells)]
        level = LEVELS[(number + number // 4) % len(LEVELS)]
        spec = planner.single(slug, seed=number + 31, level=level)
        chosen.append(replace(spec, fixture=fixture, verifier=verifier, language=language))
    return chosen


@pytest.fixture(scope="module", params=families.slugs())
def tasks(request: pytest.FixtureRequest) -> list[Task]:
    return [compose(spec) for spec in specs(request.param)]


def test_the_plain_text_says_what_it_must_and_hides_what_it_must(tasks: list[Task]) -> None:
    for task in tasks:
        assert not text_checks.problems(
            task.instruction, task.obligations, hidden=task.hidden, outputs=task.outputs
        )


def test_every_obligation_can_be_recognised_in_a_text(tasks: list[Task]) -> None:
    for one in (one for task in tasks for one in task.obligations):
        if one.role != "situation":
            assert one.literals or one.numbers or one.keys, one


def test_an_obligation_is_whole_sentences_in_plain_characters(tasks: list[Task]) -> None:
    for one in (one for task in tasks for one in task.obligations):
        text = one.sentence
        assert re.match(r"[A-Z`\d]", text), one
        assert text.endswith((".", "?", ":", "```")), one
        assert "  " not in text.partition("```")[0], one
        assert text.count("`") % 2 == 0, one


def test_the_ids_of_the_obligations_of_a_task_differ(tasks: list[Task]) -> None:
    for task in tasks:
        ids = [one.id for one in task.obligations]
        assert len(set(ids)) == len(ids)


def test_no_hidden_value_stands_in_a_file_in_plain_sight(tasks: list[Task]) -> None:
    for task in tasks:
        for value in task.hidden:
            assert not [n.path for n in task.nodes if value.encode() in (n.data or b"")], value


def test_a_task_has_checks_mistakes_and_cheats(tasks: list[Task]) -> None:
    for task in tasks:
        assert task.oracle
        assert len(task.mutants) >= 3
        assert task.exploits
        ids = [item.id for item in (*task.checks, *task.gates)]
        assert len(set(ids)) == len(ids)
        assert sum(check.weight for check in task.checks) == pytest.approx(1.0)


def test_a_world_is_small(tasks: list[Task]) -> None:
    for task in tasks:
        assert sum(len(n.data or b"") for n in task.nodes) <= 200_000
        assert len(task.nodes) <= 400


def test_a_task_composes_the_same_twice(tasks: list[Task]) -> None:
    again = compose(replace(tasks[-1].spec, digest=""))
    assert again.digest == tasks[-1].digest
    assert again.instruction == tasks[-1].instruction


def test_paths_of_a_world_are_below_app_and_normal(tasks: list[Task]) -> None:
    for task in tasks:
        for path in (*task.outputs, *(n.path for n in task.nodes)):
            assert path.startswith("/app/")
            assert "//" not in path
            assert "/../" not in path


def test_the_heaviest_check_is_of_a_kind_that_the_family_names(tasks: list[Task]) -> None:
    for task in tasks:
        if task.spec.level < 0.2:
            continue
        heaviest: Check = max(task.checks, key=lambda check: check.weight)
        assert heaviest.kind in families.family(task.spec.family).verifiers
