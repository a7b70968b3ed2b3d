"""What a verification takes on `native`: everything is killed, what is left is read, and graded.

By a tiny solved task of each verifier kind; the kinds that run the agent's program start a
machine for it.  Kinds take turns in every round.

    python benchmarks/verification.py [--rounds 15] [--json]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, conclude, last_line, lines, median
from tests.support.verified_kinds import Kind, kinds
from tmax_gym.grading.verifier import verify
from tmax_gym.sandboxes import Backend, backend, images

GOAL_MS = 100.0
"""Median of a verification (the project's goal)."""


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    seconds = measured(backend("native"), options.rounds)
    targets = {
        f"verification_ms_{kind}": Target(1e3 * median(samples), GOAL_MS)
        for kind, samples in seconds.items()
    }
    conclude("verification", {"verification": seconds}, targets, notes=(), load=load)
    if not options.json:
        print("\n".join(lines("verification", seconds, "exact_text")))
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


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
