"""The services of unsound-service."""

from __future__ import annotations

import pytest

from tmax_gym.families.software_engineering.unsound_service import Unsound
from tmax_gym.tasks import catalogue

NAMES = tuple(spec.name for spec in catalogue.select(family="unsound-service"))


@pytest.mark.parametrize("name", NAMES)
def test_names_are_not_yet_unique_where_a_step_needs_one_twice(name: str) -> None:
    world = catalogue.load(name).stages[0].world
    assert isinstance(world, Unsound)
    steps = {call.step for call in world.service.calls}
    assert not {"recent", "tally"} <= steps, "each leaves every name once, so the other is idle"
