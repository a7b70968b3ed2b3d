"""Every attack on every backend: nothing reached, no reward, the host as before.

The machines are real; an attack that a backend does not promise to stop is skipped there and
says so, as the table in the documentation does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from tests.support.attack_cases import ATTACKS, HACKS, Attack
from tests.support.attack_ground import ALIVE, SOLUTION, Ground, Seen, task
from tests.support.attack_play import HONEST, OPEN, NoStranger, open_to, play_as_stranger
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.sandboxes import Backend

ENGINES = [pytest.param(name, marks=pytest.mark.docker) for name in ("docker", "podman")]
FORMS = ["native", "gvisor", *ENGINES]


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
        pytest.xfail(f"{theatre.backend.name} does not promise to stop it")
    assert theatre.seen(attack).wrong(attack) == []


def test_the_same_task_pays_honest_work_in_full(any_backend: Backend, image: str) -> None:
    seen = rollout(task(), ScriptedAgent([*SOLUTION, ALIVE]), backend=any_backend, image=image)
    assert seen.reward == 1.0, seen


def test_names_differ_and_every_attack_has_commands() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    assert all(isinstance(a.commands, tuple) and a.commands for a in ATTACKS)
    assert set(HACKS) <= {attack.name for attack in ATTACKS}


@pytest.fixture(scope="module")
def rootless() -> dict[str, list[str]]:
    """All attacks as a user without any rights plays them, through a user namespace."""
    try:
        return play_as_stranger()
    except NoStranger as reason:
        pytest.skip(str(reason))


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name.replace(" ", "_"))
def test_an_attack_on_a_user_namespace_reaches_nothing(
    rootless: dict[str, list[str]], attack: Attack
) -> None:
    wrong = rootless[attack.name]
    if wrong == [OPEN]:
        pytest.xfail(f"without root there is no {attack.needs} limit here")
    assert wrong == []


@pytest.mark.slow
def test_a_user_namespace_pays_honest_work_in_full(rootless: dict[str, list[str]]) -> None:
    assert HONEST not in rootless, rootless[HONEST]
