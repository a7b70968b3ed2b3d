import select
import signal
import subprocess
import threading
from collections.abc import Callable

import pytest

from tests.support.tiny_tasks import faulty_task, halves_task, sum_task
from tmax_gym.agents import rollout as rollouts
from tmax_gym.agents.agent import ScriptedAgent, Turn, noop, oracle
from tmax_gym.agents.rollout import rollout, rollout_group
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.errors import HarborError, ImageError, ModelError
from tmax_gym.sandboxes import Backend, Layer, Limits, Sandbox
from tmax_gym.trajectory import Ending, from_json, to_json


class Recorded:
    """A real backend that records the machines it opened."""

    def __init__(self, inner: Backend) -> None:
        self.inner = inner
        self.name = inner.name
        self.opened: list[Sandbox] = []
        self._lock = threading.Lock()

    def problem(self) -> str | None:
        return self.inner.problem()

    def capabilities(self) -> frozenset[str]:
        return self.inner.capabilities()

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> Sandbox:
        sandbox = self.inner.open(image, limits=limits, layer=layer)
        with self._lock:
            self.opened.append(sandbox)
        return sandbox


class Saboteur(ScriptedAgent):
    """Works through the solution, with a sabotage before its second command."""

    def __init__(self, strike: Callable[[], None]) -> None:
        super().__init__(sum_task().oracle, name="saboteur")
        self._strike = strike

    def act(self, observation: str) -> Turn:
        if self._place == 1:
            self._strike()
        return super().act(observation)


def test_the_oracle_earns_one_and_every_step_is_kept(native_backend: Backend) -> None:
    seen = rollout(sum_task(), oracle(sum_task()), backend=native_backend, seed=4)
    assert (seen.reward, seen.ending, seen.agent, seen.seed) == (1.0, Ending.SUBMITTED, "oracle", 4)
    assert [s.action for s in seen.steps] == [*sum_task().oracle, SUBMIT]
    assert [s.exit_code for s in seen.steps] == [0, 0, None]
    assert dict(seen.parts) == {"inputs": 1.0, "content": 1.0}
    assert from_json(to_json(seen)) == seen


def test_doing_nothing_earns_zero(native_backend: Backend) -> None:
    seen = rollout(sum_task(), noop(), backend=native_backend)
    assert (seen.reward, seen.ending) == (0.0, Ending.SUBMITTED)


def test_an_agent_that_stops_is_graded(native_backend: Backend) -> None:
    agent = ScriptedAgent(["echo a > one"], submit=False)
    seen = rollout(halves_task(), agent, backend=native_backend)
    assert (seen.reward, seen.ending) == (0.25, Ending.AGENT_STOPPED)


def test_the_step_limit_is_graded(native_backend: Backend) -> None:
    agent = ScriptedAgent(["echo a > one", "echo b > two", "rm one"])
    seen = rollout(halves_task(), agent, backend=native_backend, limits=EpisodeLimits(max_steps=2))
    assert (seen.reward, seen.ending, len(seen.steps)) == (1.0, Ending.STEP_LIMIT, 2)


class Mumbler:
    """A model that never gives a usable reply."""

    name = "mumbler"
    tokens = None

    def __init__(self, ending: Ending | None = None) -> None:
        self.ending = ending

    def reset(self, instruction: str, *, seed: int) -> None:
        self.turns = 0

    def act(self, observation: str) -> Turn:
        self.turns += 1
        assert observation == ""
        return Turn(reply="hm", feedback="Say a command.", ending=self.ending)


def test_replies_without_a_command_use_up_the_steps(native_backend: Backend) -> None:
    seen = rollout(
        halves_task(), Mumbler(), backend=native_backend, limits=EpisodeLimits(max_steps=3)
    )
    assert (seen.reward, seen.ending, len(seen.steps)) == (0.0, Ending.STEP_LIMIT, 3)
    assert (seen.steps[0].action, seen.steps[0].reply) == ("", "hm")
    assert seen.steps[0].observation == "Say a command."


@pytest.mark.parametrize("ending", [Ending.FORMAT_ERROR, Ending.CONTEXT_LIMIT])
def test_an_agent_that_cannot_go_on_is_graded(native_backend: Backend, ending: Ending) -> None:
    seen = rollout(halves_task(), Mumbler(ending), backend=native_backend)
    assert (seen.reward, seen.ending, len(seen.steps)) == (0.0, ending, 1)


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (ConnectionError("out of luck"), Ending.AGENT_ERROR),
        (ModelError("out of luck"), Ending.MODEL_ERROR),
        (HarborError("out of luck"), Ending.TASK_ERROR),
    ],
)
def test_an_agent_that_fails_has_no_reward_and_no_second_try(
    error: Exception, ending: Ending, native_backend: Backend
) -> None:
    def strike() -> None:
        raise error

    seen = rollout(sum_task(), Saboteur(strike), backend=native_backend)
    assert (seen.reward, seen.ending, seen.attempts) == (None, ending, 1)
    assert "out of luck" in seen.message
    assert len(seen.steps) == 1


