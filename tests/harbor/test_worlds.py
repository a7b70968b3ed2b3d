"""Worlds described by Dockerfiles: correct on every backend, or refused with the reason."""

from pathlib import Path

import pytest

from tests.support.world_cases import WORLDS, World
from tests.support.worlds import expected, fits, seen
from tmax_gym.sandboxes import Backend


@pytest.fixture(autouse=True)
def _core(image: str) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")


def test_the_table_has_enough_worlds_and_each_its_own_name() -> None:
    assert len({world.name for world in WORLDS}) == len(WORLDS) >= 60


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_a_world_follows_its_dockerfile_or_is_refused(
    world: World, tmp_path: Path, any_backend: Backend
) -> None:
    outcome = seen(tmp_path, world, any_backend)
    assert fits(expected(world, any_backend.name), outcome), outcome


def test_a_world_that_is_otherwise_counts_as_wrong(tmp_path: Path, native_backend: Backend) -> None:
    world = World("otherwise", "FROM tmax/core:latest\nENV A=1\n", "true; is $A 2; true")
    assert seen(tmp_path, world, native_backend) == "wrong: 0.0"
    assert not fits("", "wrong: 0.0")
    assert not fits("", "refused: too hard")
    assert not fits("too hard", "right")
