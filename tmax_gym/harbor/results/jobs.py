"""Write and read the job directories of Harbor, which `harbor view` opens.

They hold `config.json` and `result.json` of the job and of each trial, trajectories, and the
rewards and output of verifiers.  Files appear whole or not at all.  Lock files, logs and artifacts,
which the viewer does not need, are neither written nor read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tmax_gym.errors import HarborError
from tmax_gym.harbor.datasets.dataset import Problem
from tmax_gym.harbor.results import records
from tmax_gym.harbor.results.atif import AtifTrajectory
from tmax_gym.harbor.results.atif_reader import read_trajectory, write_trajectory
from tmax_gym.harbor.results.trials import (
    EvalStats,
    JobResult,
    JobStats,
    TrialResult,
    read_job,
    read_trial,
)
from tmax_gym.harbor.tasks.fields import as_table, read_json
from tmax_gym.harbor.tasks.trees import read_bytes

RESULT_BYTES = 256 << 20
"""Largest size of a result, which may hold the token ids of every turn."""


@dataclass(frozen=True, slots=True)
class HarborTrial:
    """One trial of a job directory."""

    directory: Path
    result: TrialResult

    def trajectory(self) -> AtifTrajectory | None:
        """Return the trajectory, from ATIF or a chat list; None if there is no file.

        Raises:
            HarborError: The file cannot be read.
        """
        file = self.directory / "agent" / "trajectory.json"
        if not file.exists():
            return None
        return read_trajectory(read_bytes(file, file.name, limit=RESULT_BYTES), where=file.name)


@dataclass(frozen=True, slots=True)
class JobRecord:
    """One job directory."""

    directory: Path
    config: Mapping[str, object]
    result: JobResult | None
    """None for a job that was stopped before it wrote one."""
    trials: tuple[HarborTrial, ...]
    problems: tuple[Problem, ...] = ()
    """Trials whose result cannot be read."""


def read_job_directory(job: Path) -> JobRecord:
    """Return the content of a job directory; a trial that cannot be read becomes a problem.

    Raises:
        HarborError: It is no job directory, or the job's own files cannot be read.
    """
    if not (job / "config.json").is_file() and not (job / "result.json").is_file():
        raise HarborError(f"{job} is no job directory: it has neither config.json nor result.json")
    trials: list[HarborTrial] = []
    problems: list[Problem] = []
    for directory in sorted(path for path in job.iterdir() if path.is_dir()):
        file = directory / "result.json"
        if not file.exists():
            if (directory / "config.json").exists():
                problems.append(Problem(directory.name, "it has not ended: no result.json"))
            continue
        try:
            data = read_bytes(file, file.name, limit=RESULT_BYTES)
            trials.append(HarborTrial(directory, read_trial(data)))
        except HarborError as error:
            problems.append(Problem(directory.name, str(error)))
    result = _content(job / "result.json")
    config = _content(job / "config.json")
    return JobRecord(
        job,
        dict(as_table(read_json(config, "config.json"), "config.json").values) if config else {},
        read_job(result) if result else None,
        tuple(trials),
        tuple(problems),
    )


def write_trial(
    job: Path,
    result: TrialResult,
    *,
    trajectory: AtifTrajectory | None = None,
    output: str | None = None,
) -> Path:
    """Write one trial into a job directory; return its own directory.

    Args:
        job: The job's directory.
        result: Its `trial_name` names the directory, whose files are overwritten.
        trajectory: The agent's trajectory.
        output: The verifier's output.

    Raises:
        HarborError: The name is no file name, or the trajectory is not valid.
    """
    name = result.trial_name
    if not name or "/" in name or "\0" in name or name.startswith("."):
        raise HarborError(f"trial_name {name!r} cannot name a directory")
    home = job / name
    if trajectory is not None:
        _write(home / "agent" / "trajectory.json", write_trajectory(trajectory))
    if output is not None:
        _write(home / "verifier" / "test-stdout.txt", output)
    if result.rewards:
        _write(home / "verifier" / "reward.json", records.dumps(result.rewards))
    _write(home / "config.json", records.dumps(result.config))
    # Last: a trial with a result has ended.
    _write(home / "result.json", records.dumps(result))
    return home


def write_job(job: Path, result: JobResult, *, config: Mapping[str, object]) -> None:
    """Write a job's own files; `config` has at least `job_name`, `agents` and `datasets`."""
    _write(job / "config.json", records.dumps(config))
    _write(job / "result.json", records.dumps(result))


def job_stats(trials: Sequence[TrialResult], *, pending: int = 0) -> JobStats:
    """Return the statistics of a job as Harbor computes them.

    Its mean counts a missing reward as 0.  `pass_at_k` stays empty: Harbor has it for rewards
    of 0 and 1 only, and `tmax_gym.reports.statistics` has it for all.
    """
    groups: dict[str, list[TrialResult]] = {}
    for trial in trials:
        groups.setdefault(_group(trial), []).append(trial)
    kinds = [t.exception_info.exception_type for t in trials if t.exception_info]
    used = [t.agent_result for t in trials if t.agent_result]
    return JobStats(
        n_completed_trials=len(trials),
        n_errored_trials=len(kinds),
        n_pending_trials=pending,
        n_cancelled_trials=kinds.count("CancelledError"),
        evals={name: _eval_stats(groups[name]) for name in sorted(groups)},
        n_input_tokens=_total([u.n_input_tokens for u in used]),
        n_cache_tokens=_total([u.n_cache_tokens for u in used]),
        n_output_tokens=_total([u.n_output_tokens for u in used]),
        cost_usd=sum(costs) if (costs := [u.cost_usd for u in used if u.cost_usd]) else None,
    )


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _group(trial: TrialResult) -> str:
    model = trial.agent_info.model_info
    parts = [trial.agent_info.name, model.name if model else "", trial.source or "adhoc"]
    return "__".join(part for part in parts if part)


def _eval_stats(trials: Sequence[TrialResult]) -> EvalStats:
    names = sorted({key for trial in trials for key in trial.rewards})
    by_reward: dict[str, dict[str, tuple[str, ...]]] = {name: {} for name in names}
    by_error: dict[str, tuple[str, ...]] = {}
    for trial in trials:
        for name, value in trial.rewards.items():
            trials_of = by_reward[name]
            trials_of[repr(value)] = (*trials_of.get(repr(value), ()), trial.trial_name)
        if trial.exception_info:
            kind = trial.exception_info.exception_type
            by_error[kind] = (*by_error.get(kind, ()), trial.trial_name)
    means = {n: sum(t.rewards.get(n, 0.0) for t in trials) / len(trials) for n in names}
    return EvalStats(
        n_trials=sum(bool(trial.rewards) for trial in trials),
        n_errors=sum(trial.exception_info is not None for trial in trials),
        # One number has no name of its own here.
        metrics=({"mean": next(iter(means.values()), 0.0)} if len(means) < 2 else means,),
        reward_stats=by_reward,
        exception_stats=by_error,
    )


def _content(file: Path) -> bytes | None:
    return read_bytes(file, file.name, limit=RESULT_BYTES) if file.is_file() else None


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = file.with_name(f".{file.name}.{os.getpid()}.part")
    aside.write_text(text, encoding="utf-8")
    aside.replace(file)
