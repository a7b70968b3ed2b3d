"""The sheet with the rules of the runner, as it lies in the world."""

from __future__ import annotations

from tmax_gym.families.data_processing.dag_runner.pipelines import Rules

_ORDER = (
    "the lowest rank first",
    "the highest rank first",
    "the longest path first: its own cost plus the costs along the dearest chain of steps that\n"
    "   have it, directly or not, in needs or wants",
    "the one first that most other steps name in needs or wants",
    "the lowest cost first",
)
_DELAY = {
    "same": "{pause} after every failed attempt",
    "more": "{pause} after the first failed attempt, and {pause} more after each further one",
    "double": "{pause} after the first failed attempt, and twice as many after each further one",
}


def sheet(rules: Rules) -> str:
    """Return the rules as the operators have written them down."""
    wants = ["   wants: steps that must be over (done, kept, failed or skipped) before it starts"]
    lines = [
        "PIPELINE RUNNER",
        "",
        "1. A pipeline",
        "   workers N: so many attempts at a time",
        "   step NAME, then key=value; lists have commas, - is an empty one",
        "   cost: ticks of each attempt; tries: most attempts; rank: a number, see 3",
        "   fails: so many attempts fail, the first ones",
        "   needs: steps that must be done or kept before it starts",
        *(wants if rules.soft else []),
        *(["   kept NAME: the step was done in an earlier run"] if rules.resume else []),
        "",
        "2. A tick, from 0 on",
        "   First the attempts that end now are handled, "
        + ("in the order in which they were started." if rules.by_start else "by name."),
        "   Then steps that may start do so, while a worker is free.",
        "",
        "3. Which step starts",
        f"   Of those that may start: {_ORDER[rules.order]}.",
        "   Equal ones start by name.",
        "",
        "4. Failures",
        "   A failed attempt leaves the step to be tried again while it has tries left. Ticks",
        f"   before it may start again: {_DELAY[rules.delay].format(pause=rules.pause)}.",
        "   Without tries left the step has failed.",
        *_failure(rules),
        *_resume(rules),
        "",
        f"{6 if rules.resume else 5}. Events, a line each: the tick, the event, the step",
        *(["   kept (all at tick 0, by name, before anything else)"] if rules.resume else []),
        "   start, done, retry (an attempt failed, the step has tries left), failed, skipped",
        "   At last, at the tick of the last attempt's end: the tick and",
        "   end done=A kept=B failed=C skipped=D",
        "",
        "   Where steps wait for each other in a circle, nothing is run: the only line is cycle,",
        "   and the names of all steps that could never start so, by name: those of circles and",
        "   those behind them.",
        "   By name is byte order.",
        "",
    ]
    return "\n".join(lines)


def _failure(rules: Rules) -> list[str]:
    if rules.halt:
        return [
            "   From the handling of that attempt on nothing starts any more: attempts under way",
            "   go on to their end, and one that fails then has failed, whatever its tries. When",
            "   all have ended, the steps that are not over are skipped, by name, at that tick.",
        ]
    return [
        "   At once, all steps not over that need it, or need a step skipped for it, are skipped,",
        "   by name; the others go on.",
    ]


def _resume(rules: Rules) -> list[str]:
    if not rules.resume:
        return []
    strict = [
        "   It counts only if all steps in its needs are kept too and count themselves; else the",
        "   step runs like others.",
    ]
    return [
        "",
        "5. Earlier runs",
        "   A kept step is over from the start and is not run.",
        *(strict if rules.resume == "strict" else ["   That holds whatever its needs are."]),
    ]
