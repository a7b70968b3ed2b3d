"""Rollout traces: every episode that is trained on, one line of JSON each.

Covers text, rewards and endings in the format of `tmax_gym.trajectory`, which `tmax view` reads;
a second file says to which batch and group each line belongs.  Does not cover token streams: at
full size they are a gigabyte a step, and checkpoints hold those that are still needed.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

from tmax_gym.journal import append
from tmax_trainers.rollout.records import Batch

TRACES, INDEX = "rollouts.jsonl", "rollouts.index.jsonl"


class Traces:
    """Appends to a file; one writer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._index = path.with_name(INDEX)

    def write(self, batch: Batch) -> None:
        """Append the episodes of a batch, group by group."""
        for group in batch.groups:
            members = group.group.trajectories
            rows = [
                {
                    "group": group.number,
                    "version": group.version,
                    "advantage": advantage,
                    "tokens": len(played.tokens.ids) if played.tokens else 0,
                }
                for played, advantage in zip(members, group.advantages, strict=True)
            ]
            append(self._path, *(asdict(replace(played, tokens=None)) for played in members))
            append(self._index, *rows)
