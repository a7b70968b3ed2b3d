"""The document of the calendar-math family that describes the syntax of timers."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.shared.sheets import flowed

_RULES = {
    "list": "A field can be a list of values, separated by commas. It matches any of them.",
    "range": "A value, also one in a list, can be a range `a-b`, which includes both ends.",
    "step": "`*/n` and `a-b/n` stand for every n-th value, beginning with the lowest value of the"
    " field or with `a`.",
    "either": "If neither the day nor the weekday begins with `*`, it is enough that one of the two"
    " matches.",
    "names": "Weekdays can be given by name, `sun` to `sat`, and so can months, `jan` to `dec`.",
    "last": "`L` as the day is the last day of the month.",
    "wrap": "A range whose end is below its start wraps around: after the highest value of the"
    " field it goes on with the lowest.",
    "sunday": "The weekday 7 is also Sunday.",
}


def document(features: Sequence[str]) -> str:
    """Return the file that describes the syntax."""
    both = (
        "apart from the rule for day and weekday below"
        if "either" in features
        else "even if it restricts both day and weekday"
    )
    lines = [
        "# Timers",
        "",
        "A timer has five fields, separated by spaces: minute (0-59), hour (0-23), day (1-31),",
        "month (1-12) and weekday (0-6, Sunday is 0). A field is a number, or `*` for any value.",
        f"A timer fires in every minute that matches all five fields, {both}.",
        "",
        *(f"- {_RULES[feature]}" for feature in features),
    ]
    return flowed("\n".join(lines))
