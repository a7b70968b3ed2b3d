"""open-instruct's rollouts of our environment, with its own classes where it is installed.

With the interpreter of `.ci/trainers`, its classes and its pool of Ray actors are
real.  Elsewhere `tests/support/open_instruct_contract.py` stands in for them.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.chat_policy import replies
from tests.support.open_instruct_contract import rollout, stand_in
from tests.support.tiny_tasks import sum_task
from tmax_gym.errors import SandboxError, TmaxError
from tmax_gym.sandboxes import Backend, Sandbox

REAL = find_spec("open_instruct") is not None
ADAPTER = "tmax_gym.adapters.open_instruct"
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def adapter(tiny_catalogue: str, native_backend: Backend) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        if not REAL:
            stand_in(patch)
        yield import_module(ADAPTER)
        sys.modules.pop(ADAPTER)


def play(
    adapter: ModuleType, script: Sequence[str], *, strike: Callable[[], object] = lambda: None
) -> tuple[list[float], str]:
    """Let a rollout play the task `sum`; something may strike before each step."""
    config = adapter.TmaxTextEnvConfig(backend="native", image="host", max_steps=5)
    settings = asdict(config) | {"call_name": "tmax"}
    del settings["pool_size"]
    env = config.tool_class(**settings)

    async def call(method: str, *args: Any, **kwargs: Any) -> Any:
        if method == "step":
            strike()
        answer = getattr(env, method)(*args, **kwargs)
        return await answer if asyncio.iscoroutine(answer) else answer

    make_call = import_module("open_instruct.environments.base").EnvCall
    try:
        return asyncio.run(rollout(call, make_call, script, task="tmax/sum.plain-1"))
    finally:
        asyncio.run(env.close())


@pytest.mark.parametrize(("commands", "reward"), [(sum_task().oracle, 1.0), ((), 0.0)])
def test_the_verdict_is_the_last_reward(
    commands: Sequence[str], reward: float, adapter: ModuleType
) -> None:
    rewards, read = play(adapter, [*replies(commands), "not read any more"])
    assert rewards == [*[0.0] * len(commands), reward]
    assert read.count("(exit_code=0)") == len(commands)


def test_a_reply_without_a_command_is_answered(adapter: ModuleType) -> None:
    rewards, read = play(adapter, ["hm", *replies(sum_task().oracle)])
    assert "The reply holds no bash command." in read
    assert rewards[-1] == 1.0


def test_an_episode_whose_machine_fails_returns_no_rewards(
    adapter: ModuleType, machines: list[Sandbox]
) -> None:
    with pytest.raises(SandboxError):
        play(adapter, replies(sum_task().oracle), strike=lambda: machines[-1].close())


def test_a_new_episode_forgets_the_failure_of_the_last(
    adapter: ModuleType, machines: list[Sandbox]
) -> None:
    env = adapter.TmaxTextEnv(backend="native", image="host")

    async def twice() -> tuple[float, Any]:
        await env.reset(task="tmax/sum.plain-1")
        machines[-1].close()
        with pytest.raises(TmaxError):
            await env.text_step(replies(())[0])
        await env.reset(task="tmax/sum.plain-1")
        answer = await env.text_step(replies(())[0])
        return answer.reward, env.state()

    reward, state = asyncio.run(twice())
    asyncio.run(env.close())
    assert (reward, env.get_metrics()) == (0.0, {"turns": 1.0})
    assert (state.episode_id, state.step_count) == ("tmax/sum.plain-1", 1)


def test_it_is_a_tool_that_a_command_line_can_name(adapter: ModuleType) -> None:
    registry = import_module("open_instruct.environments.tools.tools").TOOL_REGISTRY
    assert registry["tmax"] is adapter.TmaxTextEnvConfig
    assert registry["tmax"].tool_class is adapter.TmaxTextEnv


@pytest.mark.skipif(not REAL, reason="needs open-instruct: .ci/trainers")
def test_its_pool_makes_actors_of_it(adapter: ModuleType) -> None:
    import ray
    from open_instruct.environments.base import EnvCall
    from open_instruct.environments.pool import EnvironmentPool

    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    ray.init(
        "local", num_cpus=2, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}}
    )
    pool = EnvironmentPool.remote(
        pool_size=1, actor_class=adapter.TmaxTextEnv, backend="native", image="host"
    )

    async def one() -> tuple[list[float], str]:
        actor = await pool.acquire.remote()

        async def call(method: str, *args: Any, **kwargs: Any) -> Any:
            return await getattr(actor, method).remote(*args, **kwargs)

        return await rollout(call, EnvCall, replies(sum_task().oracle), task=sum_task())

    try:
        rewards, _ = asyncio.run(one())
    finally:
        ray.shutdown()
    assert rewards == [0.0] * len(sum_task().oracle) + [1.0]
