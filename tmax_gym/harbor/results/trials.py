"""Results of Harbor trials and jobs (`result.json`): frozen dataclasses, and how they are read.

They have the fields that Harbor 0.6 to 0.25 writes.  The configuration of a trial stays a free
table, because every runner has its own.  A fault in a file is a `HarborError` that names the field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tmax_gym.errors import HarborError
from tmax_gym.harbor.results.records import Readers, Time, build
from tmax_gym.harbor.tasks.fields import Table, as_table, number, read_json

Extra = Mapping[str, object] | None
Mode = Literal["shared", "separate"]


@dataclass(frozen=True, slots=True)
class TaskId:
    """The identity of a task: path, repository and path, or package."""

    path: str | None = None
    git_url: str | None = None
    git_commit_id: str | None = None
    org: str | None = None
    name: str | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model."""

    name: str
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """An agent."""

    name: str
    version: str = "unknown"
    model_info: ModelInfo | None = None


@dataclass(frozen=True, slots=True)
class AgentResult:
    """Tokens and cost of an agent."""

    n_input_tokens: int | None = None
    """Those from a cache included."""
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None
    model_usage: Mapping[str, object] | None = None
    rollout_details: tuple[Mapping[str, object], ...] | None = None
    metadata: Extra = None


@dataclass(frozen=True, slots=True)
class VerifierResult:
    """The rewards that a verifier wrote."""

    rewards: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class ExceptionInfo:
    """An exception that ended a trial."""

    exception_type: str
    exception_message: str
    exception_traceback: str
    occurred_at: Time


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of a phase."""

    started_at: Time | None = None
    finished_at: Time | None = None


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of one step of a task with several."""

    step_name: str
    agent_result: AgentResult | None = None
    verifier_result: VerifierResult | None = None
    exception_info: ExceptionInfo | None = None
    agent_execution: Timing | None = None
    verifier: Timing | None = None


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One attempt of one agent at one task."""

    task_name: str
    trial_name: str
    agent_info: AgentInfo
    task_id: TaskId
    config: Mapping[str, object]
    """It has at least the table `task`."""
    trial_uri: str = ""
    task_checksum: str = ""
    id: str | None = None
    source: str | None = None
    """The dataset."""
    agent_result: AgentResult | None = None
    verifier_result: VerifierResult | None = None
    verifier_environment_mode: Mode | None = None
    exception_info: ExceptionInfo | None = None
    started_at: Time | None = None
    finished_at: Time | None = None
    environment_setup: Timing | None = None
    agent_setup: Timing | None = None
    agent_execution: Timing | None = None
    verifier: Timing | None = None
    step_results: tuple[StepResult, ...] | None = None

    @property
    def rewards(self) -> Mapping[str, float]:
        """Return the rewards by name; empty if nothing was graded."""
        return (self.verifier_result.rewards if self.verifier_result else None) or {}


@dataclass(frozen=True, slots=True)
class EvalStats:
    """Statistics of one agent with one model on one dataset."""

    n_trials: int = 0
    n_errors: int = 0
    metrics: tuple[Mapping[str, object], ...] = ()
    pass_at_k: Mapping[str, float] = field(default_factory=dict)
    reward_stats: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """Names of trials by reward, by the reward's name."""
    exception_stats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of trials by the type of their exception."""


@dataclass(frozen=True, slots=True)
class JobStats:
    """Statistics of a job."""

    n_completed_trials: int = 0
    n_errored_trials: int = 0
    n_running_trials: int = 0
    n_pending_trials: int = 0
    n_cancelled_trials: int = 0
    n_retries: int = 0
    evals: Mapping[str, EvalStats] = field(default_factory=dict)
    """By `agent__model__dataset`."""
    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of a job."""

    id: str
    started_at: Time
    n_total_trials: int
    stats: JobStats
    updated_at: Time | None = None
    finished_at: Time | None = None
    trial_results: tuple[TrialResult, ...] = ()


def read_trial(data: bytes | str, *, where: str = "result.json") -> TrialResult:
    """Return the result of a trial.

    Raises:
        HarborError: It is no JSON, or a field is missing or has a wrong type.
    """
    return build(TrialResult, as_table(read_json(data, where), where), _READERS)


def read_job(data: bytes | str, *, where: str = "result.json") -> JobResult:
    """Return the result of a job.

    Raises:
        HarborError: It is no JSON, or a field is missing or has a wrong type.
    """
    table = as_table(read_json(data, where), where)
    return build(JobResult, table, _READERS, n_total_trials=table.whole_or("n_total_trials", 0))


def _task_id(table: Table) -> TaskId:
    task = build(TaskId, table)
    if task.path is None and (task.org is None or task.name is None):
        raise HarborError(f"{table.where} names neither a path nor org and name")
    return task


def _verifier_result(table: Table) -> VerifierResult:
    if "rewards" not in table and "reward" in table:  # the form for one number
        return VerifierResult({"reward": number(table.values["reward"], table.place("reward"))})
    return build(VerifierResult, table)


def _exception(table: Table) -> ExceptionInfo:
    texts = {k: table.text_or(k, "") for k in ("exception_message", "exception_traceback")}
    return build(ExceptionInfo, table, {}, **texts)


def _stats(table: Table) -> JobStats:
    older = {"n_completed_trials": "n_trials", "n_errored_trials": "n_errors"}
    counts = {k: table.whole_or(old, 0) for k, old in older.items() if k not in table}
    return build(JobStats, table, _READERS, **counts)


_READERS: Readers = {
    ExceptionInfo: _exception,
    JobStats: _stats,
    TaskId: _task_id,
    VerifierResult: _verifier_result,
}
