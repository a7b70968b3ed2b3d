"""Our sandboxes beside others: start, step, 10 MB, time-out and the break-it list, in one run.

Contenders: ours on native, docker and podman; `docker exec` per command; plain `docker run -it`;
a tmux session as terminal-bench drives it; swe-rex (its Docker and its local deployment);
mini-swe-agent (its docker, bubblewrap and local environments).  Peers come from the package index
into environments of their own; each is driven by a small program through its public interface
(`peer_drivers/`).  One contender at a time, each in its own process.

    python benchmarks/peers.py [--quick] [--only NAME ...] [--cache DIRECTORY] [--json]

Only a full run writes results.  What is missing here (an engine, an image) is said, and missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, median, store

from benchmarks import peer_tables
from benchmarks.peer_columns import COLUMNS, PATH, Column, Place, engine
from benchmarks.peer_link import MARK, Link
from benchmarks.peer_measures import FULL, QUICK, Measures, measure
from benchmarks.peer_verdicts import Bench, chosen
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes import images

SPEEDUP = 50.0
"""How much faster than an exec our commands have to be (the project's goal)."""
NOTES = (
    "mini-swe-agent starts a process a command by design: what asks for a session fails there.",
    "mini-swe local runs commands with this machine's sh.",
    "A container of a peer has the limits of one of ours, and no network, swe-rex's excepted.",
    "Ours start without a pool, as all others; `pooled` is a start a second from a pool.",
    "What a command's tab completes (heredoc, 24 kB heredoc) is each peer's own setting.",
    "memory: of the driver's process; swe-rex docker holds its output in the container as well.",
)
Verdicts = dict[str, dict[str, tuple[str, str, float]]]


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    options = parsed()
    load = os.getloadavg()[0]
    names = [name for name in COLUMNS if not options.only or name in options.only]
    notes = list(NOTES)
    measures: dict[str, Measures] = {}
    verdicts: Verdicts = {}
    with tempfile.TemporaryDirectory(prefix="tmax-peers-") as directory:
        place = Place(options.cache, Path(directory).name, _engine(notes))
        for name in names:
            try:
                column = COLUMNS[name](place)
            except (TmaxError, RuntimeError, AssertionError, OSError) as error:
                notes.append(f"{name}: left out: {str(error).splitlines() or type(error)}")
                continue
            begun = time.monotonic()
            home = Path(directory) / column.name.replace(" ", "-").replace(",", "")
            home.mkdir()
            measures[name], verdicts[name] = tried(column, place, home, quick=options.quick)
            say(f"{name}: {time.monotonic() - begun:.0f} s")
    targets = goals(measures, verdicts, len(names))
    if not options.quick and not options.only:
        store("peers", peer_tables.raw(measures, verdicts, notes), targets, load=load)
    if not options.json:
        print("\n".join([*peer_tables.speed(measures), "", *peer_tables.broken(verdicts), *notes]))
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def parsed() -> Any:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="few rounds and eight cases")
    parser.add_argument("--only", nargs="+", choices=COLUMNS, metavar="NAME", default=[])
    parser.add_argument("--cache", type=Path, default=images.cache_root() / "peers")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    return parser.parse_args()


def tried(
    column: Column, place: Place, home: Path, *, quick: bool
) -> tuple[Measures, dict[str, tuple[str, str, float]]]:
    """Return one contender's numbers and verdicts."""
    words = [str(column.python), str(Path(__file__).parent / "peer_drivers" / column.driver)]
    words[1] += ".py"
    environment = environ(column, place, home)

    def start() -> Link:
        return Link(words, environment=environment, directory=home)

    bench = Bench(column, place, start)
    try:
        measures = measure(bench, QUICK if quick else FULL)
        for failure in measures.failures:
            say(f"{column.name}: {failure}")
        verdicts = {}
        for case in chosen(quick=quick):
            verdicts[case.name] = bench.verdict(case)
            say(f"{column.name}: {case.name}: {' | '.join(map(str, verdicts[case.name]))[:400]}")
    finally:
        bench.close()
    return measures, verdicts


def environ(column: Column, place: Place, home: Path) -> dict[str, str]:
    """Return the variables of a driver: ours keeps its own, a peer gets a plain set."""
    if column.environment:
        return {**column.environment, MARK: place.mark}
    return {
        "PATH": PATH,
        "HOME": str(home),
        # Without a terminal's tricks (bracketed paste) no peer has to filter them.
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "SWE_REX_LOG_STREAM_LEVEL": "CRITICAL",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_GLOBAL_CONFIG_DIR": str(home),
        MARK: place.mark,
        **({"DOCKER_HOST": place.engine.address} if place.engine else {}),
    }


def goals(measures: dict[str, Measures], verdicts: Verdicts, wanted: int) -> dict[str, Target]:
    """Return the targets of what was run."""
    targets = {"columns_missing": Target(wanted - len(measures), 0.0)}
    for name in ("native", "docker", "podman"):
        if run := verdicts.get(f"ours, {name}"):
            passed = sum(verdict == "ok" for verdict, _, _ in run.values())
            targets[f"break_it_cases_passed_{name}"] = Target(passed, len(run), at_most=False)
    exec_, ours = measures.get("docker exec"), measures.get("ours, docker")
    if exec_ and ours and exec_.colon and ours.colon:
        ratio = median(exec_.colon) / median(ours.colon)
        targets["docker_exec_times_our_docker_step"] = Target(ratio, SPEEDUP, at_most=False)
    return targets


def say(line: str) -> None:
    """Tell how far it is."""
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def _engine(notes: list[str]) -> Any:
    try:
        return engine()
    except TmaxError as error:
        notes.append(f"no container of a peer: {str(error).splitlines()[0]}")
        return None


if __name__ == "__main__":
    sys.exit(main())
