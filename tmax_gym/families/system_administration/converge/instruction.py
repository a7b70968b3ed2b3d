"""The instruction of the converge family.

Covers what the script must do and how it is tried.  What a host must look like is in the world's
own document.
"""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.texts.obligations import Obligation

_REPORTS: Mapping[str, tuple[Obligation, ...]] = {
    "": (),
    "status": (
        Obligation(
            "report",
            "The exit status of the script is 2 if it has changed something, and 0 if there was "
            "nothing to do.",
            "format",
        ),
    ),
    "word": (
        Obligation(
            "report",
            "The script prints exactly one word on standard output: `changed` if it has changed "
            "something, and `unchanged` if there was nothing to do.",
            "format",
        ),
    ),
}


def obligations(
    script: str, desired: str, host: str, *, drill: str, states: str, report: str
) -> tuple[Obligation, ...]:
    """Return the script's task, its call, and its tests."""
    return (
        Obligation(
            "goal",
            f"`{desired}` describes how each of our hosts should be set up. Write one idempotent "
            f"Bash script, `{script}`, that brings any host into this state, whatever state the "
            f"host is in before.",
            "goal",
        ),
        Obligation(
            "call",
            f"We call it as `bash {script} ROOT`, where ROOT is the directory that holds the tree "
            f"of one host. It runs as a user without root rights.",
            "input",
        ),
        Obligation(
            "settled",
            "The script writes only what has to change. On a host that is already as described, "
            "and so also on a second run, it writes no file or link at all. Replacing a file or a "
            "link with one that has the same content counts as writing.",
            keys=("same content", "identical", "second run", "run again", "nothing to do"),
        ),
        *_REPORTS[report],
        Obligation(
            "host",
            f"Also run the script on the host in `{host}`, so that this host ends up as described.",
            "output",
        ),
        Obligation(
            "keep",
            f"Do not change `{desired}` or `{drill}`.",
            "limit",
        ),
        Obligation(
            "drill",
            f"We will grade the script with `{drill}` on hosts that you have not seen. It lays out "
            f"hosts, runs the script on them, and reports what each run wrote. You can try it with "
            f"the example in `{states}`: `python3 {drill} {script} < {states}`.",
            "grading",
        ),
    )
