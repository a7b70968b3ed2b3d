"""Measure how long a verification takes on `native`, for every kind of verifier.

A verification kills all processes, reads the files that are left, and grades them.  Each kind has
a tiny solved task; the kinds that run the agent's program start a sandbox for it.  Kinds take
turns in every round.

    python benchmarks/verification.py [--rounds 15] [--json]
"""

from __future__ import annotations

import sys
import time

from benchmarks.script import Target, finish, median, options, table, timings
from tests.support.verified_kinds import Kind, kinds
from tmax_gym.grading.verifier import verify
from tmax_gym.sandboxes import Backend, backend, images

GOAL_MS = 100.0
"""Median of a verification (the project's goal)."""


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    given = options(__doc__, rounds=15)
    seconds = measured(backend("native"), given.rounds)
    targets = {
        f"verification_ms_{kind}": Target(1e3 * median(samples), GOAL_MS)
        for kind, samples in seconds.items()
    }
    results = timings({"verification": seconds}, ())
    lines = table("verification", seconds, "exact_text")
    return finish("verification", results, targets, given, lines)


def measured(native: Backend, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of verifications, by kind; kinds take turns."""
    every_kind = kinds()
    seconds: dict[str, list[float]] = {kind.name: [] for kind in every_kind}
    for turn in range(rounds + 1):
        for kind in every_kind:
            duration = verification_seconds(native, kind)
            if turn:  # the first verification of a process fills caches
                seconds[kind.name].append(duration)
    return seconds


def verification_seconds(native: Backend, kind: Kind) -> float:
    """Return the seconds that grading a solved task takes."""
    image = images.default_image()
    sandbox = native.open(image, layer=kind.task.layer)
    try:
        for command in kind.task.oracle:
            result = sandbox.exec(["bash", "-c", command], cwd="/app")
            assert result.exit_code == 0, result
        begun = time.perf_counter()
        verdict = verify(kind.task, sandbox, native, image=image)
        duration = time.perf_counter() - begun
    finally:
        sandbox.close()
    assert verdict.reward == 1.0, verdict
    return duration


if __name__ == "__main__":
    sys.exit(main())
