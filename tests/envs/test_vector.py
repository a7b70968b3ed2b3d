import os
import signal
import threading
import time

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.support.tiny_tasks import faulty_task, halves_task, sum_task
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.envs.vector import _THREADS, TerminalVectorEnv
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.sandboxes import Backend


def destroy(envs: TerminalVectorEnv, index: int) -> None:
    episode = envs.envs[index]._episode
    assert episode is not None
    episode.sandbox.close()


def test_a_group_is_made_by_id(native_backend: Backend, tiny_catalogue: str) -> None:
    envs = gym.make_vec(
        tiny_catalogue, num_envs=4, backend=native_backend.name, max_episode_steps=2
    )
    assert isinstance(envs, TerminalVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    observations, infos = envs.reset(seed=10)
    assert observations == (sum_task().instruction,) * 4
    assert observations in envs.observation_space
    assert infos["seed"].tolist() == [10, 11, 12, 13]
    assert infos["_seed"].all()
    envs.step(["echo 42 > sum.txt", "true", "echo 42 > sum.txt", "true"])
    _, rewards, ended, cut, infos = envs.step([SUBMIT, SUBMIT, "true", "true"])
    assert rewards.tolist() == [1.0, 0.0, 1.0, 0.0]
    assert ended.tolist() == [True, True, False, False]
    assert cut.tolist() == [False, False, True, True]
    assert list(infos["ending"]) == ["submitted", "submitted", "step_limit", "step_limit"]
    assert infos["part/content"].tolist() == [1.0, 0.0, 1.0, 0.0]
    assert not envs.running.any()
    envs.close()


def test_terminals_run_side_by_side(native_backend: Backend) -> None:
    envs = TerminalVectorEnv(8, halves_task(), backend=native_backend)
    envs.reset()
    *_, infos = envs.step(["date +%s.%N > begin; sleep 0.8; date +%s.%N > end"] * 8)
    assert infos["exit_code"].tolist() == [0] * 8
    begins, ends = envs.step(["cat begin"] * 8)[0], envs.step(["cat end"] * 8)[0]
    latest = max(float(text.split()[0]) for text in begins)
    earliest = min(float(text.split()[0]) for text in ends)
    assert latest < earliest
    envs.close()


def test_who_has_finished_waits(native_backend: Backend) -> None:
    envs = TerminalVectorEnv(2, sum_task(), backend=native_backend)
    envs.reset()
    envs.step([SUBMIT, "echo 42 > sum.txt"])
    assert envs.running.tolist() == [False, True]
    observations, rewards, ended, cut, infos = envs.step(["touch /x", SUBMIT])
    assert observations == ("(submitted)", "(submitted)")
    assert (rewards.tolist(), ended.tolist(), cut.any()) == ([0.0, 1.0], [False, True], False)
    assert infos["idle"].tolist() == [True, False]
    assert infos["_reward"].tolist() == [False, True]
    envs.close()


def test_a_mask_chooses_who_starts_over(native_backend: Backend) -> None:
    envs = TerminalVectorEnv(3, sum_task(), backend=native_backend)
    envs.reset()
    envs.step([SUBMIT, "touch /tmp/mine", SUBMIT])
    observations, infos = envs.reset(seed=5, options={"reset_mask": np.array([True, False, False])})
    assert infos["_seed"].tolist() == [True, False, False]
    assert observations[0] == sum_task().instruction
    assert envs.running.tolist() == [True, True, False]
    observations, *_ = envs.step(["echo new", "ls /tmp/mine", "no"])
    assert [o.split("\n")[0] for o in observations] == ["new", "/tmp/mine", "(submitted)"]
    envs.close()


@pytest.mark.parametrize(
    "mask", [[True, False], np.array([1, 0]), np.array([True]), np.array([False, False])]
)
def test_a_mask_that_is_none_is_refused(native_backend: Backend, mask: object) -> None:
    envs = TerminalVectorEnv(2, sum_task(), backend=native_backend)
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})
    envs.close()


