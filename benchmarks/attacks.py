"""Play every attack on every backend: what each reaches, earns and leaves behind.

The attacks are those of `tests/support/attack_cases.py`.  On `native` they are also played by a
user without any rights.

    python benchmarks/attacks.py [--json]

A backend that does not work here is left out together with its target, and `notes` says so.
"""

from __future__ import annotations

import sys

from benchmarks.script import Target, finish, options
from tests.support.attack_play import OPEN, NoStranger, play, play_as_stranger
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes import backend, images

ROOTLESS = "native, rootless"
Runs = dict[str, dict[str, list[str]]]
"""What went wrong, by backend and attack."""


def main() -> int:
    """Play, write the results, return 1 if an attack succeeds."""
    given = options(__doc__)
    notes: list[str] = []
    runs = played(notes)
    cells = {
        name: {attack: cell(wrong) for attack, wrong in run.items()} for name, run in runs.items()
    }
    targets = {
        f"attacks_that_succeed_on_{name.replace(', ', '_')}": Target(
            list(run.values()).count("FAILED"), 0
        )
        for name, run in cells.items()
    }
    failed = [
        f"{name}: {attack}: {runs[name][attack]}"
        for name, run in cells.items()
        for attack, word in run.items()
        if word == "FAILED"
    ]
    return finish("attacks", {"attacks": cells, "notes": notes}, targets, given, [*failed, *notes])


def played(notes: list[str]) -> Runs:
    """Return what went wrong; add a note for every backend that does not work here."""
    runs: Runs = {}
    for name in ("native", "gvisor", "docker", "podman"):
        try:
            runs[name] = dict(play(backend(name), images.default_image()))
        except TmaxError as error:
            notes.append(f"{name}: left out: {str(error).splitlines()[0]}")
    try:
        runs[ROOTLESS] = play_as_stranger()
    except NoStranger as reason:
        notes.append(f"{ROOTLESS}: left out: {reason}")
    return runs


def cell(wrong: list[str]) -> str:
    """Return the word in the table for what went wrong with an attack."""
    return "ok" if not wrong else "open" if wrong == [OPEN] else "FAILED"


if __name__ == "__main__":
    sys.exit(main())
