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
    revoked = " and also a giving up" if "limit" in features else ""
    fresh = {
        "backoff": "the next delay is `delay` again",
        "limit": "neither this start nor an earlier one counts for a limit",
    }
    again = "".join(f", and {fresh[one]}" for one in features if one in fresh)
    points = {
        "": "`restart=always` means that a service is started again whenever it ends. With "
        "`restart=failure`, it is only started again after an exit status other than 0, and with "
        "`restart=never` not at all. The start is `delay` seconds after the end.",
        "backoff": "`max=S healthy=H`, if given: The delay doubles with every further restart, up "
        "to S seconds. If a service ends after it has been running for at least H seconds, the "
        "delay is `delay` again. Without `max` and `healthy`, the delay is always `delay`.",
        "limit": "`limit=N/W`, if given: When a service ends that would be restarted, and the "
        "guard has started it N times or more in the last W seconds, the guard gives up at once "
        "and the service stays down. A start exactly W seconds ago does not count.",
        "beat": "`beat=B`, if given: If a running service has sent no `beat` for B seconds since "
        "its start or its last `beat`, it is killed in that second. This counts as an end with "
        "exit status 137.",
        "operator": "After `stop`, the service is not restarted any more, and a restart that was "
        f"due is dropped. The end of the service itself is an `exit` event. `go` revokes a `stop`"
        f"{revoked}. If the service is down, it starts in the second of `go`{again}.",
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
