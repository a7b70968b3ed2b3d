"""Exact-text checks; expected scores worked out by hand."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.memory_evidence import MemoryEvidence, holding
from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput
from tmax_gym.nodes import link, text

TABLE = [("a", 1), ("b", 2), ("c", 3), ("d", 4)]


def rows_score(body: str, **options) -> float:
    check = exact.rows("r", "/app/t.csv", TABLE, header=("k", "v"), **options)
    return check.score(holding(t__csv=body))


def test_an_equal_table_scores_one():
    assert rows_score("k,v\na,1\nb,2\nc,3\nd,4\n") == 1.0


def test_half_of_the_rows_score_the_discounted_f1():
    # two of four rows: F1 = 2*2/(2+4) = 2/3, times 0.6
    assert rows_score("k,v\na,1\nb,2\n") == pytest.approx(0.4)


def test_rows_in_another_order_are_not_yet_right():
    assert rows_score("k,v\nb,2\na,1\nc,3\nd,4\n") == pytest.approx(0.6)


def test_an_unordered_table_may_come_in_any_order():
    assert rows_score("k,v\nd,4\nb,2\na,1\nc,3\n", ordered=False) == 1.0


def test_flooding_a_table_with_rows_does_not_pay():
    flood = "".join(f"x{i},{i}\n" for i in range(396))
    assert rows_score("k,v\na,1\nb,2\nc,3\nd,4\n" + flood) < 0.02


def test_a_wrong_header_is_bad_output():
    with pytest.raises(BadOutput, match="header"):
        rows_score("a,1\nb,2\n")


def test_fields_score_by_the_share_that_is_equal():
    check = exact.fields("f", "/app/r.json", {"a": 1, "b": "x", "c": [1, 2], "d": True})
    assert check.score(holding(r__json='{"a": 1.0, "b": "x", "c": [1], "d": 1}')) == 0.5


@pytest.mark.parametrize("body", ["", "{", "[1]", "3", "\ufeff", "[" * 100_000])
def test_what_is_no_json_object_is_bad_output(body):
    check = exact.fields("f", "/app/r.json", {"a": 1})
    with pytest.raises(BadOutput):
        check.score(holding(r__json=body))


def test_a_value_may_have_space_around_it_but_not_inside():
    check = exact.value("v", "/app/x.txt", "12 34")
    assert check.score(holding(x__txt="  12 34\n\n")) == 1.0
    assert check.score(holding(x__txt="12  34")) == 0.0


def test_text_that_is_not_utf8_is_bad_output():
    with pytest.raises(BadOutput, match="UTF-8"):
        exact.value("v", "/app/x.txt", "a").score(holding(x__txt=b"\xff\xfe"))


@given(st.binary(max_size=200))
def test_no_bytes_make_a_text_check_fail_otherwise(data):
    evidence = holding(x__txt=data)
    for check in (
        exact.value("v", "/app/x.txt", "a"),
        exact.lines("l", "/app/x.txt", ["a", "b"]),
        exact.rows("r", "/app/x.txt", TABLE),
        exact.fields("f", "/app/x.txt", {"a": 1}),
    ):
        with contextlib.suppress(BadOutput):
            assert 0.0 <= check.score(evidence) <= 1.0


def test_a_tree_scores_nothing_as_it_was():
    before = [text("/app/d/a", "1"), text("/app/d/b", "2")]
    after = [text("/app/d/x", "1"), text("/app/d/b", "2")]
    check = exact.tree("t", "/app/d", after, initial=before)
    assert check.score(MemoryEvidence({n.path: n for n in before})) == 0.0
    assert check.score(MemoryEvidence({n.path: n for n in after})) == 1.0


def test_a_link_is_equal_by_its_target():
    check = exact.tree("t", "/app/d", [link("/app/d/a", "b")])
    assert check.score(MemoryEvidence({"/app/d/a": link("/app/d/a", "b")})) == 1.0
    assert check.score(MemoryEvidence({"/app/d/a": link("/app/d/a", "c")})) == 0.0