def test_a_machine_that_dies_takes_no_other_along(native_backend: Backend) -> None:
    envs = TerminalVectorEnv(3, sum_task(), backend=native_backend)
    envs.reset()
    envs.step(["echo 42 > sum.txt"] * 3)
    destroy(envs, 1)
    _, rewards, ended, cut, infos = envs.step([SUBMIT, "ls", "true"])
    assert rewards[0] == 1.0
    assert np.isnan(rewards[1])
    assert rewards[2] == 0.0
    assert (ended.tolist(), cut.tolist()) == ([True, False, False], [False, True, False])
    assert infos["status"][1] == "infra_error"
    assert infos["message"][1]
    assert envs.running.tolist() == [False, False, True]
    _, rewards, *_ = envs.step(["", "", SUBMIT])
    assert rewards.tolist() == [0.0, 0.0, 1.0]
    envs.close()


def test_a_verifier_that_fails_gives_no_number(native_backend: Backend) -> None:
    envs = TerminalVectorEnv(2, faulty_task(), backend=native_backend)
    envs.reset()
    _, rewards, ended, cut, infos = envs.step([SUBMIT, "true"])
    assert np.isnan(rewards[0])
    assert rewards[1] == 0.0
    assert (ended.any(), cut.tolist()) == (False, [True, False])
    assert infos["status"][0] == "verifier_error"
    envs.close()


def test_a_machine_that_does_not_start_ends_at_its_first_step(native_backend: Backend) -> None:
    envs = TerminalVectorEnv(2, sum_task(), backend=native_backend, image="no-such-image")
    observations, infos = envs.reset()
    assert observations == ("", "")
    assert list(infos["status"]) == ["infra_error"] * 2
    _, rewards, _, cut, _ = envs.step(["ls", "ls"])
    assert np.isnan(rewards).all()
    assert cut.all()
    envs.close()


def test_statistics_of_gymnasium_count_every_episode_once(native_backend: Backend) -> None:
    envs = TerminalVectorEnv(2, sum_task(), backend=native_backend)
    counted = gym.wrappers.vector.RecordEpisodeStatistics(envs)
    counted.reset()
    counted.step([SUBMIT, "echo 42 > sum.txt"])
    counted.step(["", SUBMIT])
    assert counted.episode_count == 2
    assert list(counted.return_queue) == [0.0, 1.0]
    assert list(counted.length_queue) == [1, 2]
    counted.close()


def test_the_wrong_number_of_actions_is_refused(native_backend: Backend) -> None:
    envs = TerminalVectorEnv(2, sum_task(), backend=native_backend)
    envs.reset()
    with pytest.raises(ValueError, match="1 actions for 2 terminals"):
        envs.step(["ls"])
    with pytest.raises(ValueError, match="3 seeds"):
        envs.reset(seed=[1, 2, 3])
    envs.close()
    envs.close()


def test_commands_that_sleep_hold_up_no_other_terminal(native_backend: Backend) -> None:
    # More sleepers than the pool has threads: none of them may wait for another.
    number = _THREADS + 16
    envs = TerminalVectorEnv(number, halves_task(), backend=native_backend)
    envs.reset()
    before = threading.active_count()
    begun = time.monotonic()
    *_, infos = envs.step(["sleep 1"] * number)
    assert infos["exit_code"].tolist() == [0] * number
    assert threading.active_count() == before
    assert time.monotonic() - begun < number / 4  # no two of them in turn, however busy the host
    envs.close()


def test_a_flood_in_one_terminal_does_not_keep_another_from_its_end(
    native_backend: Backend,
) -> None:
    envs = TerminalVectorEnv(3, halves_task(), backend=native_backend, command_timeout=3.0)
    envs.reset()
    mark = "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.02; done; date +%s.%N > /tmp/end"
    *_, infos = envs.step(["yes", mark, "cat /dev/zero"])
    assert infos["timed_out"].tolist() == [True, False, True]
    assert infos["seconds"][1] < 2.0
    envs.close()


def test_an_interrupted_step_ends_every_episode(native_backend: Backend) -> None:
    envs = TerminalVectorEnv(3, halves_task(), backend=native_backend)
    envs.reset()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        envs.step(["sleep 30"] * 3)
    assert [env._episode for env in envs.envs] == [None] * 3
    observations, _ = envs.reset()
    assert len(observations) == 3
    assert envs.step(["echo new"] * 3)[0][2].startswith("new")
    envs.close()


def test_an_interrupted_step_closes_its_episode_at_once(native_backend: Backend) -> None:
    env = TerminalEnv(halves_task(), backend=native_backend)
    env.reset()
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        env.step("sleep 30")
    assert env._episode is None
    del caught
