"""Grade the files that trials left once more, without the agent: after a verifier was repaired.

Works for our own tasks if the files were kept.  Tasks that have changed are refused, and so are
tasks that are graded in the agent's own machine.  Earlier rewards stay in the event log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tmax_gym.bench.events import now
from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.remains import RemainsStore
from tmax_gym.bench.reports.harbor import write_harbor
from tmax_gym.bench.running.datasets import Item, Selection, open_dataset
from tmax_gym.bench.running.order import REMAINS
from tmax_gym.bench.running.settings import root_for
from tmax_gym.bench.store import RunDirectory, read_run_file
from tmax_gym.checks.verdict import Verdict
from tmax_gym.episodes.endings import ending_of
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.task import Regradable
from tmax_gym.errors import BenchError, SandboxError, VerifierError
from tmax_gym.grading.verifier import verify
from tmax_gym.reports.statistics.comparison import named
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes.images import default_image
from tmax_gym.trajectory import Ending, Trajectory


@dataclass(frozen=True, slots=True)
class Regraded:
    """The result of grading again."""

    graded: int
    left_out: int
    """Trials whose files were not kept: their machine was never graded."""
    changes: tuple[str, ...]
    """A line for each trial whose reward or ending has changed."""


def regrade(
    path: Path, machines: Backend, *, image: str = "", jobs: int = 1, dry: bool = False
) -> Regraded:
    """Grade a run's trials again.

    Args:
        path: The run's directory.
        machines: Backend that runs the agent's programs while they are graded.
        image: Root file system; the run's own if "".
        jobs: Trials at the same time.
        dry: Whether nothing is written.

    Raises:
        BenchError: A task has changed, or the run cannot be read or written.
    """
    run = read_run_file(path)
    root = image or str(run.settings.get("image") or default_image())
    timeout = _timeout(run.settings)
    with RunDirectory(path) as directory:
        records = directory.records()
        again = [record for record in records.values() if record.remains]
        items = _items(run.dataset, again)
        store = RemainsStore(path / REMAINS)

        def one(record: TrialRecord) -> TrialRecord:
            task = items[record.task].load()
            if not isinstance(task, Regradable):
                raise BenchError(
                    f"{record.task} is graded in its agent's own machine: run it again"
                )
            kept = store.load(record.remains)
            place = root_for(task, root)
            try:
                verdict = verify(task, kept, machines, image=place, timeout=timeout)
            except (SandboxError, VerifierError) as error:
                return _lost(record, error)
            return _graded(record, verdict)

        with ThreadPoolExecutor(jobs) as pool:
            regraded = list(pool.map(one, again))
        changes = []
        for before, after in zip(again, regraded, strict=True):
            if (before.reward, before.ending) == (after.reward, after.ending):
                continue
            changes.append(_change(before, after))
            if not dry:
                directory.put(after)
                directory.events.add("trial_regraded", **_facts(before, after))
        if not dry:
            merged = {**records, **{record.key: record for record in regraded}}
            directory.summarise(merged)
            write_harbor(path, run, merged.values())
    return Regraded(len(regraded), len(records) - len(regraded), tuple(changes))


def _timeout(settings: Mapping[str, Any]) -> float:
    own = EpisodeLimits().verify_timeout
    chosen = float(settings["given"].get("verify_timeout", own))
    return chosen * float(settings["multipliers"]["grading"])


def _items(dataset: str, records: Sequence[TrialRecord]) -> Mapping[str, Item]:
    """Return the tasks of these records; refuse tasks that have changed."""
    wanted = {record.task: record.digest for record in records}
    if not wanted:
        return {}
    known = {item.name: item for item in open_dataset(dataset, Selection()).items}
    absent = sorted(wanted.keys() - known.keys())
    if absent:
        raise BenchError(f"dataset {dataset} has no longer: {named(absent)}. Nothing was graded.")
    changed = sorted(name for name, digest in wanted.items() if known[name].digest != digest)
    if changed:
        raise BenchError(
            f"{len(changed)} of {len(wanted)} tasks have changed since: {named(changed)}.\n"
            "Their trials were made for the old tasks: run them again."
        )
    return known


def _graded(record: TrialRecord, verdict: Verdict) -> TrialRecord:
    """Return a record with another verdict; how the agent ended stays as it was."""
    ending = record.trajectory.ending
    if not ending.graded:
        ending = Ending.SUBMITTED if _submitted(record) else Ending.AGENT_STOPPED
    parts = tuple((part.id, part.score) for part in verdict.parts)
    played = replace(
        record.trajectory, ending=ending, reward=verdict.reward, parts=parts, message=""
    )
    return _ended(record, played, verdict.seconds)


def _lost(record: TrialRecord, error: Exception) -> TrialRecord:
    """Return a record of a trial that could not be graded again."""
    ending = ending_of(error) or Ending.VERIFIER_ERROR
    played = replace(record.trajectory, ending=ending, reward=None, parts=(), message=str(error))
    return _ended(record, played, 0.0)


def _ended(record: TrialRecord, played: Trajectory, seconds: float) -> TrialRecord:
    return replace(
        record,
        trajectory=played,
        phases=replace(record.phases, grading=round(seconds, 3)),
        finished=now(),
    )


def _submitted(record: TrialRecord) -> bool:
    from tmax_gym.episodes.observation import is_submit

    steps = record.trajectory.steps
    return bool(steps) and is_submit(steps[-1].action)


def _change(before: TrialRecord, after: TrialRecord) -> str:
    ways = [f"{r.ending} {'–' if r.reward is None else f'{r.reward:.3f}'}" for r in (before, after)]
    return f"{before.task} #{before.attempt}: {ways[0]} became {ways[1]}"


def _facts(before: TrialRecord, after: TrialRecord) -> dict[str, object]:
    return {
        "task": before.task,
        "attempt": before.attempt,
        "before": {"reward": before.reward, "ending": str(before.ending)},
        "after": {"reward": after.reward, "ending": str(after.ending)},
    }
