"""Save checkpoints from which a killed run can resume, and choose the best of them.

The state of the rollouts is written beside the files of `transformers.Trainer` (weights, optimizer,
schedule, random numbers), then a mark.  A checkpoint without its mark is incomplete and is never
used.  Covers finding the newest complete checkpoint, retention, and the evaluation on held-out
tasks that chooses the best.
Does not cover several machines with disks of their own: the main process writes the rollouts.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from accelerate.utils import wait_for_everyone
from transformers import TrainerCallback

from tmax_gym import journal
from tmax_gym.errors import TrainingError
from tmax_trainers.rollout import replay
from tmax_trainers.rollout.source import Source

MARK = "complete"
ROLLOUTS = "rollouts"
BEST = "best.json"
HISTORY = "evaluations.jsonl"


@dataclass(frozen=True, slots=True)
class Score:
    """The policy's mean reward on held-out tasks after a step."""

    step: int
    reward: float
    low: float
    """Lower end of the 95 % interval."""
    high: float
    episodes: int
    """Number of graded episodes."""


def whole(out: Path) -> list[tuple[int, Path]]:
    """Return the complete checkpoints, by ascending step."""
    named = [(p.name.removeprefix("checkpoint-"), p) for p in out.glob("checkpoint-*")]
    return sorted((int(step), p) for step, p in named if step.isdigit() and (p / MARK).is_file())


def latest(out: Path) -> tuple[int, Path] | None:
    """Return step and path of the newest complete checkpoint."""
    checkpoints = whole(out)
    return checkpoints[-1] if checkpoints else None


def restore(source: Source, checkpoint: Path) -> None:
    """Restore a new source to the state in a checkpoint."""
    if not (checkpoint / MARK).is_file():
        raise TrainingError(
            f"{checkpoint} is no complete checkpoint (its file {MARK!r} is missing): the run was "
            "killed while it was written; resume from an older one"
        )
    source.restore(replay.read(checkpoint / ROLLOUTS))


def best(out: Path) -> Score | None:
    """Return the best evaluation so far with an existing checkpoint."""
    file = out / BEST
    return Score(**json.loads(file.read_text())) if file.is_file() else None


class Checkpoints(TrainerCallback):  # type: ignore[misc]
    """Saves and evaluates at fixed intervals of steps; keeps the newest and the best checkpoints.

    Add it to a trainer after the trainer was made, so that the engine has the new weights when
    held-out tasks are played.  Of several processes all need one, because they write sharded
    weights together; rollouts and evaluations are those of the main process.

    Args:
        source: Source of rollouts, whose state is written; None on other processes.
        out: The trainer's `output_dir`.
        every: Steps between two checkpoints; 0 for none.
        keep: Number of newest checkpoints to keep, besides the best.
        evaluate: Plays the held-out tasks for a step and scores them.
        evaluate_every: Steps between two evaluations; 0 for none.
    """

    def __init__(
        self,
        source: Source | None,
        out: Path,
        *,
        every: int,
        keep: int = 2,
        evaluate: Callable[[int], Score] | None = None,
        evaluate_every: int = 0,
    ) -> None:
        self._source = source
        self._out = out
        self._every = every
        self._keep = max(1, keep)
        self._evaluate = evaluate
        self._evaluate_every = evaluate_every

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate the initial policy."""
        if state.global_step == 0 and self._evaluate_every and state.is_world_process_zero:
            self._score(0)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate and request a checkpoint if this step is due."""
        step = state.global_step
        last = step >= state.max_steps or control.should_training_stop
        if self._every and (step % self._every == 0 or last):
            control.should_save = True
        if self._evaluate_every and (step % self._evaluate_every == 0 or last):
            control.should_save = control.should_save or bool(self._every)
            if state.is_world_process_zero:
                self._score(step)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write the rollouts' state and the mark, then remove old checkpoints."""
        wait_for_everyone()  # the mark comes after the files of every process
        if self._source is None:
            return
        directory = self._out / f"checkpoint-{state.global_step}"
        replay.write(directory / ROLLOUTS, self._source.state())
        _synced(directory / MARK, f"{state.global_step}\n")
        self._choose(state.global_step)
        self._retire()

    def _score(self, step: int) -> None:
        if self._evaluate is None:
            return
        journal.append(self._out / HISTORY, asdict(self._evaluate(step)))

    def _choose(self, step: int) -> None:
        """Record this step's checkpoint as the best if its evaluation is."""
        scores = journal.read(self._out / HISTORY, lambda row: Score(**row))
        now = next((s for s in reversed(scores) if s.step == step), None)
        known = best(self._out)
        if now is not None and (known is None or now.reward > known.reward):
            _synced(self._out / BEST, json.dumps(asdict(now)) + "\n")

    def _retire(self) -> None:
        known = best(self._out)
        kept = {step for step, _ in whole(self._out)[-self._keep :]}
        kept |= {known.step} if known is not None else set()
        for step, path in whole(self._out):
            if step not in kept:
                (path / MARK).unlink()  # first, so that a half-removed checkpoint does not count
                shutil.rmtree(path)


def _synced(path: Path, text: str) -> None:
    """Write a file atomically."""
    beside = path.with_name(f"{path.name}.new")
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
