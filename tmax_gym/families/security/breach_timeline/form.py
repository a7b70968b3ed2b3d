"""The form of the incident report: its fields, what they mean, and the names of its files."""

from __future__ import annotations

from collections.abc import Iterable

REPORTS = ("incident", "intrusion", "breach", "finding", "case_file", "answers")
FORMS = ("questions", "form", "report_form", "asked", "insurer", "fields")
CLOCKS = ("clocks", "leads", "drift", "ahead", "time_offsets")
FROM = {
    "account": 0.0,
    "address": 0.0,
    "entered": 0.0,
    "failures": 0.2,
    "first": 0.2,
    "bytes": 0.4,
    "commands": 0.6,
    "last": 0.6,
}
"""Answers, each with the level from which it is asked for."""
_ASKED = {
    "account": "the account that was taken over",
    "address": "the address from which that was done",
    "entered": "when that address got in, as `YYYY-MM-DDTHH:MM:SS`",
    "failures": "how many times it had failed for that account (a number)",
    "first": "when its first failed attempt was, in the same form",
    "bytes": "sum of the sizes (last column of the access log) of its requests that were "
    "answered with a status of 200 to 299 (a number)",
    "commands": "how many sudo commands carry the session that it opened (a number)",
    "last": "when the last line of any log with its address or its session was written, "
    "in the same form",
}


def questions(asked: Iterable[str]) -> str:
    """Return the form that the report fills in."""
    rows = "".join(f"- `{name}`: {_ASKED[name]}\n" for name in asked)
    return f"# Incident report\n\nOne JSON object with these fields:\n\n{rows}"
