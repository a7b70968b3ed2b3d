"""Whether the demo's policy learns, on several seeds, and whether it needs its learning rate.

For every seed: one warm start, then from the same weights DPPO at the demo's learning rate and at
0, and at a higher one DPPO and GRPO on groups that are up to four versions old; all are evaluated
on the same held-out tasks with the same sampling.  Writes `results/learning.json` and the curves
in it, `results/learning.svg`; `--draw` draws those that are stored, `--stale-only` measures old
groups anew and keeps the rest of what is stored.

    python benchmarks/learning.py [--seeds 3] [--steps 30] [--no-stale | --stale-only] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import RESULTS, Target, last_line, store
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
"""Steps that a point of a curve is the mean of."""
STILL = 0.02
"""Rise that the control may show; the same weights and seeds should show none."""


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=demo.PractiseConfig().steps)
    parser.add_argument("--no-stale", action="store_true", help="leave the stale arms out")
    parser.add_argument("--stale-only", action="store_true", help="measure the stale arms anew")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    parser.add_argument("--draw", action="store_true", help="draw the stored curves, no more")
    options = parser.parse_args()
    if options.draw:
        draw(json.loads((RESULTS / "learning.json").read_text())["runs"])
        return 0
    load = os.getloadavg()[0]
    screen = Screen(quiet=options.json)
    arena = Arena(backend("auto"), images.default_image())
    kept = stored() if options.stale_only else {}
    runs = []
    with tempfile.TemporaryDirectory() as out, one_thread():
        for seed in range(options.seeds):
            practise = demo.PractiseConfig(steps=options.steps)
            config = demo.DemoConfig(seed=seed, out=Path(out), practise=practise)
            run = measure(config, arena, screen, stale=not options.no_stale, kept=kept.get(seed))
            screen.line(json.dumps({k: run[k] for k in ("seed", "rise", "control_rise")}))
            runs.append(run)
    reached = targets(runs) | stale_targets(runs)
    seen = {"runs": runs, "image": arena.image, "backend": arena.backend.name}
    store("learning", seen, reached, load=load)
    draw(runs)
    print(last_line(reached))
    return 0 if all(target.met for target in reached.values()) else 1


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
    """Return what one seed shows; of `kept`, an earlier run, all but the stale arms.

    Raises:
        ValueError: The earlier run began with another policy.
    """
    began = time.monotonic()
    with demo.prepared(config, arena, screen) as warm:
        run = dict(kept or fresh(warm, config, arena, screen=screen, began=began))
        if run["before"] != asdict(warm.before.reward):
            raise ValueError(f"seed {config.seed} begins elsewhere now: measure all of it anew")
        run["arms"] = {
            f"{objective}_{STALE}": arm(warm, config, arena, screen=screen, objective=objective)
            for objective in (STALE_ARMS if stale else ())
        }
        return run


def fresh(
    warm: demo.Prepared, config: demo.DemoConfig, arena: Arena, *, screen: Screen, began: float
) -> dict[str, Any]:
    """Return what DPPO on new groups comes to, and the control."""
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
    """Return what an objective comes to on groups that may be four versions old."""
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
    series = [(name, smooth(own)) for name, own in runs.items()]
    plots.write(RESULTS, {"learning": plots.lines(title, series, x="step", y="reward")})


def smooth(curves: list[list[float]]) -> list[tuple[float, float]]:
    """Return (step, mean over curves and the last steps)."""
    means = [fmean(step) for step in zip(*curves, strict=True)]
    last = range(SMOOTHED, len(means) + 1)
    return [(float(at), fmean(means[at - SMOOTHED : at])) for at in last]


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
