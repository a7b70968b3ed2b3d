"""The break-it list on our backends: what the table of `tmax_gym/sandboxes/README.md` says.

    ok     the right result, and the session answers afterwards
    wrong  another result; the session answers afterwards
    DEAD   the session does not answer any more

    python benchmarks/break_it.py [--json]

A backend that does not work here is left out together with its target, and `notes` says so.
`benchmarks/peers.py` puts the same list to others.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tests.support.break_it_cases import CASES, Case, attempt
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes import Backend, backend, images

BACKENDS = ("native", "docker", "podman")


def main() -> int:
    """Run the list, write the results, return 1 where a case fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    notes: list[str] = []
    seen: dict[str, dict[str, str]] = {}
    for name in BACKENDS:
        try:
            machines = backend(name)
            machines.open(images.default_image()).close()
        except TmaxError as error:
            notes.append(f"{name}: left out: {str(error).splitlines()[0]}")
            continue
        seen[name] = {case.name: verdict(machines, case) for case in CASES}
    targets = {
        f"cases_passed_{name}": Target(list(run.values()).count("ok"), len(CASES), at_most=False)
        for name, run in seen.items()
    }
    store("break_it", {"break_it": seen, "notes": notes}, targets, load=load)
    if not options.json:
        failed = [f"{n}: {c}: {v}" for n, run in seen.items() for c, v in run.items() if v != "ok"]
        print("\n".join([*failed, *notes]))
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def verdict(machines: Backend, case: Case) -> str:
    """Return how one case went on a machine of its own."""
    sandbox = machines.open(images.default_image())
    try:
        wrong, alive = attempt(case, sandbox)
    except TmaxError:
        return "DEAD"
    finally:
        sandbox.close()
    return "ok" if alive and not wrong else "wrong" if alive else "DEAD"


if __name__ == "__main__":
    sys.exit(main())
