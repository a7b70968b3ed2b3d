"""Every attack on every backend: nothing reached, no reward, the host as before.

The machines are real; an attack that a backend does not promise to stop is skipped there and
says so, as the table in the documentation does.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attack_cases import ATTACKS, HACKS, Attack
from tests.attack_ground import ALIVE, SOLUTION, Ground, Seen, task
from tests.attack_play import HONEST, OPEN, open_to
from tmax_gym.agents import ScriptedAgent
from tmax_gym.rollout import rollout
from tmax_gym.sandboxes import Backend

ROOT = Path(__file__).parent.parent
STRANGER = 4242
"""A user id that owns nothing here."""
FORMS = ["native", *(pytest.param(name, marks=pytest.mark.docker) for name in ("docker", "podman"))]


class Theatre:
    """The ground of one backend, and what was played on it."""

    def __init__(self, backend: Backend, image: str) -> None:
        self.backend = backend
        self.ground = Ground(backend, image)
        self._seen: dict[str, Seen] = {}

    def seen(self, attack: Attack) -> Seen:
        if attack.name not in self._seen:
            cast = [a for a in ATTACKS if a.quiet] if attack.quiet else [attack]
            self._seen |= dict(zip((a.name for a in cast), self.ground.play(cast), strict=True))
        return self._seen[attack.name]


@pytest.fixture(scope="module", params=FORMS)
def theatre(request: pytest.FixtureRequest, image: str) -> Iterator[Theatre]:
    made = Theatre(request.getfixturevalue(f"{request.param}_backend"), image)
    with contextlib.closing(made.ground):
        yield made


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name.replace(" ", "_"))
def test_an_attack_reaches_nothing_and_earns_nothing(theatre: Theatre, attack: Attack) -> None:
    if open_to(attack, theatre.backend):
        pytest.skip(f"{theatre.backend.name} does not promise to stop it")
    assert theatre.seen(attack).wrong(attack) == []


def test_the_same_task_pays_honest_work_in_full(any_backend: Backend, image: str) -> None:
    seen = rollout(task(), ScriptedAgent([*SOLUTION, ALIVE]), backend=any_backend, image=image)
    assert seen.reward == 1.0, seen


def test_names_differ_and_every_attack_has_commands() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    assert all(isinstance(a.commands, tuple) and a.commands for a in ATTACKS)
    assert set(HACKS) <= {attack.name for attack in ATTACKS}


def _python() -> str:
    """Return an interpreter of this version that everybody may start."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for found in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        with contextlib.suppress(OSError):
            done = subprocess.run([found, "-V"], user=STRANGER, group=STRANGER, extra_groups=[],
                                  capture_output=True)  # fmt: skip
            if done.returncode == 0:
                return found
    pytest.skip(f"no {version} here that another user may start")


@pytest.fixture(scope="module")
def rootless() -> dict[str, list[str]]:
    """What a user without any rights sees of all attacks, through a user namespace."""
    if os.getuid() != 0:
        pytest.skip("`native` runs without root here: the other tests are these")
    with contextlib.ExitStack() as stack:
        # Not pytest's directory: that is closed to other users.
        base = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
        stack.callback(subprocess.run, ["rm", "-rf", str(base)])
        for name in ("tmax_gym", "tests", "pyproject.toml"):
            subprocess.run(["cp", "-r", str(ROOT / name), str(base)], check=True)
        (base / "cache").mkdir()
        subprocess.run(["chown", "-R", f"{STRANGER}:{STRANGER}", str(base)], check=True)
        words = [_python(), "-m", "tests.attack_play", "native", "--image", "host"]
        kept = {"PATH": os.environ["PATH"], "PYTHONPATH": sysconfig.get_path("purelib")}
        done = subprocess.run(
            words, user=STRANGER, group=STRANGER, extra_groups=[], cwd=base, timeout=240,
            env={**kept, "TMAX_CACHE": str(base / "cache"), "HOME": str(base)},
            capture_output=True, text=True,
        )  # fmt: skip
    if not done.stdout:
        if "cannot run here" in done.stderr or "Permission denied" in done.stderr:
            pytest.skip(done.stderr.strip().splitlines()[-1][:300])
        pytest.fail(done.stderr)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name.replace(" ", "_"))
def test_an_attack_on_a_user_namespace_reaches_nothing(
    rootless: dict[str, list[str]], attack: Attack
) -> None:
    wrong = rootless[attack.name]
    if wrong == [OPEN]:
        pytest.skip(f"without root there is no {attack.needs} limit here")
    assert wrong == []


def test_a_user_namespace_pays_honest_work_in_full(rootless: dict[str, list[str]]) -> None:
    assert HONEST not in rootless, rootless[HONEST]
