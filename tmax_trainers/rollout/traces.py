"""Rollout traces: every episode of a complete batch, as one line of JSON.

The batch after the last step is there too if it was complete before the run stopped.

The lines have the format of `tmax_gym.trajectory`, which `tmax view` reads; a second file tells the
group of each line.  Token streams are left out, because at full size they are a gigabyte a step.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

from tmax_gym.journal import append
from tmax_trainers.rollout.records import Batch

TRACES, INDEX = "rollouts.jsonl", "rollouts.index.jsonl"


def write_traces(directory: Path, batch: Batch) -> None:
    """Append the episodes of a batch, group by group."""
    for group in batch.groups:
        episodes = group.group.trajectories
        rows = [
            {
                "group": group.number,
                "version": group.version,
                "advantage": advantage,
                "tokens": len(episode.tokens.ids) if episode.tokens else 0,
            }
            for episode, advantage in zip(episodes, group.advantages, strict=True)
        ]
        append(directory / TRACES, *(asdict(replace(e, tokens=None)) for e in episodes))
        append(directory / INDEX, *rows)
