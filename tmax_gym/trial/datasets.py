"""Whole datasets as Gymnasium environments: `load_dataset`.

Covers directories of Harbor tasks and their manifests; what is wrong with a task is one line and
never stops the others.  Does not cover data in other formats: see `tmax_gym.readers`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from gymnasium.envs.registration import EnvSpec, registry

from tmax_gym.errors import HarborError
from tmax_gym.harbor.dataset import Problem, read_dataset
from tmax_gym.harbor.manifests import Metric
from tmax_gym.trial.settings import Settings
from tmax_gym.trial.task import TrialTask

_NAME = re.compile(r"[\w.:-]+")


@dataclass(frozen=True, slots=True)
class Dataset:
    """What was loaded."""

    name: str
    tasks: tuple[TrialTask, ...]
    """Sorted by name; also those that this machine cannot run (`TrialTask.obstacle`)."""
    problems: tuple[Problem, ...] = ()
    version: str | None = None
    metrics: tuple[Metric, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the Gymnasium ids."""
        return tuple(task.name for task in self.tasks)

    def task(self, name: str) -> TrialTask:
        """Return a task by its id, or by the part after the slash.

        Raises:
            HarborError: There is none.
        """
        for task in self.tasks:
            if name in (task.name, task.harbor.name, task.harbor.title):
                return task
        raise HarborError(f"dataset {self.name} has no task {name!r}")


def load_dataset(
    path: str | Path,
    *,
    name: str | None = None,
    settings: Settings | None = None,
    can: Set[str] = frozenset(),
    checkouts: Mapping[str, Path] | None = None,
) -> Dataset:
    """Read a dataset and register `<name>/<task>` for each of its tasks.

    Args:
        path: A directory of Harbor tasks, one task, a `dataset.toml` or a `registry.json`.
        name: The namespace of the ids; the dataset's own name if None.
        settings: How the tasks are run.
        can: What the sandboxes here can do beyond a plain container: see `harbor.support`.
        checkouts: Where git repositories have been cloned, by URL; for a registry.

    Raises:
        HarborError: There is nothing at this path, or the manifest itself cannot be read.
    """
    found = read_dataset(Path(path), name=name, can=can, checkouts=checkouts)
    space = name or found.name
    if not _NAME.fullmatch(space):
        raise HarborError(f"{space!r} cannot begin a Gymnasium id: give another as `name`")
    kept, problems = [], list(found.problems)
    for task in found.tasks:
        if not _NAME.fullmatch(task.name):
            problems.append(Problem(task.name, "its name cannot be part of a Gymnasium id"))
            continue
        kept.append(TrialTask(f"{space}/{task.name}", task, settings or Settings()))
    register(kept)
    return Dataset(space, tuple(kept), tuple(problems), found.version, found.metrics)


def register(tasks: Iterable[TrialTask]) -> None:
    """Add the ids of tasks; one that was there is replaced: its directory may have changed."""
    registry.update(
        (
            task.name,
            EnvSpec(
                task.name,
                entry_point="tmax_gym.trial.task:TrialEnv",
                nondeterministic=True,
                kwargs={
                    "trial": str(task.harbor.directory),
                    "name": task.name,
                    "settings": task.settings,
                },
            ),
        )
        for task in tasks
    )
