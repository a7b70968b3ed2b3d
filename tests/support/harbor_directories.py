"""Harbor task directories, written for the tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

MINIMAL: Mapping[str, str] = {
    "task.toml": 'version = "1.0"\n[agent]\ntimeout_sec = 900.0\n',
    "instruction.md": "Write hello to /app/hello.txt.\n",
    "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\n",
    "solution/solve.sh": "#!/bin/bash\necho hello > /app/hello.txt\n",
    "tests/test.sh": "#!/bin/bash\ngrep -q hello /app/hello.txt\n"
    "echo $((1 - $?)) > /logs/verifier/reward.txt\n",
}


def write_task(
    place: Path, name: str = "hello", files: Mapping[str, str | bytes | None] | None = None
) -> Path:
    """Write the minimal task with some files changed; None leaves one out."""
    home = place / name
    for path, content in {**MINIMAL, **(files or {})}.items():
        if content is None:
            continue
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return home
