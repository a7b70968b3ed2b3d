"""Draws of `shard-balance`: the names of files, and past runs of tests."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.contract import Context
from tmax_gym.rng import Rng


def places(ctx: Context, rng: Rng) -> tuple[str, ...]:
    """Return where timings, suite, rules, plan and summary lie."""
    stems = (
        (("timings", "past_runs", "durations", "history"), "csv"),
        (("suite", "tests", "to_run", "current"), "txt"),
        (("rules", "limits", "constraints", "quarrels"), "json"),
        (("plan", "shards", "schedule", "split"), "json"),
        (("summary", "figures", "totals", "overview"), "json"),
    )
    return tuple(ctx.path(f"{rng.choice(names)}.{suffix}") for names, suffix in stems)


def measured(
    rng: Rng, names: Sequence[str], fresh: dict[str, int], *, runs: int
) -> tuple[dict[str, int], list[tuple[str, int, int]]]:
    """Return the time of every test, and the rows of past runs; `fresh` tests have none."""
    cost, rows = {}, []
    for name in names:
        typical = rng.choice((400, 900, 2500, 7000, 21_000)) + rng.integer(0, 999)
        times = sorted(typical + rng.integer(-300, 300) * (runs > 1) for _ in range(runs))
        if runs > 1 and rng.chance(0.25):
            times[-1] *= 6  # one slow machine must not decide
        cost[name] = fresh.get(name, times[runs // 2])
        if name not in fresh:
            rows += [(name, run, t) for run, t in enumerate(rng.shuffled(times), start=1)]
    return cost, rows
