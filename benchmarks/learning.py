"""Measure whether the demo's policy learns, and whether the learning rate is the reason.

Every seed has one warm start.  From the same weights it trains with DPPO at the demo's learning
rate and at 0, and at a higher rate with DPPO and with GRPO on groups up to four versions old.  All
are evaluated on the same held-out tasks with the same sampling.  Also writes the curves to
`results/learning.svg`.  `--draw` only draws the stored curves; `--stale-only` measures the old
groups again and keeps the other stored results.

    python benchmarks/learning.py [--seeds 3] [--steps 30] [--no-stale | --stale-only] [--json]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.script import RESULTS, Target, finish, options
from tmax_gym.analysis import plots
from tmax_gym.sandboxes import backend, images
from tmax_trainers.demo import demo, page
from tmax_trainers.demo.learning import weights_digest
from tmax_trainers.demo.play import Arena, one_thread
from tmax_trainers.demo.screen import Screen

MINUTES = 10.0
"""What one run may take (the project's goal for the demo)."""
STALE = 4
"""Versions that a group may be old in the stale arms (TMax: the same)."""
STALE_RATE = 4
"""Times the demo's learning rate in the stale arms: at the demo's own, fewer than 0.3 % of tokens
leave any trust region (measured), so that the objectives differ by noise alone."""
STALE_ARMS = ("dppo", "grpo")
RISE = 0.2
"""Least rise of the held-out mean reward, on every seed (the project's goal)."""
SMOOTHED = 5
"""A point of a curve is the mean of so many steps."""
STILL = 0.02
"""Rise of the control that is allowed; the same weights and seeds should have none."""


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    given = options(
        __doc__,
        seeds=3,
        steps=demo.PractiseConfig().steps,
        no_stale=(False, "leave the stale arms out"),
        stale_only=(False, "measure the stale arms again"),
        draw=(False, "only draw the stored curves"),
    )
    if given.draw:
        draw(list(stored().values()))
        return 0
    screen = Screen(quiet=given.json)
    arena = Arena(backend("auto"), images.default_image())
    kept = stored() if given.stale_only else {}
    runs = []
    with tempfile.TemporaryDirectory() as out, one_thread():
        for seed in range(given.seeds):
            practise = demo.PractiseConfig(steps=given.steps)
            config = demo.DemoConfig(seed=seed, out=Path(out), practise=practise)
            run = measure(config, arena, screen, stale=not given.no_stale, kept=kept.get(seed))
            screen.line(json.dumps({k: run[k] for k in ("seed", "rise", "control_rise")}))
            runs.append(run)
    reached = targets(runs) | stale_targets(runs)
    draw(runs)
    results = {"runs": runs, "image": arena.image, "backend": arena.backend.name}
    return finish("learning", results, reached, given)


def stored() -> dict[int, dict[str, Any]]:
    """Return the stored run of every seed."""
    runs = json.loads((RESULTS / "learning.json").read_text())["runs"]
    return {run["seed"]: run for run in runs}


def measure(
    config: demo.DemoConfig,
    arena: Arena,
    screen: Screen,
    *,
    stale: bool = True,
    kept: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the results of one seed; `kept` is an earlier run, of which the stale arms go.

    Raises:
        ValueError: The earlier run began with another policy.
    """
    begun = time.monotonic()
    with demo.prepared(config, arena, screen) as warm:
        run = dict(kept or fresh(warm, config, arena, screen=screen, began=begun))
        if run["before"] != asdict(warm.before.reward):
            raise ValueError(f"seed {config.seed} now has another warm start: measure all again")
        run["arms"] = {
            f"{objective}_{STALE}": arm(warm, config, arena, screen=screen, objective=objective)
            for objective in (STALE_ARMS if stale else ())
        }
        return run


def fresh(
    warm: demo.Prepared, config: demo.DemoConfig, arena: Arena, *, screen: Screen, began: float
) -> dict[str, Any]:
    """Return the results of DPPO on new groups, and of the control."""
    learned = demo.learn(warm, config, arena, screen=screen)
    seconds = time.monotonic() - began
    still = replace(config, practise=replace(config.practise, learning_rate=0.0))
    control = demo.learn(warm, still, arena, screen=screen)
    before, after, same = warm.before.reward, learned.after.reward, control.after.reward
    return {
        "seed": config.seed,
        "probes": warm.probes,
        "before": asdict(before),
        "after": asdict(after),
        "control": asdict(same),
        "rise": after.mean - before.mean,
        "disjoint": after.low > before.high,
        "control_rise": same.mean - before.mean,
        "control_weights_unchanged": control.weights == weights_digest(warm.model),
        "held_out_family": [
            asdict(page.interval(e.held_out)) for e in (warm.before, learned.after)
        ],
        "practice_rewards": [round(p.reward, 4) for p in learned.points],
        "control_practice_rewards": [round(p.reward, 4) for p in control.points],
        "entropy": [round(p.entropy, 4) for p in learned.points],
        "seconds_without_control": round(seconds, 1),
    }


def arm(
    warm: demo.Prepared, config: demo.DemoConfig, arena: Arena, *, screen: Screen, objective: str
) -> dict[str, object]:
    """Return the results of an objective on groups that may be four versions old."""
    rate = STALE_RATE * config.practise.learning_rate
    practise = replace(
        config.practise, max_staleness=STALE, objective=objective, learning_rate=rate
    )
    learned = demo.learn(warm, replace(config, practise=practise), arena, screen=screen)
    return {
        "learning_rate": rate,
        "after": asdict(learned.after.reward),
        "rise": learned.after.reward.mean - warm.before.reward.mean,
        "practice_rewards": [round(p.reward, 4) for p in learned.points],
        "blocked": [round(p.blocked, 5) for p in learned.points],
    }


def draw(rows: list[dict[str, Any]]) -> None:
    """Draw the mean reward of practice by step, over all seeds."""
    runs = {
        "DPPO": [row["practice_rewards"] for row in rows],
        "learning rate 0": [row["control_practice_rewards"] for row in rows],
    }
    for name in rows[0]["arms"]:
        objective, _, age = name.rpartition("_")
        label = f"{objective.upper()}, {age} versions old"
        runs[label] = [row["arms"][name]["practice_rewards"] for row in rows]
    title = f"Mean reward of practice, {len(rows)} seeds, means of {SMOOTHED} steps"
    series = [(name, smooth(own)) for name, own in runs.items()]
    plots.write(RESULTS, {"learning": plots.lines(title, series, x="step", y="reward")})


def smooth(curves: list[list[float]]) -> list[tuple[float, float]]:
    """Return (step, mean over curves and the last steps)."""
    means = [fmean(step) for step in zip(*curves, strict=True)]
    last = range(SMOOTHED, len(means) + 1)
    return [(float(at), fmean(means[at - SMOOTHED : at])) for at in last]


def stale_targets(rows: list[dict[str, Any]]) -> dict[str, Target]:
    """Return the targets for old groups, over all seeds."""
    if not all(row["arms"] for row in rows):
        return {}
    rises = {name: [row["arms"][f"{name}_{STALE}"]["rise"] for row in rows] for name in STALE_ARMS}
    ahead = fmean(rises["dppo"]) - fmean(rises["grpo"])
    return {
        f"least_rise_at_staleness_{STALE}": Target(min(rises["dppo"]), RISE, at_most=False),
        f"mean_rise_of_DPPO_over_GRPO_at_staleness_{STALE}": Target(ahead, 0, at_most=False),
    }


def targets(rows: list[dict[str, object]]) -> dict[str, Target]:
    """Return the targets, over all seeds."""
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
