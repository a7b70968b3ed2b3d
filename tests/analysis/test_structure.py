from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.analysis.measures import structure
from tmax_gym.analysis.measures.structure import clusters


def test_a_chain_holds_more_than_the_largest_cluster():
    # abcd-abc-ab-a have Jaccard 3/4, 2/3, 1/2 in a row: at 0.6 a is apart, and abcd meets ab not
    grouped = clusters([frozenset("abcd"), frozenset("abc"), frozenset("ab"), frozenset("a")])
    assert grouped.members == (0, 1, 2)  # around abc
    assert grouped.chains == (3, 1)


def test_equal_fingerprints_count_as_often_as_they_occur():
    grouped = clusters([frozenset("xy"), frozenset("pq"), frozenset("xy"), frozenset("xy")])
    assert (grouped.members, grouped.largest, grouped.chains) == ((0, 2, 3), 0.75, (3, 1))


def test_nothing_is_no_cluster():
    assert clusters([]).largest == 0.0


@given(
    st.lists(st.frozensets(st.sampled_from("abcdef")), min_size=1, max_size=14),
    st.sampled_from([0.34, 0.5, 0.6, 1.0]),
)
def test_clusters_agree_with_comparing_every_pair(prints: list[frozenset[str]], alike: float):
    def near(a: frozenset[str], b: frozenset[str]) -> bool:
        return len(a & b) >= alike * len(a | b)

    chain = list(range(len(prints)))
    for i, j in combinations(range(len(prints)), 2):
        if near(prints[i], prints[j]):
            chain = [chain[i] if c == chain[j] else c for c in chain]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structure, "BLOCK", 2)
        found = clusters(prints, alike=alike)
    assert list(found.chains) == sorted((chain.count(c) for c in set(chain)), reverse=True)
    assert len(found.members) == max(sum(near(a, b) for b in prints) for a in prints)
