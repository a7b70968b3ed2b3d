"""Results of trials and jobs, and the directories that hold them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harbor.test_atif import CHAT, WHOLE
from tests.support.json_schema import faults, schema
from tmax_gym.errors import HarborError
from tmax_gym.harbor.results import records
from tmax_gym.harbor.results import trials as t
from tmax_gym.harbor.results.jobs import job_stats, read_job_directory, write_job, write_trial
from tmax_gym.harbor.results.trials import read_job, read_trial

NOW, LATER = "2026-11-21T10:00:00Z", "2026-11-21T10:00:05.123456+00:00"
ID = "00000000-0000-4000-8000-000000000000"
TIMING = t.Timing(NOW, LATER)
ERROR = t.ExceptionInfo("AgentTimeoutError", "late", "Traceback", NOW)
USED = t.AgentResult(
    10, 4, 3, 0.25, {"m": {"n_input_tokens": 10}}, ({"logprobs": [[-0.5]]},), {"turns": 2}
)
TRIAL = t.TrialResult(
    task_name="org/hello",
    trial_name="hello__abc1234",
    agent_info=t.AgentInfo("oracle", "1", t.ModelInfo("m", "p")),
    task_id=t.TaskId(path="hello"),
    config={"task": {"path": "hello"}, "trial_name": "hello__abc1234"},
    trial_uri="file:///x",
    task_checksum="abc",
    id=ID,
    source="set",
    agent_result=USED,
    verifier_result=t.VerifierResult({"reward": 0.5, "style": 1.0}),
    verifier_environment_mode="separate",
    exception_info=ERROR,
    started_at=NOW,
    finished_at=LATER,
    environment_setup=TIMING,
    agent_setup=TIMING,
    agent_execution=TIMING,
    verifier=t.Timing(NOW),
    step_results=(
        t.StepResult("one", USED, t.VerifierResult({"reward": 1.0}), ERROR, TIMING, TIMING),
        t.StepResult("two"),
    ),
)


def test_a_whole_trial_reads_back_the_same_and_is_valid() -> None:
    text = records.dumps(TRIAL)
    assert read_trial(text) == TRIAL
    assert faults(json.loads(text), "trial_result") == []
    assert set(json.loads(text)) == set(schema("trial_result")["properties"])


@pytest.mark.parametrize(
    "task",
    [
        t.TaskId(path="a"),
        t.TaskId(git_url="https://x", path="a", git_commit_id="c"),
        t.TaskId(org="o", name="n", ref="sha256:1"),
    ],
)
def test_every_way_to_name_a_task_is_read(task: t.TaskId) -> None:
    text = records.dumps(replace(TRIAL, task_id=task))
    assert read_trial(text).task_id == task
    assert faults(json.loads(text), "trial_result") == []


OLD_TRIAL = {
    "id": ID,
    "task_name": "regex-log",
    "trial_name": "regex-log__x",
    "trial_uri": "file:///t",
    "task_id": {"git_url": "https://g", "git_commit_id": "69", "path": "regex-log"},
    "source": "terminal-bench",
    "task_checksum": "c",
    "config": {"task": {"path": "regex-log"}, "agent": {"name": None}},
    "agent_info": {"name": "vanillux2", "version": "1", "model_info": None},
    "agent_result": {"n_input_tokens": 5, "cost_usd": None, "rollout_details": None},
    "verifier_result": {"rewards": {"reward": 1.0}},
    "exception_info": None,
    "started_at": "2026-05-01T00:00:00.000001",
    "finished_at": "2026-05-01T00:10:00",
    "verifier": {"started_at": None, "finished_at": None},
}


def test_an_older_trial_with_nulls_is_read() -> None:
    trial = read_trial(json.dumps(OLD_TRIAL))
    assert (trial.task_name, trial.rewards) == ("regex-log", {"reward": 1.0})
    assert trial.agent_info.model_info is None
    assert trial.exception_info is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task_name": None}, "task_name is missing"),
        ({"agent_info": {}}, "agent_info.name is missing"),
        ({"task_id": {}}, "task_id names neither"),
        ({"started_at": "noon"}, "started_at is 'noon', not a time"),
        ({"verifier_result": {"rewards": {"reward": None}}}, "rewards.reward is None"),
        ({"verifier_result": {"rewards": {"reward": "x"}}}, "rewards.reward is 'x'"),
        ({"verifier_result": {"reward": []}}, "verifier_result.reward is []"),
        ({"verifier_environment_mode": "both"}, "not one of: shared, separate"),
        ({"config": 3}, "config is 3, not a table"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(HarborError) as caught:
        read_trial(json.dumps({**OLD_TRIAL, **change}))
    assert message in str(caught.value)


def test_a_missing_reward_stays_missing() -> None:
    for result in (None, {"rewards": None}, {}):
        assert read_trial(json.dumps({**OLD_TRIAL, "verifier_result": result})).rewards == {}


JOB = t.JobResult(
    ID,
    NOW,
    2,
    t.JobStats(
        2,
        1,
        evals={
            "a__m__d": t.EvalStats(
                2,
                1,
                ({"mean": 0.5},),
                {"2": 1.0},
                {"reward": {"0.5": ("x",), "1.0": ("y",)}},
                {"AgentTimeoutError": ("x",)},
            )
        },
        n_input_tokens=3,
        cost_usd=0.5,
    ),
    LATER,
    LATER,
    (TRIAL,),
)


def test_a_whole_job_reads_back_the_same_and_is_valid() -> None:
    text = records.dumps(JOB)
    assert read_job(text) == JOB
    assert faults(json.loads(text), "job_result") == []


def test_the_old_counts_of_a_job_are_read() -> None:
    old = {
        "id": ID,
        "started_at": NOW,
        "n_total_trials": 3,
        "stats": {"n_trials": 3, "n_errors": 1},
    }
    stats = read_job(json.dumps(old)).stats
    assert (stats.n_completed_trials, stats.n_errored_trials) == (3, 1)


PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(sorted(schema("trial_result")["properties"])), PLAIN),
    st.dictionaries(st.sampled_from(sorted(schema("job_result")["properties"])), PLAIN),
)
def test_no_value_makes_the_readers_fail_in_another_way(
    trial: dict[str, object], job: dict[str, object]
) -> None:
    for read, whole, change in (
        (read_trial, OLD_TRIAL, trial),
        (read_job, json.loads(records.dumps(JOB)), job),
    ):
        for value in (change, {**whole, **change}):
            try:
                read(json.dumps(value))
            except HarborError as error:
                assert "\n" not in str(error)


def test_a_job_directory_reads_back_what_was_written(tmp_path: Path) -> None:
    plain = replace(
        TRIAL,
        trial_name="b",
        exception_info=None,
        step_results=None,
        verifier_result=t.VerifierResult({"reward": 1.0}),
        agent_result=None,
    )
    job = tmp_path / "job"
    write_trial(job, replace(TRIAL, trial_name="a"), trajectory=WHOLE, output="1 passed\n")
    write_trial(job, plain)
    config = {"job_name": "job", "agents": [{"name": "oracle"}], "datasets": []}
    result = t.JobResult(ID, NOW, 2, job_stats([replace(TRIAL, trial_name="a"), plain]))
    write_job(job, result, config=config)
    job_read = read_job_directory(job)
    assert [r.result.trial_name for r in job_read.trials] == ["a", "b"]
    assert job_read.trials[0].trajectory() == WHOLE
    assert job_read.trials[1].trajectory() is None
    assert (job_read.config, job_read.result, job_read.problems) == (config, result, ())
    assert json.loads((job / "a/verifier/reward.json").read_text()) == dict(TRIAL.rewards)
    assert (job / "a/verifier/test-stdout.txt").read_text() == "1 passed\n"
    assert faults(config, "job_config") == []
    assert [p for p in job.rglob("*.part")] == []


def test_a_trial_that_cannot_be_read_stops_nobody(tmp_path: Path) -> None:
    write_job(tmp_path, t.JobResult(ID, NOW, 3, t.JobStats()), config={})
    write_trial(tmp_path, TRIAL)
    for name, file, text in (("cut", "result.json", "{"), ("running", "config.json", "{}")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(text)
    job_read = read_job_directory(tmp_path)
    assert [r.result.trial_name for r in job_read.trials] == [TRIAL.trial_name]
    assert [p.name for p in job_read.problems] == ["cut", "running"]


def test_a_chat_list_in_a_job_directory_is_read(tmp_path: Path) -> None:
    home = write_trial(tmp_path, TRIAL)
    (home / "agent").mkdir()
    (home / "agent/trajectory.json").write_text(json.dumps(CHAT))
    (record,) = (
        read_job_directory(tmp_path).trials if (tmp_path / "config.json").exists() else (None,)
    )
    assert record is None  # a directory of trials alone is no job
    write_job(tmp_path, JOB, config={})
    (record,) = read_job_directory(tmp_path).trials
    assert record is not None
    assert (trajectory := record.trajectory()) is not None
    assert len(trajectory.steps) == 4


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden"])
def test_a_trial_cannot_be_written_elsewhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(HarborError, match="trial_name"):
        write_trial(tmp_path, replace(TRIAL, trial_name=name))


def test_an_invalid_job_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(HarborError, match="no job directory"):
        read_job_directory(tmp_path)


def test_the_mean_of_a_job_is_harbors_and_counts_missing_rewards_as_zero() -> None:
    one = replace(TRIAL, verifier_result=t.VerifierResult({"reward": 1.0}), exception_info=None)
    none = replace(TRIAL, trial_name="n", verifier_result=None)
    (stats,) = job_stats([one, none]).evals.values()
    assert stats.metrics == ({"mean": 0.5},)
    assert (stats.n_trials, stats.n_errors) == (1, 1)
    assert stats.exception_stats == {"AgentTimeoutError": ("n",)}
    assert stats.reward_stats == {"reward": {"1.0": (TRIAL.trial_name,)}}
    totals = job_stats([TRIAL, none], pending=3)
    assert (totals.n_input_tokens, totals.n_pending_trials) == (20, 3)
    assert list(totals.evals) == ["oracle__m__set"]
    assert totals.evals["oracle__m__set"].metrics == ({"reward": 0.25, "style": 0.5},)
