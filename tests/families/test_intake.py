"""Records of the intake gate, against the limits of every measure that a skin has."""

from __future__ import annotations

import pytest

from tmax_gym.families.data_science.intake_gate import plausible
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Skin, skins

TURNS = 36
"""Three times as many as there are kinds of turns."""


@pytest.mark.parametrize("skin", skins(), ids=lambda skin: skin.slug)
def test_honest_amounts_lie_within_limits_and_reach_them(skin: Skin) -> None:
    for draw in range(6):
        rng = Rng("intake", skin.slug, draw)
        truth = plausible.truth(skin, rng, frozenset())
        low, high = truth.measure.lo, truth.measure.hi
        records = [plausible.honest(truth, rng.fork(turn), turn) for turn in range(TURNS)]
        amounts = [float(str(record[truth.measure.column])) for record in records]
        assert (min(amounts), max(amounts)) == (low, high)
