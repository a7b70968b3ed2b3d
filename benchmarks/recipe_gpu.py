"""Train the recipe `smollm2_135m` on one GPU: reward curves, and the gap to the engine.

With a CUDA device, SmolLM2-135M is trained (warm start, then DPPO with the engine in this process)
three times in bfloat16: for a few steps with the float32 head and without it, and for as many
steps as fit.  Then the head alone is measured: time and memory against their lower limits (three
products; gradients and one tile).  Without a CUDA device the script says so and ends with status
0.  `--rehearse` does the same on a CPU with a policy from scratch, tiny sizes and one run instead
of three; its figures mean nothing and are not stored.

    python benchmarks/recipe_gpu.py [--model DIRECTORY] [--steps 40] [--rehearse] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.script import Target, finish, options

SHORT = 3
"""Steps of the runs that only look at the gap."""
ROWS, WIDTH, VOCABULARY = 65_536, 4096, 248_320
"""Sizes of the head alone: an episode of full length, Qwen3.5-9B."""
REHEARSED = (512, 64, 2048)
TINY = (
    "model.width=64", "warm_start.lessons=160", "warm_start.steps=700",
    "warm_start.tokens_per_batch=256", "warm_start.learning_rate=4e-3",
    "warm_start.accuracy=0.97", "tasks.families=[space-crisis]", "tasks.held_out=12",
    "rollouts.groups_per_step=2", "rollouts.group_size=8", "optimization.micro_batches=1",
)  # fmt: skip


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    model = ("", "a directory; the recipe's own if empty")
    given = options(__doc__, model=model, steps=40, rehearse=(False, "tiny sizes on a CPU"))
    import torch

    if not (torch.cuda.is_available() or given.rehearse):
        print(json.dumps({"skipped": "no CUDA device; --rehearse runs tiny sizes on a CPU"}))
        return 0
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory)
        first = trained(given, out / "fp32", SHORT, fp32_head=True)
        runs = dict.fromkeys(("fp32_head", "bf16_head", "long"), first)
        if not given.rehearse:
            runs["bf16_head"] = trained(given, out / "bf16", SHORT, fp32_head=False)
            runs["long"] = trained(given, out / "long", given.steps, fp32_head=True)
    head = head_alone(*(REHEARSED if given.rehearse else (ROWS, WIDTH, VOCABULARY)))
    reached = targets(runs, head)
    if given.rehearse:
        print(json.dumps({"rehearsed": sorted(reached)}))
        return 0
    results = {"device": torch.cuda.get_device_name(), "runs": runs, "head": head}
    return finish("recipe_gpu", results, reached, given)


def trained(
    options: argparse.Namespace, out: Path, steps: int, *, fp32_head: bool
) -> dict[str, object]:
    """Return the curves of one run."""
    from rich.console import Console

    from tmax_trainers.dppo import checkpoints
    from tmax_trainers.recipes import files
    from tmax_trainers.recipes.run import train

    steps = 2 if options.rehearse else steps
    evaluated = max(steps // 4, SHORT) if steps > SHORT else 0
    overrides = [
        f"optimization.steps={steps}",
        f"model.fp32_head={str(fp32_head).lower()}",
        f"saving.checkpoint_every={steps}",
        f"saving.evaluate_every={evaluated}",
    ]
    overrides += TINY if options.rehearse else ()
    if options.model:
        overrides.append(f"model.init={options.model}")
    recipe = files.read("cpu_tiny" if options.rehearse else "smollm2_135m", overrides)
    console = Console(quiet=options.json, highlight=False, soft_wrap=True)
    outcome = train(recipe, out, console=console)
    saved = checkpoints.latest(out)
    state = json.loads((saved[1] / "trainer_state.json").read_text()) if saved else {}
    rows = [row for row in state.get("log_history", []) if "reward/mean" in row]
    keys = ("reward/mean", "policy/logp_gap", "policy/logp_gap_max", "policy/entropy",
            "policy/blocked_high", "policy/blocked_low", "policy/tokens_total")  # fmt: skip
    return {
        "seconds": outcome.seconds,
        "held_out": [[s.step, s.reward, s.low, s.high] for s in outcome.scores],
        **{key: [row.get(key) for row in rows] for key in keys},
    }


def head_alone(rows: int, width: int, vocabulary: int) -> dict[str, float]:
    """Return seconds and memory of the fused head, and the operations it needs at least."""
    import torch

    from benchmarks.loss_head import inputs, ours

    cuda = torch.cuda.is_available()
    device, dtype = ("cuda", "bfloat16") if cuda else ("cpu", "float32")
    hidden, weight, tokens = inputs(rows, vocabulary, width, dtype=dtype, device=device)
    durations = []
    for _ in range(3):  # the first ones warm up
        if cuda:
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated() if cuda else 0
        begun = time.perf_counter()
        ours(hidden, weight, tokens, 0)
        if cuda:
            torch.cuda.synchronize()
        durations.append(time.perf_counter() - begun)
        extra = (torch.cuda.max_memory_allocated() if cuda else 0) - before
        hidden.grad = weight.grad = None
    operations = 6.0 * rows * width * vocabulary
    return {"seconds": min(durations), "extra_bytes": float(extra), "operations": operations,
            "operations_per_second": operations / min(durations),
            "logits_bytes": 4.0 * rows * vocabulary}  # fmt: skip


def targets(runs: dict[str, dict], head: dict[str, float]) -> dict[str, Target]:
    """Return the targets."""
    gaps = {name: run["policy/logp_gap"][0] for name, run in runs.items()}
    curve = runs["long"]["held_out"]
    rise = curve[-1][1] - curve[0][1] if len(curve) > 1 else 0.0
    return {
        "first_gap_with_fp32_head": Target(gaps["fp32_head"], 0.02),
        "gap_without_fp32_head_times_with": Target(
            gaps["bf16_head"] / max(gaps["fp32_head"], 1e-9), 1.0, at_most=False
        ),
        "rise_of_held-out_mean_reward": Target(rise, 0.1, at_most=False),
        "head_memory_per_logits": Target(head["extra_bytes"] / head["logits_bytes"], 0.2),
        "minutes": Target(sum(run["seconds"] for run in runs.values()) / 60, 25),
    }


if __name__ == "__main__":
    sys.exit(main())
