"""Environments in one event loop: side by side, in order, and cancelled at any moment."""

import asyncio
import random
import time
from pathlib import Path

import pytest
from gymnasium.error import ResetNeeded

from tests.support.tiny_tasks import halves_task, sum_task
from tmax_gym.envs.aio import AsyncTerminalEnv
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks.compose import Task


def make_env(backend: Backend, task: Task | None = None) -> AsyncTerminalEnv:
    return AsyncTerminalEnv(TerminalEnv(task or sum_task(), backend=backend))


def machines(backend: Backend) -> int:
    """Count the live ones among the zygote's children, by /proc alone."""
    zygote = backend._zygote  # type: ignore[attr-defined]
    pid = zygote._process.pid
    return len(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


async def gone(backend: Backend, before: int) -> bool:
    deadline = time.monotonic() + 20
    while machines(backend) > before and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    return machines(backend) <= before


@pytest.fixture(autouse=True)
def _zygote(native_backend: Backend, image: str) -> None:
    native_backend.open(image).close()


def test_an_episode_is_the_same_as_without_a_loop(native_backend: Backend) -> None:
    async def play() -> tuple[object, ...]:
        async with make_env(native_backend) as env:
            observation, info = await env.reset(seed=3)
            shown = (await env.step("echo $RANDOM > r; echo 42 > sum.txt; cat r"))[0]
            return observation, info, shown, (await env.step(SUBMIT))[:4]

    observation, info, shown, last = asyncio.run(play())
    plain = TerminalEnv(sum_task(), backend=native_backend)
    assert (observation, info) == plain.reset(seed=3)
    assert shown == plain.step("echo $RANDOM > r; echo 42 > sum.txt; cat r")[0]
    assert last == plain.step(SUBMIT)[:4]
    plain.close()


def test_sixty_four_environments_share_a_loop(native_backend: Backend) -> None:
    before = machines(native_backend)

    async def play(number: int) -> tuple[float, str]:
        async with make_env(native_backend) as env:
            await env.reset(seed=number)
            begun = time.monotonic()
            await env.step("sleep 0.5")
            waited = time.monotonic() - begun
            texts = [(await env.step(f"echo {number}-{turn}"))[0] for turn in range(5)]
            return waited, "".join(text.splitlines()[0] for text in texts)

    async def all_of_them() -> list[tuple[float, str]]:
        outcomes = await asyncio.gather(*(play(number) for number in range(64)))
        assert await gone(native_backend, before)
        return outcomes

    begun = time.monotonic()
    outcomes = asyncio.run(all_of_them())
    assert [text for _, text in outcomes] == [
        "".join(f"{number}-{turn}" for turn in range(5)) for number in range(64)
    ]
    # One after the other, the sleeps alone would take 32 s.
    assert time.monotonic() - begun < 30


def test_the_loop_goes_on_while_a_command_runs(native_backend: Backend) -> None:
    async def play() -> int:
        async with make_env(native_backend) as env:
            await env.reset()
            step = asyncio.create_task(env.step("sleep 0.5"))
            ticks = 0
            while not step.done():
                await asyncio.sleep(0.01)
                ticks += 1
            await step
            return ticks

    assert asyncio.run(play()) >= 10


@pytest.mark.parametrize(
    "command",
    ["sleep 60", "yes", "printf half; sleep 60", "trap '' INT; sleep 60 & wait; sleep 60", SUBMIT],
)
def test_a_cancelled_step_leaves_no_machine_and_the_next_reset_a_fresh_one(
    native_backend: Backend, command: str
) -> None:
    before = machines(native_backend)

    async def play() -> None:
        env = make_env(native_backend)
        await env.reset()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(env.step(command), 0.001 if command == SUBMIT else 0.3)
        with pytest.raises(ResetNeeded):
            await env.step("echo no")
        assert await gone(native_backend, before)
        await env.reset()
        assert (await env.step("echo new"))[0].splitlines()[0] == "new"
        await env.close()

    asyncio.run(play())


def test_cancelled_anywhere_an_environment_is_usable_or_closed(native_backend: Backend) -> None:
    before = machines(native_backend)
    chance = random.Random(20_261_121)

    async def play(env: AsyncTerminalEnv, number: int) -> None:
        await env.reset(seed=number)
        for turn in range(4):
            output = (await env.step(f"printf 'a%.0s' $(seq 20000); echo; echo {number}.{turn}"))[0]
            assert f"\n{number}.{turn}\n" in output
        await env.step(SUBMIT)

    async def one(number: int) -> bool:
        env = make_env(native_backend)
        task = asyncio.create_task(play(env, number))
        await asyncio.sleep(chance.uniform(0.0, 0.4))
        task.cancel()
        ended = (await asyncio.gather(task, return_exceptions=True))[0]
        assert ended is None or isinstance(ended, asyncio.CancelledError), ended
        await play(env, number)  # to the end, whatever was left
        await env.close()
        return ended is None

    async def rounds() -> list[bool]:
        ended = [await asyncio.gather(*(one(8 * turn + n) for n in range(8))) for turn in range(4)]
        assert await gone(native_backend, before)
        return [whole for part in ended for whole in part]

    assert not all(asyncio.run(rounds()))


def test_two_calls_at_once_are_refused(native_backend: Backend) -> None:
    async def play() -> str:
        async with make_env(native_backend) as env:
            await env.reset()
            step = asyncio.create_task(env.step("sleep 0.2; echo first"))
            await asyncio.sleep(0.05)
            with pytest.raises(RuntimeError, match="await it first"):
                await env.step("echo second")
            return (await step)[0]

    assert asyncio.run(play()).startswith("first")


def test_a_machine_that_fails_says_so(native_backend: Backend) -> None:
    async def play() -> None:
        env = make_env(native_backend, halves_task())
        await env.reset()
        episode = env.env._episode
        assert episode is not None
        episode.sandbox.close()
        with pytest.raises(SandboxError):
            await env.step("ls")
        with pytest.raises(ResetNeeded):
            await env.step("ls")
        await env.close()

    asyncio.run(play())
