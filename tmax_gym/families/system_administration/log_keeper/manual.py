"""The manual of the two programs of the log-keeper family."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.shared.sheets import flowed


def manual(rotation: str, supervision: str, mark: str, *, features: Sequence[str]) -> str:
    """Return the manual; `features` are those of supervision, `mark` is "" without a state."""
    clock = "do not use any other clock" if mark else "none of the rules below needs it"
    kept = f" and `{mark}`" if mark else ""
    beat, operator = "beat" in features, "operator" in features
    more = "    SECOND SERVICE beat\n" if beat else ""
    more += "    SECOND SERVICE stop\n    SECOND SERVICE go\n" if operator else ""
    kinds = ["kill"] if beat else []
    kinds += ["giveup"] if "limit" in features else []
    actions = "".join(f", or as `SECOND {kind} SERVICE`" for kind in kinds)
    return flowed(f"""\
# Keeping logs and services

## rotate CONF DIR NOW

This program looks at the logs in the directory DIR once. NOW is the time in seconds since 1970;
{clock}. A line of CONF has the name of a log in DIR and its rules, in any order.
Empty lines and lines that begin with `#` do nothing.

To rotate a log, rename it to its name followed by `.1`, rename the former `.1` to `.2` and so on,
and create an empty log in its place. A log that is empty or missing is never rotated. Print the
name of each log that was rotated, one on each line. Apart from these files{kept}, DIR stays as it
is.

{rotation}
## guard CONF < EVENTS

This program says what a supervisor would do about events, without doing it. A line of CONF has the
name of a service and its policy. Empty lines and lines that begin with `#` do nothing. All services
are running at second 0. The events are ordered by time:

    SECOND SERVICE exit STATUS
{more}    SECOND end

Print each action as `SECOND start SERVICE`{actions}. Order the actions by second, and within a
second by the name of the service. Do not print actions that would be due after `end`.

{supervision}""")
