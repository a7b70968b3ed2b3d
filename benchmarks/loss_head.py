"""Measure the head's memory and CPU time in training, from hidden states to both gradients.

The contenders all compute the DPPO loss, and its gradients for hidden states and head weight:

- naive: one product, `log_softmax`, gather, autograd;
- trl: the same with TRL's `ChunkedLogProbFunction` as its trainers call it, for log-probabilities
  alone (its torch path; Triton needs a GPU);
- ours: `fused_linear_dppo`.

Each runs in a process of its own.  Memory is the growth of the process's peak resident size
(VmHWM, reset after the inputs were made and a small run has loaded the libraries); the gradients
are part of it.  Time is the process's CPU seconds over all threads.  Every row is trained and none
is blocked, which is the worst case for ours.  Losses and gradients must agree.

    python benchmarks/loss_head.py [--rows 4096] [--vocabulary 151936] [--width 896]
        [--dtype float32] [--rounds 1] [--chunk 0] [--json]

Only these sizes write results; for others the targets mean nothing.  The default takes 8 GB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

from benchmarks.script import Target, finish, median, memory, parser, reset_peak

SHAPE = {"rows": 4096, "vocabulary": 151_936, "width": 896, "dtype": "float32"}
"""Qwen2.5-0.5B's and Qwen3-0.6B's vocabulary; the width of the former."""
CONTENDERS = ("naive", "trl", "ours")
TRL_CHUNK = 32_768
"""`_CHUNKED_LOGPROB_CHUNK_SIZE` of trl.trainer.utils, read again in the child."""

Figures = dict[str, float]


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    options = parsed()
    if options.child:
        print(json.dumps(measured(options)))
        return 0
    runs: dict[str, list[Figures]] = {who: [] for who in CONTENDERS}
    for _ in range(options.rounds):
        for who in CONTENDERS:
            runs[who].append(in_a_process(who, options))
    agree(runs, 1e-4 if options.dtype == "float32" else 1e-2)
    shape = {name: getattr(options, name) for name in SHAPE}
    results = {"shape": shape, "runs": runs}
    stored = shape == SHAPE
    return finish("loss_head", results, judged(runs), options, table(runs), stored=stored)


def parsed() -> argparse.Namespace:
    chunk = (0, "rows of our chunk; 0: our default")
    arguments = parser(__doc__, **SHAPE, rounds=1, chunk=chunk)
    arguments.add_argument("--child", choices=CONTENDERS, help=argparse.SUPPRESS)
    return arguments.parse_args()


def in_a_process(who: str, options: argparse.Namespace) -> Figures:
    """Return the figures of a contender, measured in a process of its own."""
    sizes = [f"--{name}={getattr(options, name)}" for name in SHAPE]
    command = [sys.executable, __file__, "--child", who, f"--chunk={options.chunk}", *sizes]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def measured(options: argparse.Namespace) -> Figures:
    """Run a contender once, small, then as asked for; this process does nothing else."""
    run = {"naive": naive, "trl": trl, "ours": ours}[options.child]
    run(*inputs(64, 512, options.width, dtype=options.dtype), options.chunk)
    sizes = (options.rows, options.vocabulary, options.width)
    hidden, weight, tokens = inputs(*sizes, dtype=options.dtype)
    reset_peak()
    before, cpu, wall = memory("VmRSS"), time.process_time(), time.perf_counter()
    loss = run(hidden, weight, tokens, options.chunk)
    cpu_s, wall_s = time.process_time() - cpu, time.perf_counter() - wall
    return {
        "cpu_s": cpu_s,
        "wall_s": wall_s,
        "extra_gb": (memory("VmHWM") - before) / 1e9,
        "loss": loss,
        "hidden_gradient": float(hidden.grad.float().norm()),
        "weight_gradient": float(weight.grad.float().norm()),
    }


def inputs(rows: int, vocabulary: int, width: int, *, dtype: str, device: str = "cpu"):
    """Return hidden states and weight with gradients wanted, and tokens; logits spread by 1."""
    import torch

    from tmax_trainers.dppo.loss.fused import SampledTokens

    made = {"generator": torch.Generator(device).manual_seed(0), "device": device}
    kind = getattr(torch, dtype)
    hidden = torch.randn(rows, width, **made).to(kind).requires_grad_()
    weight = torch.randn(vocabulary, width, **made).mul_(width**-0.5).to(kind).requires_grad_()
    tokens = SampledTokens(
        ids=torch.randint(vocabulary, (rows,), **made),
        # Far below δ from any π here.
        mu_logp=torch.full((rows,), 1.0 / vocabulary, device=device).log(),
        advantages=torch.where(torch.rand(rows, **made) < 0.5, 0.75, -0.25),
        mask=torch.ones(rows, dtype=torch.bool, device=device),
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


def agree(results: dict[str, list[Figures]], most: float) -> None:
    """Stop if the contenders computed different things."""
    for key in ("loss", "hidden_gradient", "weight_gradient"):
        values = [run[key] for runs in results.values() for run in runs]
        if max(values) - min(values) > most * abs(max(values, key=abs)):
            raise SystemExit(
                f"{key} differs: { {who: runs[0][key] for who, runs in results.items()} }"
            )


def judged(runs: dict[str, list[Figures]]) -> dict[str, Target]:
    """Return the targets, as ratios within this run."""

    def ratio(key: str, other: str) -> float:
        mine, theirs = (median([run[key] for run in runs[who]]) for who in ("ours", other))
        return mine / theirs

    return {
        "loss_head_memory_of_naive": Target(ratio("extra_gb", "naive"), 1 / 8),
        "loss_head_memory_of_trl": Target(ratio("extra_gb", "trl"), 1 / 4),
        "loss_head_cpu_of_naive": Target(ratio("cpu_s", "naive"), 1.05),
        "loss_head_cpu_of_trl": Target(ratio("cpu_s", "trl"), 0.6),
    }


def table(results: dict[str, list[Figures]]) -> list[str]:
    """Return medians, one contender a line."""
    rows = [f"{'':6} {'CPU s':>9} {'wall s':>9} {'extra GB':>9} {'loss':>14} {'|dW|':>12}"]
    for who, runs in results.items():
        cpu, wall, extra = (median([r[k] for r in runs]) for k in ("cpu_s", "wall_s", "extra_gb"))
        rows.append(
            f"{who:6} {cpu:9.2f} {wall:9.2f} {extra:9.3f}"
            f" {runs[0]['loss']:14.8f} {runs[0]['weight_gradient']:12.8f}"
        )
    return rows


if __name__ == "__main__":
    sys.exit(main())
