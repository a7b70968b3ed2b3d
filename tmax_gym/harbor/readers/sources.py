"""Data by name: `load("tmax15k", PATH)` reads what lies here, `load("tmax15k")` what a hub has.

Drafts are made once for each state of the files.  Rows that are no tasks become problems of one
line each.  Harbor's own datasets need no reader: `load_dataset` reads those.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tmax_gym.errors import HarborError
from tmax_gym.harbor.datasets.dataset import Problem
from tmax_gym.harbor.readers import drafts, software, terminals, tmax15k
from tmax_gym.harbor.readers.drafts import Made
from tmax_gym.harbor.readers.rows import snapshot
from tmax_gym.harbor.run.datasets import Dataset, load_dataset
from tmax_gym.harbor.run.settings import HarborSettings

FORM = 1
"""Raised whenever a reader makes something else of the same files."""


@dataclass(frozen=True, slots=True)
class Source:
    """One set of tasks."""

    read: Callable[[Path], Iterator[Made]]
    repository: str = ""
    """Where it is published, on a hub; "" where it is on none."""
    patterns: tuple[str, ...] = ()
    """Of the files that are needed."""


SOURCES: dict[str, Source] = {
    "tmax15k": Source(tmax15k.read, "allenai/TMax-15K", ("tasks.zip",)),
    "tmax15k-rlvr": Source(tmax15k.read_rlvr, "allenai/tmax-15k-open-instruct"),
    "endless-terminals": Source(terminals.read_directories, "obiwan96/endless-terminals"),
    "openthoughts-agent": Source(
        terminals.read_openthoughts, "open-thoughts/OpenThoughts-Agent-v1-RL", ("*.parquet",)
    ),
    "termigen": Source(terminals.read_directories),
    "terminaltraj": Source(terminals.read_first_bench, "m-a-p/TerminalTraj-5k-instances"),
    "cli-gym": Source(terminals.read_cli_gym, "LiberCoders/CLI-Gym"),
    "swe-smith": Source(software.read_swe_smith, "SWE-bench/SWE-smith", ("data/*.parquet",)),
    "r2e-gym": Source(software.read_r2e_gym, "hamishivi/agent-task-r2e-gym"),
}


def load(
    source: str,
    path: str | Path | None = None,
    *,
    name: str | None = None,
    settings: HarborSettings | None = None,
) -> Dataset:
    """Read a set of tasks and register `<name>/<task>` for each.

    Args:
        source: One of `SOURCES`.
        path: Where it lies; fetched from its hub if None.
        name: The namespace of the ids; the source's name if None.
        settings: How the tasks are run.

    Raises:
        HarborError: There is no such source, nothing at this path, or nothing could be fetched.
    """
    if source not in SOURCES:
        raise HarborError(f"no data is called {source!r}; there are: {', '.join(sorted(SOURCES))}")
    chosen = SOURCES[source]
    if path is None:
        if not chosen.repository:
            raise HarborError(f"{source} is on no hub: clone it and give its directory")
        path = snapshot(chosen.repository, patterns=chosen.patterns)
    place = Path(path)
    if not place.exists():
        raise HarborError(f"{place} does not exist")
    space = name or source.partition("-rlvr")[0]
    if source == "tmax15k" and any(place.glob("*/task.toml")):
        return load_dataset(place, name=space, settings=settings)  # its Harbor form
    files = [place] if place.is_file() else [p for p in place.rglob("*") if p.is_file()]
    beside = place.parent / tmax15k.TARBALL
    files += [beside] if place.is_file() and beside.is_file() else []
    directory = drafts.kept(
        f"{source}-{FORM}-{drafts.identity(files)}",
        lambda into: drafts.write_all(chosen.read(place), into),
    )
    dataset = load_dataset(directory, name=space, settings=settings)
    problems = json.loads((directory / drafts.PROBLEMS).read_text(encoding="utf-8"))
    rows = tuple(Problem(*(part.strip() for part in t.split(":", 1))) for t in problems)
    return replace(dataset, problems=(*rows, *dataset.problems))
