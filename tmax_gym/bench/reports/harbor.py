"""Write a run as a job directory of Harbor, with an ATIF trajectory for every trial.

`harbor view` opens it.  A trial is written again only if its record is newer.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from tmax_gym.bench.records import Moment, TrialRecord
from tmax_gym.bench.store import TRIALS, RunFile, file_name, stem
from tmax_gym.harbor.results.atif import (
    AtifAgent,
    AtifStep,
    AtifTrajectory,
    FinalMetrics,
    Observation,
    ObservationResult,
    ToolCall,
)
from tmax_gym.harbor.results.jobs import job_stats, write_job, write_trial
from tmax_gym.harbor.results.trials import (
    AgentInfo,
    AgentResult,
    ExceptionInfo,
    JobResult,
    ModelInfo,
    TaskId,
    Timing,
    TrialResult,
    VerifierResult,
)
from tmax_gym.trajectory import Ending, Step

HARBOR = "harbor"
EXCEPTIONS: Mapping[Ending, str] = {
    Ending.TIME_LIMIT: "AgentTimeoutError",
    Ending.AGENT_ERROR: "AgentError",
    Ending.MODEL_ERROR: "ModelProviderError",
    Ending.INFRA_ERROR: "SandboxError",
    Ending.UNGRADED: "UngradedError",
    Ending.VERIFIER_ERROR: "VerifierError",
    Ending.TASK_ERROR: "TaskError",
    Ending.CANCELLED: "CancelledError",
}
"""The type of Harbor's exception for an ending; endings that are no failure have none."""


def write_harbor(path: Path, run: RunFile, records: Iterable[TrialRecord]) -> Path:
    """Write a run's job directory inside its own; return its path."""
    every = sorted(records, key=lambda record: record.key)
    job = path / HARBOR
    results = []
    for record in every:
        result = trial_result(run, record)
        results.append(result)
        if _older(job / result.trial_name / "result.json", path / TRIALS / file_name(record.key)):
            write_trial(job, result, trajectory=atif(run, record), output=_output(record))
    model = run.settings.get("model") or None
    config = {
        "job_name": run.name,
        "agents": [{"name": run.settings["harness"], "model_name": model}],
        "datasets": [{"path": run.dataset}],
        "n_attempts": run.attempts,
    }
    times = sorted(record.started for record in every if record.started)
    ends = sorted(record.finished for record in every if record.finished)
    total = len(run.digests) * run.attempts
    left = max(0, total - len(every))
    finished = ends[-1] if ends and not left else None
    job_result = JobResult(
        id=_id(run.name, run.config),
        started_at=times[0] if times else "1970-01-01T00:00:00+00:00",
        n_total_trials=max(total, len(every)),
        stats=job_stats(results, pending=left),
        updated_at=ends[-1] if ends else None,
        finished_at=finished,
    )
    write_job(job, job_result, config=config)
    return job


def trial_result(run: RunFile, record: TrialRecord) -> TrialResult:
    """Return the record of a trial in Harbor's form."""
    model = str(run.settings.get("model") or "")
    provider, _, name = model.rpartition("/")
    info = ModelInfo(name, provider or None) if model else None
    setup, acted, graded = _times(record)
    return TrialResult(
        task_name=record.task,
        trial_name=stem(record.key),
        agent_info=AgentInfo(
            str(run.settings["harness"]), str(run.settings.get("version", "unknown")), info
        ),
        task_id=TaskId(path=record.task),
        config={
            "task": {"path": record.task},
            "trial_name": stem(record.key),
            "trials_dir": HARBOR,
            "agent": {"name": run.settings["harness"], "model_name": model or None},
            # Harbor accepts only its own kinds of environment.
            "environment": {"type": "docker"} if run.settings.get("backend") == "docker" else {},
            "job_id": _id(run.name, run.config),
        },
        task_checksum=record.digest,
        id=_id(run.config, *map(str, record.key)),
        source=run.dataset,
        agent_result=_used(record),
        verifier_result=_verdict(record),
        exception_info=_exception(record),
        started_at=record.started or None,
        finished_at=record.finished or None,
        environment_setup=setup,
        agent_execution=acted,
        verifier=graded,
    )


