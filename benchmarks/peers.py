"""Compare our sandboxes with others: start, step, 10 MB, time-out and the break-it list.

Contenders are ours on native, docker and podman; `docker exec` per command; plain `docker run -it`;
a tmux session as terminal-bench drives it; swe-rex (its Docker and its local deployment);
mini-swe-agent (its docker, bubblewrap and local environments).  Peers are installed
from the package index into environments of their own; a small program drives each through its
public interface (`peer_drivers/`).  Contenders run one after another, each in its own process.

    python benchmarks/peers.py [--quick] [--only NAME ...] [--cache DIRECTORY] [--json]

Only a full run writes results.  Contenders that cannot run here (without an engine or an image)
are noted, and count against the targets.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import peer_tables
from benchmarks.driver import MARK, Driver
from benchmarks.peer_contenders import CONTENDERS, PATH, Contender, Resources, engine
from benchmarks.peer_measures import FULL, QUICK, Measures, measure
from benchmarks.peer_verdicts import CaseRunner, chosen
from benchmarks.script import Target, finish, median, parser
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes import images

SPEEDUP = 50.0
"""Our commands must be so many times faster than an exec (the project's goal)."""
NOTES = (
    "mini-swe-agent starts a process for every command by design: cases with a session fail.",
    "mini-swe local runs commands with this host's sh.",
    "A peer's container has the limits of one of ours, and no network, except swe-rex's.",
    "Ours start without a pool, as all others; `pooled` is one start per second from a pool.",
    "Tab completion in commands (heredoc, 24 kB heredoc) is each peer's own setting.",
    "memory: of the driver's process; swe-rex docker keeps its output in the container as well.",
)
Verdicts = dict[str, dict[str, tuple[str, str, float]]]


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    options = parsed()
    names = [name for name in CONTENDERS if not options.only or name in options.only]
    notes = list(NOTES)
    measures: dict[str, Measures] = {}
    verdicts: Verdicts = {}
    with tempfile.TemporaryDirectory(prefix="tmax-peers-") as directory:
        resources = Resources(options.cache, Path(directory).name, _engine(notes))
        for name in names:
            try:
                contender = CONTENDERS[name](resources)
            except (TmaxError, RuntimeError, AssertionError, OSError) as error:
                notes.append(f"{name}: left out: {str(error).splitlines() or type(error)}")
                continue
            begun = time.monotonic()
            home = Path(directory) / contender.name.replace(" ", "-").replace(",", "")
            home.mkdir()
            measures[name], verdicts[name] = results_of(
                contender, resources, home, quick=options.quick
            )
            say(f"{name}: {time.monotonic() - begun:.0f} s")
    targets = goals(measures, verdicts, len(names))
    results = peer_tables.raw(measures, verdicts, notes)
    lines = [*peer_tables.speed(measures), "", *peer_tables.broken(verdicts), *notes]
    full = not options.quick and not options.only
    return finish("peers", results, targets, options, lines, stored=full)


def parsed() -> argparse.Namespace:
    """Return the options."""
    quick = (False, "few rounds and eight cases")
    arguments = parser(__doc__, quick=quick, cache=images.cache_root() / "peers")
    arguments.add_argument("--only", nargs="+", choices=CONTENDERS, metavar="NAME", default=[])
    return arguments.parse_args()


def results_of(
    contender: Contender, resources: Resources, home: Path, *, quick: bool
) -> tuple[Measures, dict[str, tuple[str, str, float]]]:
    """Return one contender's figures and verdicts."""
    script = Path(__file__).parent / "peer_drivers" / f"{contender.driver}.py"
    words = [str(contender.python), str(script)]
    environment = environ(contender, resources, home)

    def start() -> Driver:
        return Driver(words, environment=environment, directory=home)

    runner = CaseRunner(contender, resources, start)
    try:
        measures = measure(runner, QUICK if quick else FULL)
        for failure in measures.failures:
            say(f"{contender.name}: {failure}")
        verdicts = {}
        for case in chosen(quick=quick):
            verdicts[case.name] = runner.verdict(case)
            say(f"{contender.name}: {case.name}: {' | '.join(map(str, verdicts[case.name]))[:400]}")
    finally:
        runner.close()
    return measures, verdicts


def environ(contender: Contender, resources: Resources, home: Path) -> dict[str, str]:
    """Return a driver's environment variables: ours keeps all, a peer has few."""
    if contender.environment:
        return {**contender.environment, MARK: resources.mark}
    return {
        "PATH": PATH,
        "HOME": str(home),
        # So that peers need not filter control sequences such as bracketed paste.
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "SWE_REX_LOG_STREAM_LEVEL": "CRITICAL",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_GLOBAL_CONFIG_DIR": str(home),
        MARK: resources.mark,
        **({"DOCKER_HOST": resources.engine.address} if resources.engine else {}),
    }


def goals(measures: dict[str, Measures], verdicts: Verdicts, wanted: int) -> dict[str, Target]:
    """Return the targets of the contenders that ran."""
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
    """Print a line of progress."""
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def _engine(notes: list[str]) -> Any:
    try:
        return engine()
    except TmaxError as error:
        notes.append(f"no container of a peer: {str(error).splitlines()[0]}")
        return None


if __name__ == "__main__":
    sys.exit(main())
