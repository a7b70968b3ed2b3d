"""Load the trials of a run from any of our formats or from Harbor's.

These are a run of `tmax bench`, a job directory of Harbor 0.6 to 0.25 with ATIF or chat lists, a
JSONL of trajectories (traces of rollouts), and a JSONL of trials, which has no trajectories.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tmax_gym import trajectory as trajectories
from tmax_gym.bench.records import TrialRecord, run_of
from tmax_gym.bench.reports.foreign import record_of_harbor
from tmax_gym.bench.store import RUN, RunFile, read_records, read_run_file
from tmax_gym.errors import BenchError, HarborError, ResultsError
from tmax_gym.harbor.results.jobs import read_job_directory
from tmax_gym.reports.statistics import Run, Trial, read_run
from tmax_gym.reports.statistics.trials import TRIALS
from tmax_gym.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """The trials of one run."""

    name: str
    records: tuple[TrialRecord, ...]
    about: RunFile | None = None
    """The `run.json` of a run of ours."""
    problems: tuple[str, ...] = field(default=())
    """Trials that could not be read, a line each."""

    @property
    def run(self) -> Run:
        """Return the part that statistics need."""
        return run_of(self.name, self.records)

    @property
    def agent(self) -> str:
        """Return harness and model, or the names of agents."""
        if self.about is not None:
            model = str(self.about.settings.get("model") or "")
            return " ".join(filter(None, (str(self.about.settings["harness"]), model)))
        names = sorted({record.trajectory.agent for record in self.records})
        return ", ".join(names[:3])


def load(path: Path) -> LoadedRun:
    """Load the run at a path.

    Raises:
        BenchError: There is no run that can be read.
    """
    name = path.name or path.resolve().name
    try:
        if (path / RUN).is_file():
            return LoadedRun(name, read_records(path), read_run_file(path))
        if path.is_dir() and (path / TRIALS).is_file():
            return LoadedRun(name, tuple(map(_bare, read_run(path, name=name).trials)))
        if path.is_dir():
            return _job(path, name)
        return _lines(path)
    except (OSError, HarborError, ResultsError) as error:
        raise BenchError(
            f"no run can be read from {path}: {error}\nGive a directory of tmax bench, a job "
            "directory of Harbor, or JSONL of trajectories or of trials."
        ) from error


def _job(path: Path, name: str) -> LoadedRun:
    job = read_job_directory(path)
    attempts: Counter[str] = Counter()
    records = []
    for trial in job.trials:
        task = trial.result.task_name
        records.append(record_of_harbor(trial, attempts[task]))
        attempts[task] += 1
    return LoadedRun(name, tuple(records), problems=tuple(map(str, job.problems)))


def _lines(path: Path) -> LoadedRun:
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    try:
        head = json.loads(lines[0])
    except (IndexError, ValueError) as error:
        raise BenchError(f"{path} is no JSONL: {error!r}") from error
    if not isinstance(head, dict) or "steps" not in head:
        return LoadedRun(path.stem, tuple(map(_bare, read_run(path, name=path.stem).trials)))
    attempts: Counter[str] = Counter()
    records = []
    for number, line in enumerate(lines, 1):
        try:
            played = trajectories.from_json(line)
        except (ValueError, KeyError, TypeError) as error:
            raise BenchError(f"{path}:{number}: no trajectory: {error!r}") from error
        records.append(_trace(played, attempts[played.task]))
        attempts[played.task] += 1
    return LoadedRun(path.stem, tuple(sorted(records, key=lambda record: record.key)))


def _trace(played: Trajectory, attempt: int) -> TrialRecord:
    return TrialRecord(played.task, attempt, digest="", config="", trajectory=played)


def _bare(trial: Trial) -> TrialRecord:
    """Return a trial without a trajectory."""
    played = Trajectory(trial.task, "", trial.attempt, trial.ending, trial.reward)
    return TrialRecord(trial.task, trial.attempt, trial.digest, "", played, tags=trial.tags)
