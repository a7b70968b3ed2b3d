"""Datasets: directories of task directories, a `dataset.toml` beside them, or a `registry.json`.

Tasks may be in groups (`dataset/group/task`); their names are their paths below the dataset.
What is wrong with a task becomes a `Problem` of one line and never stops the others.  Nothing is
fetched: tasks of a git repository must have been cloned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from tmax_gym.errors import HarborError
from tmax_gym.harbor.datasets.manifests import (
    Manifest,
    Metric,
    RegistryDataset,
    RegistryTask,
    read_manifest,
    read_registry,
)
from tmax_gym.harbor.tasks import trees
from tmax_gym.harbor.tasks.directory import HarborTask, read_task
from tmax_gym.harbor.tasks.fields import printable
from tmax_gym.harbor.tasks.names import shown_name

DEEPEST = 3
"""Levels of groups above a task."""
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
    """The tasks of a dataset, and what is wrong with others."""

    name: str
    tasks: tuple[HarborTask, ...]
    """Sorted by name; also those that no sandbox here can run (`HarborTask.unsupported`)."""
    problems: tuple[Problem, ...] = ()
    version: str | None = None
    description: str = ""
    metrics: tuple[Metric, ...] = ()


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
        return _collected(name or path.name, [(path.name, path)], can)
    dataset = _collected(name or path.name, sorted(_candidates(path)), can)
    if (path / "dataset.toml").is_file():
        text = trees.read_text(path / "dataset.toml", "dataset.toml")
        return _listed(read_manifest(text), dataset, name)
    return dataset


def _candidates(
    path: Path, above: tuple[Path, ...] = (), prefix: str = ""
) -> Iterator[tuple[str, Path]]:
    """Yield directories that are tasks or look like one, with their paths below the dataset.

    A directory with tasks in it is a group, unless it is a task itself.
    """
    for child in path.iterdir():
        if child.name.startswith(".") or not child.is_dir():
            continue
        if (child / "task.toml").exists():
            yield f"{prefix}{child.name}", child
            continue
        here = (*above, path.resolve())
        if child.resolve() in here:  # a link upwards
            continue
        inside = _group(child, here, f"{prefix}{child.name}/")
        if inside:
            yield from inside
        elif any((child / name).exists() for name in _LOOKS_LIKE_TASK):
            yield f"{prefix}{child.name}", child


def _group(path: Path, above: tuple[Path, ...], prefix: str) -> list[tuple[str, Path]]:
    """Return what a group holds; nothing where no task is in it."""
    if len(above) > DEEPEST:
        return []
    try:
        inside = list(_candidates(path, above, prefix))
    except OSError:  # a directory that may not be read is no group
        return []
    return inside if any((place / "task.toml").exists() for _, place in inside) else []


def _collected(name: str, places: Iterable[tuple[str, Path]], can: Set[str]) -> HarborDataset:
    tasks: dict[str, HarborTask] = {}
    problems: list[Problem] = []
    for path, directory in places:
        try:
            task = replace(read_task(directory, can=can), name=shown_name(path))
        except HarborError as error:
            problems.append(Problem(printable(path), printable(str(error))))
            continue
        if task.name in tasks:
            problems.append(Problem(task.name, "it is listed twice"))
        else:
            tasks[task.name] = task
    ordered = tuple(tasks[key] for key in sorted(tasks))
    return HarborDataset(name, ordered, tuple(problems))


def _listed(manifest: Manifest, dataset: HarborDataset, name: str | None) -> HarborDataset:
    """Return the tasks that a manifest lists; differences are problems."""
    problems = list(dataset.problems)
    kept: dict[str, HarborTask] = {}
    broken = {problem.name for problem in problems}
    for ref in manifest.tasks:
        own = [t for t in dataset.tasks if t.title == ref.name]
        own = own or [t for t in dataset.tasks if _short_name(t) == ref.short_name]
        if len(own) > 1:  # groups may have tasks of the same name
            own.sort(key=lambda task: task.digest() != ref.digest)
        if not own:
            if ref.short_name not in broken:
                problems.append(Problem(ref.name, "listed in dataset.toml, and not here"))
        elif (seen := own[0].digest()) != ref.digest:
            text = f"its content is {seen[:15]}…, dataset.toml has {ref.digest[:15]}…"
            problems.append(Problem(own[0].name, text))
        kept |= {t.name: t for t in own[:1]}
    if not manifest.tasks:
        kept = {task.name: task for task in dataset.tasks}
    problems += [
        Problem(task.name, "not listed in dataset.toml")
        for task in dataset.tasks
        if task.name not in kept
    ]
    return HarborDataset(
        name or manifest.dataset.name.split("/", 1)[1],
        tuple(kept[key] for key in sorted(kept)),
        tuple(problems),
        manifest.dataset.version,
        manifest.dataset.description,
    )


def _short_name(task: HarborTask) -> str | None:
    """Return what a task without an organisation is called, None where it has one."""
    package = task.config.task
    if package is None:
        return task.directory.name
    return None if "/" in package.name else package.name


def _from_registry(
    path: Path, name: str | None, can: Set[str], checkouts: Mapping[str, Path]
) -> HarborDataset:
    listed = read_registry(trees.read_text(path, path.name), where=path.name)
    chosen = _chosen(listed, name, path.name)
    names = Counter(PurePosixPath(row.path).name for row in chosen.tasks)
    directories: list[tuple[str, Path]] = []
    problems: list[Problem] = []
    for row in chosen.tasks:
        place = _place(row, path.resolve().parent, checkouts)
        if isinstance(place, Path):
            alone = names[PurePosixPath(row.path).name] == 1
            directories.append((place.name if alone else PurePosixPath(row.path).as_posix(), place))
        else:
            problems.append(Problem(row.name, place))
    dataset = _collected(chosen.name, directories, can)
    return HarborDataset(
        chosen.name,
        dataset.tasks,
        (*problems, *dataset.problems),
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
