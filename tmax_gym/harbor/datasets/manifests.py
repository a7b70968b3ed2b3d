"""Manifests: `dataset.toml`, which lists a dataset's packages, and `registry.json`.

Covers what each says, typed.  Does not cover finding the tasks: see `dataset.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks.fields import Table, as_table, read_json, read_toml, shown
from tmax_gym.harbor.tasks.task_toml import PACKAGE_NAME

_DIGEST = re.compile(r"sha256:[a-f0-9]{64}")


@dataclass(frozen=True, slots=True)
class PackageRef:
    """One task of a `dataset.toml`."""

    name: str
    """`org/name`."""
    digest: str
    """`sha256:…` over its content."""

    @property
    def short_name(self) -> str:
        """Return the name without the organisation."""
        return self.name.split("/", 1)[1]


@dataclass(frozen=True, slots=True)
class FileRef:
    """One file of a `dataset.toml` that belongs to no task."""

    path: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A `dataset.toml`."""

    name: str
    version: str | None = None
    description: str = ""
    keywords: tuple[str, ...] = ()
    tasks: tuple[PackageRef, ...] = ()
    files: tuple[FileRef, ...] = ()


@dataclass(frozen=True, slots=True)
class RegistryTask:
    """One task of a `registry.json`."""

    name: str
    path: str
    git_url: str | None = None
    git_commit_id: str | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """How a dataset's rewards are put together."""

    type: str
    kwargs: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class RegistryDataset:
    """One dataset of a `registry.json`."""

    name: str
    version: str
    description: str
    tasks: tuple[RegistryTask, ...]
    metrics: tuple[Metric, ...] = ()

    @property
    def label(self) -> str:
        """Return `name@version`."""
        return f"{self.name}@{self.version}"


def read_manifest(text: str, *, where: str = "dataset.toml") -> Manifest:
    """Return what a `dataset.toml` says.

    Raises:
        HarborError: It is no TOML, or a field has a wrong type or value.
    """
    root = read_toml(text, where)
    about = root.maybe_table("dataset")
    if about is None:
        raise root.fault("dataset", "a table")
    return Manifest(
        name=_package_name(about),
        version=about.maybe_text("version"),
        description=about.text_or("description", ""),
        keywords=about.texts("keywords"),
        tasks=tuple(
            PackageRef(_package_name(t), _digest(t, t.text("digest"))) for t in root.tables("tasks")
        ),
        files=tuple(_file(table) for table in root.tables("files")),
    )


def read_registry(text: str, *, where: str = "registry.json") -> tuple[RegistryDataset, ...]:
    """Return the datasets of a `registry.json`.

    Raises:
        HarborError: It is no JSON, or a field has a wrong type or value.
    """
    rows = read_json(text, where)
    if not isinstance(rows, list):
        raise HarborError(f"{where} is {shown(rows)}, not a list of datasets")
    tables = (as_table(row, f"{where}: [{i}]") for i, row in enumerate(rows))
    return tuple(
        RegistryDataset(
            name=table.text("name"),
            version=table.text("version"),
            description=table.text_or("description", ""),
            tasks=tuple(_registry_task(row) for row in table.tables("tasks")),
            metrics=tuple(
                Metric(row.text_or("type", "mean"), row.mapping("kwargs"))
                for row in table.tables("metrics")
            ),
        )
        for table in tables
    )


def _registry_task(row: Table) -> RegistryTask:
    path = row.text("path")
    if row.maybe_text("git_url") and (
        PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts
    ):
        raise row.fault("path", "within its repository")
    return RegistryTask(
        row.text("name"), path, row.maybe_text("git_url"), row.maybe_text("git_commit_id")
    )


def _package_name(table: Table) -> str:
    name = table.text("name")
    if not PACKAGE_NAME.fullmatch(name) or ".." in name:
        raise table.fault("name", "of the form org/name")
    return name


def _digest(table: Table, text: str) -> str:
    if not _DIGEST.fullmatch(text):
        raise table.fault("digest", "of the form sha256:<64 hex digits>")
    return text


def _file(table: Table) -> FileRef:
    path, digest = table.text("path"), table.text_or("digest", "")
    if "/" in path or "\\" in path:
        raise table.fault("path", "a plain file name")
    return FileRef(path, digest and _digest(table, digest))
