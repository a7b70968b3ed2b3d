"""The common part of all benchmark scripts: options, sampling, tables, targets and result files."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tmax_gym.analysis.targets import Target, last_line, rows
from tmax_gym.errors import TmaxError
from tmax_gym.proofs.validate import sample
from tmax_gym.sandboxes import Backend, backend
from tmax_gym.tasks import catalogue

if TYPE_CHECKING:
    from tmax_gym.sandboxes.docker.sandbox import DockerSandbox

__all__ = ["Target", "finish", "median", "options", "parser", "store"]

RESULTS = Path(__file__).parent / "results"
LOAD = os.getloadavg()[0]
"""The load average when the script began; timings on a busy machine say little."""
median = statistics.median
Option = int | float | str | bool | Path | tuple[int | float | str | bool | Path, str]
"""The default value of an option, with or without its help text."""


def parser(doc: str | None, **defaults: Option) -> argparse.ArgumentParser:
    """Return a parser for a script with this docstring: an option per default, and `--json`."""
    arguments = argparse.ArgumentParser(description=(doc or "").split("\n", 1)[0])
    for name, option in {**defaults, "json": (False, "print only the last line")}.items():
        default, text = option if isinstance(option, tuple) else (option, None)
        flag = f"--{name.replace('_', '-')}"
        if default is False:
            arguments.add_argument(flag, action="store_true", help=text)
        else:
            arguments.add_argument(flag, type=type(default), default=default, help=text)
    return arguments


def options(doc: str | None, **defaults: Option) -> argparse.Namespace:
    """Return the parsed options of a script that needs no special ones."""
    return parser(doc, **defaults).parse_args()


def finish(
    name: str,
    measured: Mapping[str, object],
    targets: Mapping[str, Target],
    options: argparse.Namespace,
    lines: Sequence[str] = (),
    *,
    stored: bool = True,
) -> int:
    """Store the results, print the lines and the targets, and return the exit status."""
    if stored:
        store(name, measured, targets)
    if lines and not options.json:
        print("\n".join(lines))
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def store(name: str, measured: Mapping[str, object], targets: Mapping[str, Target]) -> None:
    """Write `results/<name>.json`: the machine, what was measured, and the targets."""
    RESULTS.mkdir(exist_ok=True)
    report = {
        "machine": f"{os.cpu_count()} CPUs, {platform.machine()}, Linux {platform.release()}",
        "load": LOAD,
        **measured,
        "targets": rows(targets),
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(report, indent=1, sort_keys=True) + "\n")


def timings(
    parts: Mapping[str, Mapping[str, Sequence[float]]], notes: Sequence[str]
) -> dict[str, object]:
    """Return samples in seconds, by part and contender, as the content of a result file."""
    seconds = {
        part: {name: [round(s, 7) for s in samples] for name, samples in contenders.items()}
        for part, contenders in parts.items()
    }
    return {"notes": list(notes), "seconds": seconds}


def high(samples: Sequence[float], percent: int = 95) -> float:
    """Return a percentile by the nearest rank."""
    return sorted(samples)[max(0, math.ceil(len(samples) * percent / 100) - 1)]


def table(title: str, samples: Mapping[str, Sequence[float]], first: str) -> list[str]:
    """Return timings in milliseconds, and as multiples of the contender `first`."""
    unit = median(samples[first])
    lines = [f"{title:42} {'n':>5} {'p50 ms':>9} {'p95 ms':>9} {'x ' + first:>14}"]
    for name, seconds in samples.items():
        p50 = median(seconds)
        lines.append(
            f"{name:42} {len(seconds):5} {p50 * 1e3:9.3f} {high(seconds) * 1e3:9.3f}"
            f" {p50 / unit:14.1f}"
        )
    return lines


def sampled(count: int, seed: int) -> tuple[str, ...]:
    """Return tasks spread over all families, of those whose image is here; name absent images."""
    runnable, missing = catalogue.runnable(catalogue.select())
    print("\n".join(missing), file=sys.stderr, end="\n" if missing else "")
    return sample([spec.name for spec in runnable], count, seed)


def usable(
    names: Sequence[str], notes: list[str], *, image: str | None = None
) -> dict[str, Backend]:
    """Return the backends that work here, and start the image; add a note for each other one."""
    working = {}
    for name in names:
        try:
            candidate = backend(name)
            if image:
                candidate.open(image).close()
        except TmaxError as error:
            notes.append(f"{name}: left out: {str(error).splitlines()[0]}")
        else:
            working[name] = candidate
    return working


def exec_calls(sandbox: DockerSandbox) -> Callable[[str], int]:
    """Return what runs a command by one exec, with the SDK's own calls, and counts its bytes."""
    import docker

    api = docker.APIClient(base_url=sandbox.engine.address, version="auto")

    def run(command: str) -> int:
        created = api.exec_create(sandbox.id, ["bash", "-c", command])
        return len(api.exec_start(created["Id"]))

    return run


def reset_peak() -> None:
    """Let the peak of this process's memory (VmHWM) start again at its present size: proc(5)."""
    Path("/proc/self/clear_refs").write_text("5")


def memory(field: str) -> int:
    """Return a memory size of this process in bytes: VmRSS is the present one, VmHWM the peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))
