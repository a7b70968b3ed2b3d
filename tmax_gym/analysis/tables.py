"""The tables of a survey's report."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from tmax_gym.analysis.findings import BALANCES, ENTROPY, NEAR, Closeness, Solutions, Survey, goals
from tmax_gym.analysis.measures.balance import ENOUGH
from tmax_gym.analysis.measures.dropout import BUCKETS
from tmax_gym.analysis.measures.taxonomy import primitives
from tmax_gym.analysis.measures.texts import percentiles
from tmax_gym.analysis.targets import Target
from tmax_gym.reports.page import Table
from tmax_gym.reports.statistics.intervals import wilson

LISTED = 40
"""Largest number of rows in a long table."""


def goal_table(reached: dict[str, Target]) -> Table:
    """Return goals as a table that marks those that are met."""
    return Table(
        ("", "measure", "measured", "goal"),
        tuple(
            (
                "✓" if goal.met else "✗",
                name.replace("_", " "),
                f"{goal.value:.4g}",
                f"{'at most' if goal.at_most else 'at least'} {goal.goal:g}",
            )
            for name, goal in reached.items()
        ),
        "Goals",
    )


def tables(survey: Survey) -> Iterator[Table]:
    """Yield every table of the report, goals first."""
    yield goal_table(goals(survey))
    yield _axes(survey)
    yield _pairs(survey)
    yield _primitives(survey)
    yield _words(survey)
    yield _families(survey)
    yield _voices(survey)
    yield Table(
        ("tasks", "passage"),
        tuple((str(count), passage) for count, passage in survey.wording.repeated),
        "Passages that most tasks share",
        "13 tokens each; passages that overlap one above are left out.",
    )
    if survey.solutions:
        yield _structure(survey)
        yield _programs(survey)
        yield _difficulty(survey)
    if survey.rates:
        yield _rates(survey)
    if survey.blind:
        yield blind_table(survey)


def blind_table(survey: Survey) -> Table:
    """Return the pass rates of blind trials by complexity and by domain."""
    rows = []
    for label, tried in survey.blind:
        low, high = wilson(tried.rate, tried.trials)
        numbers = f"{tried.rate:.3f}", f"{low:.2f} to {high:.2f}", f"{tried.commands:.1f}"
        rows.append((label.replace("_", " "), str(tried.trials), *numbers))
    return Table(
        ("tasks", "trials", "solved", "95 % interval", "commands"),
        tuple(rows),
        "Blind trials",
        "A strong language model had only the instruction and the shell. Of the whole catalogue, "
        "stored in `env_specs/blind_trials.json`; the intervals are Wilson's.",
    )


def _axes(survey: Survey) -> Table:
    return Table(
        ("axis", "values used", "possible", "balance", "goal"),
        tuple(
            (
                spread.axes[0],
                str(spread.used),
                str(spread.possible),
                f"{spread.balance:.4f}",
                f"{BALANCES[spread.axes[0]]:g}" if spread.axes[0] in BALANCES else "–",
            )
            for spread in survey.spreads
        ),
        "Balance of the axes",
        "Balance is exp(entropy) over the number of possible values; 1 is uniform.",
    )


def _pairs(survey: Survey) -> Table:
    ranked = sorted(survey.tally.pairs(), key=lambda s: s.balance)
    return Table(
        ("pair", "cells used", "possible", "balance"),
        tuple(
            (" × ".join(s.axes), str(s.used), str(s.possible), f"{s.balance:.4f}") for s in ranked
        ),
        "Balance of pairs of axes",
        "Least balanced first.",
    )


def _primitives(survey: Survey) -> Table:
    counts = survey.tally.of("primitives")
    absent = [name for name in primitives() if name not in counts]
    few = [(name, n) for name, n in counts.items() if n < ENOUGH]
    listed = [*((name, 0) for name in absent), *reversed(few)][:LISTED]
    return Table(
        ("primitive skill", "tasks"),
        tuple((name, str(n)) for name, n in listed),
        f"Primitive skills with fewer than {ENOUGH} tasks",
        f"{survey.tally.covered()} of {len(primitives())} skills have at least {ENOUGH} tasks; "
        f"{len(absent)} have none. At most {LISTED} are listed.",
    )


def _words(survey: Survey) -> Table:
    wording = survey.wording

    def near(close: Closeness) -> tuple[tuple[str, str], ...]:
        texts = f"{close.texts} texts"
        return (
            (f"nearest neighbour, median, of {texts}", f"{close.median:.3f}"),
            (f"share with a neighbour above {NEAR:g}, of {texts}", f"{close.near:.4f}"),
            (f"mean cosine of all pairs of {texts}", f"{close.mean:.3f}"),
        )

    return Table(
        ("measure", "value"),
        (
            ("words, p10 / p50 / p90", " / ".join(f"{w:.0f}" for w in wording.words)),
            ("distinct-1 / 2 / 3", " / ".join(f"{d:.3f}" for d in wording.distinct)),
            *near(wording.sampled),
            *(near(wording.whole) if wording.whole.texts > wording.sampled.texts else ()),
            ("13-gram reuse", f"{wording.reuse:.3f}"),
            ("13-gram reuse across families", f"{wording.across:.3f}"),
            *((f"13-gram reuse of {n} texts", f"{reuse:.3f}") for n, reuse in wording.growth[:-1]),
            ("tasks that share a 13-gram with Terminal-Bench", str(len(wording.contaminated))),
        ),
        "Wording",
        "Cosines are of TF-IDF. Goals are compared with the smaller set, as they were set on one.",
    )


def _families(survey: Survey) -> Table:
    counts = dict(survey.shape.families)
    ranked = sorted(survey.wording.by_family, key=lambda row: -row[2])
    return Table(
        ("family", "tasks", "share", "nearest, median", "13-gram reuse", "of it across families"),
        tuple(
            (
                family,
                str(counts[family]),
                f"{counts[family] / survey.tally.tasks:.4f}",
                f"{median:.3f}",
                f"{reuse:.3f}",
                f"{across:.3f}",
            )
            for family, median, reuse, across in ranked
        ),
        "Families",
        f"Most tasks with one family and skin: {survey.shape.family_skin}. "
        f"Different stage graphs: {survey.shape.graphs}, the most frequent of which has "
        f"{survey.shape.graph} tasks.",
    )


def _voices(survey: Survey) -> Table:
    ranked = sorted(survey.wording.by_voice, key=lambda row: -row[2])
    return Table(
        ("voice", "nearest, median", "13-gram reuse", "of it across families"),
        tuple((name, *(f"{value:.3f}" for value in values)) for name, *values in ranked),
        "Registers",
    )


def _structure(survey: Survey) -> Table:
    solved = survey.solutions
    assert solved is not None
    alike, total = solved.clusters, len(solved.names)
    held = ", ".join(f"{family} {count}" for family, count in solved.cluster_families[:8])
    bits = " / ".join(f"{b:.0f}" for b in percentiles(solved.bits)) if solved.bits else "–"
    return Table(
        ("measure", "value"),
        (
            ("tasks expanded", str(total)),
            ("different fingerprints", str(solved.fingerprints)),
            ("largest cluster", f"{len(alike.members)} tasks, {alike.largest:.4f}: {held}"),
            ("chains", f"{len(alike.chains)}: {', '.join(map(str, alike.chains[:8]))}"),
            ("different worlds", str(solved.worlds)),
            ("tasks with the same world", "; ".join(map(", ".join, solved.same_worlds[:5])) or "–"),
            ("tasks with hidden values", str(len(solved.bits))),
            ("bits to guess, p10 / p50 / p90", bits),
            (f"of them below {ENTROPY} bits", str(sum(b < ENTROPY for b in solved.bits))),
        ),
        "Solutions",
        "A fingerprint is the set of (program, options, kind of file) of a solution; a cluster is "
        "one and all whose Jaccard index with it is at least 0.6; a chain links such pairs.",
    )


def _programs(survey: Survey) -> Table:
    assert survey.solutions is not None
    return Table(
        ("program", "tasks"),
        tuple((name, str(count)) for name, count in survey.solutions.programs[:LISTED]),
        "Programs in solutions",
        f"{len(survey.solutions.programs)} different ones, builtins of the shell left out.",
    )


def scores(solved: Solutions) -> dict[str, list[float]]:
    """Return D of every task by complexity, easiest complexity first."""
    by: dict[str, list[float]] = {bucket: [] for bucket in BUCKETS}
    for complexity, one in zip(solved.complexities, solved.features, strict=True):
        by[complexity].append(one.score)
    return {bucket: own for bucket, own in by.items() if own}


def _difficulty(survey: Survey) -> Table:
    solved = survey.solutions
    assert solved is not None
    out = []
    for bucket, d in scores(solved).items():
        own = [f for c, f in zip(solved.complexities, solved.features, strict=True) if c == bucket]
        means = (
            statistics.fmean(values)
            for values in zip(
                *((f.commands, f.tools, f.depth, f.checks, f.hidden) for f in own), strict=True
            )
        )
        out.append(
            (
                bucket,
                str(len(own)),
                " / ".join(f"{v:.2f}" for v in percentiles(d)),
                *(f"{mean:.1f}" for mean in means),
                f"{statistics.fmean(f.size for f in own) / 1024:.0f}",
            )
        )
    head = ("complexity", "tasks", "D p10 / p50 / p90", "commands", "tools", "stages", "checks",
            "hidden facts", "KiB of world")  # fmt: skip
    return Table(head, tuple(out), "Difficulty", "Columns behind D are means.")


def _rates(survey: Survey) -> Table:
    ks = sorted({k for rate in survey.rates for k, _ in rate.passed})
    out = []
    for rate in survey.rates:
        passed = dict(rate.passed)
        cells = (f"{passed[k]:.3f}" if k in passed else "–" for k in ks)
        out.append((rate.agent, rate.complexity, str(rate.tasks), f"{rate.reward:.3f}", *cells))
    needed = sum(len(d.necessary) for d in survey.dropped)
    commands = sum(d.commands for d in survey.dropped)
    note = (
        f"Of {commands} steps of {len(survey.dropped)} solutions, {needed} are necessary: without "
        f"them the reward falls. Ungraded: {sum(d.ungraded for d in survey.dropped)}."
    )
    head = ("agent", "complexity", "tasks", "reward", *(f"pass@{k}" for k in ks))
    return Table(head, tuple(out), "Agents", note if survey.dropped else "")
