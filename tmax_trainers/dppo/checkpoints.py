"""Checkpoints that a killed run goes on from, and which of them is the best.

Covers writing the rollouts' state beside what `transformers.Trainer` writes (weights, optimizer,
schedule, random numbers), a mark that is set last, finding the newest whole checkpoint, retention,
and the evaluation on held-out tasks that chooses the best.  A checkpoint without its mark was cut
short and is never resumed from.
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
    """What the policy earned on held-out tasks after a step."""

    step: int
    reward: float
    low: float
    """Lower end of the 95 % interval."""
    high: float
    episodes: int
    """That were graded; others count nowhere."""


def whole(out: Path) -> list[tuple[int, Path]]:
    """Return the checkpoints that were written to their end, by ascending step."""
    found = [(p.name.removeprefix("checkpoint-"), p) for p in out.glob("checkpoint-*")]
    return sorted((int(step), p) for step, p in found if step.isdigit() and (p / MARK).is_file())


def latest(out: Path) -> tuple[int, Path] | None:
    """Return step and path of the newest whole checkpoint."""
    found = whole(out)
    return found[-1] if found else None


def restore(source: Source, checkpoint: Path) -> None:
    """Let a new source go on where the checkpoint was taken."""
    if not (checkpoint / MARK).is_file():
        raise TrainingError(
            f"{checkpoint} is no whole checkpoint (its file {MARK!r} is missing): the run was "
            "killed while it was written; resume from an older one"
        )
    source.restore(replay.read(checkpoint / ROLLOUTS))


def best(out: Path) -> Score | None:
    """Return the best evaluation so far whose checkpoint exists."""
    file = out / BEST
    return Score(**json.loads(file.read_text())) if file.is_file() else None


class Checkpoints(TrainerCallback):  # type: ignore[misc]
    """Saves every so many steps; evaluates every so many; keeps the newest and the best.

    Add it to a trainer after it was made, so that the engine has the new weights when held-out
    tasks are played.

    Args:
        source: Whose state is written.
        out: The trainer's `output_dir`.
        every: Steps between two checkpoints; 0 for none.
        keep: Newest checkpoints that are kept, besides the best.
        evaluate: Plays the held-out tasks for a step and scores them.
        evaluate_every: Steps between two evaluations; 0 for none.
    """

    def __init__(
        self,
        source: Source,
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
        """Evaluate what training begins with."""
        if state.global_step == 0 and self._evaluate_every and state.is_world_process_zero:
            self._score(0)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate, and ask for a checkpoint."""
        step = state.global_step
        last = step >= state.max_steps or control.should_training_stop
        if self._every and (step % self._every == 0 or last):
            control.should_save = True
        if self._evaluate_every and (step % self._evaluate_every == 0 or last):
            control.should_save = control.should_save or bool(self._every)
            if state.is_world_process_zero:
                self._score(step)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write the rollouts' state and the mark, then let old checkpoints go."""
        if not state.is_world_process_zero:
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
        """Call this step's checkpoint the best where its evaluation is."""
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
                (path / MARK).unlink()  # first: half a checkpoint must not look like one
                shutil.rmtree(path)


def _synced(path: Path, text: str) -> None:
    """Write a file that is either there as a whole or not at all."""
    beside = path.with_name(f"{path.name}.new")
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
