"""The worlds of `tests/support/world_cases.py` on `native` and `docker`: right, or refused.

Each is a small Harbor task whose test looks at paths, modes, owners, links, variables and more.
A silent difference is a world that runs and is not as its Dockerfile says, or a refusal for
another reason than the table's.

    python benchmarks/worlds.py [--only PART] [--backend native] [--json]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tests.support.world_cases import WORLDS, World
from tests.support.worlds import expected, fits, seen
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes import Backend, backend

BACKENDS = ("native", "docker")
LEAST = 60


def main() -> int:
    """Write, play, compare, print, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of the names of worlds")
    parser.add_argument("--backend", choices=BACKENDS, help="one alone")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    notes: list[str] = []
    machines = usable((options.backend,) if options.backend else BACKENDS, notes)
    chosen = [world for world in WORLDS if options.only in world.name]
    found: dict[str, dict[str, str]] = {}
    silent: list[str] = []
    for world in chosen:
        found[world.name] = {name: played(world, machine) for name, machine in machines.items()}
        silent += [
            f"{world.name} on {name}: {said}"
            for name, said in found[world.name].items()
            if not fits(expected(world, name), said)
        ]
        if not options.json:
            print(row(world, found[world.name]), flush=True)
    targets = {"silent_differences": Target(len(silent), 0)}
    if not options.only:
        targets["worlds"] = Target(len(chosen), LEAST, at_most=False)
        store("worlds", {"worlds": found, "silent": silent, "notes": notes}, targets, load=load)
    print(*silent, *notes, sep="\n", end="\n" if silent or notes else "", file=sys.stderr)
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def usable(names: tuple[str, ...], notes: list[str]) -> dict[str, Backend]:
    """Return the backends that work here; note the others."""
    found = {}
    for name in names:
        try:
            found[name] = backend(name)
        except TmaxError as error:
            notes.append(f"{name} is left out: {str(error).splitlines()[0]}")
    return found


def played(world: World, machine: Backend) -> str:
    """Return what a kind of sandbox says of a world."""
    with tempfile.TemporaryDirectory() as place:
        return seen(Path(place), world, machine)


def row(world: World, found: Mapping[str, str]) -> str:
    """Return a line of the table: task, what is expected where, what was seen."""
    wanted = {name: expected(world, name) or "right" for name in BACKENDS}
    same = len(set(wanted.values())) == 1
    said = wanted["native"] if same else "; ".join(f"{n}: {w}" for n, w in wanted.items())
    cells = [f"{found.get(name, '-')[:44]:44}" for name in BACKENDS]
    return " | ".join([f"{world.name:36}", f"{said[:44]:44}", *cells])


if __name__ == "__main__":
    sys.exit(main())
