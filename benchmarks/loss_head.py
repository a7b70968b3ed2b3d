"""What the head costs in training: memory and CPU time from hidden states to both gradients.

Contenders, each with the DPPO loss and gradients of hidden states and of the head's weight:

- naive: one product, `log_softmax`, gather, autograd;
- trl: the same with TRL's `ChunkedLogProbFunction` as its trainers call it, for log-probabilities
  alone (its torch path; Triton needs a GPU);
- ours: `fused_linear_dppo`.

Each runs in a process of its own.  Memory is the process's peak resident size (VmHWM, reset
when the inputs are there and a small run has warmed the libraries) above its size before; the
gradients are in it.  Time is the process's CPU seconds, all threads together.  Every row is
trained and none is blocked, so ours drops none: its worst case.  Losses and gradients must agree.

    python benchmarks/loss_head.py [--rows 4096] [--vocabulary 151936] [--width 896]
        [--dtype float32] [--rounds 1] [--chunk 0] [--json]

Sizes other than these print their figures, for which the targets are not meant, and write no
results.  The default takes 8 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, median, store

ROWS, VOCABULARY, WIDTH = 4096, 151_936, 896
"""Qwen2.5-0.5B's and Qwen3-0.6B's vocabulary; the width of the former."""
CONTENDERS = ("naive", "trl", "ours")
TRL_CHUNK = 32_768
"""`_CHUNKED_LOGPROB_CHUNK_SIZE` of trl.trainer.utils, read again in the child."""

Seen = dict[str, float]


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    options = parsed()
    if options.child:
        print(json.dumps(measured(options)))
        return 0
    load = os.getloadavg()[0]
    seen: dict[str, list[Seen]] = {who: [] for who in CONTENDERS}
    for _ in range(options.rounds):
        for who in CONTENDERS:
            seen[who].append(in_a_process(who, options))
    agree(seen, 1e-4 if options.dtype == "float32" else 1e-2)
    targets = judged(seen)
    full = (options.rows, options.vocabulary, options.width) == (ROWS, VOCABULARY, WIDTH)
    if full and options.dtype == "float32":
        shape = {k: getattr(options, k) for k in ("rows", "vocabulary", "width", "dtype")}
        store("loss_head", {"shape": shape, "runs": seen}, targets, load=load)
    if not options.json:
        print("\n".join(table(seen)))
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--vocabulary", type=int, default=VOCABULARY)
    parser.add_argument("--width", type=int, default=WIDTH)
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=0, help="rows of our chunk; 0: our default")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    parser.add_argument("--child", choices=CONTENDERS, help=argparse.SUPPRESS)
    return parser.parse_args()


def in_a_process(who: str, options: argparse.Namespace) -> Seen:
    """Return what a contender's own process saw."""
    sizes = [f"--{k}={getattr(options, k)}" for k in ("rows", "vocabulary", "width", "dtype")]
    command = [sys.executable, __file__, "--child", who, f"--chunk={options.chunk}", *sizes]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seen: Seen = json.loads(done.stdout.splitlines()[-1])
    return seen


def measured(options: argparse.Namespace) -> Seen:
    """Run a contender once, small, then as asked for; this process does nothing else."""
    run = {"naive": naive, "trl": trl, "ours": ours}[options.child]
    run(*inputs(64, 512, options), options.chunk)
    given = inputs(options.rows, options.vocabulary, options)
    Path("/proc/self/clear_refs").write_text("5")  # proc(5): resets VmHWM
    before, cpu, wall = resident("VmRSS"), time.process_time(), time.perf_counter()
    loss = run(*given, options.chunk)
    took = time.process_time() - cpu, time.perf_counter() - wall
    hidden, weight = given[:2]
    return {
        "cpu_s": took[0],
        "wall_s": took[1],
        "extra_gb": (resident("VmHWM") - before) / 1e9,
        "loss": loss,
        "hidden_gradient": float(hidden.grad.float().norm()),
        "weight_gradient": float(weight.grad.float().norm()),
    }


