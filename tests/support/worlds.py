"""The worlds of `world_cases.py` as Harbor tasks, and their results on a kind of sandbox."""

from __future__ import annotations

from pathlib import Path

from tests.support.trial_tasks import trial_task
from tests.support.world_cases import Entry, Link, Made, World
from tmax_gym.agents.agent import noop
from tmax_gym.agents.rollout import rollout
from tmax_gym.errors import HarborError
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.harbor.tasks.directory import read_task
from tmax_gym.sandboxes import Backend

TEST = """\
#!/bin/bash
is() {{ [ "$1" = "$2" ] || {{ echo "there is: $1"; echo "there must be: $2"; return 1; }}; }}
at() {{ stat -c %a:%u:%g -- "$1"; }}
check() {{ (
set -e
{check}
) }}
check
if [ $? = 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
"""
RIGHT = "right"


def write_world(place: Path, world: World) -> Path:
    """Write a world's task; return its directory."""
    script = TEST.format(check=world.check.replace("; ", "\n"))
    home = trial_task(place, world.name, {
        "environment/Dockerfile": world.dockerfile, "tests/test.sh": script,
    })  # fmt: skip
    modes: dict[Path, int] = {}
    for name, entry in world.files.items():
        path = home / name.lstrip("/") if name.startswith("/") else home / "environment" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _make(path, entry)
        if isinstance(entry, Made):
            modes[path] = entry.mode
    for path in sorted(home.rglob("*")):  # independent of the umask
        if not path.is_symlink() and path not in modes:
            path.chmod(0o755 if path.is_dir() else 0o644)
    for path in sorted(modes, reverse=True):
        path.chmod(modes[path])
    return home


def _make(path: Path, entry: Entry) -> None:
    if isinstance(entry, Link):
        path.symlink_to(entry.target)
        return
    content = entry.content if isinstance(entry, Made) else entry
    if content is None:
        path.mkdir(exist_ok=True)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def seen(place: Path, world: World, backend: Backend) -> str:
    """Return `right`, `wrong: …` with what the check said, or `refused: …` with the reason."""
    try:
        trial = TrialTask(world.name, read_task(write_world(place, world)), HarborSettings())
    except HarborError as error:
        return f"refused: {error}"
    played = rollout(trial, noop(), backend=backend, retries=0)
    if played.reward is None:
        return f"refused: {played.message}"
    return RIGHT if played.reward == 1.0 else f"wrong: {played.reward}"


def fits(expected: str, outcome: str) -> bool:
    """Return whether an outcome is what the table expects."""
    reason = expected.removeprefix("may: ")
    if outcome.startswith("refused: "):
        return bool(reason) and reason in outcome
    return outcome == RIGHT and (not expected or expected != reason)


def expected(world: World, backend: str) -> str:
    """Return the outcome in the table for a kind of sandbox."""
    return world.native if backend == "native" else world.docker
