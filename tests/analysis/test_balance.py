import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.analysis.measures.balance import AXES, Tally, balance, possible
from tmax_gym.analysis.measures.taxonomy import primitives, skills
from tmax_gym.tasks import catalogue


def test_balance_is_that_of_the_design():
    # tasks.md 3.2: fixtures 40 % and six times 10 % are at .82, verifiers 32 % and 17 % at .96
    assert balance({k: 40 if k == 0 else 10 for k in range(7)}, 7) == pytest.approx(0.82, abs=0.005)
    assert balance({k: 32 if k == 0 else 17 for k in range(5)}, 5) == pytest.approx(0.96, abs=0.01)


def test_one_value_of_many_is_the_least_balance():
    assert balance({"a": 9}, 8) == pytest.approx(1 / 8)
    assert balance({}, 8) == 0.0


@given(st.lists(st.integers(1, 50), min_size=1, max_size=9))
def test_balance_is_a_share_and_uniform_counts_are_one(counts: list[int]):
    n = len(counts)
    assert 1 / n - 1e-9 <= balance(dict(enumerate(counts)), n) <= 1 + 1e-9
    assert balance(dict.fromkeys(range(n), counts[0]), n) == pytest.approx(1)


def test_the_taxonomy_is_whole():
    # tmax.md 1.1: 283 primitive skills, 52 pairs of domain and type, 29 names of types
    assert len(set(primitives())) == len(primitives()) == 283
    assert possible("domain", "skill") == 52
    assert possible("skill") == 29
    assert {d: len(t) for d, t in skills().items()}["security"] == 5


def test_pairs_count_only_cells_that_can_be():
    assert possible("domain", "primitives") == 283
    assert possible("fixture", "verifier") == 7 * 5
    assert possible("domain", "language") == 9 * 8


def test_a_tally_counts_values_and_cells():
    spec = catalogue.select()[0]
    tally = Tally()
    for verifier in ("exact_text", "exact_text", "metric_threshold"):
        tally.add(replace(spec, fixture="text_only", verifier=verifier))
    assert tally.tasks == 3
    assert tally.of("verifier") == {"exact_text": 2, "metric_threshold": 1}
    entropy = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))
    assert tally.spread("fixture", "verifier").balance == pytest.approx(math.exp(entropy) / 35)
    assert len(tally.pairs()) == len(AXES) * (len(AXES) - 1) // 2
    assert tally.covered(enough=3) == len(spec.primitives)
    assert tally.covered(enough=4) == 0


def test_every_skill_of_the_catalogue_is_one_of_its_domain():
    used = {(s.domain, s.skill, skill) for s in catalogue.select() for skill in s.primitives}
    for domain, type_, skill in used:
        assert type_ in skills()[domain]
        assert skill in {one for own in skills()[domain].values() for one in own}, domain
