"""What the demo writes: trajectories as JSON lines, results as JSON, a report as one HTML page.

Covers files below one directory.  Does not cover how anything came about.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from tmax_gym.reports.markdown import Interval, mean_interval
from tmax_gym.reports.page import Curve, Episodes, Line, Section, Table, Text, write_html
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Trajectory, to_json
from tmax_trainers.demo.learning import Point
from tmax_trainers.recipes.practice import family

RISE = 0.15
"""By how much the mean reward on held-out tasks is meant to rise."""
_SHOWN = 12
"""Tasks whose episodes are in the report, before and after."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Episodes of a policy that is not being trained."""

    test: tuple[Trajectory, ...]
    """Of the families that are learned from: as many a task for every task."""
    held_out: tuple[Trajectory, ...]
    """One a task of families that are not."""

    @property
    def reward(self) -> Interval:
        """Return the mean reward on held-out tasks."""
        return interval(self.test)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that a run found out."""

    seed: int
    learning_rate: float
    lessons: int
    probes: tuple[tuple[int, float], ...]
    """(step of the warm start, mean reward on the probe)."""
    points: tuple[Point, ...]
    before: Evaluation
    after: Evaluation
    weights: tuple[str, str]
    """Digests before and after DPPO."""
    seconds: float
    peak_mb: int

    @property
    def rise(self) -> float:
        """Return by how much the mean reward on held-out tasks rose."""
        return self.after.reward.mean - self.before.reward.mean

    @property
    def apart(self) -> bool:
        """Return whether the interval after lies above the one before."""
        return self.after.reward.low > self.before.reward.high


def interval(episodes: Iterable[Trajectory]) -> Interval:
    """Return the mean over tasks of the mean reward of their graded episodes."""
    earned: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.reward is not None:
            earned.setdefault(episode.task, []).append(episode.reward)
    return mean_interval([fmean(rewards) for rewards in earned.values()])


def rows(outcome: Outcome) -> dict[str, tuple[Interval, Interval]]:
    """Return (before, after) of everything that was evaluated, by what it is."""
    before, after = outcome.before, outcome.after
    found = {"held-out tasks": (before.reward, after.reward)}
    for name in sorted({family(e.task) for e in before.test}):
        found[f"  {name}"] = (_of(before.test, name), _of(after.test, name))
    for name in sorted({family(e.task) for e in before.held_out}):
        label = f"held-out family {name}"
        found[label] = (_of(before.held_out, name), _of(after.held_out, name))
    return found


def _of(episodes: Sequence[Trajectory], name: str) -> Interval:
    return interval(e for e in episodes if family(e.task) == name)


def table(outcome: Outcome) -> Table:
    """Return the table of before and after."""
    before = outcome.before.test
    return Table(
        ("mean reward [95 % interval]", "tasks", "before DPPO", "after DPPO", "change"),
        tuple(
            (name, str(b.count), str(b), str(a), f"{a.mean - b.mean:+.3f}")
            for name, (b, a) in rows(outcome).items()
        ),
        "Before and after",
        f"{len(before)} and {len(outcome.before.held_out)} episodes, sampled at temperature 1; the "
        "same tasks and seeds both times. Intervals resample tasks. No instruction of these tasks "
        "occurs in lessons, probes or practice; nearly all are new combinations of words that do. "
        "The held-out family needs a command that the policy has never seen, and has no target.",
    )


def verdict(outcome: Outcome) -> str:
    """Return one line that says whether the policy learned."""
    apart = "disjoint" if outcome.apart else "overlapping"
    return (
        f"held-out tasks: {outcome.before.reward} -> {outcome.after.reward}, "
        f"{outcome.rise:+.3f} (meant: >= {RISE:+.2f}), intervals {apart}"
    )


def as_json(outcome: Outcome) -> dict[str, object]:
    """Return an outcome without its episodes."""
    measured = {
        name.strip(): {"before": asdict(b), "after": asdict(a)}
        for name, (b, a) in rows(outcome).items()
    }
    return {
        "seed": outcome.seed,
        "learning_rate": outcome.learning_rate,
        "lessons": outcome.lessons,
        "probes": outcome.probes,
        "points": [asdict(point) for point in outcome.points],
        "evaluated": measured,
        "rise": outcome.rise,
        "disjoint": outcome.apart,
        "weights": outcome.weights,
        "seconds": round(outcome.seconds, 1),
        "peak_mb": outcome.peak_mb,
    }


def lines(outcome: Outcome) -> Iterator[str]:
    """Yield the table, the verdict and what it cost, as plain text."""
    found = table(outcome)
    widths = [max(len(row[i]) for row in (found.head, *found.rows)) for i in range(5)]
    yield ""
    for row in (found.head, *found.rows):
        yield "  ".join(
            f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)
        ).rstrip()
    yield f"\n{verdict(outcome)}\n{outcome.seconds:.0f} s, at most {outcome.peak_mb} MB"


def write_lines(path: Path, episodes: Iterable[Trajectory]) -> None:
    """Write trajectories, one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{to_json(episode)}\n" for episode in episodes), encoding="utf-8")


