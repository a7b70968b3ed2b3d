"""Fixtures that several test modules share: machines, and a catalogue of tiny tasks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gymnasium import registry

from tests.tiny_tasks import by_name
from tmax_gym import catalogue, register_tasks
from tmax_gym.errors import BackendUnavailable, TaskNotFound
from tmax_gym.sandboxes import Backend, backend
from tmax_gym.task import Task


@pytest.fixture(scope="session")
def machines() -> Backend:
    """The quickest real backend, or a skip with the reason why there is none."""
    try:
        return backend("native")
    except BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def tiny_catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Catalogue the tiny tasks; yields the id of the first."""
    tasks = by_name()

    def load(name: str) -> Task:
        plain = name.removeprefix(catalogue.PREFIX)
        if plain not in tasks:
            raise TaskNotFound(f"no task is called {plain!r}")
        return tasks[plain]

    before = dict(registry)
    monkeypatch.setattr(catalogue, "load", load)
    register_tasks(tasks)
    yield f"tmax/{next(iter(tasks))}"
    registry.clear()
    registry.update(before)
