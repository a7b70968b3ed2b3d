import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmax_gym.analysis.measures import neighbours
from tmax_gym.analysis.measures.neighbours import nearest

TEXTS = st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=12), min_size=2, max_size=12)


def plainly(texts: list[list[str]]) -> tuple[list[float], float]:
    """TF-IDF by the formula of the module's docstring, one pair after the other."""
    spread = Counter(word for words in texts for word in set(words))
    vectors = []
    for words in texts:
        raw = {
            w: n * (math.log((1 + len(texts)) / (1 + spread[w])) + 1)
            for w, n in Counter(words).items()
        }
        length = math.sqrt(sum(v * v for v in raw.values())) or 1.0
        vectors.append({w: v / length for w, v in raw.items()})
    cosine = [[sum(a[w] * b.get(w, 0) for w in a) for b in vectors] for a in vectors]
    others = [[c for j, c in enumerate(row) if j != i] for i, row in enumerate(cosine)]
    return [max(row) for row in others], sum(map(sum, others)) / (len(texts) * (len(texts) - 1))


def test_the_neighbour_of_a_copy_is_at_one():
    neighbours = nearest([["a", "b"], ["b", "a"], ["c", "d"]])
    assert neighbours.cosine == pytest.approx((1, 1, 0), abs=1e-6)
    assert neighbours.other == (1, 0, -1)


def test_neighbours_are_weighted_by_rarity():
    # by hand: N = 2; the shared word has idf ln(3/3) + 1 = 1, the others ln(3/2) + 1
    rare = math.log(3 / 2) + 1
    neighbours = nearest([["x", "a"], ["x", "b"]])
    assert neighbours.cosine == pytest.approx([1 / (1 + rare**2)] * 2)
    assert neighbours.mean == pytest.approx(1 / (1 + rare**2))


def test_damped_neighbours_do_not_count_what_all_texts_have():
    # by hand: N = 3; "all" has idf ln(4/4) = 0, a has ln(4/3), b and c have ln(4/2)
    a, b = math.log(4 / 3), math.log(4 / 2)
    neighbours = nearest([["all", "a", "a"], ["all", "a", "b"], ["all", "c"]], damped=True)
    assert neighbours.cosine == pytest.approx([a / math.hypot(a, b)] * 2 + [0.0])


@pytest.mark.parametrize("dense", [0, 3, 100])
@pytest.mark.parametrize("block", [1, 5])
@given(texts=TEXTS)
@settings(max_examples=25)
def test_blocks_and_rare_words_change_nothing(texts: list[list[str]], dense: int, block: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "DENSE", dense)
        patch.setattr(neighbours, "BLOCK", block)
        fast = nearest(texts)
    cosine, mean = plainly(texts)
    assert fast.cosine == pytest.approx(cosine, abs=1e-5)
    assert fast.mean == pytest.approx(mean, abs=1e-5)


def test_the_neighbour_that_is_named_has_the_cosine():
    rng = np.random.default_rng(0)
    texts = [[f"w{n}" for n in rng.zipf(1.5, 40) % 500] for _ in range(60)]
    neighbours = nearest(texts)
    for index, other in enumerate(neighbours.other):
        # The idf of three texts is another one, so the pair is looked up in the whole set.
        swapped = [
            texts[index],
            texts[other],
            *(t for k, t in enumerate(texts) if k not in (index, other)),
        ]
        assert nearest(swapped).cosine[0] == pytest.approx(neighbours.cosine[index], abs=1e-5)


def test_one_text_has_no_neighbour():
    with pytest.raises(ValueError, match="two texts, got 1"):
        nearest([["alone"]])
