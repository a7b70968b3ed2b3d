"""The document of the calendar-math family that describes the syntax of timers."""

from __future__ import annotations

from collections.abc import Sequence

_RULES = {
    "list": "A field may be several values with commas between them: any of them.",
    "range": "A value may be a range `a-b`, both ends included.",
    "step": "`*/n` and `a-b/n` take every n-th value, the first one included.",
    "either": "Where day and weekday are both restricted (neither begins with `*`), either is"
    " enough.",
    "names": "Weekdays may be written `sun` to `sat`, months `jan` to `dec`.",
    "last": "The day `L` is the last day of its month.",
    "wrap": "A range whose end is below its start goes on from the lowest value of the field.",
    "sunday": "The weekday 7 is Sunday as well.",
}


def document(features: Sequence[str]) -> str:
    """Return the file that describes the syntax."""
    lines = [
        "# Timers",
        "",
        "A timer has five fields: minute (0-59), hour (0-23), day (1-31), month (1-12), weekday",
        "(0-6, Sunday is 0). A field is a number, or `*` for any value. A timer fires at every",
        "minute on which all fields fit.",
        "",
        *(f"- {_RULES[feature]}" for feature in features),
    ]
    return "\n".join(lines).rstrip() + "\n"
