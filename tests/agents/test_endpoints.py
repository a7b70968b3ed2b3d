"""What becomes of trials whose endpoint answers in all the ways that endpoints answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.endpoint_cases import CASES, Case
from tests.support.endpoint_play import play
from tmax_gym.sandboxes import Backend

LONGEST = 8.0 + 10.0
"""A turn's limit in `QUICK`, and ten seconds."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_trial_gets_the_status_that_its_endpoint_calls_for(
    case: Case, native_backend: Backend, tmp_path: Path
) -> None:
    played = play(case, native_backend, tmp_path / "run")
    said = played.record.trajectory.message if played.record else ""
    assert played.fate == case.fate, said
    assert played.seconds < LONGEST