def write(
    out: Path,
    outcome: Outcome,
    *,
    shown: Sequence[Trajectory],
    practice: Sequence[Trajectory],
    instructions: Mapping[str, str],
) -> None:
    """Write `demo.json`, the trajectories and `report.html`."""
    write_lines(out / "before.jsonl", [*outcome.before.test, *outcome.before.held_out])
    write_lines(out / "after.jsonl", [*outcome.after.test, *outcome.after.held_out])
    write_lines(out / "practice.jsonl", practice)
    text = json.dumps(as_json(outcome), sort_keys=True, indent=1)
    (out / "demo.json").write_text(text + "\n", encoding="utf-8")
    told = tuple(sorted(instructions.items()))
    sections: tuple[Section, ...] = (
        Text(f"{verdict(outcome)}\n\n{_method(outcome)}", "In one sentence"),
        table(outcome),
        _learning(outcome),
        _warming(outcome),
        Episodes(tuple(shown), "Three tasks: the reference solution, and nothing done", told),
        Episodes(_pairs(outcome), "The policy on held-out tasks, before and after", told),
    )
    write_html(out / "report.html", "A tiny policy learns terminal tasks", sections)


def _method(outcome: Outcome) -> str:
    sampled = sum(p.kept + p.dropped for p in outcome.points)
    return (
        f"Seed {outcome.seed}. A policy made from scratch imitated the reference solution of "
        f"{outcome.lessons} tasks until it solved about two in five tasks of a probe. Then DPPO "
        f"took {len(outcome.points)} steps at learning rate {outcome.learning_rate:g} on "
        f"{sampled} groups of episodes, every one in a sandbox of its own and graded in another. "
        f"What it learned there is mostly to be sure of what it knew by halves: its entropy fell "
        f"from {outcome.points[0].entropy:.3f} to {outcome.points[-1].entropy:.3f} nats a token. "
        f"{outcome.seconds:.0f} s in all, at most {outcome.peak_mb} MB.\n\n"
        "The same seed gives the same weights, bit for bit, on the same machine with the same "
        "packages. Other processors round sums differently; results then differ as those of "
        "another seed do."
    )


def _learning(outcome: Outcome) -> Curve:
    steps = len(outcome.points)
    before, after = outcome.before.reward, outcome.after.reward
    return Curve(
        (
            Line("practice, every sampled episode", tuple((p.step - 1, p.reward)
                 for p in outcome.points)),
            Line(
                "held-out tasks",
                ((0, before.mean), (max(steps, 1), after.mean)),
                ((before.low, before.high), (after.low, after.high)),
            ),
        ),
        "DPPO",
        x="optimizer steps",
        y="mean reward",
        y_range=(0.0, 1.0),
        note="Practice draws new seeds in every step, of the instructions that lessons are drawn "
        "from. The band is the 95 % interval of the held-out tasks.",
    )  # fmt: skip


def _warming(outcome: Outcome) -> Curve:
    return Curve(
        (Line("probe", tuple((float(step), reward) for step, reward in outcome.probes)),),
        "Warm start",
        x="optimizer steps on lessons",
        y="mean reward",
        y_range=(0.0, 1.0),
        note="The probe decides when to stop; its tasks are used for nothing else.",
    )


def _pairs(outcome: Outcome) -> tuple[Trajectory, ...]:
    both = zip(outcome.before.test, outcome.after.test, strict=True)
    changed = sorted(both, key=lambda pair: (pair[0].reward or 0.0) - (pair[1].reward or 0.0))
    # What was gained, and at the other end what was lost, if anything was.
    chosen = [*changed[: _SHOWN - 2], *changed[-2:]] if len(changed) > _SHOWN else changed
    return tuple(e for pair in chosen for e in pair)


def instructions(tasks: Iterable[Task]) -> dict[str, str]:
    """Return what tasks say, by name."""
    return {task.name: task.instruction for task in tasks}
