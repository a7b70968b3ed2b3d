import hashlib
import math
from itertools import pairwise

import pytest

from tmax_gym.words import diversity
from tmax_gym.words.diversity import Diversity, distinct, measure, neighbours, reuse


def test_tokens_are_runs_of_ascii_letters_and_digits():
    assert diversity.tokens("Sort /app/A-1.csv, été") == ["sort", "app", "a", "1", "csv", "t"]


def test_percentiles_lie_between_ranked_values():
    # by hand: 11 values 0..10, so the q-quantile is 10 q
    assert diversity.percentiles(list(range(10, -1, -1))) == (1.0, 5.0, 9.0)
    assert diversity.percentiles([1, 2]) == (1.1, 1.5, 1.9)


def test_distinct_counts_different_grams_within_texts():
    # a b a / a b: unigrams a b a a b -> 2 of 5; bigrams ab ba ab -> 2 of 3; trigrams aba -> 1 of 1
    texts = ["a b a", "a b"]
    assert distinct(texts, 1) == 2 / 5
    assert distinct(texts, 2) == 2 / 3
    assert distinct(texts, 3) == 1.0


def test_distinct_reads_only_its_budget():
    assert distinct(["a b c d", "a b c d"], 1, budget=4) == 1.0
    assert distinct(["a b c d", "a b c d"], 1, budget=8) == 0.5


def test_the_neighbour_of_a_copy_is_at_one():
    assert neighbours(["a b", "b a", "c d"]) == [pytest.approx(1), pytest.approx(1), 0.0]


def test_neighbours_are_weighted_by_rarity():
    # by hand: N = 2; the shared word has idf ln(3/3) + 1 = 1, the others ln(3/2) + 1
    rare = math.log(3 / 2) + 1
    expected = 1 / (1 + rare**2)
    assert neighbours(["x a", "x b"]) == [pytest.approx(expected)] * 2


def test_reuse_is_the_mean_share_of_grams_held_by_another_text():
    words = [f"w{n}" for n in range(15)]
    # 15 words hold 3 grams of 13, 13 of them hold 1; the short text shares its only gram
    assert reuse([" ".join(words), " ".join(words[1:14]), "too short"]) == pytest.approx(
        (1 / 3 + 1 + 0) / 3
    )


def test_a_gram_repeated_within_one_text_is_no_reuse():
    assert reuse([" ".join(["w"] * 30), "other words"]) == 0


def test_measure_gathers_all_of_it():
    texts = [" ".join(f"t{k}w{n}" for n in range(14)) for k in range(3)]
    assert measure(texts) == Diversity(3, (14, 14, 14), (1, 1, 1), 0.0, 0.0, 0.0)


def test_one_text_cannot_be_measured():
    with pytest.raises(ValueError, match="two texts, got 1"):
        measure(["alone"])


def test_a_gram_is_the_big_endian_digest_of_thirteen_words():
    words = "one two three four five six seven eight nine ten eleven twelve thirteen"
    digest = hashlib.blake2b(words.encode(), digest_size=8).digest()
    assert diversity.grams(words.title().replace(" ", ", ")) == [int.from_bytes(digest, "big")]
    assert diversity.grams(words.rpartition(" ")[0]) == []


def test_contamination_is_found_anywhere_in_a_text():
    known = sorted(diversity.grams(" ".join(f"w{n}" for n in range(20))))
    clean = " ".join(f"v{n}" for n in range(40))
    dirty = clean + " " + " ".join(f"w{n}" for n in range(3, 17)) + " end"
    assert diversity.contaminated([clean, dirty], known) == [1]


def test_the_stored_benchmark_grams_are_sorted_and_complete():
    # 43,130 grams of Terminal-Bench 1 and 2.0: tasks.md section 2.3
    known = diversity.benchmark_grams()
    assert len(known) == 43130
    assert all(a < b for a, b in pairwise(known))
