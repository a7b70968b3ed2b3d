"""Run the break-it list on our backends, for the table of `tmax_gym/sandboxes/README.md`.

    ok     the right result, and the session answers afterwards
    wrong  another result; the session answers afterwards
    DEAD   the session does not answer any more

    python benchmarks/break_it.py [--json]

A backend that does not work here is left out together with its target, and `notes` says so.
`benchmarks/peers.py` runs the same list on other projects' sandboxes.
"""

from __future__ import annotations

import sys

from benchmarks.script import Target, finish, options, usable
from tests.support.break_it_cases import CASES, Case, attempt
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes import Backend, images


def main() -> int:
    """Run the list, write the results, return 1 if a case fails."""
    given = options(__doc__)
    notes: list[str] = []
    backends = usable(("native", "gvisor", "docker", "podman"), notes, image=images.default_image())
    verdicts = {
        name: {case.name: verdict(backend, case) for case in CASES}
        for name, backend in backends.items()
    }
    targets = {
        f"cases_passed_{name}": Target(list(run.values()).count("ok"), len(CASES), at_most=False)
        for name, run in verdicts.items()
    }
    failed = [f"{n}: {c}: {v}" for n, run in verdicts.items() for c, v in run.items() if v != "ok"]
    return finish(
        "break_it", {"break_it": verdicts, "notes": notes}, targets, given, [*failed, *notes]
    )


def verdict(backend: Backend, case: Case) -> str:
    """Return how one case ended, in a sandbox of its own."""
    sandbox = backend.open(images.default_image())
    try:
        wrong, alive = attempt(case, sandbox)
    except TmaxError:
        return "DEAD"
    finally:
        sandbox.close()
    return "ok" if alive and not wrong else "wrong" if alive else "DEAD"


if __name__ == "__main__":
    sys.exit(main())
