"""Readers of Harbor's `result.json`, of a trial and of a job; `records.dumps` writes them.

Covers Harbor 0.6 to 0.25, the old names `n_trials` and `n_errors` of a job among them.  Every
fault is a `HarborError` of one line that names the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from tmax_gym.errors import HarborError
from tmax_gym.harbor.results.atif import is_time
from tmax_gym.harbor.results.trials import (
    AgentInfo,
    AgentResult,
    EvalStats,
    ExceptionInfo,
    JobResult,
    JobStats,
    ModelInfo,
    StepResult,
    TaskId,
    Timing,
    TrialResult,
    VerifierResult,
)
from tmax_gym.harbor.tasks.config import VERIFIER_MODES
from tmax_gym.harbor.tasks.fields import Table, as_table, number, read_json

T = TypeVar("T")


def read_trial(data: bytes | str, *, where: str = "result.json") -> TrialResult:
    """Return the result of a trial.

    Raises:
        HarborError: It is no JSON, or a field is missing or has a wrong type.
    """
    return _trial(as_table(read_json(data, where), where))


def read_job(data: bytes | str, *, where: str = "result.json") -> JobResult:
    """Return the result of a job.

    Raises:
        HarborError: It is no JSON, or a field is missing or has a wrong type.
    """
    table = as_table(read_json(data, where), where)
    return JobResult(
        id=table.text("id"),
        started_at=_needed_time(table, "started_at"),
        n_total_trials=table.whole_or("n_total_trials", 0),
        stats=_stats(table.table("stats")),
        updated_at=_time(table, "updated_at"),
        finished_at=_time(table, "finished_at"),
        trial_results=tuple(_trial(row) for row in table.tables("trial_results")),
    )


def _trial(table: Table) -> TrialResult:
    return TrialResult(
        task_name=table.text("task_name"),
        trial_name=table.text("trial_name"),
        agent_info=_agent_info(table.table("agent_info")),
        task_id=_task_id(table.table("task_id")),
        config=table.mapping("config"),
        trial_uri=table.text_or("trial_uri", ""),
        task_checksum=table.text_or("task_checksum", ""),
        id=table.maybe_text("id"),
        source=table.maybe_text("source"),
        agent_result=_maybe(table, "agent_result", _agent_result),
        verifier_result=_maybe(table, "verifier_result", _verifier_result),
        verifier_environment_mode=table.choice("verifier_environment_mode", VERIFIER_MODES),
        exception_info=_maybe(table, "exception_info", _exception),
        started_at=_time(table, "started_at"),
        finished_at=_time(table, "finished_at"),
        environment_setup=_maybe(table, "environment_setup", _timing),
        agent_setup=_maybe(table, "agent_setup", _timing),
        agent_execution=_maybe(table, "agent_execution", _timing),
        verifier=_maybe(table, "verifier", _timing),
        step_results=(
            tuple(_step(row) for row in table.tables("step_results"))
            if "step_results" in table
            else None
        ),
    )


def _maybe(table: Table, key: str, read: Callable[[Table], T]) -> T | None:
    inside = table.maybe_table(key)
    return None if inside is None else read(inside)


def _time(table: Table, key: str) -> str | None:
    found = table.maybe_text(key)
    if found is not None and not is_time(found):
        raise table.fault(key, "a time by ISO 8601")
    return found


def _needed_time(table: Table, key: str) -> str:
    found = _time(table, key)
    if found is None:
        raise table.fault(key, "a time by ISO 8601")
    return found


def _task_id(table: Table) -> TaskId:
    found = TaskId(*(table.maybe_text(key) for key in TaskId.__slots__))
    if found.path is None and (found.org is None or found.name is None):
        raise HarborError(f"{table.where} names neither a path nor org and name")
    return found


def _agent_info(table: Table) -> AgentInfo:
    model = _maybe(
        table, "model_info", lambda t: ModelInfo(t.text("name"), t.maybe_text("provider"))
    )
    return AgentInfo(table.text("name"), table.text_or("version", "unknown"), model)


def _agent_result(table: Table) -> AgentResult:
    details = table.tables("rollout_details")
    return AgentResult(
        n_input_tokens=table.maybe_whole("n_input_tokens"),
        n_cache_tokens=table.maybe_whole("n_cache_tokens"),
        n_output_tokens=table.maybe_whole("n_output_tokens"),
        cost_usd=table.maybe_number("cost_usd"),
        model_usage=table.maybe_mapping("model_usage"),
        rollout_details=tuple(dict(d.values) for d in details) if details else None,
        metadata=table.maybe_mapping("metadata"),
    )


def _verifier_result(table: Table) -> VerifierResult:
    if "rewards" not in table and "reward" in table:  # the form for one number
        return VerifierResult({"reward": number(table.values["reward"], table.place("reward"))})
    rewards = table.maybe_table("rewards")
    return VerifierResult(None if rewards is None else _numbers(rewards))


def _numbers(table: Table) -> Mapping[str, float]:
    return {key: number(value, table.place(key)) for key, value in table.values.items()}


def _exception(table: Table) -> ExceptionInfo:
    return ExceptionInfo(
        table.text("exception_type"),
        table.text_or("exception_message", ""),
        table.text_or("exception_traceback", ""),
        _needed_time(table, "occurred_at"),
    )


def _timing(table: Table) -> Timing:
    return Timing(_time(table, "started_at"), _time(table, "finished_at"))


def _step(table: Table) -> StepResult:
    return StepResult(
        step_name=table.text("step_name"),
        agent_result=_maybe(table, "agent_result", _agent_result),
        verifier_result=_maybe(table, "verifier_result", _verifier_result),
        exception_info=_maybe(table, "exception_info", _exception),
        agent_execution=_maybe(table, "agent_execution", _timing),
        verifier=_maybe(table, "verifier", _timing),
    )


def _stats(table: Table) -> JobStats:
    def count(key: str, *older: str) -> int:
        return next((table.whole_or(k, 0) for k in (key, *older) if k in table), 0)

    evals = table.table("evals")
    return JobStats(
        n_completed_trials=count("n_completed_trials", "n_trials"),
        n_errored_trials=count("n_errored_trials", "n_errors"),
        n_running_trials=count("n_running_trials"),
        n_pending_trials=count("n_pending_trials"),
        n_cancelled_trials=count("n_cancelled_trials"),
        n_retries=count("n_retries"),
        evals={name: _eval(evals.table(name)) for name in evals.values},
        n_input_tokens=table.maybe_whole("n_input_tokens"),
        n_cache_tokens=table.maybe_whole("n_cache_tokens"),
        n_output_tokens=table.maybe_whole("n_output_tokens"),
        cost_usd=table.maybe_number("cost_usd"),
    )


def _eval(table: Table) -> EvalStats:
    rewards = table.table("reward_stats")
    return EvalStats(
        n_trials=table.whole_or("n_trials", 0),
        n_errors=table.whole_or("n_errors", 0),
        metrics=tuple(dict(row.values) for row in table.tables("metrics")),
        pass_at_k=_numbers(table.table("pass_at_k")),
        reward_stats={name: _names(rewards.table(name)) for name in rewards.values},
        exception_stats=_names(table.table("exception_stats")),
    )


def _names(table: Table) -> Mapping[str, tuple[str, ...]]:
    return {key: table.texts(key) for key in table.values}
