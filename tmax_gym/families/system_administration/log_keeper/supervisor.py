"""The supervisor of the log-keeper family: text of its manual, its program, and slips.

Covers the text and the awk program of every feature of supervision.  Does not cover the model by
which answers are judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.shared.programs import program_text

_PARTS = {
    "backoff": """\
    if (max[s]) {
        if (t - since[s] >= healthy[s]) quick[s] = 0
        wait = delay[s] * 2 ^ quick[s]++
        if (wait > max[s]) wait = max[s]
    }
""",
    "limit": """\
    if (limit[s]) {
        recent = 0
        for (i = 1; i <= count[s]; i++) recent += started[s, i] > t - window[s]
        if (recent >= limit[s]) { act(t, "giveup", s); stopped[s] = 1; return }
    }
""",
    "beat": """\
        else if (up[s] && beat[s] && heard[s] + beat[s] <= t) {
            at = heard[s] + beat[s]; act(at, "kill", s); ended(s, at, 137)
        }
""",
    "operator": """\
$3 == "stop" { stopped[$2] = 1; due[$2] = "" }
$3 == "go" {
    stopped[$2] = 0
    if (!up[$2]) { start($2, $1); due[$2] = ""; quick[$2] = count[$2] = 0 }
}
""",
}
_PROGRAM = program_text(__package__, "guard.awk")


def program(features: Sequence[str]) -> str:
    """Return the guard, with what these features need."""
    text = _PROGRAM
    for feature, part in _PARTS.items():
        text = text.replace(f"@{feature.upper()}\n", part if feature in features else "")
    return text


def told(features: Sequence[str]) -> str:
    """Return the manual's text on supervision."""
    points = {
        "": "`restart=always` restarts after every end, `restart=failure` after an exit status "
        "other than 0, `restart=never` not at all. The start is `delay` seconds after the end.",
        "backoff": "`max=S healthy=H`, where given: the delay doubles with every further restart, "
        "up to S seconds; an end after a run of at least H seconds begins with `delay` again.",
        "limit": "`limit=N/W`, where given: when a service ends that would be restarted, and the "
        "guard has started it N times or more in the last W seconds (a start W seconds ago is "
        "out), it gives up at once, and the service stays down.",
        "beat": "`beat=B`, where given: a running service that has not beaten for B seconds, since "
        "its start or its last `beat`, is killed in that second. That is an end with exit status "
        "137.",
        "operator": "After `stop` there are no restarts, and one that was due is dropped; the "
        "service itself ends by an event of its own. `go` undoes that, and a giving up as well; a "
        "service that is down starts in that second, with delays and limits as at first, and this "
        "start does not count towards a limit.",
    }
    return "".join(f"- {points[name]}\n" for name in ("", *features))


def slips(features: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return edits of the guard: likely mistakes."""
    edits = {
        "clean exits too": (" && status == 0)", " && 0)"),
        "at once": ("due[s] = t + wait", "due[s] = t"),
    }
    if "backoff" in features:
        edits["no back-off"] = ("2 ^ quick[s]++", "1")
    if "limit" in features:
        edits["never gives up"] = ("recent >= limit[s]", "0")
    if "beat" in features:
        edits["killed, not restarted"] = ("ended(s, at, 137)", "up[s] = 0")
    if "operator" in features:
        edits["stop forgotten"] = ('$3 == "stop" {', '$3 == "halt" {')
    return edits
