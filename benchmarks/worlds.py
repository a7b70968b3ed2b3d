"""Run the worlds of `tests/support/world_cases.py` on `native` and `docker`: right, or refused.

Each is a small Harbor task whose test looks at paths, modes, owners, links, variables and more.
A silent difference is a world that runs and is not as its Dockerfile says, or a refusal for
another reason than the table's.

    python benchmarks/worlds.py [--only PART] [--backend native] [--json]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.script import Target, finish, parser, usable
from tests.support.world_cases import WORLDS, World
from tests.support.worlds import expected, fits, seen
from tmax_gym.sandboxes import Backend

BACKENDS = ("native", "docker")
LEAST = 60


def main() -> int:
    """Play, write the results, return 1 if a target is missed."""
    arguments = parser(__doc__, only=("", "part of the names of worlds"))
    arguments.add_argument("--backend", choices=BACKENDS, help="one alone")
    given = arguments.parse_args()
    notes: list[str] = []
    backends = usable((given.backend,) if given.backend else BACKENDS, notes)
    chosen = [world for world in WORLDS if given.only in world.name]
    results: dict[str, dict[str, str]] = {}
    silent: list[str] = []
    for world in chosen:
        cells = {name: played(world, backend) for name, backend in backends.items()}
        results[world.name] = cells
        silent += [
            f"{world.name} on {name}: {result}"
            for name, result in cells.items()
            if not fits(expected(world, name), result)
        ]
        if not given.json:
            print(row(world, cells), flush=True)
    targets = {"silent_differences": Target(len(silent), 0)}
    if not given.only:
        targets["worlds"] = Target(len(chosen), LEAST, at_most=False)
    print(*silent, *notes, sep="\n", end="\n" if silent or notes else "", file=sys.stderr)
    content = {"worlds": results, "silent": silent, "notes": notes}
    return finish("worlds", content, targets, given, stored=not given.only)


def played(world: World, backend: Backend) -> str:
    """Return what a world's test reports on a backend."""
    with tempfile.TemporaryDirectory() as directory:
        return seen(Path(directory), world, backend)


def row(world: World, results: Mapping[str, str]) -> str:
    """Return a line of the table: the world, what is expected on each backend, the results."""
    wanted = {name: expected(world, name) or "right" for name in BACKENDS}
    same = len(set(wanted.values())) == 1
    text = wanted["native"] if same else "; ".join(f"{n}: {w}" for n, w in wanted.items())
    cells = [f"{results.get(name, '-')[:44]:44}" for name in BACKENDS]
    return " | ".join([f"{world.name:36}", f"{text[:44]:44}", *cells])


if __name__ == "__main__":
    sys.exit(main())
