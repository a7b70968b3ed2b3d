"""Harbor tasks on our own image, written for the tests of trials."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from tests.support.harbor_directories import write_task

DOCKERFILE = "FROM tmax/core:latest\nWORKDIR /app\n"
TOML = """\
version = "1.0"
[metadata]
difficulty = "easy"
category = "files"
[agent]
timeout_sec = 300.0
[verifier]
timeout_sec = {seconds}
[environment]
allow_internet = false
"""
GRADED = """\
#!/bin/bash
if grep -q hello /app/hello.txt; then reward=0.75; else reward=0; fi
echo "$reward" > /logs/verifier/reward.txt
"""


def trial_task(
    place: Path,
    name: str = "hello",
    files: Mapping[str, str | bytes | None] | None = None,
    *,
    seconds: float = 120.0,
) -> Path:
    """Write a task that needs only our image, with some files changed."""
    own: dict[str, str | bytes | None] = {
        "task.toml": TOML.format(seconds=seconds),
        "environment/Dockerfile": DOCKERFILE,
        "tests/test.sh": GRADED,
    }
    return write_task(place, name, {**own, **(files or {})})


def wheels(place: Path) -> Path:
    """Pack the installed pytest and its dependencies as wheels."""
    place.mkdir()
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        distribution = metadata.distribution(name)
        file = place / f"{name}-{distribution.version}-py3-none-any.whl"
        with zipfile.ZipFile(file, "w") as out:
            for path in distribution.files or ():
                if ".." not in path.parts and path.suffix != ".pyc":
                    out.write(str(distribution.locate_file(path)), str(path))
    return place
