import hashlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.analysis.measures import texts
from tmax_gym.analysis.measures.texts import distinct, grams, reuse

WORDS = st.lists(st.sampled_from("abcdefg"), max_size=40).map(" ".join)


def test_tokens_are_runs_of_ascii_letters_and_digits():
    assert texts.tokens("Sort /app/A-1.csv, été") == ["sort", "app", "a", "1", "csv", "t"]


def test_percentiles_lie_between_ranked_values():
    # by hand: 11 values 0..10, so the q-quantile is 10 q
    assert texts.percentiles(list(range(10, -1, -1))) == (1.0, 5.0, 9.0)
    assert texts.percentiles([1, 2]) == pytest.approx((1.1, 1.5, 1.9))


def test_distinct_counts_different_grams_within_texts():
    # a b a / a b: unigrams a b a a b -> 2 of 5; bigrams ab ba ab -> 2 of 3; trigrams aba -> 1 of 1
    samples = ["a b a", "a b"]
    assert distinct(samples, 1) == 2 / 5
    assert distinct(samples, 2) == 2 / 3
    assert distinct(samples, 3) == 1.0


def test_distinct_reads_only_its_budget():
    assert distinct(["a b c d", "a b c d"], 1, budget=4) == 1.0
    assert distinct(["a b c d", "a b c d"], 1, budget=8) == 0.5


def test_reuse_is_the_mean_share_of_grams_held_by_another_text():
    words = [f"w{n}" for n in range(15)]
    # 15 words hold 3 grams of 13, 13 of them hold 1; the short text shares its only gram
    samples = [" ".join(words), " ".join(words[1:14]), "too short"]
    reused = reuse([grams(text) for text in samples])
    assert reused.shares == pytest.approx((1 / 3, 1, 0))
    assert reused.mean == pytest.approx(4 / 9)


def test_a_gram_repeated_within_one_text_is_no_reuse():
    assert reuse([grams(" ".join(["w"] * 30)), grams("other words")]).mean == 0


def test_reuse_across_counts_only_grams_of_another_group():
    # three texts of one gram each: all share it, but the third alone has another group
    same = grams(" ".join(f"w{n}" for n in range(13)))
    only = grams(" ".join(f"v{n}" for n in range(13)))
    assert reuse([same, same, only, only], ["a", "b", "c", "c"]).across == (1, 1, 0, 0)
    assert reuse([same, same, only, only], ["a", "b", "c", "c"]).shares == (1, 1, 1, 1)


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_reuse_agrees_with_counting_word_by_word(samples: list[str]):
    sets = [{tuple(t.split()[i : i + 3]) for i in range(len(t.split()) - 2)} for t in samples]
    expected = [
        sum(any(g in other for k, other in enumerate(sets) if k != i) for g in own) / len(own)
        if own
        else 0.0
        for i, own in enumerate(sets)
    ]
    assert reuse([grams(text, 3) for text in samples]).shares == pytest.approx(expected)


def test_a_gram_is_the_big_endian_digest_of_thirteen_words():
    words = "one two three four five six seven eight nine ten eleven twelve thirteen"
    digest = hashlib.blake2b(words.encode(), digest_size=8).digest()
    assert grams(words.title().replace(" ", ", ")).tolist() == [int.from_bytes(digest, "big")]
    assert grams(words.rpartition(" ")[0]).tolist() == []


def test_the_most_repeated_passages_come_first_and_do_not_overlap():
    often = " ".join(f"w{n}" for n in range(20))
    twice = " ".join(f"v{n}" for n in range(13))
    samples = [often, often, f"{often} {twice}", twice]
    passages = texts.repeated(samples, [grams(text) for text in samples], top=9)
    assert [count for count, _ in passages] == [3, 2]
    assert (passages[0][1] in often, passages[1][1]) == (True, twice)


def test_contamination_is_found_anywhere_in_a_text():
    known = grams(" ".join(f"w{n}" for n in range(20)))
    clean = " ".join(f"v{n}" for n in range(40))
    dirty = clean + " " + " ".join(f"w{n}" for n in range(3, 17)) + " end"
    assert texts.contaminated([grams(clean), grams(dirty)], known) == [1]


def test_the_stored_benchmark_grams_are_sorted_and_complete():
    # 43,130 grams of Terminal-Bench 1 and 2.0: tasks.md section 2.3
    known = texts.benchmark_grams()
    assert len(known) == 43130
    assert all(a < b for a, b in pairwise(known))


def test_items_are_spread_evenly_from_the_first():
    assert texts.spread([str(n) for n in range(10)], 4) == ["0", "2", "5", "7"]
    assert texts.spread(["a"], 4) == ["a"]
