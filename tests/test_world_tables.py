"""Tables are read back by the csv and json modules."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.world.tables import aligned, json_lines, markdown, separated

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4), st.sampled_from(",;\t"))
def test_any_text_comes_back_from_csv(rows, mark):
    made = separated(("one", "two"), rows, mark=mark)
    read = list(csv.reader(io.StringIO(made, newline=""), delimiter=mark))
    assert read == [["one", "two"], *map(list, rows)]


def test_numbers_truth_and_absence_have_one_spelling():
    made = separated(("a", "b", "c", "d"), [(1.5, True, None, -0.25)], digits=2, empty="NA")
    assert made == "a,b,c,d\n1.50,true,NA,-0.25\n"


@given(st.lists(st.tuples(TEXTS, st.none() | st.integers() | st.booleans()), max_size=4))
def test_any_row_comes_back_from_json_lines(rows):
    made = json_lines(("k", "v"), rows, ascii_only=True)
    assert [tuple(json.loads(line).values()) for line in made.splitlines()] == rows


def test_columns_are_aligned_without_trailing_spaces():
    made = aligned(("name", "n"), [("a", 1), ("longer", None)])
    assert made == "name    n\na       1\nlonger  -\n"


def test_markdown_escapes_its_own_mark():
    assert markdown(("x",), [("a|b",)]) == "| x |\n| --- |\n| a\\|b |\n"


def test_a_ragged_row_is_refused_by_number():
    with pytest.raises(ValueError, match="row 1 has 1 cells for 2"):
        separated(("a", "b"), [(1, 2), (3,)])
