"""Rewards that verifiers write, valid and invalid ones."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.errors import HarborError
from tmax_gym.harbor.results.rewards import MOST_BYTES, Rewards, combine, read_rewards, rewards


def test_reward_json_wins_over_reward_txt() -> None:
    assert read_rewards(b'{"reward": 0.25}', b"1").score() == 0.25
    assert read_rewards(None, b" 0.5\n").score() == 0.5


def test_a_broken_reward_json_does_not_fall_back_to_reward_txt() -> None:
    with pytest.raises(HarborError, match=r"reward\.json"):
        read_rewards(b"{", b"1")


def test_several_numbers_are_kept_by_name() -> None:
    rewards_ = read_rewards(b'{"tests": 3, "reward": 0.5, "style": 0.1}', None)
    assert rewards_.values == (("reward", 0.5), ("style", 0.1), ("tests", 3.0))
    assert rewards_.score() == 0.5


def test_the_only_number_is_the_reward_whatever_its_name() -> None:
    assert read_rewards(b'{"accuracy": 1}', None).score() == 1.0


@pytest.mark.parametrize(
    "written",
    [b"0.5\r\n", b"\xef\xbb\xbf0.5\n", b"\n 0.5 \n\n", b"5e-1", b"+.5", b"\t0.50\r\n"],
)
def test_a_number_may_have_a_mark_spaces_and_line_ends_around_it(written: bytes) -> None:
    assert read_rewards(None, written).score() == 0.5


@pytest.mark.parametrize(
    "written",
    [b'\xef\xbb\xbf{"reward": 0.5}', b'{\r\n"reward": 0.5\r\n}\r\n', b'{"reward":5e-1}'],
)
def test_json_may_have_a_mark_and_windows_line_ends(written: bytes) -> None:
    assert read_rewards(written, b"0").score() == 0.5


def test_a_flag_counts_as_one_or_zero() -> None:
    assert read_rewards(b'{"reward": true}', None).score() == 1.0


@pytest.mark.parametrize(
    ("json_file", "text_file", "message"),
    [
        (None, None, "neither reward.json nor reward.txt"),
        (b"", None, "reward.json is empty"),
        (b" \n", None, "reward.json is empty"),
        (None, b"", "reward.txt is empty"),
        (b"{", None, "reward.json is not JSON"),
        (b"\xff", None, "reward.json is not JSON"),
        (b"[" * 100_000, None, "reward.json is not JSON"),
        (b"1.0", None, "reward.json is 1.0, not an object"),
        (b"[1]", None, "reward.json is [1], not an object"),
        (b"{}", None, "reward.json has 0 numbers"),
        (b'{"reward": NaN}', None, "reward.json: reward is nan, not a finite number"),
        (b'{"reward": Infinity}', None, "reward is inf, not a finite number"),
        (b'{"reward": 1e999}', None, "reward is inf, not a finite number"),
        (b'{"reward": 1' + b"0" * 400 + b"}", None, "too large for a number"),
        (b'{"reward": 1' + b"0" * 5000 + b"}", None, "reward.json is not JSON"),
        (b'{"reward": "1.0"}', None, "reward is '1.0', not a number"),
        (b'{"reward": null}', None, "reward is None, not a number"),
        (b'{"reward": {"a": 1}}', None, "not a number"),
        (b'{"reward": 0, "x": NaN}', None, "reward.json: x is nan"),
        (b" " * MOST_BYTES + b"{}", None, f"more than {MOST_BYTES}"),
        (None, b"passed", "reward.txt is 'passed', not a number"),
        (None, b"1 0", "reward.txt is '1 0', not a number"),
        (None, b"nan", "reward.txt is 'nan', not a finite number"),
        (None, b"inf", "not a finite number"),
        (None, b"\xff\xfe", "not a number"),
        (None, b"1e400", "reward.txt is '1e400', not a finite number"),
        (None, b"-inf\n", "not a finite number"),
        (None, b"1\npassed\n", "reward.txt is '1\\npassed', not a number"),
        (None, b"0.5 # partly", "not a number"),
        (None, b"0,5", "not a number"),
        (None, "1".encode("utf-16"), "not a number"),
        (None, b"0\x00", "not a number"),
        (None, b"true", "not a number"),
        (b'{"reward": [1]}', None, "not a number"),
        (
            b'{"rewards": {"reward": 1}}',
            None,
            "rewards is {'reward': 1}, not a number",
        ),
        (b"null", None, "reward.json is None, not an object"),
        ('{"reward": 1}'.encode("utf-16"), None, "reward.json is not JSON"),
    ],
)
def test_an_invalid_reward_is_an_error_and_never_zero(
    json_file: bytes | None, text_file: bytes | None, message: str
) -> None:
    with pytest.raises(HarborError) as caught:
        read_rewards(json_file, text_file)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("value", ["1.5", "-0.1", "1e300", "-1e-9"])
def test_a_reward_out_of_range_has_no_score(value: str) -> None:
    with pytest.raises(HarborError, match="not in"):
        read_rewards(None, value.encode()).score()


def test_several_rewards_without_a_main_one_have_no_score() -> None:
    with pytest.raises(HarborError, match=r"\(a, b\)"):
        read_rewards(b'{"a": 1, "b": 0}', None).score()


@given(st.binary(), st.one_of(st.none(), st.binary()))
def test_no_bytes_make_the_reader_fail_in_another_way(one: bytes, other: bytes | None) -> None:
    for pair in ((one, other), (None, one)):
        try:
            assert isinstance(read_rewards(*pair), Rewards)
        except HarborError as error:
            assert "\n" not in str(error)


@given(
    st.dictionaries(
        st.text(), st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5
    )
)
def test_numbers_that_are_written_read_back_the_same(values: dict[str, float]) -> None:
    rewards_ = read_rewards(json.dumps(values).encode("utf-8", "surrogatepass"), None)
    assert dict(rewards_.values) == values


numbers = st.fractions(min_value=0, max_value=1, max_denominator=64)


@given(
    st.lists(
        st.one_of(
            st.none(), st.dictionaries(st.sampled_from("abc"), numbers, min_size=1, max_size=3)
        ),
        max_size=5,
    )
)
def test_the_mean_of_steps_is_by_name_over_graded_steps(
    steps: list[dict[str, Fraction] | None],
) -> None:
    given_ = [s and rewards({k: float(v) for k, v in s.items()}) for s in steps]
    combined = combine(given_, "mean")
    graded = [s for s in steps if s]
    if not graded:
        assert combined is None
        return
    assert combined is not None
    for name, value in combined.values:
        exact = sum((s.get(name, Fraction(0)) for s in graded), Fraction(0)) / len(graded)
        assert value == pytest.approx(float(exact), abs=1e-12)


def test_the_final_step_may_count_alone() -> None:
    one, two = rewards({"reward": 0.0}), rewards({"reward": 1.0})
    assert combine([one, two], "final") == two
    assert combine([one, None], "final") is None
    assert combine([], "final") is None


def test_a_threshold_needs_every_key() -> None:
    earned = rewards({"a": 0.5, "b": 1.0})
    assert earned.meets((("a", 0.5),))
    assert not earned.meets((("a", 0.6),))
    assert not earned.meets((("c", 0.0),))
    assert earned.meets(())
