"""Manifests: `dataset.toml`, which lists a dataset's packages, and `registry.json`.

`dataset.py` finds the tasks that they list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import model_validator
from pydantic.dataclasses import dataclass

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks.fields import read_json, read_toml
from tmax_gym.harbor.tasks.values import PackageName, must_be
from tmax_gym.validation import FieldError, validated

_SHA256 = re.compile(r"sha256:[a-f0-9]{64}")
_DIGEST = "of the form sha256:<64 hex digits>"


@dataclass(frozen=True, slots=True)
class PackageRef:
    """One task of a `dataset.toml`."""

    name: PackageName
    """`org/name`."""
    digest: Annotated[str, must_be(_DIGEST, _SHA256.fullmatch)]
    """`sha256:…` over its content."""

    @property
    def short_name(self) -> str:
        """Return the name without the organisation."""
        return self.name.split("/", 1)[1]


@dataclass(frozen=True, slots=True)
class FileRef:
    """One file of a `dataset.toml` that belongs to no task."""

    path: Annotated[str, must_be("a plain file name", lambda t: not set(t) & {"/", "\\"})]
    digest: Annotated[str, must_be(_DIGEST, lambda t: not t or _SHA256.fullmatch(t))] = ""


@dataclass(frozen=True, slots=True)
class About:
    """What a `dataset.toml` says of the dataset as a whole."""

    name: PackageName
    version: str | None = None
    description: str = ""
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """A `dataset.toml`."""

    dataset: About
    tasks: tuple[PackageRef, ...] = ()
    files: tuple[FileRef, ...] = ()


@dataclass(frozen=True, slots=True)
class RegistryTask:
    """One task of a `registry.json`."""

    name: str
    path: str
    git_url: str | None = None
    git_commit_id: str | None = None

    @model_validator(mode="after")
    def _stays_in_its_repository(self) -> RegistryTask:
        path = PurePosixPath(self.path)
        if self.git_url and (path.is_absolute() or ".." in path.parts):
            raise FieldError("path", "not within its repository")
        return self


@dataclass(frozen=True, slots=True)
class Metric:
    """How a dataset's rewards are put together."""

    type: str = "mean"
    kwargs: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class RegistryDataset:
    """One dataset of a `registry.json`."""

    name: str
    version: str
    description: str = ""
    tasks: tuple[RegistryTask, ...] = ()
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
    return validated(Manifest, read_toml(text, where), where=where, error=HarborError)


def read_registry(text: str, *, where: str = "registry.json") -> tuple[RegistryDataset, ...]:
    """Return the datasets of a `registry.json`.

    Raises:
        HarborError: It is no JSON, or a field has a wrong type or value.
    """
    rows = read_json(text, where)
    return validated(tuple[RegistryDataset, ...], rows, where=where, error=HarborError)
