"""Read Harbor's `result.json`, of a trial and of a job, as versions 0.6 to 0.25 write them.

Every fault is a `HarborError` of one line that names the field.
"""

from __future__ import annotations

from tmax_gym.errors import HarborError
from tmax_gym.harbor.results.records import Readers, build
from tmax_gym.harbor.results.trials import (
    ExceptionInfo,
    JobResult,
    JobStats,
    TaskId,
    TrialResult,
    VerifierResult,
)
from tmax_gym.harbor.tasks.fields import Table, as_table, number, read_json


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
