"""Compare objectives on rollouts that are 0, 4 and 16 versions old.

Every arm starts from the same warm policy of a seed and trains at the same rate on tasks without an
end (`lagged_policy.py`).  A run has collapsed if its held-out reward ends below half of its best.
Finished runs are lines of `results/stability.jsonl`, and the same command goes on where it was
stopped.  Also writes the curves to `results/stability_*.svg`; `--draw` only draws and sums up.
Another number of steps is stored as `stability_long`; some arms or one age of 500 steps are not.

    python benchmarks/stability.py [--steps 500] [--seeds 3] [--jobs 2] [--only "ARM;ARM"] [--age 4]
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.script import RESULTS, Target, finish, options
from tmax_gym.journal import Journal, read
from tmax_gym.reports import svg

RATE = 1e-3
"""Learning rate of every arm.  With DPPO, at a fifth of it rollouts 16 versions old teach as well
as new ones, and at three times of it they ruin the policy within 25 steps (measured)."""
STEPS = 500
WARM = 60
"""Supervised steps before: the warm policy earns 0.3."""
AGES = (0, 4, 16)
"""Versions that rollouts are old; TMax allows 4."""
TAIL = 4
"""Evaluations at the end of a run whose mean counts, one each 25 steps."""
ARMS: dict[str, dict[str, Any]] = {
    "dppo": {},
    "dppo, binary KL": {"divergence": "binary_kl"},
    "dppo, standardised A": {"advantage": "std"},
    "dppo, MaxRL": {"advantage": "maxrl"},
    "dppo, OPSM": {"corrections": ["opsm"], "opsm_delta": 0.05},
    "drpo": {"objective": "drpo"},
    "drpo, δ 0.1": {"objective": "drpo", "delta_low": 0.1, "delta_high": 0.1},
    "policy_gradient": {"objective": "policy_gradient"},
    "policy_gradient, no ratio": {"objective": "policy_gradient", "ratio_to": "none"},
    "policy_gradient, TIS": {
        "objective": "policy_gradient", "ratio_to": "proximal", "corrections": ["tis"],
    },
    "policy_gradient, IcePop": {
        "objective": "policy_gradient", "ratio_to": "proximal", "corrections": ["icepop"],
    },
    "ppo": {"objective": "ppo"},
    "grpo": {"objective": "grpo", "advantage": "std"},
    "dapo": {"objective": "dapo"},
    "dr_grpo": {"objective": "dr_grpo"},
    "gspo": {"objective": "gspo"},
    "gmpo": {"objective": "gmpo"},
    "cispo": {"objective": "cispo"},
    "sapo": {"objective": "sapo"},
}  # fmt: skip
"""Options of `DPPOConfig` and the kind of advantage, beside the defaults."""
TWINS = {
    "grpo": "dppo, standardised A",
    "gmpo": "gspo",
    **dict.fromkeys(
        ("dppo, binary KL", "dppo, OPSM", "drpo", "drpo, δ 0.1", "policy_gradient",
         "policy_gradient, no ratio", "policy_gradient, TIS", "policy_gradient, IcePop", "ppo",
         "dapo", "dr_grpo", "cispo"), "dppo"),
}  # fmt: skip
"""Arms that take the same steps as another one on new rollouts, because all ratios are 1 there.
Seed 0 has run them all and shows it to the last digit; other seeds run the other one."""
DRAWN = ("dppo", "dppo, standardised A", "drpo, δ 0.1", "policy_gradient", "ppo", "gspo", "cispo",
         "sapo")  # fmt: skip
"""Arms in the pictures; more than eight lines cannot be told apart."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run."""

    arm: str
    age: int
    seed: int
    steps: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run showed."""

    arm: str
    age: int
    seed: int
    steps: int
    held_out: list[float]
    """Mean held-out reward before training and every 25 steps."""
    entropy: list[float]
    """Nats a token, means of 25 steps, as `gap` and `blocked`."""
    gap: list[float]
    """Mean |log π − log μ|."""
    blocked: list[float]
    """Share of tokens that the objective or a correction leaves out."""
    seconds: float = field(compare=False)

    @property
    def last(self) -> float:
        """Return the mean of the last evaluations."""
        return fmean(self.held_out[-TAIL:])

    @property
    def best(self) -> float:
        """Return the greatest mean of as many evaluations in a row."""
        begins = range(max(1, len(self.held_out) - TAIL + 1))
        return max(fmean(self.held_out[at : at + TAIL]) for at in begins)

    @property
    def fall(self) -> float:
        """Return the greatest fall of an evaluation below the best one before it."""
        bests = accumulate(self.held_out, max)
        return max(best - now for best, now in zip(bests, self.held_out, strict=True))

    @property
    def collapsed(self) -> bool:
        """Return whether less than half of the best is left."""
        return self.last < self.best / 2


def run(job: Job) -> Outcome:
    """Train one arm in this process."""
    from benchmarks import lagged_policy

    began = time.monotonic()
    options = {"learning_rate": RATE, **ARMS[job.arm]}
    with tempfile.TemporaryDirectory() as out:
        warm = lagged_policy.warm_policy(job.seed, WARM)
        curve = lagged_policy.run(
            warm, staleness=job.age, seed=job.seed, steps=job.steps, out=Path(out), **options
        )
    log, every = curve.log, lagged_policy.EVERY
    out_of = ("policy/blocked_high", "policy/blocked_low", "policy/dropped", "policy/overflowed")

    def means(values: Sequence[float]) -> list[float]:
        return [round(fmean(values[at : at + every]), 5) for at in range(0, len(values), every)]

    return Outcome(
        **asdict(job),
        held_out=[round(value, 4) for value in curve.held_out],
        entropy=means([row["policy/entropy"] for row in log]),
        gap=means([row["policy/logp_gap"] for row in log]),
        blocked=means([sum(row[key] for key in out_of) for row in log]),
        seconds=round(time.monotonic() - began, 1),
    )


def quiet_process() -> None:
    """Set up a process that trains one arm after the other."""
    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    logging.getLogger("tmax_trainers").setLevel(logging.ERROR)


def main() -> int:
    """Run what is not stored yet, sum up, return 1 if a target is missed."""
    only = ("", "run these arms alone, which semicolons separate")
    given = options(
        __doc__, steps=STEPS, seeds=3, jobs=2, only=only, age=(-1, "run this age alone"),
        draw=(False, "only sum up what is stored"),
    )  # fmt: skip
    file = RESULTS / "stability.jsonl"
    jobs = [
        Job(arm, age, seed, given.steps)
        for seed in range(given.seeds) for age in AGES for arm in ARMS
        if arm in (given.only.split(";") if given.only else ARMS) and given.age in (-1, age)
    ]  # fmt: skip
    if not given.draw:
        own = list(dict.fromkeys(job if alone(job) else twin(job) for job in jobs))
        collect(own, file, workers=given.jobs, quiet=given.json)
    outcomes = stored(jobs, file)
    name = "stability" if given.steps == STEPS else "stability_long"
    lasting = name != "stability" or len(jobs) == given.seeds * len(AGES) * len(ARMS)
    if lasting:
        draw(outcomes, name)
    measured = {
        "script": "stability.py", "rate": RATE, "steps": given.steps, "runs": len(outcomes),
        "arms": summary(outcomes),
    }  # fmt: skip
    return finish(name, measured, targets(outcomes, jobs), given, table(outcomes), stored=lasting)


def alone(job: Job) -> bool:
    """Return whether no other run takes the same steps."""
    return bool(job.age) or not job.seed or job.arm not in TWINS


def twin(job: Job) -> Job:
    """Return the run that takes the same steps."""
    return replace(job, arm=TWINS[job.arm])


def stored(jobs: Sequence[Job], file: Path) -> list[Outcome]:
    """Return what the file has of these jobs."""
    runs = {Job(o.arm, o.age, o.seed, o.steps): o for o in read(file, lambda row: Outcome(**row))}
    own = {job: runs.get(job if alone(job) else twin(job)) for job in jobs}
    return [replace(outcome, arm=job.arm) for job, outcome in own.items() if outcome is not None]


def collect(jobs: Sequence[Job], file: Path, *, workers: int, quiet: bool) -> None:
    """Run the jobs that the file does not have, and add each to it."""
    os.environ["OMP_NUM_THREADS"] = "1"
    with closing(Journal(file)) as journal, ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=quiet_process
    ) as pool:  # fmt: skip
        known = {Job(o.arm, o.age, o.seed, o.steps)
                 for o in read(file, lambda row: Outcome(**row))}  # fmt: skip
        left = [job for job in jobs if job not in known]
        for number, done in enumerate(as_completed([pool.submit(run, job) for job in left]), 1):
            outcome = done.result()
            journal.add(asdict(outcome))
            if not quiet:
                print(
                    f"{number}/{len(left)} {outcome.arm}, {outcome.age} versions, seed "
                    f"{outcome.seed}: {outcome.last:.3f} in {outcome.seconds:.0f} s",
                    flush=True,
                )


def grouped(outcomes: Sequence[Outcome]) -> dict[tuple[str, int], list[Outcome]]:
    """Return the runs of each arm and age, over seeds."""
    groups: dict[tuple[str, int], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.arm, outcome.age), []).append(outcome)
    return {(arm, age): groups[arm, age] for arm in ARMS for age in AGES if (arm, age) in groups}


def summary(outcomes: Sequence[Outcome]) -> list[Mapping[str, object]]:
    """Return the figures of each arm and age."""
    return [
        {
            "arm": arm,
            "versions": age,
            "seeds": len(runs),
            "last": round(fmean(o.last for o in runs), 4),
            "least_last": round(min(o.last for o in runs), 4),
            "best": round(fmean(o.best for o in runs), 4),
            "fall": round(fmean(o.fall for o in runs), 4),
            "collapsed": sum(o.collapsed for o in runs),
            "entropy": round(fmean(o.entropy[-1] for o in runs), 4),
            "gap": round(fmean(fmean(o.gap) for o in runs), 4),
            "blocked": round(fmean(fmean(o.blocked) for o in runs), 5),
        }
        for (arm, age), runs in grouped(outcomes).items()
    ]


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the summary in lines."""
    lines = [
        f"{'arm':28}{'old':>4}{'last':>8}{'worst':>8}{'best':>8}{'fall':>8}{'collapsed':>11}"
        f"{'entropy':>9}{'gap':>8}{'left out':>10}"
    ]
    for row in summary(outcomes):
        lines.append(
            f"{row['arm']:28}{row['versions']:>4}{row['last']:8.3f}{row['least_last']:8.3f}"
            f"{row['best']:8.3f}{row['fall']:8.3f}{row['collapsed']:>5} of {row['seeds']}"
            f"{row['entropy']:9.3f}{row['gap']:8.4f}{row['blocked']:10.2%}"
        )
    return lines


