"""Lines of trials are read back as written, and refused if they contradict themselves."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.errors import ResultsError
from tmax_gym.reports.statistics import Run, Trial, read_run, to_json, write_run
from tmax_gym.reports.statistics.trials import from_json
from tmax_gym.trajectory import Ending

LINE = '{"task": "a", "attempt": 0, "ending": "submitted", "reward": 1}'
WITHOUT = [ending for ending in Ending if not ending.graded or ending is Ending.TIME_LIMIT]

graded = st.tuples(
    st.floats(-10, 10),
    st.sampled_from([ending for ending in Ending if not ending.blameless]),
)
ungraded = st.tuples(st.none(), st.sampled_from(WITHOUT))
trials = st.builds(
    lambda task, attempt, ending, digest, tags: Trial(
        task, attempt, ending[0], ending[1], digest, tuple(sorted(tags.items()))
    ),
    st.text(min_size=1),
    st.integers(0, 9),
    graded | ungraded,
    st.text(),
    st.dictionaries(st.text(), st.text()),
)


@given(trials)
def test_a_line_is_read_back_as_it_was_written(trial: Trial) -> None:
    line = to_json(trial)
    assert "\n" not in line
    assert from_json(line) == trial
    assert list(json.loads(line)) == sorted(json.loads(line))


def test_unknown_keys_of_a_line_are_ignored() -> None:
    row = {**json.loads(LINE), "seconds": 3.5, "usage": {"tokens": 9}, "tags": None}
    assert from_json(json.dumps(row)) == Trial("a", 0, 1.0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Expecting property name"),
        ("[1]", "no object"),
        ('{"task": "a", "reward": 1}', "it has no attempt, ending"),
        ('{"task": "", "attempt": 0, "ending": "submitted"}', "should be a name"),
        ('{"task": "a", "attempt": "0", "ending": "submitted"}', "should be an integer"),
        ('{"task": "a", "attempt": true, "ending": "submitted"}', "should be an integer"),
        (LINE.replace("1}", "true}"), "should be a number or null"),
        (LINE.replace("1}", '"1"}'), "should be a number or null"),
        (LINE.replace("1}", "NaN}"), "is no number"),
        (LINE.replace("1}", "Infinity}"), "is no number"),
        (LINE.replace("1}", "1" + "0" * 400 + "}"), "too large"),
        (LINE.replace("1}", "null}"), "a trial of a ended as submitted and has no reward"),
        (LINE.replace('"submitted"', '"ungraded"'), "as ungraded and yet has reward 1.0"),
        (LINE.replace('"submitted"', '"solved"'), "'solved' is not a valid Ending"),
        (LINE.replace("1}", '1, "tags": ["hard"]}'), "should be an object"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_a_wrong_line_is_named_with_what_is_wrong(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "trials.jsonl"
    file.write_text(f"{LINE}\n\n{line}\n")
    with pytest.raises(ResultsError, match=message) as raised:
        read_run(file)
    assert str(raised.value).startswith(f"{file}:3: not a trial: ")


@pytest.mark.parametrize(
    ("status", "reward", "ending"),
    [
        ("graded", "0.5", Ending.SUBMITTED),
        ("ungraded", "null", Ending.UNGRADED),
        ("infra_error", "null", Ending.INFRA_ERROR),
        ("verifier_error", "null", Ending.VERIFIER_ERROR),
        ("cancelled", "null", Ending.CANCELLED),
        ("agent_timeout", "0.5", Ending.TIME_LIMIT),
        ("agent_timeout", "null", Ending.TIME_LIMIT),
        ("agent_error", "0.5", Ending.AGENT_ERROR),
        ("agent_error", "null", Ending.AGENT_ERROR),
    ],
)
def test_a_line_of_an_older_version_is_read(status: str, reward: str, ending: Ending) -> None:
    line = f'{{"task": "a", "attempt": 0, "status": "{status}", "reward": {reward}}}'
    assert from_json(line) == Trial("a", 0, json.loads(reward), ending)


def test_a_directory_stands_for_its_trials(tmp_path: Path) -> None:
    run = Run("r", (Trial("b\u2028", 0, None, Ending.CANCELLED), Trial("a", 1, 0.5)))
    write_run(tmp_path / "trials.jsonl", run)
    assert read_run(tmp_path, name="r") == run
    assert read_run(tmp_path / "trials.jsonl").name == str(tmp_path / "trials.jsonl")


def test_files_without_trials_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="or a directory with"):
        read_run(tmp_path)
    (tmp_path / "trials.jsonl").write_text("\n")
    with pytest.raises(ResultsError, match="holds no trial"):
        read_run(tmp_path)
    (tmp_path / "trials.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(ResultsError, match="cannot read trials"):
        read_run(tmp_path)


def test_trials_are_sorted_by_task_and_attempt() -> None:
    run = Run("r", tuple(Trial(t, n, 0.0) for t, n in (("b", 0), ("a", 10), ("a", 9))))
    assert [(t.task, t.attempt) for t in run.trials] == [("a", 9), ("a", 10), ("b", 0)]
    assert run.tasks == ("a", "b")


def test_an_attempt_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ResultsError, match="attempt 3 of a is there twice"):
        Run("r", (Trial("a", 3, 1.0), Trial("b", 3, 1.0), Trial("a", 3, None, Ending.UNGRADED)))


def test_trials_that_disagree_about_their_task_are_refused() -> None:
    with pytest.raises(ResultsError, match=r"disagree about its digest \('x', 'y'\)"):
        Run("r", (Trial("a", 0, 1.0, digest="x"), Trial("a", 1, 1.0, digest="y")))
    hard, easy = ((("difficulty", level),) for level in ("hard", "easy"))
    with pytest.raises(ResultsError, match="disagree about its difficulty"):
        Run("r", (Trial("a", 0, 1.0, tags=hard), Trial("a", 1, 1.0, tags=easy)))


def test_a_trial_without_a_digest_disagrees_with_none() -> None:
    run = Run("r", (Trial("a", 0, 1.0, digest="x"), Trial("a", 1, None, Ending.INFRA_ERROR)))
    assert run.digests == {"a": "x"}


@pytest.mark.parametrize("ending", WITHOUT)
def test_a_trial_without_a_reward_says_why(ending: Ending) -> None:
    run = Run("r", (Trial("a", 0, None, ending), Trial("a", 1, 1.0)))
    assert run.rewards() == {"a": (1.0,)}
    assert run.rewards(ungraded=0.0) == {"a": (0.0, 1.0)}
    assert dict(run.endings) == {Ending.SUBMITTED: 1, ending: 1}


def test_a_reward_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="no number"):
        Trial("a", 0, math.nan)
