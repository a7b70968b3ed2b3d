"""What episodes add up to: pass@k, means with intervals, as Markdown and JSON.

Covers statistics over groups: tasks are the sample, episodes of one task are not independent,
so intervals resample tasks.  Episodes without a reward are counted and left out, never zero.
Does not cover HTML and formulae: see `page.py` and `statistics/`, whose names are also here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from tmax_gym.reports.page import Curve, Episodes, Line, Section, Table, Text, write_html
from tmax_gym.reports.statistics import Interval, mean_interval, pass_at_k
from tmax_gym.trajectory import Group

__all__ = [
    "Curve",
    "Episodes",
    "Interval",
    "Line",
    "Section",
    "Summary",
    "Table",
    "Text",
    "mean_interval",
    "pass_at_k",
    "regroup",
    "summaries_table",
    "summarise",
    "to_json",
    "to_markdown",
    "write_html",
]


@dataclass(frozen=True, slots=True)
class Summary:
    """What one agent did on a set of tasks."""

    name: str
    tasks: int
    """Tasks with at least one graded episode."""
    episodes: int
    """Graded episodes."""
    masked: int
    """Episodes without a reward."""
    reward: Interval
    """Mean over tasks of the mean reward; the interval is of another draw of tasks."""
    solved: tuple[tuple[int, float], ...]
    """(k, pass@k), mean over the tasks that have at least k graded episodes."""
    endings: tuple[tuple[str, int], ...]


def summarise(
    name: str, groups: Iterable[Group], *, ks: Sequence[int] = (1, 2, 4, 8), seed: int = 0
) -> Summary:
    """Return what `groups` add up to; a task is solved by an episode of reward 1.

    Raises:
        ValueError: Nothing was graded.
    """
    merged = regroup(groups)
    graded = [group.rewards for group in merged if group.rewards]
    counts = [(len(rewards), sum(r >= 1.0 for r in rewards)) for rewards in graded]
    solved = []
    for k in ks:
        rates = [pass_at_k(n, c, k) for n, c in counts if n >= k]
        if rates:
            solved.append((k, sum(rates) / len(rates)))
    endings = Counter(str(t.ending) for group in merged for t in group.trajectories)
    total = sum(endings.values())
    episodes = sum(n for n, _ in counts)
    return Summary(
        name=name,
        tasks=len(graded),
        episodes=episodes,
        masked=total - episodes,
        reward=mean_interval([sum(r) / len(r) for r in graded], seed=seed),
        solved=tuple(solved),
        endings=tuple(sorted(endings.items())),
    )


def regroup(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Return one group a task, sorted by name."""
    merged: dict[str, Group] = {}
    for group in groups:
        before = merged.get(group.task, Group(group.task)).trajectories
        merged[group.task] = Group(group.task, (*before, *group.trajectories))
    return tuple(merged[name] for name in sorted(merged))


def summaries_table(summaries: Sequence[Summary], *, title: str = "") -> Table:
    """Return summaries as a table, one row each."""
    ks = sorted({k for summary in summaries for k, _ in summary.solved})
    rows = []
    for s in summaries:
        solved = dict(s.solved)
        rates = [f"{solved[k]:.3f}" if k in solved else "–" for k in ks]
        rows.append((s.name, str(s.tasks), str(s.episodes), str(s.masked), str(s.reward), *rates))
    head = ("", "tasks", "episodes", "ungraded", "mean reward [95 %]")
    return Table((*head, *(f"pass@{k}" for k in ks)), tuple(rows), title)


def to_markdown(table: Table) -> str:
    """Return a table in Markdown, every line ended."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |\n"

    rule = "|" + "---|" * len(table.head) + "\n"
    return line(table.head) + rule + "".join(line(row) for row in table.rows)


def to_json(summaries: Sequence[Summary]) -> str:
    """Return summaries as JSON with sorted keys."""
    return json.dumps([asdict(summary) for summary in summaries], sort_keys=True, indent=1)
