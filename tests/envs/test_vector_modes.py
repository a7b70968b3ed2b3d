"""Gymnasium's own vector environments around ours: processes, shared memory, automatic resets."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import (
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)

from tests.support.tiny_tasks import sum_task
from tmax_gym.envs.spaces import Unicode
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.sandboxes import Backend

TEXTS = ("", "plain", "naïve ✓ 漢字 🎉", "a\0b\0", " padded \n\n", "\ud800 \udcff", "x" * 100)


class Small:
    """Makes an environment, in whatever process asks."""

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def __call__(self) -> gym.Env[str, str]:
        return TerminalEnv(sum_task(), backend=self.backend, max_steps=3)


class Named(gym.ObservationWrapper[Any, str, str]):
    """Observations with a text inside."""

    def __init__(self, env: gym.Env[str, str]) -> None:
        super().__init__(env)
        parts = {"text": env.observation_space, "size": gym.spaces.Discrete(1 << 21)}
        self.observation_space = gym.spaces.Dict(parts)

    def observation(self, observation: str) -> dict[str, Any]:
        return {"text": observation, "size": np.int64(len(observation))}


class NamedSmall(Small):
    def __call__(self) -> gym.Env[Any, str]:
        return Named(super().__call__())


def test_any_text_comes_through_shared_memory_as_it_was() -> None:
    space = Unicode(100)
    memory = create_shared_memory(space, n=len(TEXTS))
    seen = read_from_shared_memory(space, memory, n=len(TEXTS))
    for turn in (TEXTS, TEXTS[::-1]):  # a shorter text leaves nothing of a longer one
        for index, text in enumerate(turn):
            write_to_shared_memory(space, index, text, memory)
        assert tuple(seen) == turn
    assert (seen[-1], seen[1:3]) == (TEXTS[0], TEXTS[::-1][1:3])
    with pytest.raises(IndexError):
        seen[len(TEXTS)]


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
def test_processes_play_whole_episodes(native_backend: Backend, shared: bool, context: str) -> None:
    makers = [Small(native_backend.name)] * 2
    envs = AsyncVectorEnv(makers, shared_memory=shared, context=context)
    try:
        first, infos = envs.reset(seed=3)
        assert first == (sum_task().instruction,) * 2
        assert infos["seed"].tolist() == [3, 4]
        seen, *_ = envs.step(["echo one ✓", "echo 42 > sum.txt; echo two"])
        assert [text.split("\n")[0] for text in seen] == ["one ✓", "two"]
        assert first == (sum_task().instruction,) * 2  # what was returned does not change
        assert seen in envs.observation_space
        _, rewards, ended, cut, infos = envs.step([SUBMIT, SUBMIT])
        assert (rewards.tolist(), ended.tolist(), cut.any()) == ([0.0, 1.0], [True, True], False)
        assert list(infos["ending"]) == ["submitted"] * 2
    finally:
        envs.close()


@pytest.mark.parametrize("kind", [AsyncVectorEnv, SyncVectorEnv])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_every_mode_of_resets_plays_on(
    native_backend: Backend, kind: type[Any], mode: AutoresetMode
) -> None:
    envs = kind([Small(native_backend.name)] * 2, autoreset_mode=mode)
    try:
        envs.reset(seed=1)
        seen, rewards, ended, _, infos = envs.step([SUBMIT, "echo on"])
        assert (rewards.tolist(), ended.tolist()) == ([0.0, 0.0], [True, False])
        if mode is AutoresetMode.SAME_STEP:
            assert seen[0] == sum_task().instruction
            assert infos["final_obs"][0] == "(submitted)"
        elif mode is AutoresetMode.NEXT_STEP:
            seen, *_ = envs.step(["ignored", "echo on"])
            assert seen[0] == sum_task().instruction
        else:
            seen, _ = envs.reset(options={"reset_mask": np.array([True, False])})
            assert seen[0] == sum_task().instruction
        seen, *_ = envs.step(["echo fresh", "echo on"])
        assert [text.split("\n")[0] for text in seen] == ["fresh", "on"]
    finally:
        envs.close()


@pytest.mark.parametrize("shared", [True, False])
def test_a_text_inside_a_dict_is_shared_as_well(native_backend: Backend, shared: bool) -> None:
    envs = AsyncVectorEnv([NamedSmall(native_backend.name)] * 2, shared_memory=shared)
    try:
        envs.reset()
        seen, *_ = envs.step(["echo ab", "echo abc"])
        assert [text.split("\n")[0] for text in seen["text"]] == ["ab", "abc"]
        assert seen["size"].tolist() == [len(text) for text in seen["text"]]
    finally:
        envs.close()


@pytest.mark.parametrize("mode", ["async", "sync", "vector_entry_point"])
def test_make_vec_makes_every_kind(native_backend: Backend, tiny_catalogue: str, mode: str) -> None:
    options: dict[str, Any] = {"context": "fork"} if mode == "async" else {}
    envs = gym.make_vec(
        tiny_catalogue,
        num_envs=2,
        vectorization_mode=mode,
        vector_kwargs=options or None,
        backend=native_backend.name,
    )
    counted = gym.wrappers.vector.RecordEpisodeStatistics(envs)
    try:
        counted.reset(seed=1)
        counted.step(["echo 42 > sum.txt", "true"])
        _, rewards, ended, *_ = counted.step([SUBMIT, SUBMIT])
        assert (rewards.tolist(), ended.all()) == ([1.0, 0.0], True)
        assert list(counted.return_queue) == [1.0, 0.0]
        assert list(counted.length_queue) == [2, 2]
    finally:
        counted.close()
