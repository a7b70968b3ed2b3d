"""Drafts: a task of another schema on its way to a Harbor directory, and the cache of those.

A draft is written once below the cache's root, whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import tomli_w

from tmax_gym.errors import HarborError
from tmax_gym.sandboxes.images import cache_root

PROBLEMS = ".problems.json"
_UNFIT = re.compile(r"[^\w.:-]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """One task, whatever its schema was."""

    name: str
    instruction: str
    dockerfile: str = ""
    """Text; "" where `image` is all."""
    image: str = ""
    environment: Mapping[str, bytes] = field(default_factory=dict)
    """Files beside the Dockerfile."""
    tests: Mapping[str, bytes] = field(default_factory=dict)
    """Files of `/tests`, a test.sh among them."""
    solution: Mapping[str, bytes] = field(default_factory=dict)
    """Files of `/solution`, a solve.sh among them; empty for none."""
    metadata: Mapping[str, object] = field(default_factory=dict)
    agent_seconds: float = 600.0
    verifier_seconds: float = 120.0
    workdir: str = ""
    toml: str = ""
    """A whole `task.toml` in place of one from the fields above."""


Made = Draft | str
"""A draft, or why there is none: `name: reason`."""


def kept(name: str, fill: Callable[[Path], None]) -> Path:
    """Return a directory of the cache, filled once.

    Args:
        name: Identifies the content.
        fill: Fills an empty directory; called where there is none of this name yet.
    """
    place = cache_root() / "drafts" / name
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        fill(aside)
        aside.chmod(0o755)
        try:
            aside.rename(place)
        except OSError:
            if not place.is_dir():  # otherwise another process was first
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return place


def identity(paths: Iterable[Path]) -> str:
    """Return a hash of the paths, sizes and times of files, without reading them."""
    rows = []
    for path in sorted(paths):
        info = path.stat()
        rows.append([str(path.resolve()), info.st_size, info.st_mtime_ns])
    return hashlib.blake2b(json.dumps(rows).encode(), digest_size=8).hexdigest()


def write_all(drafts: Iterable[Made], place: Path) -> None:
    """Write drafts below a directory; the reasons why others are missing go beside them."""
    problems = []
    for draft in drafts:
        if isinstance(draft, str):
            problems.append(draft)
            continue
        try:
            write(draft, place)
        except HarborError as error:
            problems.append(f"{draft.name}: {error}")
    (place / PROBLEMS).write_text(json.dumps(problems), encoding="utf-8")


def write(draft: Draft, place: Path) -> Path:
    """Write one draft as a Harbor task directory; return it.

    Raises:
        HarborError: Something that every task has is missing, or a file leads out of it.
    """
    if not draft.instruction.strip():
        raise HarborError("it has no instruction")
    if "test.sh" not in draft.tests:
        raise HarborError("it has no tests")
    home = place / fitting(draft.name)
    if home.exists():
        raise HarborError("another task has the same name")
    files: dict[str, bytes] = {
        "task.toml": (draft.toml or _settings(draft)).encode(),
        "instruction.md": draft.instruction.encode(errors="replace"),
        **{f"environment/{name}": data for name, data in draft.environment.items()},
        **{f"tests/{name}": data for name, data in draft.tests.items()},
        **{f"solution/{name}": data for name, data in draft.solution.items()},
    }
    if draft.dockerfile:
        files["environment/Dockerfile"] = draft.dockerfile.encode()
    for name in files:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\0" in name:
            raise HarborError(f"its file {name!r} leads out of it")
    for name, data in files.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        os.chmod(file, 0o755 if name.endswith(".sh") else 0o644)
    return home


def fitting(name: str) -> str:
    """Return a name that a directory and a Gymnasium id can have.

    >>> fitting("a/b c__d-1")
    'a-b-c__d-1'
    """
    return _UNFIT.sub("-", name).strip("-.") or "task"


def _settings(draft: Draft) -> str:
    machine: dict[str, object] = {"cpus": 1, "memory_mb": 2048, "allow_internet": True}
    if draft.image:
        machine["docker_image"] = draft.image
    if draft.workdir:
        machine["workdir"] = draft.workdir
    return tomli_w.dumps(
        {
            "schema_version": "1.1",
            "metadata": {k: v for k, v in draft.metadata.items() if v not in (None, "", [])},
            "agent": {"timeout_sec": draft.agent_seconds},
            "verifier": {"timeout_sec": draft.verifier_seconds},
            "environment": machine,
        }
    )
