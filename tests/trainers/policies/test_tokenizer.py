"""Encoding and decoding, on texts that hypothesis generates."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tmax_trainers.policies.tokenizer import SPECIALS, WordTokenizer

TEXTS = [
    "Sort the file notes.txt and write it to out.txt.",
    "cat notes.txt | sort -u > out.txt && echo done",
    "cat <<'EOF' > out.txt\n    sort the file\nEOF\n",
]
TOKENIZER = WordTokenizer.train(TEXTS, min_count=1)

# Combinations of vocabulary pieces test more boundaries than random characters do.
seams = st.lists(
    st.one_of(
        st.sampled_from(["cat", "notes", "sort", "qz", " ", "  ", "    ", "\n", "\t", "7", "&&",
                         ".", "<<'", "a", "é", "<pad>", "CAT", "_", "\r\n"]),
        st.text(max_size=3),
    ),
    max_size=12,
).map("".join)  # fmt: skip


@settings(max_examples=500)
@given(st.one_of(seams, st.text()))
@example("cat notes sort")
@example("cat  notes")
@example(" cat")
@example("cat ")
@example("\ud800")
@example("".join(map(chr, range(128))))
def test_every_text_comes_back(text):
    ids = TOKENIZER.encode(text)
    assert TOKENIZER.decode(ids) == text
    assert all(len(SPECIALS) <= i < len(TOKENIZER) for i in ids)


def test_a_known_word_is_one_token_wherever_it_stands():
    (cat,) = TOKENIZER.encode("cat")
    for text in ("cat notes", "/cat/", " cat", "echo cat.", "cat1"):
        assert TOKENIZER.encode(text).count(cat) == 1


def test_a_space_between_known_words_costs_nothing():
    assert len(TOKENIZER.encode("sort the file")) == 3
    assert len(TOKENIZER.encode("sort  the")) > 3


def test_constants_and_punctuation_with_its_space_are_one_token():
    tokenizer = WordTokenizer.train(["LC_ALL=C sort > out", "sort >out"], min_count=1)
    assert tokenizer.encode("LC_ALL") == tokenizer.encode("LC_ALL=")[:1]
    assert len(tokenizer.encode("sort > out")) == 4
    assert tokenizer.encode("sort > out")[-1] == tokenizer.encode("sort >out")[-1]


def test_unknown_words_fall_apart_into_letters_and_numbers_into_digits():
    assert len(TOKENIZER.encode("qzv")) == 3
    assert len(TOKENIZER.encode("2024")) == 4
    assert TOKENIZER.encode("qzv")[1] == TOKENIZER.encode("azb")[1]


def test_no_text_can_forge_a_turn():
    ids = TOKENIZER.encode("".join(SPECIALS))
    assert not set(ids) & set(range(len(SPECIALS)))


def test_specials_have_the_first_ids_and_no_text():
    assert [TOKENIZER.special(s) for s in SPECIALS] == list(range(len(SPECIALS)))
    cat = TOKENIZER.encode("cat")
    assert TOKENIZER.decode([*cat, TOKENIZER.special("<|im_end|>"), *cat]) == "catcat"


@given(st.lists(st.integers(0, len(TOKENIZER) - 1)))
def test_any_ids_have_a_text(ids):
    assert isinstance(TOKENIZER.decode(ids), str)


def test_ids_outside_the_vocabulary_are_refused():
    with pytest.raises(ValueError, match="outside the vocabulary"):
        TOKENIZER.decode([len(TOKENIZER)])


def test_the_order_of_texts_does_not_matter():
    assert WordTokenizer.train(TEXTS[::-1], min_count=1).digest == TOKENIZER.digest


def test_the_most_frequent_pieces_are_kept():
    tokenizer = WordTokenizer.train(["aa bb aa cc bb aa"], max_pieces=2, min_count=1)
    assert tokenizer.pieces == ("aa", "bb")
    assert WordTokenizer.train(["aa bb aa"], min_count=2).pieces == ("aa",)


def test_a_stored_tokenizer_is_the_same():
    again = WordTokenizer.from_json(TOKENIZER.to_json())
    assert again.digest == TOKENIZER.digest
    assert again.encode(TEXTS[2]) == TOKENIZER.encode(TEXTS[2])


@pytest.mark.parametrize("pieces", [["a"], ["two words"], ["x1"], ["aa", "aa"]])
def test_pieces_that_could_not_be_found_again_are_refused(pieces):
    with pytest.raises(ValueError):
        WordTokenizer(pieces)