def draw(outcomes: Sequence[Outcome], name: str) -> None:
    """Write one picture for each age: held-out reward by step, mean over seeds."""
    from benchmarks.lagged_policy import EVERY

    pictures = {}
    for age in AGES:
        series = []
        for (arm, own), runs in grouped(outcomes).items():
            if own == age and arm in DRAWN:
                means = [fmean(at) for at in zip(*(o.held_out for o in runs), strict=True)]
                points = tuple((float(at * EVERY), mean) for at, mean in enumerate(means))
                series.append(svg.Series(arm, points))
        if series:
            title = f"Held-out reward, rollouts {age} versions old"
            pictures[f"{name}_{age}"] = svg.lines(title, series, x="step", y="reward")
    svg.write(RESULTS, pictures)


def targets(outcomes: Sequence[Outcome], jobs: Sequence[Job]) -> dict[str, Target]:
    """Return what was to be reached: every run is there, and DPPO is stable at TMax's age."""
    dppo = [o for o in outcomes if o.arm == "dppo" and o.age <= 4]
    long = f"of_{jobs[0].steps}_steps"
    return {
        f"runs_{long}_that_compare_objectives": Target(len(outcomes), len(jobs), at_most=False),
        f"runs_{long}_of_DPPO_up_to_4_versions_that_collapsed": Target(
            sum(o.collapsed for o in dppo), 0
        ),
    }


if __name__ == "__main__":
    sys.exit(main())
