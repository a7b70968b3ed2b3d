"""Whether the demo's policy learns, on several seeds, and whether it needs its learning rate.

For every seed: one warm start, then DPPO twice from the same weights, at the demo's learning rate
and at 0; both are evaluated on the same held-out tasks with the same sampling.  Writes
`results/learning.json`.

    python benchmarks/learning.py [--seeds 3] [--steps 30] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path

from tmax_gym.sandboxes import backend, images
from tmax_trainers import demo
from tmax_trainers import demo_page as page
from tmax_trainers.demo_learning import weights_digest
from tmax_trainers.demo_play import Arena, one_thread
from tmax_trainers.demo_screen import Screen

RESULTS = Path(__file__).parent / "results" / "learning.json"
STILL = 0.02
"""Rise that the control may show; the same weights and seeds should show none."""


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=demo.PractiseConfig().steps)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    screen = Screen(quiet=options.json)
    arena = Arena(backend("auto"), images.default_image())
    rows = []
    with tempfile.TemporaryDirectory() as out, one_thread():
        for seed in range(options.seeds):
            practise = demo.PractiseConfig(steps=options.steps)
            config = demo.DemoConfig(seed=seed, out=Path(out), practise=practise)
            rows.append(measure(config, arena, screen))
            screen.line(json.dumps({k: rows[-1][k] for k in ("seed", "rise", "control_rise")}))
    report = {
        "targets": targets(rows),
        "runs": rows,
        "load": load,
        "image": arena.image,
        "backend": arena.backend.name,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(report, indent=1, sort_keys=True) + "\n")
    print(json.dumps({"targets": report["targets"]}, sort_keys=True))
    return 0 if all(row["met"] for row in report["targets"].values()) else 1


def measure(config: demo.DemoConfig, arena: Arena, screen: Screen) -> dict[str, object]:
    """Return what one seed shows."""
    began = time.monotonic()
    with demo.prepared(config, arena, screen) as warm:
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


def targets(rows: list[dict[str, object]]) -> dict[str, dict[str, object]]:
    """Return the rows of the README's table."""
    least = min(float(str(row["rise"])) for row in rows)
    most = max(float(str(row["control_rise"])) for row in rows)
    apart = sum(bool(row["disjoint"]) for row in rows)
    slowest = max(float(str(row["seconds_without_control"])) for row in rows) / 60
    return {
        f"rise_of_held-out_mean_reward,_least_of_{len(rows)}_seeds": {
            "value": round(least, 3), "target": f">= {page.RISE}", "met": least >= page.RISE,
        },
        "seeds_with_disjoint_95_%_intervals": {
            "value": f"{apart} of {len(rows)}", "target": f"{len(rows)} of {len(rows)}",
            "met": apart == len(rows),
        },
        "rise_at_learning_rate_0,_greatest": {
            "value": round(most, 3), "target": f"<= {STILL}", "met": most <= STILL,
        },
        "minutes_of_the_slowest_run": {
            "value": round(slowest, 1), "target": "<= 10", "met": slowest <= 10,
        },
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