def resident(key: str) -> int:
    """Return a size of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(key))


def inputs(rows: int, vocabulary: int, options: argparse.Namespace):
    """Return hidden states and weight with gradients wanted, and tokens; logits spread by 1."""
    import torch

    from tmax_trainers.dppo.loss.fused import SampledTokens

    make = torch.Generator().manual_seed(0)
    kind = getattr(torch, options.dtype)
    hidden = torch.randn(rows, options.width, generator=make).to(kind).requires_grad_()
    weight = torch.randn(vocabulary, options.width, generator=make)
    weight = weight.mul_(options.width**-0.5).to(kind).requires_grad_()
    tokens = SampledTokens(
        ids=torch.randint(vocabulary, (rows,), generator=make),
        mu_logp=torch.full((rows,), 1.0 / vocabulary).log(),  # far below δ from any π here
        advantages=torch.where(torch.rand(rows, generator=make) < 0.5, 0.75, -0.25),
        mask=torch.ones(rows, dtype=torch.bool),
    )
    return hidden, weight, tokens


def naive(hidden, weight, tokens, chunk: int) -> float:
    # In one expression, so that the logits themselves are gone when gradients come.
    logp_all = (hidden @ weight.t()).float().log_softmax(-1)
    return finished(logp_all.gather(1, tokens.ids[:, None])[:, 0], tokens)


def trl(hidden, weight, tokens, chunk: int) -> float:
    from trl.kernels import ChunkedLogProbFunction
    from trl.trainer import utils

    width = getattr(utils, "_CHUNKED_LOGPROB_CHUNK_SIZE", TRL_CHUNK)
    logp, *_ = ChunkedLogProbFunction.apply(
        hidden, weight, None, tokens.ids, 1.0, width, None, 1.0, ("log_probs",)
    )
    return finished(logp, tokens)


def finished(logp, tokens) -> float:
    """Return the loss of log-probabilities after its backward pass."""
    from tmax_trainers.dppo.loss.dppo import dppo_loss

    loss, _ = dppo_loss(
        logp,
        tokens.mu_logp,
        tokens.advantages,
        mask=tokens.mask,
        denominator=float(len(tokens.ids)),
    )
    loss.backward()
    return float(loss.detach())


def ours(hidden, weight, tokens, chunk: int) -> float:
    from tmax_trainers.dppo.loss.fused import HeadOptions, fused_linear_dppo

    options = HeadOptions(rows=chunk or None)
    loss, _ = fused_linear_dppo(
        hidden, weight, tokens, denominator=float(len(tokens.ids)), options=options
    )
    loss.backward()
    return float(loss.detach())


def agree(seen: dict[str, list[Seen]], most: float) -> None:
    """Refuse figures of contenders that computed different things."""
    for key in ("loss", "hidden_gradient", "weight_gradient"):
        values = [run[key] for runs in seen.values() for run in runs]
        if max(values) - min(values) > most * abs(max(values, key=abs)):
            raise SystemExit(
                f"{key} differs: { {who: runs[0][key] for who, runs in seen.items()} }"
            )


def judged(seen: dict[str, list[Seen]]) -> dict[str, Target]:
    """Return the targets, as ratios within this run."""

    def ratio(key: str, other: str) -> float:
        mine, theirs = (median([run[key] for run in seen[who]]) for who in ("ours", other))
        return mine / theirs

    return {
        "loss_head_memory_of_naive": Target(ratio("extra_gb", "naive"), 1 / 8),
        "loss_head_memory_of_trl": Target(ratio("extra_gb", "trl"), 1 / 4),
        "loss_head_cpu_of_naive": Target(ratio("cpu_s", "naive"), 1.05),
        "loss_head_cpu_of_trl": Target(ratio("cpu_s", "trl"), 0.6),
    }


def table(seen: dict[str, list[Seen]]) -> list[str]:
    """Return medians, one contender a line."""
    rows = [f"{'':6} {'CPU s':>9} {'wall s':>9} {'extra GB':>9} {'loss':>14} {'|dW|':>12}"]
    for who, runs in seen.items():
        cpu, wall, extra = (median([r[k] for r in runs]) for k in ("cpu_s", "wall_s", "extra_gb"))
        rows.append(
            f"{who:6} {cpu:9.2f} {wall:9.2f} {extra:9.3f}"
            f" {runs[0]['loss']:14.8f} {runs[0]['weight_gradient']:12.8f}"
        )
    return rows


if __name__ == "__main__":
    sys.exit(main())
