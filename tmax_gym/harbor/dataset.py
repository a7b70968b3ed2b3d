"""Datasets: directories of task directories, a `dataset.toml` beside them, or a `registry.json`.

Covers reading them all: what is wrong with a task becomes a `Problem` of one line and never
stops the others.  Does not cover fetching: tasks that lie in a git repository must have been
cloned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tmax_gym.errors import HarborError
from tmax_gym.harbor import trees
from tmax_gym.harbor.directory import HarborTask, read_task
from tmax_gym.harbor.fields import printable
from tmax_gym.harbor.manifests import (
    Manifest,
    Metric,
    RegistryDataset,
    RegistryTask,
    read_manifest,
    read_registry,
)

_LOOKS_LIKE_TASK = ("instruction.md", "tests", "environment", "solution")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why one directory is no task."""

    name: str
    """The directory, or the task's name in a manifest."""
    message: str
    """One line."""

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


@dataclass(frozen=True, slots=True)
class HarborDataset:
    """What was found."""

    name: str
    tasks: tuple[HarborTask, ...]
    """Sorted by name; also those that no sandbox here can run (`HarborTask.unsupported`)."""
    problems: tuple[Problem, ...] = ()
    version: str | None = None
    description: str = ""
    metrics: tuple[Metric, ...] = ()

    def task(self, name: str) -> HarborTask:
        """Return a task by the name of its directory or by its title.

        Raises:
            HarborError: There is none.
        """
        for task in self.tasks:
            if name in (task.name, task.title):
                return task
        raise HarborError(f"dataset {self.name} has no task {name!r}")


def read_dataset(
    path: Path,
    *,
    name: str | None = None,
    can: Set[str] = frozenset(),
    checkouts: Mapping[str, Path] | None = None,
) -> HarborDataset:
    """Return the dataset of a directory, of a `dataset.toml` or of a `registry.json`.

    Args:
        path: A directory of tasks, one task's own directory, or a manifest.
        name: What to call it; for a registry, which of its datasets (`name` or `name@version`).
        can: What the sandboxes here can do beyond a plain container: see `support.py`.
        checkouts: Where git repositories have been cloned, by URL; for a registry.

    Raises:
        HarborError: There is nothing at this path, or the manifest itself cannot be read.
    """
    if path.is_file() and path.suffix == ".json":
        return _from_registry(path, name, can, checkouts or {})
    if path.is_file() and path.name == "dataset.toml":
        path = path.parent
    if not path.is_dir():
        raise HarborError(f"{path} is neither a directory of tasks nor a manifest")
    path = path.resolve()
    if (path / "task.toml").exists():
        return _collected(name or path.name, [path], can)
    found = _collected(name or path.name, _candidates(path), can)
    if (path / "dataset.toml").is_file():
        text = trees.read_text(path / "dataset.toml", "dataset.toml")
        return _listed(read_manifest(text), found, name)
    return found


def select(
    dataset: HarborDataset,
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    most: int | None = None,
) -> tuple[HarborTask, ...]:
    """Return the tasks whose name or title matches a pattern of `include` and none of `exclude`."""
    wanted, unwanted = tuple(include) or ("*",), tuple(exclude)

    def matches(task: HarborTask, patterns: tuple[str, ...]) -> bool:
        return any(fnmatchcase(n, p) for n in (task.name, task.title) for p in patterns)

    kept = [t for t in dataset.tasks if matches(t, wanted) and not matches(t, unwanted)]
    return tuple(kept[:most])


def _candidates(path: Path) -> list[Path]:
    """Return the children that are tasks or were meant to be."""
    return sorted(
        child
        for child in path.iterdir()
        if not child.name.startswith(".")
        and child.is_dir()
        and ((child / "task.toml").exists() or any((child / n).exists() for n in _LOOKS_LIKE_TASK))
    )


def _collected(name: str, directories: Iterable[Path], can: Set[str]) -> HarborDataset:
    tasks: dict[str, HarborTask] = {}
    problems: list[Problem] = []
    for directory in directories:
        try:
            task = read_task(directory, can=can)
        except HarborError as error:
            problems.append(Problem(printable(directory.name), printable(str(error))))
            continue
        if task.name in tasks:
            problems.append(Problem(task.name, "another task has the same directory name"))
        else:
            tasks[task.name] = task
    ordered = tuple(tasks[key] for key in sorted(tasks))
    return HarborDataset(name, ordered, tuple(problems))


def _listed(manifest: Manifest, found: HarborDataset, name: str | None) -> HarborDataset:
    """Return what a manifest lists of what was found; differences are problems."""
    problems = list(found.problems)
    kept: dict[str, HarborTask] = {}
    broken = {problem.name for problem in problems}
    for ref in manifest.tasks:
        own = [t for t in found.tasks if t.title == ref.name]
        own = own or [
            t for t in found.tasks if t.config.package is None and t.name == ref.short_name
        ]
        if not own:
            if ref.short_name not in broken:
                problems.append(Problem(ref.name, "listed in dataset.toml, and not here"))
        elif (seen := own[0].digest()) != ref.digest:
            text = f"its content is {seen[:15]}…, dataset.toml has {ref.digest[:15]}…"
            problems.append(Problem(own[0].name, text))
        kept |= {t.name: t for t in own[:1]}
    if not manifest.tasks:
        kept = {task.name: task for task in found.tasks}
    problems += [
        Problem(task.name, "not listed in dataset.toml")
        for task in found.tasks
        if task.name not in kept
    ]
    return HarborDataset(
        name or manifest.name.split("/", 1)[1],
        tuple(kept[key] for key in sorted(kept)),
        tuple(problems),
        manifest.version,
        manifest.description,
    )


def _from_registry(
    path: Path, name: str | None, can: Set[str], checkouts: Mapping[str, Path]
) -> HarborDataset:
    listed = read_registry(trees.read_text(path, path.name), where=path.name)
    chosen = _chosen(listed, name, path.name)
    directories: list[Path] = []
    problems: list[Problem] = []
    for row in chosen.tasks:
        place = _place(row, path.resolve().parent, checkouts)
        if isinstance(place, Path):
            directories.append(place)
        else:
            problems.append(Problem(row.name, place))
    found = _collected(chosen.name, directories, can)
    return HarborDataset(
        chosen.name,
        found.tasks,
        (*problems, *found.problems),
        chosen.version,
        chosen.description,
        chosen.metrics,
    )


def _chosen(listed: tuple[RegistryDataset, ...], name: str | None, where: str) -> RegistryDataset:
    matching = [d for d in listed if name in (None, d.name, d.label)]
    if len(matching) == 1:
        return matching[0]
    labels = ", ".join(sorted(d.label for d in matching or listed)) or "none"
    what = "name one of" if matching else f"{where} has no dataset {name!r}; it has"
    raise HarborError(f"{what}: {labels}")


def _place(row: RegistryTask, beside: Path, checkouts: Mapping[str, Path]) -> Path | str:
    """Return where a task lies, or why that is unknown."""
    root = checkouts.get(row.git_url) if row.git_url else beside
    place = (root or beside) / row.path
    if place.is_dir() or not row.git_url:
        return place
    commit = f" at {row.git_commit_id[:12]}" if row.git_commit_id else ""
    return f"lies in {row.git_url}{commit}: clone it and give its place in `checkouts`"
