"""Measure whether the recipe `cpu_tiny` learns, and whether the learning rate is the reason.

Every seed has one warm start.  From the same weights it trains with DPPO at the recipe's learning
rate and at 0, and at a higher rate with DPPO and with GRPO on groups up to four versions old.  All
are evaluated on the same held-out tasks with the same sampling.  Also writes the curves to
`results/learning.svg`; `--draw` only draws the stored curves.

    python benchmarks/learning.py [--seeds 3] [--steps 30] [--no-stale] [--json]
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from rich.console import Console

from benchmarks.script import RESULTS, Target, finish, options
from tmax_gym.reports import svg
from tmax_gym.sandboxes import backend, images
from tmax_trainers.dppo.checkpoints import Score
from tmax_trainers.recipes import files
from tmax_trainers.recipes.run import RunResult, train

MINUTES = 10.0
"""What one run may take (the project's goal for the demo)."""
STALE = 4
"""Versions that a group may be old in the stale arms (TMax: the same)."""
STALE_RATE = 4
"""Times the recipe's learning rate in the stale arms: at its own, fewer than 0.3 % of tokens
leave any trust region (measured), so that the objectives differ by noise alone."""
STALE_ARMS = ("dppo", "grpo")
RISE = 0.2
"""Least rise of the held-out mean reward, on every seed (the project's goal)."""
SMOOTHED = 5
"""Steps that a point of a curve is the mean of."""
STILL = 0.02
"""Rise that the control may show; the same weights and seeds should show none."""


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    given = options(
        __doc__,
        seeds=3,
        steps=files.read("cpu_tiny").optimization.steps,
        no_stale=(False, "leave the stale arms out"),
        draw=(False, "only draw the stored curves"),
    )
    if given.draw:
        draw(json.loads((RESULTS / "learning.json").read_text())["runs"])
        return 0
    torch.set_num_threads(1)  # as `tmax demo`
    console = Console(quiet=given.json, highlight=False, soft_wrap=True)
    runs = []
    for seed in range(given.seeds):
        with tempfile.TemporaryDirectory() as out:
            arms = Arms(seed, given.steps, Path(out), console)
            runs.append(measure(arms, stale=not given.no_stale))
        console.print(json.dumps({k: runs[-1][k] for k in ("seed", "rise", "control_rise")}))
    measured = {"runs": runs, "image": images.default_image(), "backend": backend("auto").name}
    draw(runs)
    return finish("learning", measured, targets(runs) | stale_targets(runs), given)


@dataclass(frozen=True, slots=True)
class Arms:
    """Runs of one seed: they share lessons, and so the policy that they begin with."""

    seed: int
    steps: int
    out: Path
    console: Console

    def run(self, *overrides: str) -> RunResult:
        """Train with these changes of the recipe."""
        sizes = (
            f"seed={self.seed}",
            f"optimization.steps={self.steps}",
            f"saving.evaluate_every={self.steps}",
            "saving.checkpoint_every=0",
        )
        return train(files.read("cpu_tiny", [*sizes, *overrides]), self.out, console=self.console)


def measure(arms: Arms, *, stale: bool) -> dict[str, Any]:
    """Return what one seed shows: DPPO on new groups, the control, and the stale arms."""
    learned = arms.run()
    control = arms.run("optimization.learning_rate=0")
    before, after, same = learned.scores[0], learned.scores[-1], control.scores[-1]
    return {
        "seed": arms.seed,
        "before": interval(before),
        "after": interval(after),
        "control": interval(same),
        "rise": after.reward - before.reward,
        "disjoint": after.low > before.high,
        "control_rise": same.reward - before.reward,
        "practice_rewards": practised(learned),
        "control_practice_rewards": practised(control),
        "entropy": [round(row["policy/entropy"], 4) for row in learned.log],
        "seconds_without_control": round(learned.seconds, 1),
        "arms": {
            f"{objective}_{STALE}": arm(arms, objective, before)
            for objective in (STALE_ARMS if stale else ())
        },
    }


def arm(arms: Arms, objective: str, before: Score) -> dict[str, object]:
    """Return what an objective comes to on groups that may be four versions old.

    Raises:
        ValueError: It began with another policy.
    """
    rate = STALE_RATE * files.read("cpu_tiny").optimization.learning_rate
    learned = arms.run(
        f"rollouts.max_staleness={STALE}",
        f"loss.objective={objective}",
        f"optimization.learning_rate={rate}",
    )
    if learned.scores[0] != before:
        raise ValueError(f"seed {arms.seed}: {objective} began with another policy")
    after = learned.scores[-1]
    blocked = [row["policy/blocked_high"] + row["policy/blocked_low"] for row in learned.log]
    return {
        "learning_rate": rate,
        "after": interval(after),
        "rise": after.reward - before.reward,
        "practice_rewards": practised(learned),
        "blocked": [round(share, 5) for share in blocked],
    }


def practised(run: RunResult) -> list[float]:
    """Return the mean reward of practice, step by step."""
    return [round(row["reward/mean"], 4) for row in run.log]


def interval(score: Score) -> dict[str, float]:
    """Return a score without its step, as it is stored."""
    return {"mean": score.reward, "low": score.low, "high": score.high, "count": score.episodes}


def draw(rows: list[dict[str, Any]]) -> None:
    """Write the mean reward of practice by step, over all seeds."""
    runs = {
        "DPPO": [row["practice_rewards"] for row in rows],
        "learning rate 0": [row["control_practice_rewards"] for row in rows],
    }
    for name in rows[0]["arms"]:
        objective, _, age = name.rpartition("_")
        label = f"{objective.upper()}, {age} versions old"
        runs[label] = [row["arms"][name]["practice_rewards"] for row in rows]
    title = f"Mean reward of practice, {len(rows)} seeds, means of {SMOOTHED} steps"
    series = [svg.Series(name, smooth(own)) for name, own in runs.items()]
    svg.write(RESULTS, {"learning": svg.lines(title, series, x="step", y="reward")})


def smooth(curves: list[list[float]]) -> tuple[tuple[float, float], ...]:
    """Return (step, mean over curves and the last steps)."""
    means = [fmean(step) for step in zip(*curves, strict=True)]
    last = range(SMOOTHED, len(means) + 1)
    return tuple((float(at), fmean(means[at - SMOOTHED : at])) for at in last)


def stale_targets(rows: list[dict[str, Any]]) -> dict[str, Target]:
    """Return what was to be reached where groups are old, over all seeds."""
    if not all(row["arms"] for row in rows):
        return {}
    rises = {name: [row["arms"][f"{name}_{STALE}"]["rise"] for row in rows] for name in STALE_ARMS}
    ahead = fmean(rises["dppo"]) - fmean(rises["grpo"])
    return {
        f"least_rise_at_staleness_{STALE}": Target(min(rises["dppo"]), RISE, at_most=False),
        f"mean_rise_of_DPPO_over_GRPO_at_staleness_{STALE}": Target(ahead, 0, at_most=False),
    }


def targets(rows: list[dict[str, object]]) -> dict[str, Target]:
    """Return what was to be reached, over all seeds."""
    least = min(float(str(row["rise"])) for row in rows)
    most = max(float(str(row["control_rise"])) for row in rows)
    apart = sum(bool(row["disjoint"]) for row in rows)
    slowest = max(float(str(row["seconds_without_control"])) for row in rows) / 60
    return {
        "least_rise_of_held-out_mean_reward": Target(least, RISE, at_most=False),
        "seeds_with_disjoint_95_%_intervals": Target(apart, len(rows), at_most=False),
        "greatest_rise_at_learning_rate_0": Target(most, STILL),
        "minutes_of_the_slowest_run": Target(slowest, MINUTES),
    }


if __name__ == "__main__":
    sys.exit(main())
