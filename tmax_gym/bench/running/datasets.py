"""Datasets of `tmax bench` by name, and the choice of their tasks.

A name is `tmax` (the catalogue of this package), another registered name, a source of
`harbor.readers`, or a directory of Harbor tasks.  A task that cannot be used becomes a problem of
one line and never stops the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from tmax_gym.bench.records import Tags
from tmax_gym.episodes.task import Task
from tmax_gym.errors import BenchError, ImageError
from tmax_gym.harbor.readers import sources
from tmax_gym.harbor.readers.sources import SOURCES
from tmax_gym.harbor.run.datasets import Dataset, load_dataset
from tmax_gym.harbor.run.settings import HarborSettings, Machines
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
    """Raises a `TmaxError` if the task is broken."""
    tags: Tags = ()
    """Labels such as difficulty and category, sorted by name."""
    path: str = ""
    """The directory of a Harbor task."""


@dataclass(frozen=True, slots=True)
class BenchDataset:
    """The chosen tasks of a dataset, sorted by name."""

    name: str
    items: tuple[Item, ...]
    problems: tuple[str, ...] = ()
    """Why other tasks cannot be used, a line each."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of tasks."""

    split: str = ""
    """Split of the catalogue: train, val or test; "" for all."""
    include: tuple[str, ...] = ()
    """Names or patterns of names; empty for all."""
    exclude: tuple[str, ...] = ()
    sample: int = 0
    """Number of tasks, drawn by `seed`; 0 for all."""
    seed: int = 0
    image: str = ""
    """Root file system of all tasks of the catalogue; "" for the one that each task names."""

    def of(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Return the chosen tasks, sorted by name.

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
"""Largest number of reasons or names in a message."""
Opener = Callable[[Selection], BenchDataset]
_DATASETS: dict[str, Opener] = {}


def register_dataset(name: str, opener: Opener) -> None:
    """Make a dataset available by name, in place of an earlier one of that name."""
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
) -> BenchDataset:
    """Return the chosen tasks of a dataset.

    Args:
        name: A registered name; a source of `readers`, alone or as SOURCE:PATH; or a path.
        selection: The choice; all tasks if None.
        backend: The kind of sandbox; Harbor tasks that it cannot run become problems.
        machines: How the machines of Harbor tasks are made; the catalogue's tasks need none.

    Raises:
        BenchError: There is no such dataset, or nothing is chosen.
        HarborError: The dataset cannot be read.
    """
    chosen = selection or Selection()
    settings = HarborSettings(**asdict(machines)) if machines else None
    source, _, place = name.partition(":")
    if opener := _DATASETS.get(name):
        dataset = opener(chosen)
    elif source in SOURCES:
        dataset = playable(sources.load(source, place or None, settings=settings), backend=backend)
    elif Path(name).exists():
        dataset = playable(load_dataset(name, settings=settings), backend=backend)
    else:
        raise BenchError(
            f"no dataset is called {name!r}, and no directory either.\n"
            f"There are: {', '.join((*dataset_names(), *sorted(SOURCES)))}; any of these but the "
            "first with :PATH; and any directory of Harbor tasks."
        )
    if not dataset.items:
        why = dataset.problems or ("there is no directory with a task.toml in it",)
        raise BenchError(f"{name} has no task that can be run: {_listed(why)}")
    try:
        return replace(dataset, items=chosen.of(dataset.items))
    except BenchError as error:
        if not dataset.problems:
            raise
        # The task that was named may be one of these.
        raise BenchError(f"{error}\nLeft out: {_listed(dataset.problems)}") from error


def anywhere(name: str) -> str:
    """Return a dataset's name with an absolute path, so that it means the same in any directory."""
    source, colon, place = name.partition(":")
    if name in _DATASETS or (source in SOURCES and not place):
        return name
    if source in SOURCES:
        return f"{source}{colon}{Path(place).absolute()}"
    return str(Path(name).absolute())


def tmax_dataset(selection: Selection) -> BenchDataset:
    """Return the tasks of the catalogue; tasks whose image is not here are problems.

    Raises:
        ImageError: A task whose image is not here was chosen by its name.
    """
    specs = catalogue.select(split=selection.split or None)
    kept, missing = (specs, ()) if selection.image else catalogue.runnable(specs)
    asked = {pattern.removeprefix(catalogue.PREFIX) for pattern in selection.include}
    if asked & ({spec.name for spec in specs} - {spec.name for spec in kept}):
        raise ImageError("\n".join(missing))
    return BenchDataset("tmax", tuple(_item(spec) for spec in kept), missing)


register_dataset("tmax", tmax_dataset)


def _item(spec: TaskSpec) -> Item:
    tags = {
        "category": spec.domain,
        "difficulty": spec.complexity,
        "family": spec.family,
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
    """Return a hint with names that look like the pattern, else with the first names."""
    names = {name: item.name for item in items for name in reversed(_names(item))}
    plain = pattern.removeprefix(catalogue.PREFIX)
    if close := get_close_matches(plain, names, n=_SHOWN):
        return "did you mean " + " or ".join(dict.fromkeys(names[name] for name in close)) + "?"
    shown = [item.name for item in items[:_SHOWN]]
    return "there are: " + ", ".join([*shown, *(["…"] if len(items) > _SHOWN else [])])


def _names(item: Item) -> list[str]:
    """Return the names that choose a task, with and without the dataset's, and its family."""
    names = [item.name]
    if item.path:
        names += [item.name.partition("/")[2], item.name.rpartition("/")[2]]
    return [*names, *(value for key, value in item.tags if key == "family")]


def _matches(item: Item, pattern: str) -> bool:
    plain = pattern.removeprefix(catalogue.PREFIX)
    # A name may look like a pattern: "a[1]".
    return any(fnmatchcase(name, plain) or name == plain for name in _names(item))


def _sampled(items: Sequence[Item], count: int, seed: int) -> list[Item]:
    """Return `count` items, drawn by hashes of names: larger samples contain smaller ones."""
    from tmax_gym.rng import seed_of

    ranked = sorted(items, key=lambda item: seed_of(("bench", seed, item.name)))
    return sorted(ranked[:count], key=lambda item: item.name)


def playable(dataset: Dataset, *, backend: str = "") -> BenchDataset:
    """Return the tasks of a Harbor dataset that `backend` can run; the others become problems."""
    problems = [str(problem) for problem in dataset.problems]
    items = []
    for task in dataset.tasks:
        if reason := task.obstacle(backend) if backend else "":
            problems.append(f"{task.name}: unsupported: {reason}")
        else:
            items.append(_trial_item(task))
    return BenchDataset(dataset.name, tuple(items), tuple(problems))


def _trial_item(task: TrialTask) -> Item:
    return Item(task.name, task.digest, lambda: task, task.tags, str(task.harbor.directory))
