"""The sheet with the rules of the runner, as it lies in the world."""

from __future__ import annotations

from tmax_gym.families.data_processing.dag_runner.pipelines import Rules
from tmax_gym.families.shared.sheets import flowed

_ORDER = (
    "the one with the lowest `rank`",
    "the one with the highest `rank`",
    "the one with the longest path. The path of a step is its own `cost` plus the costs along the "
    "most expensive chain of steps that come after it: a step that names it in {links}, a step "
    "that names that one, and so on",
    "the one that is named in {links} by the most other steps",
    "the one with the lowest `cost`",
)
_SHEET = """# The pipeline runner

## Pipelines

The line `workers N` says how many attempts can run at the same time. A line that begins with
`step NAME` describes a step by settings of the form `key=value`. Lists have commas between their
entries, and an empty list is written as `-`.

- `cost`: how many ticks each attempt of the step takes; an attempt that starts at tick t ends at
  tick t + `cost`
- `tries`: how many attempts the step can have
- `rank`: a number
- `fails`: how many attempts of the step fail, counted from the first one; all others succeed
- `needs`: a list of steps; this step can start only when all of them are done{or_kept}
{wants}

{kept}A step is over when it is done, {kept_too}failed or skipped.

## Ticks

Ticks are counted from 0. In each tick, all attempts that end in this tick are handled first,
{ends}. After that, steps that can start are started, as long as a worker is free.

If several steps can start, the first one to start is {order}.{counted} Ties are broken by name.
Names are always sorted in byte order.

## Failures

If an attempt fails and the step has tries left, it will be tried again. It can start again {delay}.
While it waits, it occupies no worker. If it has no tries left, the step has failed.

{failure}

{resume}

## Output

Print one line for each event: the tick, the event and the name of the step, separated by blanks.
The events are:

{first}
- `start`: an attempt starts
- `done`: an attempt has succeeded, and with it the step
- `retry`: an attempt has failed, but the step has not; the tick is that of the failure
- `failed`: the step has failed
- `skipped`: {skipped}

After all events, print one more line: the tick in which the last attempt ended{nothing}, followed
by `end done=A kept=B failed=C skipped=D`, where A to D are the numbers of steps.{none}

A step waits for the steps in its {links}. If there are steps that wait for each other in a circle,
nothing is run. In this case the only line is `cycle`, followed by the names, in byte order, of all
steps that are part of a circle and of all that wait for such a step, directly or
indirectly.{even}
"""


def sheet(rules: Rules) -> str:
    """Return the rules as the operators have written them down."""
    links = "`needs` or `wants`" if rules.soft else "`needs`"
    filled = _SHEET.format(
        or_kept=" or kept" if rules.resume else "",
        wants="- `wants`: a list of steps; this step can start only when all of them are over"
        if rules.soft
        else "",
        none="" if rules.resume else " Here B is always 0.",
        kept="A line `kept NAME` says that this step was done in an earlier run. "
        if rules.resume
        else "",
        kept_too="kept, " if rules.resume else "",
        nothing=" (0 if there was none)" if rules.resume else "",
        ends="in the order in which they were started" if rules.by_start else "in order of names",
        order=_ORDER[rules.order].format(links=links),
        counted=" Kept steps count here like all others."
        if rules.resume and "{links}" in _ORDER[rules.order]
        else "",
        links=links.replace("or", "and"),
        even=" This includes steps with a line `kept`." if rules.resume else "",
        delay=_delay(rules),
        failure=_failure(rules),
        resume=_resume(rules),
        first="- `kept`: a step is kept; these lines come first, all at tick 0 and in order "
        "of names"
        if rules.resume
        else "",
        skipped="the step will not be started any more"
        if rules.halt
        else "the step will not be started",
    )
    return flowed(filled)


def _delay(rules: Rules) -> str:
    """Return when a step can start again, counted from the end of the failed attempt."""
    first = f"{rules.pause} tick{'s' if rules.pause > 1 else ''}"
    if rules.delay == "same":
        return f"{first} after the attempt has failed"
    second, third = (2, 3) if rules.delay == "more" else (2, 4)
    return (
        f"{first} after its first failed attempt, {rules.pause * second} ticks after its second "
        f"one, {rules.pause * third} ticks after its third one, and so on"
    )


def _failure(rules: Rules) -> str:
    if rules.halt:
        return (
            "As soon as a step has failed, nothing more is started. Attempts that are still "
            "running go on to their end. If one of them fails, its step has failed, even if it has "
            "tries left. This includes attempts that end in the same tick and are handled later. "
            "When all attempts have ended, all steps that are not over are skipped in that tick, "
            "in order of names."
        )
    return (
        "As soon as a step has failed, all steps that need it and are not over are skipped, and so "
        "are all steps that need one of those and are not over, and so on. All of them are skipped "
        "at once, in order of names. The other steps go on."
    )


def _resume(rules: Rules) -> str:
    if not rules.resume:
        return ""
    wants = " Its `wants` do not matter." if rules.soft else ""
    when, otherwise = ", even if steps in its `needs` are not kept.", ""
    if rules.resume == "strict":
        when = f" and all steps in its `needs` are kept too.{wants}"
        otherwise = " If a step has such a line but is not kept, it is run like any other step."
    return "\n".join(
        [
            "## Earlier runs",
            "",
            f"A step is kept if there is a line `kept NAME` for it{when} A kept step is over from "
            f"the start and is not run.{otherwise}",
        ]
    )
