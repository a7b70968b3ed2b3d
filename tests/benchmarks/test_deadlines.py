"""Outer limits are sums of inner ones, whatever the inner ones are."""

import json
import time
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.deadlines import Deadlines, deadlines, patience
from tests.support.tiny_tasks import equals, sum_task, tiny_task
from tmax_gym.agents.agent import ScriptedAgent, Turn
from tmax_gym.agents.rollout import RECOVERY, RETRY_SECONDS, rollout
from tmax_gym.checks.check import Evidence, Exchange
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.grading import drivers
from tmax_gym.grading import evidence as sandbox_evidence
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending

seconds = st.floats(0.01, 4000, allow_nan=False)
limits = st.builds(
    EpisodeLimits,
    max_steps=st.integers(1, 500),
    episode_seconds=seconds,
    command_timeout=seconds,
    verify_timeout=seconds,
)
backends = st.sampled_from(["native", "docker", "podman"])


def longest_play(given: EpisodeLimits, steps: list[float]) -> float:
    """Return the time of commands of these lengths, under the rules of an episode."""
    spent = 0.0
    for number, wanted in enumerate(steps):
        if number == given.max_steps or spent >= given.episode_seconds:
            break
        spent += min(wanted, given.command_timeout, given.episode_seconds - spent)
    return spent


@settings(max_examples=200)
@given(given=limits, backend=backends, at_once=st.integers(1, 300), retries=st.integers(0, 4))
def test_every_outer_limit_exceeds_what_it_holds(
    given: EpisodeLimits, backend: str, at_once: int, retries: int
) -> None:
    task = sum_task()
    found = deadlines(task, given, backend, at_once=at_once, retries=retries)
    wait = patience(backend)
    assert found.reset > wait.start + wait.terminal
    assert found.step > min(given.command_timeout, given.episode_seconds)
    assert found.grade > given.verify_timeout + wait.freeze
    parts = found.reset + found.grade + found.close
    # The shortest of the two things that end an episode from within.
    steps = min(given.max_steps * given.command_timeout, given.episode_seconds)
    assert found.episode > parts + steps
    assert found.episode >= parts + found.step - 1e-6
    pauses = sum(RETRY_SECONDS * 2**n + RECOVERY for n in range(retries))
    assert found.rollout >= (retries + 1) * found.episode + pauses - 1e-6
    assert (found.rollout == found.episode) == (retries == 0)


@settings(max_examples=200)
@given(given=limits, lengths=st.lists(seconds, max_size=60), backend=backends)
def test_no_course_of_an_episode_outlasts_its_limit(
    given: EpisodeLimits, lengths: list[float], backend: str
) -> None:
    found = deadlines(sum_task(), given, backend)
    assert longest_play(given, lengths) < found.episode - found.reset - found.grade


@settings(max_examples=100)
@given(
    small=limits,
    more=st.tuples(seconds, seconds, seconds, st.integers(0, 100)),
    backend=backends,
    crowd=st.tuples(st.integers(1, 100), st.integers(0, 100)),
)
def test_a_larger_limit_within_never_shortens_one_without(
    small: EpisodeLimits,
    more: tuple[float, float, float, int],
    backend: str,
    crowd: tuple[int, int],
) -> None:
    large = EpisodeLimits(
        max_steps=small.max_steps + more[3],
        episode_seconds=small.episode_seconds + more[0],
        command_timeout=small.command_timeout + more[1],
        verify_timeout=small.verify_timeout + more[2],
    )
    low = deadlines(sum_task(), small, backend, at_once=crowd[0])
    high = deadlines(sum_task(), large, backend, at_once=sum(crowd))
    for name in Deadlines.__slots__:
        assert getattr(low, name) <= getattr(high, name), name


@given(budget=seconds, timeout=seconds, name=st.sampled_from(["cases", "talk"]))
def test_a_driver_is_waited_for_longer_than_it_works(
    budget: float, timeout: float, name: str
) -> None:
    job = {"budget": budget, "timeout": timeout}
    inner = drivers.STRETCH * (budget + (timeout if name == "cases" else 0.0))
    assert drivers.longest(name, job) + sandbox_evidence.MARGIN > inner + 10.0


class Watched(ScriptedAgent):
    """Notes when it is asked, and so how long each step took."""

    def __init__(self, commands: list[str]) -> None:
        super().__init__(commands)
        self.asked: list[float] = []

    def act(self, observation: str) -> Turn:
        self.asked.append(time.monotonic())
        return super().act(observation)


def test_commands_that_never_end_are_over_within_the_limit(native_backend: Backend) -> None:
    given = EpisodeLimits(max_steps=5, command_timeout=0.3, episode_seconds=1.0)
    agent = Watched(["sleep 1000", "trap '' INT; while :; do :; done", "sleep 1000"])
    begun = time.monotonic()
    seen = rollout(sum_task(), agent, backend=native_backend, limits=given)
    took = time.monotonic() - begun
    found = deadlines(sum_task(), given, "native")
    assert (seen.ending, seen.reward) == (Ending.TIME_LIMIT, 0.0)
    assert took < found.episode
    steps = [after - before for before, after in zip(agent.asked, agent.asked[1:], strict=False)]
    assert steps
    assert all(step < found.step for step in steps)


def test_a_slow_service_ends_with_the_budget_and_not_by_force(native_backend: Backend) -> None:
    script = (
        "import socket, threading, time\ns = socket.create_server(('127.0.0.1', 8123))\n"
        "def drip(c):\n    while True:\n        c.sendall(b'x')\n        time.sleep(0.2)\n"
        "while True:\n    threading.Thread(target=drip, args=s.accept()[:1]).start()\n"
    )
    talked: list[str] = []

    def score(evidence: Evidence) -> float:
        steps = [Exchange(f"step{n}", "tcp", 8123, b"hello\n") for n in range(5)]
        talked.extend(reply.error for reply in evidence.talk("/app/start.sh", steps))
        return 0.0

    check = equals("/app/done", "yes")
    task = tiny_task("slow.plain-9", "Serve slowly.", checks=[replace(check, score=score)])
    write = f"cat > /app/slow.py <<'END'\n{script}END\necho 'python3 /app/slow.py' > /app/start.sh"
    given = EpisodeLimits(verify_timeout=4.0)
    seen = rollout(task, ScriptedAgent([write]), backend=native_backend, limits=given)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.0), json.dumps(talked)
    # A byte now and then would have lasted for ever; the driver ended and reported by itself.
    assert len(talked) == 5
    assert all("Timeout" in error for error in talked), talked
