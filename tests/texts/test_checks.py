"""What the check of one text finds."""

import base64

import pytest

from tmax_gym.texts.checks import MOST_WORDS, problems
from tmax_gym.texts.obligations import Obligation

GOAL = Obligation("goal", "Write the 7 longest of 340 rows of `/app/rows.csv` to `/app/top.csv`.")
UNSEEN = Obligation("unseen", "It will be tried on other inputs.", "grading", ("unseen", "hidden"))
GOOD = "Take /app/rows.csv, which has 340 rows, and put the seven longest into /app/top.csv."


def test_a_good_text_has_no_problem() -> None:
    assert problems(GOOD, [GOAL], outputs=["/app/top.csv"], hidden=["secret-value"]) == ()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("/app/top.csv", "a file", "goal: the literal '/app/top.csv' is missing"),
        ("/app/rows.csv", "/app/rows.csv2", "goal: the literal '/app/rows.csv' is missing"),
        ("340", "many", "goal: the number 340 is missing"),
        ("seven", "few", "goal: the number 7 is missing"),
        ("340", "1340", "goal: the number 340 is missing"),
        ("has", "has  got", "double space in 'Take /app/rows.csv, which has  got 340 r'"),
        ("340", "340 ,", "space before punctuation in 'Take /app/rows.csv, which has 340 , rows'"),
        ("Take", "Take `", "a backtick has no partner"),
        ("Take", " Take", "the text is empty, or begins or ends with blanks"),
    ],
)  # fmt: skip
def test_a_fault_is_found_and_named(old: str, new: str, problem: str) -> None:
    assert problems(GOOD.replace(old, new), [GOAL]) == (problem,)


def test_a_literal_inside_a_longer_word_does_not_count() -> None:
    quiet = Obligation("quiet", "`-s` prints nothing.")
    assert problems("With `-s`, print nothing.", [quiet]) == ()
    (missing,) = problems("With `-q`, `run-samples` prints nothing.", [quiet])
    assert missing == "quiet: the literal '-s' is missing"


def test_one_of_the_keys_is_enough_and_none_is_a_problem() -> None:
    assert problems("Hidden inputs will be tried.", [UNSEEN]) == ()
    assert problems("It will be tried.", [UNSEEN]) == (
        "unseen: none of these words is there: unseen, hidden",
    )


@pytest.mark.parametrize(
    "told",
    ["secret-value", b"secret-value".hex(), base64.b64encode(b"secret-value").decode()],
    ids=["as it is", "hexadecimal", "base64"],
)
def test_a_hidden_value_may_not_be_told(told: str) -> None:
    (problem,) = problems(f"{GOOD} It is {told}.", [GOAL], hidden=["secret-value"])
    assert "the hidden value 'secret-value' is told" in problem


def test_a_short_hidden_value_is_told_only_as_a_whole_word() -> None:
    assert problems(f"{GOOD} x1.5y", [GOAL], hidden=["1.5"]) == ()
    assert problems(f"{GOOD} It is 1.5 here.", [GOAL], hidden=["1.5"])


def test_the_document_counts_for_outputs_and_for_hidden_values() -> None:
    short = Obligation("goal", "See `/app/docs/rules.md`.", "goal")
    text, document = "See /app/docs/rules.md.", "Write /app/top.csv; the key is secret-value."
    assert problems(text, [short], outputs=["/app/top.csv"], document=document) == ()
    assert problems(text, [short], hidden=["secret-value"], document=document)


def test_an_output_may_be_named_as_a_file_in_a_directory() -> None:
    assert problems("Put top.csv into /app/out.", [], outputs=["/app/out/top.csv"]) == ()
    assert problems("Put it into /app/out.", [], outputs=["/app/out/top.csv"]) == (
        "the output /app/out/top.csv is not named",
    )


def test_a_text_may_not_be_too_long() -> None:
    assert problems("word " * MOST_WORDS + "word", [])[0].startswith(f"{MOST_WORDS + 1} words")
