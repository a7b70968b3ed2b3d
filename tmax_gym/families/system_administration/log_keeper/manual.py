"""The manual of the two programs of the log-keeper family."""

from __future__ import annotations

from collections.abc import Sequence


def manual(rotation: str, supervision: str, mark: str, *, features: Sequence[str]) -> str:
    """Return the manual; `features` are those of supervision."""
    beat, operator = "beat" in features, "operator" in features
    more = "    SECOND SERVICE beat\n" if beat else ""
    more += "    SECOND SERVICE stop\n    SECOND SERVICE go\n" if operator else ""
    kinds = ["kill"] if beat else []
    kinds += ["giveup"] if "limit" in features else []
    actions = "".join(f", or as `SECOND {kind} SERVICE`" for kind in kinds)
    return f"""\
# Keeping logs and services

## rotate CONF DIR NOW

Looks at the logs in the directory DIR once; NOW is the time, in seconds since 1970, and no other
clock counts. A line of CONF is the name of a log in DIR and its rules, in any order; empty lines
and lines that begin with `#` are none. A log that is due is renamed to its name and `.1`, the
former `.1` to `.2`, and so on, and an empty log takes its place. A log that is empty or missing is
left alone, due or not. Prints the name of each log that was rotated, one a line. Apart from these
files and `{mark}`, DIR stays as it is.

{rotation}
## guard CONF < EVENTS

Says what a supervisor does about events, without doing it. A line of CONF is the name of a service
and its policy; empty lines and lines that begin with `#` are none. All services run at second 0.
Events are ordered by time:

    SECOND SERVICE exit STATUS
{more}    SECOND end

Actions are printed as `SECOND start SERVICE`{actions},
ordered by second, and within a second by the name of the service; of those that fall due after
`end`, none is printed.

{supervision}"""
