"""Follow-ups of the catalogue: pairs that families declare, in the places where they belong."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tmax_gym import families
from tmax_gym.tasks import catalogue, chain, planner
from tmax_gym.tasks.commands import LEAST, count_commands
from tmax_gym.tasks.compose import compose
from tmax_gym.tasks.spec import TaskSpec

LINKED = [spec for spec in catalogue.select() if len(spec.plan) > 1]


def test_a_task_with_follow_ups_begins_with_its_own_family() -> None:
    assert LINKED
    for spec in LINKED:
        assert spec.plan[0].family == spec.family
        assert {ref.family for ref in spec.plan[1:]} <= set(families.follow_up_slugs())


def test_no_task_has_the_same_follow_up_twice_or_more_than_three_stages() -> None:
    for spec in LINKED:
        assert len({ref.family for ref in spec.plan}) == len(spec.plan) <= chain.MOST_STAGES


def test_a_follow_up_works_on_a_product_of_an_earlier_stage() -> None:
    for spec in LINKED:
        assert spec.plan[0].product is None
        for index, ref in enumerate(spec.plan[1:], start=1):
            assert ref.product is not None
            assert ref.product[0] < index


def test_many_different_pairs_occur() -> None:
    pairs = {
        (spec.plan[ref.product[0]].family, ref.family)
        for spec in LINKED
        for ref in spec.plan
        if ref.product
    }
    declared = {
        (slug, follow_up)
        for slug in families.slugs()
        for follow_up in families.family(slug).followed_by
    }
    assert pairs <= declared
    assert len(pairs) >= 0.9 * len(declared)


def test_no_family_is_the_earlier_part_of_too_many_tasks() -> None:
    earlier = Counter(spec.plan[0].family for spec in LINKED)
    assert max(earlier.values()) <= 0.04 * len(catalogue.names())


def planned(*, linked: bool) -> TaskSpec:
    """Return a spec as it is planned, of a task that has follow-ups or has none."""
    names = {s.name for s in catalogue.select() if (len(s.plan) > 1) == linked}
    return next(
        spec
        for spec in planner.plan()
        if spec.name in names and spec.complexity in ("complex", "intricate")
    )


@pytest.mark.parametrize("linked", [True, False])
def test_extending_a_planned_task_gives_the_stored_plan(linked: bool) -> None:
    spec = planned(linked=linked)
    assert chain.extended(spec).spec.plan == catalogue.spec(spec.name).plan


def test_a_short_task_is_never_extended() -> None:
    short = planner.single("ledger-clean", seed=3, level=0.7)
    assert chain.extended(short).spec.plan == short.plan


def test_a_task_with_too_few_commands_gets_more_while_something_suits() -> None:
    spec = replace(planner.single("ledger-clean", seed=3, level=0.7), complexity="intricate")
    longer = chain.extended(spec).spec
    assert len(longer.plan) == chain.MOST_STAGES
    assert count_commands(compose(spec).oracle) < LEAST["intricate"]
