"""Trials as asciicasts (version 2), for `asciinema play` and the web player.

The output of a command appears when the command has ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tmax_gym.bench.records import TrialRecord

WIDTH, HEIGHT = 100, 30
IDLE_SECONDS = 3.0
"""Longer pauses are shortened by the player."""


def cast(record: TrialRecord) -> str:
    """Return a trial as an asciicast."""
    head = {
        "version": 2,
        "width": WIDTH,
        "height": HEIGHT,
        "title": f"{record.task} #{record.attempt}",
        "idle_time_limit": IDLE_SECONDS,
    }
    lines = [json.dumps(head)]
    lines += [json.dumps([at, "o", text]) for at, text in _shown(record)]
    return "\n".join(lines) + "\n"


def times(record: TrialRecord) -> Iterator[tuple[float, float]]:
    """Yield when each command was typed and when it ended, in seconds since the start.

    If the record has no times, thinking takes none.
    """
    at = 0.0
    for index, step in enumerate(record.trajectory.steps):
        if index < len(record.moments):
            at = max(at, record.moments[index].replied)
        yield at, at + step.seconds
        at += step.seconds


def _shown(record: TrialRecord) -> Iterator[tuple[float, str]]:
    yield 0.0, _screen(f"{record.instruction}\n\n$ ")
    at = 0.0
    for step, (typed, ended) in zip(record.trajectory.steps, times(record), strict=True):
        yield round(typed, 3), _screen(f"{step.action or f'# {step.reply}'}\n")
        yield round(ended, 3), _screen(f"{step.observation}\n$ ")
        at = ended
    reward = "not graded" if record.reward is None else f"reward {record.reward:.3f}"
    yield round(at, 3), _screen(f"\n[{record.ending}: {reward}]\n")


def _screen(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
