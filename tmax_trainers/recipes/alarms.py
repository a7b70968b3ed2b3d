"""Alarms: what a log line says about a run that is going wrong.

They watch the gap between trainer and engine, the entropy, and a reward that collapses.  No alarm
stops a run: people do.  One limit does, `watching.stop_logp_gap`: a run whose engine samples with
other probabilities than the trainer computes learns from noise.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from transformers import TrainerCallback

from tmax_gym.errors import TrainingError
from tmax_gym.journal import append
from tmax_trainers.recipes.recipe import Watching

logger = logging.getLogger(__name__)
ALARMS = "alarms.jsonl"
WINDOW = 10
"""Steps whose mean reward is compared with the best such mean."""


LEAST = 100
"""Tokens of the present weights in a step from which their mean gap is judged.  A choice: of fewer,
a single rare token can make the mean."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """One thing that is wrong."""

    step: int
    name: str
    value: float
    limit: float
    text: str
    """What was seen and what to do."""


def examine(
    step: int, row: Mapping[str, float], rewards: Sequence[float], *, limits: Watching
) -> list[Alarm]:
    """Return the alarms of a log line.

    Args:
        step: Of the line.
        row: The line.
        rewards: Mean reward of every step up to this one.
        limits: When to raise them.
    """
    alarms: list[Alarm] = []

    def alarm(name: str, value: float, limit: float, *, text: str) -> None:
        alarms.append(Alarm(step, name, value, limit, text))

    gap = row.get("policy/logp_gap")
    if gap is not None and gap > limits.logp_gap:
        alarm("logp_gap", gap, limits.logp_gap,
              text="trainer and engine disagree on what was sampled: compare their weights, "
              "dtypes and heads (fp32_head on both sides), and look at staleness/mean")  # fmt: skip
    entropy = row.get("policy/entropy")
    if entropy is not None and entropy < limits.entropy_low:
        alarm("entropy_low", entropy, limits.entropy_low,
              text="every reply is nearly the same: lower the learning rate, or go back to an "
              "earlier checkpoint")  # fmt: skip
    if entropy is not None and entropy > limits.entropy_high:
        alarm("entropy_high", entropy, limits.entropy_high,
              text="the policy falls apart: go back to an earlier checkpoint, lower the learning "
              "rate or delta_high")  # fmt: skip
    means = [fmean(rewards[i : i + WINDOW]) for i in range(len(rewards) - WINDOW + 1)]
    if means and means[-1] < (1 - limits.reward_drop) * max(means):
        alarm("reward_collapse", means[-1], (1 - limits.reward_drop) * max(means),
              text=f"the mean reward of {WINDOW} steps was {max(means):.3f} and is "
              f"{means[-1]:.3f}: go back to the best checkpoint (best.json)")  # fmt: skip
    return alarms


def check_engine(step: int, row: Mapping[str, float], *, limit: float | None) -> None:
    """Stop a run whose engine and trainer disagree.

    It judges only tokens that the present weights sampled, so that staleness does not count; a step
    without enough of them is not judged.

    Raises:
        TrainingError: Their mean |log π − log μ| is above the limit.
    """
    gap, tokens = row.get("policy/present_gap"), row.get("policy/present_tokens_total", 0.0)
    if limit is None or gap is None or tokens < LEAST or gap <= limit:
        return
    raise TrainingError(
        f"step {step}: the engine and the trainer disagree on {tokens:.0f} tokens that the present "
        f"weights sampled: mean |log π − log μ| {gap:.4f}, greatest "
        f"{row.get('policy/present_gap_max', gap):.3f}; watching.stop_logp_gap is {limit:g}.\n"
        "Compare the engine's dtype (model.dtype), its float32 head (model.fp32_head, tmax serve "
        "--fp32-head) and its temperature (rollouts.temperature) with the trainer's, and whether "
        "new weights reach it; or raise the limit"
    )


class Alarms(TrainerCallback):  # type: ignore[misc]
    """Raises alarms: a warning in the log, a line in `alarms.jsonl`, a metric `alarm/<name>`."""

    def __init__(self, limits: Watching, out: Path) -> None:
        self._limits = limits
        self._out = out
        self._rewards: list[float] = []

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Look at a log line."""
        row = kwargs["logs"]
        if "reward/mean" not in row or not state.is_world_process_zero:
            return
        self._rewards.append(row["reward/mean"])
        for alarm in examine(state.global_step, row, self._rewards, limits=self._limits):
            row[f"alarm/{alarm.name}"] = 1.0
            logger.warning("step %s: %s: %s", alarm.step, alarm.name, alarm.text)
            append(self._out / ALARMS, asdict(alarm))
        check_engine(state.global_step, row, limit=self._limits.stop_logp_gap)
