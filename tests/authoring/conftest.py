"""Stored texts in a directory of the test's own."""

from pathlib import Path

import pytest

from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "texts_folder", lambda: tmp_path / "texts")
    return tmp_path / "texts"


@pytest.fixture
def tasks(folder: Path) -> list[Task]:
    """Return four short tasks of one family, without stored texts."""
    short = catalogue.select(family="space-crisis", complexity="short")
    return [catalogue.load(spec.name) for spec in short[:4]]
