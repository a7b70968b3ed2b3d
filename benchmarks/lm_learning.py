"""Measure whether SmolLM2-135M learns short tasks of the catalogue from their rewards alone.

The recipe `smollm2_135m` in sizes for two cores: a warm start on reference solutions, then DPPO, by
seed, with full weights and with adapters (LoRA).  Held-out tasks come from another split.  A run
that was stopped goes on from its last checkpoint in `--out` (before the first one it begins anew),
and ended runs are read from there.  With `--kind` the results of the other kind stay as they are
stored.  Also writes the curves to `results/lm_learning.svg`.

    python benchmarks/lm_learning.py [--seeds 3] [--steps 20] [--kind full] [--out DIRECTORY]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console

from benchmarks import smollm2
from benchmarks.script import RESULTS, Target, finish, options, store
from tmax_gym.journal import read
from tmax_gym.reports import svg
from tmax_trainers.dppo import checkpoints
from tmax_trainers.dppo.checkpoints import HISTORY, Score
from tmax_trainers.recipes import files
from tmax_trainers.recipes.recipe import Recipe
from tmax_trainers.recipes.run import train

FAMILIES = "bad-gateway,bulk-rename,cross-service-trail,ledger-clean,space-crisis"
"""Families whose short tasks take one command."""
SIZES = (
    f"tasks.families=[{FAMILIES}]", "tasks.complexity=[short]", "tasks.source=catalogue",
    "tasks.held_out_split=test", "tasks.held_out=80",
    "harness.name=plain",  # 100 tokens an episode in place of 350
    "warm_start.lessons=60", "warm_start.steps=10", "warm_start.tokens_per_batch=1024",
    "warm_start.learning_rate=1e-4",  # two steps more, and it solves 0.7 before it plays
    "rollouts.groups_per_step=8", "rollouts.group_size=16", "rollouts.max_steps=1",
    "rollouts.prompt_tokens=192", "rollouts.turn_tokens=48", "rollouts.response_tokens=96",
    "rollouts.concurrent=32", "rollouts.starts=8", "rollouts.max_staleness=0",
    "sampling.slots=32", "optimization.micro_batches=8",
    "saving.checkpoint_every=5", "saving.evaluate_every=10",
)  # fmt: skip
KINDS = {
    "full": ("optimization.learning_rate=2e-5",),
    "lora": ("model.lora={rank: 16}", "optimization.learning_rate=2e-4"),
}
"""Changes of the recipe; adapters take a higher rate."""


def main() -> int:
    """Run what has not ended, store the results, return 1 if a target is missed."""
    given = options(
        __doc__,
        seeds=3,
        steps=20,
        kind=("", "`full` or `lora`; both if empty"),
        out=Path("runs/lm_learning"),
    )
    console = Console(quiet=given.json, highlight=False, soft_wrap=True)
    model = given.out / "smollm2"
    if not (model / "config.json").is_file():
        smollm2.write(model)
    rows = kept(given.kind, RESULTS / "lm_learning.json")
    for kind, seed in runs(given.kind, given.seeds):
        recipe = recipe_of(kind, seed, model=model, steps=given.steps)
        rows.append({"kind": kind, "seed": seed, **learned(recipe, given.out / f"{kind}-{seed}",
                                                           console=console)})  # fmt: skip
        rows.sort(key=lambda row: (list(KINDS).index(row["kind"]), row["seed"]))
        store("lm_learning", {"runs": rows}, targets(rows))
    draw(rows)
    return finish("lm_learning", {"runs": rows}, targets(rows), given)


def runs(kind: str, seeds: int) -> Iterator[tuple[str, int]]:
    """Yield kinds and seeds, all seeds of a kind first."""
    for name in KINDS if not kind else (kind,):
        for seed in range(seeds):
            yield name, seed


def kept(kind: str, file: Path) -> list[dict[str, Any]]:
    """Return the stored results of the kinds that are not run now."""
    if not kind or not file.is_file():
        return []
    rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["runs"]
    return [row for row in rows if row["kind"] != kind]


def recipe_of(kind: str, seed: int, *, model: Path, steps: int) -> Recipe:
    """Return the recipe in its sizes for two cores."""
    own = (f"model.init={model}", f"seed={seed}", f"optimization.steps={steps}")
    return files.read("smollm2_135m", [*SIZES, *KINDS[kind], *own])


def learned(recipe: Recipe, out: Path, *, console: Console) -> dict[str, Any]:
    """Return what a run shows; train it, or the rest of it, where it has not ended."""
    newest = checkpoints.latest(out)
    if newest is None or newest[0] < recipe.optimization.steps:
        train(recipe, out, resume=newest is not None, console=console)
        newest = checkpoints.latest(out)
    assert newest is not None  # the last step is always saved
    state = json.loads((newest[1] / "trainer_state.json").read_text(encoding="utf-8"))
    log = [row for row in state["log_history"] if "reward/mean" in row]
    scores = {score.step: score for score in read(out / HISTORY, lambda row: Score(**row))}
    before, after = scores[min(scores)], scores[max(scores)]
    return {
        "held_out": [asdict(scores[step]) for step in sorted(scores)],
        "rise": after.reward - before.reward,
        "disjoint": after.low > before.high,
        "practice_rewards": [round(row["reward/mean"], 4) for row in log],
        "entropy": [round(row["policy/entropy"], 4) for row in log],
        "gap": [round(row["policy/logp_gap"], 5) for row in log],
    }


def targets(rows: list[dict[str, Any]]) -> dict[str, Target]:
    """Return what was to be reached, by kind, over the seeds that have run."""
    reached = {}
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        apart = sum(row["disjoint"] for row in own)
        reached[f"seeds_with_disjoint_95_%_intervals,_{kind}"] = Target(
            apart, len(own), at_most=False
        )
    return reached


def draw(rows: list[dict[str, Any]]) -> None:
    """Write the mean reward of practice by step, a line a kind."""
    series = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        curves = [row["practice_rewards"] for row in rows if row["kind"] == kind]
        means = [fmean(step) for step in zip(*curves, strict=False)]
        series.append(svg.Series(kind, tuple((float(n), m) for n, m in enumerate(means, 1))))
    title = "SmolLM2-135M: mean reward of practice"
    svg.write(RESULTS, {"lm_learning": svg.lines(title, series, x="step", y="reward")})


if __name__ == "__main__":
    sys.exit(main())
