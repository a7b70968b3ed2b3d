"""Datasets by name: what `tmax bench` can be pointed at.

`tmax` is this package's catalogue; other names are registered, or sources that `readers` knows;
a directory is one of Harbor tasks.  Tasks that cannot be used are problems of one line each and
never stop the others.
Covers choosing tasks.  Does not cover what a task is: whatever `load` returns, `rollout` plays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from tmax_gym.bench.records import Tags
from tmax_gym.episodes.task import Task
from tmax_gym.errors import BenchError, ImageError
from tmax_gym.harbor.readers import sources
from tmax_gym.harbor.readers.sources import SOURCES
from tmax_gym.harbor.run.datasets import Dataset as TrialDataset
from tmax_gym.harbor.run.datasets import load_dataset
from tmax_gym.harbor.run.settings import Machines, Settings
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.spec import TaskSpec


@dataclass(frozen=True, slots=True)
class Item:
    """One task of a dataset, not loaded yet."""

    name: str
    digest: str
    """Changes when the task does."""
    load: Callable[[], Task]
    """Raises a `TmaxError` where the task is broken."""
    tags: Tags = ()
    """Labels, sorted by name: difficulty, category, …"""
    path: str = ""
    """Where it lies, for a task of a directory."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Tasks in order of their names."""

    name: str
    items: tuple[Item, ...]
    problems: tuple[str, ...] = ()
    """Why others cannot be used, a line each."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which tasks of a dataset."""

    split: str = ""
    """Of the catalogue: train, val or test."""
    include: tuple[str, ...] = ()
    """Names, or patterns of names; none for all."""
    exclude: tuple[str, ...] = ()
    sample: int = 0
    """Only so many, drawn by `seed`; 0 for all."""
    seed: int = 0
    image: str = ""
    """Root file system of all tasks of the catalogue; "" for what each of them names."""

    def of(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Return the chosen ones, by name.

        Raises:
            BenchError: A pattern matches nothing, or nothing is left.
        """
        for pattern in self.include:
            if not any(_matches(item, pattern) for item in items):
                raise BenchError(
                    f"no task of {len(items)} matches {pattern!r}; {_instead(items, pattern)}"
                )
        kept = [
            item
            for item in items
            if (not self.include or any(_matches(item, p) for p in self.include))
            and not any(_matches(item, p) for p in self.exclude)
        ]
        if not kept:
            raise BenchError(f"no task of {len(items)} is left: choose fewer restrictions")
        kept.sort(key=lambda item: item.name)
        return tuple(_sampled(kept, self.sample, self.seed) if self.sample else kept)


_SHOWN = 5
"""Reasons that a message repeats."""
Opener = Callable[[Selection], Dataset]
_DATASETS: dict[str, Opener] = {}


def register_dataset(name: str, opener: Opener) -> None:
    """Make a dataset available by name; a name that is taken is replaced."""
    _DATASETS[name] = opener


def dataset_names() -> tuple[str, ...]:
    """Return the registered names, sorted."""
    return tuple(sorted(_DATASETS))


def open_dataset(
    name: str,
    selection: Selection | None = None,
    *,
    backend: str = "",
    machines: Machines | None = None,
) -> Dataset:
    """Return the chosen tasks of a dataset.

    Args:
        name: A registered name; a source of `readers`, alone or as SOURCE:PATH; or a path.
        selection: All if None.
        backend: The kind of sandbox that will run them; others' tasks may ask for too much.
        machines: How the machines of a directory's or a source's tasks are made; this package's
            own tasks leave nothing of it open.

    Raises:
        BenchError: There is no such dataset, or nothing is chosen.
        HarborError: What is there cannot be read.
    """
    chosen = selection or Selection()
    settings = Settings(**asdict(machines)) if machines else None
    source, _, place = name.partition(":")
    if opener := _DATASETS.get(name):
        found = opener(chosen)
    elif source in SOURCES:
        found = playable(sources.load(source, place or None, settings=settings), backend=backend)
    elif Path(name).exists():
        found = playable(load_dataset(name, settings=settings), backend=backend)
    else:
        raise BenchError(
            f"no dataset is called {name!r}, and no directory either.\n"
            f"There are: {', '.join((*dataset_names(), *sorted(SOURCES)))}; any of these but the "
            "first with :PATH; and any directory of Harbor tasks."
        )
    if not found.items:
        why = found.problems or ("there is no directory with a task.toml in it",)
        raise BenchError(f"{name} has no task that can be run: {_listed(why)}")
    try:
        return Dataset(found.name, chosen.of(found.items), found.problems)
    except BenchError as error:
        if not found.problems:
            raise
        # What was asked for may be one of those.
        raise BenchError(f"{error}\nLeft out: {_listed(found.problems)}") from error


def tmax_dataset(selection: Selection) -> Dataset:
    """Return the tasks of this package's catalogue; those whose image is not here are a problem.

    Raises:
        ImageError: One of them was asked for by its name.
    """
    specs = catalogue.select(split=selection.split or None)
    kept, missing = (specs, ()) if selection.image else catalogue.runnable(specs)
    asked = {pattern.removeprefix(catalogue.PREFIX) for pattern in selection.include}
    if asked & ({spec.name for spec in specs} - {spec.name for spec in kept}):
        raise ImageError("\n".join(missing))
    return Dataset("tmax", tuple(_item(spec) for spec in kept), missing)


register_dataset("tmax", tmax_dataset)


def _item(spec: TaskSpec) -> Item:
    tags = {
        "category": spec.domain,
        "difficulty": spec.complexity,
        "family": spec.plan[-1].family,
        "fixture": spec.fixture,
        "language": spec.language,
        "verifier": spec.verifier,
    }
    return Item(spec.name, spec.digest, lambda: _load(spec.name), tuple(sorted(tags.items())))


@lru_cache(maxsize=64)
def _load(name: str) -> Task:
    return catalogue.load(name)


def _listed(reasons: Sequence[str]) -> str:
    more = [f"and {len(reasons) - _SHOWN} more"] if len(reasons) > _SHOWN else []
    return "\n".join([*reasons[:_SHOWN], *more])


def _instead(items: Sequence[Item], pattern: str) -> str:
    """Return which names there are: those that look like the pattern, else the first ones."""
    names = {name: item.name for item in items for name in reversed(_names(item))}
    plain = pattern.removeprefix(catalogue.PREFIX)
    if close := get_close_matches(plain, names, n=_SHOWN):
        return "did you mean " + " or ".join(dict.fromkeys(names[name] for name in close)) + "?"
    shown = [item.name for item in items[:_SHOWN]]
    return "there are: " + ", ".join([*shown, *(["…"] if len(items) > _SHOWN else [])])


def _names(item: Item) -> list[str]:
    """Return the names that choose a task: with and without the dataset's, and its family's."""
    names = [item.name]
    if item.path:
        names += [item.name.partition("/")[2], item.name.rpartition("/")[2]]
    return [*names, *(value for key, value in item.tags if key == "family")]


def _matches(item: Item, pattern: str) -> bool:
    plain = pattern.removeprefix(catalogue.PREFIX)
    # A name may look like a pattern: "a[1]".
    return any(fnmatchcase(name, plain) or name == plain for name in _names(item))


def _sampled(items: Sequence[Item], count: int, seed: int) -> list[Item]:
    """Return `count` items drawn by hashes of their names: more of them contain the fewer."""
    from tmax_gym.rng import seed_of

    ranked = sorted(items, key=lambda item: seed_of(("bench", seed, item.name)))
    return sorted(ranked[:count], key=lambda item: item.name)


def playable(found: TrialDataset, *, backend: str = "") -> Dataset:
    """Return what `backend` can run of a dataset of directories; the rest are problems."""
    problems = [str(problem) for problem in found.problems]
    items = []
    for task in found.tasks:
        if reason := task.obstacle(backend) if backend else "":
            problems.append(f"{task.name}: unsupported: {reason}")
        else:
            items.append(_trial_item(task))
    return Dataset(found.name, tuple(items), tuple(problems))


def _trial_item(task: TrialTask) -> Item:
    return Item(task.name, task.digest, lambda: task, task.tags, str(task.harbor.directory))
