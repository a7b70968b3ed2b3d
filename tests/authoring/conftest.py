"""Stored texts in a directory of the test's own."""

from pathlib import Path

import pytest

from tmax_gym.tasks import catalogue
from tmax_gym.tasks import folder as folder_module
from tmax_gym.tasks.compose import Task


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(folder_module, "texts", lambda: tmp_path / "texts")
    return tmp_path / "texts"


@pytest.fixture
def tasks(folder: Path) -> list[Task]:
    """Return four tasks of one stage of one family, without stored texts."""
    single = [spec for spec in catalogue.select(family="space-crisis") if len(spec.plan) == 1]
    return [catalogue.load(spec.name) for spec in single[:4]]