def test_a_faulty_verifier_gives_no_reward(native_backend: Backend) -> None:
    seen = rollout(faulty_task(), noop(), backend=native_backend)
    assert (seen.reward, seen.ending, seen.attempts) == (None, Ending.VERIFIER_ERROR, 1)
    assert "check bug" in seen.message


def test_a_missing_image_stops_the_run(native_backend: Backend) -> None:
    with pytest.raises(ImageError):
        rollout(sum_task(), noop(), backend=native_backend, image="/no/such/image")


def test_nothing_stays_open(native_backend: Backend) -> None:
    recorded = Recorded(native_backend)
    rollout(sum_task(), oracle(sum_task()), backend=recorded)
    rollout(sum_task(), Saboteur(lambda: 1 / 0), backend=recorded)  # type: ignore[arg-type]
    for sandbox in recorded.opened:
        with pytest.raises(rollouts.SandboxError):
            sandbox.exec(["true"])


def test_members_of_a_group_have_their_own_seeds_and_machines(native_backend: Backend) -> None:
    group = rollout_group(
        sum_task(), lambda: oracle(sum_task()), size=6, backend=native_backend, seed=100, threads=3
    )
    assert group.task == "sum.plain-1"
    assert [t.seed for t in group.trajectories] == [100, 101, 102, 103, 104, 105]
    assert group.rewards == (1.0,) * 6


UNHURRIED = EpisodeLimits(command_timeout=300.0, verify_timeout=300.0, episode_seconds=1200.0)
"""Long limits, because a command that a busy host ends would be graded."""


def kill(sandbox: Sandbox, backend: Backend) -> None:
    """Kill a machine from outside, as a crash of the host's engine would; return when it is dead.

    A busy host takes some time, during which the machine goes on.
    """
    if backend.name == "native":
        pidfd = sandbox._pidfd  # type: ignore[attr-defined]
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        assert poller.poll(60_000), "it does not die"
    else:
        subprocess.run([backend.name, "kill", sandbox.id], check=True, capture_output=True)
        subprocess.run([backend.name, "wait", sandbox.id], capture_output=True, timeout=60)


def check_that_a_killed_machine_is_replaced(machines: Backend, image: str) -> None:
    recorded = Recorded(machines)
    strikes: list[int] = []
    lock = threading.Lock()

    def strike() -> None:
        with lock:
            strikes.append(1)
            if len(strikes) == 1:
                kill(recorded.opened[0], machines)

    group = rollout_group(
        sum_task(),
        lambda: Saboteur(strike),
        size=3,
        backend=recorded,
        image=image,
        retries=1,
        limits=UNHURRIED,
    )
    assert group.rewards == (1.0, 1.0, 1.0), group.trajectories
    assert sorted(t.attempts for t in group.trajectories) == [1, 1, 2]
    assert sorted(len(t.faults) for t in group.trajectories) == [0, 0, 1]
    # One machine for each member and one replacement; the verifier opens none here.
    assert len(recorded.opened) == 4


def check_that_what_cannot_be_replaced_is_masked(machines: Backend, image: str) -> None:
    recorded = Recorded(machines)

    def strike() -> None:
        kill(recorded.opened[-1], machines)

    agents = iter([Saboteur(strike), oracle(sum_task()), noop()])
    group = rollout_group(
        sum_task(),
        lambda: next(agents),
        size=3,
        backend=recorded,
        image=image,
        retries=1,
        threads=1,
        limits=UNHURRIED,
    )
    lost, solved, idle = group.trajectories
    assert (lost.reward, lost.ending, lost.attempts) == (None, Ending.INFRA_ERROR, 2)
    assert lost.message
    assert (solved.reward, idle.reward) == (1.0, 0.0)
    assert group.rewards == (1.0, 0.0)


def test_a_killed_machine_in_a_group_is_replaced(native_backend: Backend, image: str) -> None:
    check_that_a_killed_machine_is_replaced(native_backend, image)


def test_a_machine_that_dies_every_time_is_masked_and_never_zero(
    native_backend: Backend, image: str
) -> None:
    check_that_what_cannot_be_replaced_is_masked(native_backend, image)


@pytest.mark.docker
def test_a_killed_container_in_a_group_is_replaced(docker_backend: Backend, image: str) -> None:
    check_that_a_killed_machine_is_replaced(docker_backend, image)


@pytest.mark.docker
def test_a_container_that_dies_every_time_is_masked_and_never_zero(
    docker_backend: Backend, image: str
) -> None:
    check_that_what_cannot_be_replaced_is_masked(docker_backend, image)
