"""Attacks on our backends: what each reaches, earns and leaves behind.

Plays every attack of `tests/support/attack_cases.py` on every backend, on `native` also as a user
without any rights.

    python benchmarks/attacks.py [--json]

A backend that does not work here is left out together with its target, and `notes` says so.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tests.support.attack_play import OPEN, NoStranger, play, play_as_stranger
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes import backend, images

ROOTLESS = "native, rootless"


def main() -> int:
    """Play and measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    notes: list[str] = []
    seen = played(notes)
    targets = {
        f"attacks_that_succeed_on_{name.replace(', ', '_')}": Target(bad(run), 0)
        for name, run in seen.items()
    }
    cells = {name: {attack: cell(wrong) for attack, wrong in run.items()}
             for name, run in seen.items()}  # fmt: skip
    store("attacks", {"attacks": cells, "notes": notes}, targets, load=load)
    if not options.json:
        failed = [f"{name}: {attack}: {wrong}" for name, run in seen.items()
                  for attack, wrong in run.items() if cell(wrong) == "FAILED"]  # fmt: skip
        print("\n".join([*failed, *notes]))
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def played(notes: list[str]) -> dict[str, dict[str, list[str]]]:
    """Return what went wrong, by backend and attack."""
    seen: dict[str, dict[str, list[str]]] = {}
    for name in ("native", "docker", "podman"):
        try:
            seen[name] = dict(play(backend(name), images.default_image()))
        except TmaxError as error:
            notes.append(f"{name}: left out: {str(error).splitlines()[0]}")
    try:
        seen[ROOTLESS] = play_as_stranger()
    except NoStranger as reason:
        notes.append(f"{ROOTLESS}: left out: {reason}")
    return seen


def cell(wrong: list[str]) -> str:
    """Return the word of the table for what went wrong with an attack."""
    return "ok" if not wrong else "open" if wrong == [OPEN] else "FAILED"


def bad(run: dict[str, list[str]]) -> int:
    """Return how many attacks succeeded."""
    return sum(cell(wrong) == "FAILED" for wrong in run.values())


if __name__ == "__main__":
    sys.exit(main())