def atif(run: RunFile, record: TrialRecord) -> AtifTrajectory:
    """Return a trajectory as ATIF."""
    model = str(run.settings.get("model") or "") or None
    played = record.trajectory
    opening = AtifStep(1, "user", record.instruction, timestamp=record.started or None)
    turns = tuple(
        _turn(record, index, step, model=model) for index, step in enumerate(played.steps)
    )
    used = record.usage
    return AtifTrajectory(
        agent=AtifAgent(played.agent, str(run.settings.get("version", "unknown")), model),
        steps=(opening, *turns),
        session_id=stem(record.key),
        final_metrics=FinalMetrics(
            total_prompt_tokens=used.input_tokens,
            total_completion_tokens=used.output_tokens,
            total_cached_tokens=used.cached_tokens,
            total_cost_usd=used.cost,
            total_steps=len(turns) + 1,
        ),
        extra={
            "task": record.task,
            "digest": record.digest,
            "seed": played.seed,
            "ending": str(played.ending),
            "reward": played.reward,
            "parts": dict(played.parts),
            "message": played.message,
        },
    )


def _turn(record: TrialRecord, index: int, step: Step, *, model: str | None) -> AtifStep:
    call = f"call_{index + 1}"
    moment = record.moments[index] if index < len(record.moments) else None
    acts = bool(step.action)
    result = ObservationResult(call if acts else None, step.observation)
    extra: dict[str, object] = {"exit_code": step.exit_code, "seconds": step.seconds}
    if moment is not None:
        extra["thinking"] = round(moment.replied - moment.asked, 3)
    return AtifStep(
        step_id=index + 2,
        source="agent",
        message=step.reply,
        timestamp=_at(record.started, moment),
        model_name=model,
        tool_calls=(ToolCall(call, "bash", {"command": step.action}),) if acts else None,
        observation=Observation((result,)),
        extra=extra,
    )


def _used(record: TrialRecord) -> AgentResult:
    used = record.usage
    return AgentResult(
        n_input_tokens=used.input_tokens,
        n_cache_tokens=used.cached_tokens,
        n_output_tokens=used.output_tokens,
        cost_usd=used.cost,
        metadata={
            "attempt": record.attempt,
            "ending": str(record.ending),
            "tags": dict(record.tags),
        },
    )


def _verdict(record: TrialRecord) -> VerifierResult | None:
    if record.reward is None:
        return None
    return VerifierResult({**dict(record.rewards), "reward": record.reward})


def _exception(record: TrialRecord) -> ExceptionInfo | None:
    kind = EXCEPTIONS.get(record.ending)
    if kind is None:
        return None
    at = record.finished or "1970-01-01T00:00:00+00:00"
    return ExceptionInfo(kind, record.trajectory.message or str(record.ending), "", at)


def _output(record: TrialRecord) -> str | None:
    if record.output:
        return record.output
    lines = [f"{score:.4f} {name}" for name, score in record.trajectory.parts]
    return "\n".join((*lines, "")) if lines else None


def _times(record: TrialRecord) -> tuple[Timing | None, Timing | None, Timing | None]:
    if not record.finished:
        return None, None, None
    end = datetime.fromisoformat(record.finished)
    phases = record.phases
    graded = end - timedelta(seconds=phases.grading)
    given = graded - timedelta(seconds=phases.agent)
    began = given - timedelta(seconds=phases.setup)
    at = [moment.isoformat(timespec="milliseconds") for moment in (began, given, graded, end)]
    return Timing(at[0], at[1]), Timing(at[1], at[2]), Timing(at[2], at[3])


def _at(started: str, moment: Moment | None) -> str | None:
    if not started or moment is None:
        return None
    at = datetime.fromisoformat(started) + timedelta(seconds=moment.replied)
    return at.isoformat(timespec="milliseconds")


def _older(file: Path, than: Path) -> bool:
    if not file.exists() or not than.exists():
        return True
    return file.stat().st_mtime_ns < than.stat().st_mtime_ns


def _id(*parts: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "\0".join(parts)))
