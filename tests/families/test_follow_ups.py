"""Follow-ups: every declared pair can be composed, says what it must, and keeps to its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from tmax_gym import families
from tmax_gym.checks.check import Check
from tmax_gym.errors import SpecError
from tmax_gym.families.products import Table
from tmax_gym.tasks import planner
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.tasks.spec import StageRef
from tmax_gym.texts import checks as text_checks

PAIRS = [
    (slug, follow_up, product)
    for slug in families.slugs()
    for follow_up, (product, _) in sorted(families.family(slug).followed_by.items())
]


def linked(slug: str, follow_up: str, product: str) -> Iterator[Task]:
    """Yield tasks of a pair at several levels, where the product suits."""
    for seed in range(6):
        spec = planner.single(slug, seed=seed, level=0.45 + seed / 11)
        (first,) = compose(spec).stages
        kind = first.family.products(first.ctx, first.world).get(product)
        chosen = families.follow_up(follow_up)
        if isinstance(kind, chosen.works_on) and chosen.suits(kind):
            plan = (StageRef(slug), StageRef(follow_up, (0, product)))
            yield compose(replace(spec, plan=plan))


@pytest.fixture(scope="module", params=families.follow_up_slugs())
def tasks(request: pytest.FixtureRequest) -> list[Task]:
    pairs = [pair for pair in PAIRS if pair[1] == request.param]
    return [task for pair in pairs for task in islice(linked(*pair), 2)]


def test_every_follow_up_that_a_family_names_exists() -> None:
    assert {follow_up for _, follow_up, _ in PAIRS} == set(families.follow_up_slugs())


def test_a_family_says_in_one_sentence_why_something_follows() -> None:
    for slug, follow_up, _ in PAIRS:
        _, why = families.family(slug).followed_by[follow_up]
        assert why[0].isupper(), why
        assert why.endswith("."), why
        assert ". " not in why, why


def test_a_follow_up_suits_many_tasks(tasks: list[Task]) -> None:
    assert len(tasks) >= 4


def test_the_text_of_a_pair_says_what_it_must_and_hides_what_it_must(tasks: list[Task]) -> None:
    for task in tasks:
        assert not text_checks.problems(
            task.instruction, task.obligations, hidden=task.hidden, outputs=task.outputs
        )


def test_every_obligation_of_a_follow_up_can_be_recognised_in_a_text(tasks: list[Task]) -> None:
    for one in (one for task in tasks for one in task.stages[1].obligations()):
        if one.role != "situation":
            assert one.literals or one.numbers or one.keys, one


def test_a_follow_up_keeps_to_its_own_directory(tasks: list[Task]) -> None:
    for task in tasks:
        stage = task.stages[1]
        for path in (*stage.world.outputs, *(node.path for node in stage.world.nodes)):
            assert f"{path}/".startswith(f"{stage.ctx.home}/"), path


def test_a_follow_up_has_checks_mistakes_and_cheats(tasks: list[Task]) -> None:
    for task in tasks:
        stage = task.stages[1]
        assert len(stage.family.mutants(stage.ctx, stage.world)) >= 3
        assert stage.family.exploits(stage.ctx, stage.world)
        assert any(isinstance(item, Check) for item in stage.family.checks(stage.ctx, stage.world))


def test_the_family_weighs_more_than_what_follows_it(tasks: list[Task]) -> None:
    for task in tasks:
        first = sum(check.weight for check in task.checks if check.id.startswith("s0."))
        assert first == pytest.approx(2 / 3)


def test_a_pair_that_no_family_declares_is_refused() -> None:
    spec = planner.single("ledger-clean", seed=1, level=0.5)
    plan = (StageRef("ledger-clean"), StageRef("git-commit", (0, "ledger")))
    with pytest.raises(SpecError, match="git-commit cannot follow ledger-clean"):
        compose(replace(spec, plan=plan))


def test_the_columns_of_a_table_are_read_as_integers_only_if_all_cells_are() -> None:
    table = Table("/app/t.csv", ("a", "b", "c"), (("1", "01", "-3"), ("2", "2", "0")), "rows")
    assert table.integers == ("a", "c")
