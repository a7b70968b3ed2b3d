"""Attacks on our backends, and what verification costs: nothing reached, and soon told.

The first half plays every attack of `tests/attack_cases.py` on every backend, on `native` also
as a user without any rights.  The second measures `verify` on `native`: everything is killed,
what is left is read, and graded, by a tiny task of each verifier kind; the kinds that run the
agent's program open a second machine for it.

    python benchmarks/attacks.py [--rounds 15] [--json]

A backend that does not work here is left out together with its targets, and `notes` says so.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, lines, median, store
from tests.attack_play import OPEN, NoStranger, play, play_as_stranger
from tests.verified_kinds import Kind, kinds
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes import Backend, backend, images
from tmax_gym.verifier import verify

GOAL_MS = 100.0
"""Median of a verification (the project's goal)."""
ROOTLESS = "native, rootless"


def main() -> int:
    """Play and measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    notes: list[str] = []
    seconds = measured(backend("native"), options.rounds)
    seen = played(notes)
    targets = {
        f"attacks_that_succeed_on_{name.replace(', ', '_')}": Target(bad(run), 0)
        for name, run in seen.items()
    }
    targets |= {
        f"verification_ms_{kind}": Target(1e3 * median(samples), GOAL_MS)
        for kind, samples in seconds.items()
    }
    cells = {name: {attack: cell(wrong) for attack, wrong in run.items()}
             for name, run in seen.items()}  # fmt: skip
    raw = {kind: [round(s, 6) for s in samples] for kind, samples in seconds.items()}
    result = {"attacks": cells, "notes": notes, "seconds": {"verification": raw}}
    store("attacks", result, targets, load=load)
    if not options.json:
        failed = [f"{name}: {attack}: {wrong}" for name, run in seen.items()
                  for attack, wrong in run.items() if cell(wrong) == "FAILED"]  # fmt: skip
        table = lines("verification", seconds, "exact_text")
        print("\n".join([*failed, *table, *notes]))
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


def measured(machines: Backend, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of verifications, by kind; kinds take turns."""
    found = kinds()
    seconds: dict[str, list[float]] = {kind.name: [] for kind in found}
    for turn in range(rounds + 1):
        for kind in found:
            took = one(machines, kind)
            if turn:  # the first of a process pays for caches
                seconds[kind.name].append(took)
    return seconds


def one(machines: Backend, kind: Kind) -> float:
    """Return the seconds that grading a solved task takes."""
    image = images.default_image()
    sandbox = machines.open(image, layer=kind.task.layer)
    try:
        for command in kind.task.oracle:
            done = sandbox.exec(["bash", "-c", command], cwd="/app")
            assert done.exit_code == 0, done
        begun = time.perf_counter()
        verdict = verify(kind.task, sandbox, machines, image=image)
        took = time.perf_counter() - begun
    finally:
        sandbox.close()
    assert verdict.reward == 1.0, verdict
    return took


if __name__ == "__main__":
    sys.exit(main())
