"""What becomes of trials whose endpoint answers in all the ways that endpoints answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.endpoint_cases import CASES
from tests.support.endpoint_play import Played, play
from tests.support.played_ahead import PlayedAhead
from tmax_gym.sandboxes import Backend

LONGEST = 8.0 + 10.0
"""A turn's limit in `QUICK`, and ten seconds."""
BY_NAME = {case.name: case for case in CASES}


@pytest.fixture(scope="module")
def trials(
    native_backend: Backend, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PlayedAhead[str, Played]]:
    """What became of the trial of each case: most wait, so that several wait together."""

    def trial(name: str) -> Played:
        return play(BY_NAME[name], native_backend, tmp_path_factory.mktemp("trial") / "run")

    with PlayedAhead(BY_NAME, trial) as ahead:
        yield ahead


@pytest.mark.parametrize("name", BY_NAME)
def test_a_trial_gets_the_status_that_its_endpoint_calls_for(
    name: str, trials: PlayedAhead[str, Played]
) -> None:
    played, case = trials[name], BY_NAME[name]
    message = played.record.trajectory.message if played.record else ""
    assert played.fate == case.fate, message
    assert played.seconds < LONGEST
