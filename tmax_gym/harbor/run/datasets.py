"""Load datasets of Harbor tasks as Gymnasium environments: `load_dataset`.

A task that is wrong becomes a problem of one line and never stops the others.  Tasks may have any
name; characters that Gymnasium refuses in an id are spelt (`harbor.tasks.names`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gymnasium.envs.registration import EnvSpec, registry

from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.errors import HarborError
from tmax_gym.harbor.datasets.dataset import Problem, read_dataset
from tmax_gym.harbor.datasets.manifests import Metric
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.harbor.tasks.directory import read_task
from tmax_gym.harbor.tasks.names import gym_id, shown_name


@dataclass(frozen=True, slots=True)
class Dataset:
    """The tasks of a dataset, and the problems of others."""

    name: str
    tasks: tuple[TrialTask, ...]
    """Sorted by name, also tasks that this machine cannot run (`TrialTask.obstacle`)."""
    problems: tuple[Problem, ...] = ()
    version: str | None = None
    metrics: tuple[Metric, ...] = ()

    def __repr__(self) -> str:
        """Return the name and the numbers of tasks and problems; tasks hold whole directories."""
        wrong = f", {len(self.problems)} problems" if self.problems else ""
        return f"<Dataset {self.name}: {len(self.tasks)} tasks{wrong}>"

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the Gymnasium ids."""
        return tuple(task.id for task in self.tasks)

    def task(self, name: str) -> TrialTask:
        """Return a task by its id, by its name with or without the dataset's, or by its title.

        Raises:
            HarborError: There is no such task.
        """
        for task in self.tasks:
            if name in (task.id, task.name, task.harbor.name, task.harbor.title):
                return task
        raise HarborError(f"dataset {self.name} has no task {name!r}")


def load_dataset(
    path: str | Path,
    *,
    name: str | None = None,
    settings: HarborSettings | None = None,
    can: Set[str] = frozenset(),
    checkouts: Mapping[str, Path] | None = None,
) -> Dataset:
    """Read a dataset and register `<name>/<task>` for each of its tasks.

    Args:
        path: A directory of Harbor tasks, one task, a `dataset.toml` or a `registry.json`.
        name: The namespace of the ids; the dataset's own name if None.
        settings: How the tasks are run.
        can: What sandboxes here can do beyond a plain container: see `harbor.tasks.support`.
        checkouts: For a registry: the clones of git repositories, by URL.

    Raises:
        HarborError: There is nothing at this path, or the manifest itself cannot be read.
    """
    read = read_dataset(Path(path), name=name, can=can, checkouts=checkouts)
    space = shown_name(name or read.name) or "dataset"
    chosen = settings or HarborSettings()
    kept = tuple(
        TrialTask(f"{space}/{task.name}", task, chosen, id=gym_id(space, task.name))
        for task in read.tasks
    )
    register(kept)
    return Dataset(space, kept, read.problems, read.version, read.metrics)


def register(tasks: Iterable[TrialTask]) -> None:
    """Register the ids of tasks, in place of earlier ones: directories may have changed."""
    registry.update(
        (
            task.id,
            EnvSpec(
                task.id,
                entry_point="tmax_gym.harbor.run.datasets:terminal",
                nondeterministic=True,
                kwargs={
                    "directory": str(task.harbor.directory),
                    "name": task.name,
                    "settings": task.settings,
                },
            ),
        )
        for task in tasks
    )


def terminal(directory: str, *, name: str, settings: HarborSettings, **options: Any) -> TerminalEnv:
    """Return the environment of a task's directory; `gym.make` calls this.

    Raises:
        HarborError: The directory holds no task.
    """
    return TerminalEnv(TrialTask(name, read_task(Path(directory)), settings), **options)
