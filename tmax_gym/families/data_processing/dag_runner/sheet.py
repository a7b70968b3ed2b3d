"""The sheet with the rules of the runner, as it lies in the world."""

from __future__ import annotations

from tmax_gym.families.data_processing.dag_runner.pipelines import Rules
from tmax_gym.families.shared.sheets import flowed

_ORDER = (
    "the one with the lowest `rank`",
    "the one with the highest `rank`",
    "the one with the longest path. The path of a step is its own cost plus the costs along the "
    "most expensive chain of steps that come after it, which are the steps that name it in "
    "{links}, the steps that name one of those, and so on",
    "the one that most other steps name in {links}",
    "the one with the lowest `cost`",
)
_SHEET = """# The pipeline runner

## Pipelines

The line `workers N` says how many attempts can run at the same time. A line that begins with
`step NAME` describes a step by settings of the form `key=value`. Lists have commas between their
entries, and an empty list is written as `-`.

- `cost`: how many ticks each attempt of the step takes
- `tries`: how many attempts the step can have
- `rank`: a number
- `fails`: how many attempts of the step fail; it is always the first ones that fail
- `needs`: a list of steps; this step can only start when all of them are done{or_kept}
{wants}
{kept}

## Ticks

Ticks are counted from 0. In each tick, all attempts that end in this tick are handled first,
{ends}. After that, steps that can start are started, as long as a worker is free.

If several steps can start, the first one to start is {order}.{counted} Steps that are equal in this
respect are started in order of their names. Names are always in byte order.

## Failures

If an attempt fails and the step has tries left, it will be tried again. It can start again {delay}.
If it has no tries left, the step has failed.

{failure}

{resume}

## Output

Print one line for each event: the tick, the event and the name of the step, with blanks between
them. The events are:

{first}
- `start`: an attempt starts
- `done`: an attempt has succeeded, and with it the step
- `retry`: an attempt has failed, and the step has tries left
- `failed`: the step has failed
- `skipped`: the step will not be run

After all events, print one more line with the tick in which the last attempt has ended, followed by
`end done=A kept=B failed=C skipped=D`, where A to D are the numbers of steps.{none}

If there are steps that wait for each other in a circle{even}, nothing is run. In this case the
only line is `cycle`, followed by the names, in byte order, of all steps that can never start
because of this: those that are part of a circle and all that wait for such a step, directly or not.
"""


def sheet(rules: Rules) -> str:
    """Return the rules as the operators have written them down."""
    links = "`needs` or `wants`" if rules.soft else "`needs`"
    filled = _SHEET.format(
        or_kept=" or kept" if rules.resume else "",
        wants="- `wants`: a list of steps; this step can only start when all of them are over, "
        f"which means done, {'kept, ' if rules.resume else ''}failed or skipped"
        if rules.soft
        else "",
        none="" if rules.resume else " Here B is always 0.",
        kept="\nA line `kept NAME` says that this step was done in an earlier run."
        if rules.resume
        else "",
        ends="in the order in which they were started" if rules.by_start else "in order of names",
        order=_ORDER[rules.order].format(links=links),
        counted=" Kept steps count in this like all others."
        if rules.resume and "{links}" in _ORDER[rules.order]
        else "",
        even=", even if some of them are kept" if rules.resume else "",
        delay=_delay(rules),
        failure=_failure(rules),
        resume=_resume(rules),
        first="- `kept`: a step counts as done; these lines come first, all at tick 0 and in order "
        "of names"
        if rules.resume
        else "",
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
            "From the moment at which an attempt makes a step fail, nothing is started any more. "
            "Attempts that are running go on to their end, and a step whose attempt fails then has "
            "failed, even if it had tries left. When all attempts have ended, all steps that are "
            "not over are skipped in that tick, in order of names."
        )
    return (
        "As soon as a step has failed, all steps that need it are skipped, and so are all that "
        "need one of those, in order of names and except for steps that are over. The other steps "
        "go on."
    )


def _resume(rules: Rules) -> str:
    if not rules.resume:
        return ""
    strict = (
        "This is only true if all steps in its `needs` are kept as well and count themselves. "
        "Otherwise the step is run like any other step."
    )
    whatever = "This is true even if steps in its `needs` are not kept."
    return "\n".join(
        [
            "## Earlier runs",
            "",
            "A kept step is over from the start and is not run. "
            + (strict if rules.resume == "strict" else whatever),
        ]
    )
