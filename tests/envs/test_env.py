import gc
import json
import pickle
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from tests.support.tiny_tasks import faulty_task, halves_task, sum_task
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.errors import SandboxError, TaskNotFound, VerifierError
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending

LAST = ("reward", "status", "ending")


def test_the_reference_solution_earns_one(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    instruction, info = env.reset(seed=3)
    assert instruction == sum_task().instruction
    assert (info["task"], info["seed"], info["max_steps"]) == ("sum.plain-1", 3, 64)
    for command in sum_task().oracle:
        observation, reward, terminated, truncated, info = env.step(command)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert observation == "(no output)\n\n(exit_code=0)"
        assert not set(LAST) & set(info)
    _, reward, terminated, truncated, info = env.step(SUBMIT)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert [info[key] for key in LAST] == [1.0, "graded", "submitted"]
    assert (info["part/content"], info["part/inputs"]) == (1.0, 1.0)
    json.dumps(info)


def test_doing_nothing_earns_nothing(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.reset()
    assert env.step(SUBMIT)[1:4] == (0.0, True, False)


def test_the_last_step_is_graded_too(native_backend: Backend) -> None:
    env = TerminalEnv(halves_task(), backend=native_backend, max_steps=2)
    env.reset()
    env.step("echo b > two")
    _, reward, terminated, truncated, info = env.step("true")
    assert (reward, terminated, truncated) == (0.75, False, True)
    assert info["ending"] == "step_limit"
    assert (info["part/one"], info["part/two"]) == (0.0, 1.0)


def test_an_episode_without_time_left_is_graded(native_backend: Backend) -> None:
    env = TerminalEnv(halves_task(), backend=native_backend, episode_seconds=0.6)
    env.reset()
    env.step("echo a > one")
    observation, reward, terminated, truncated, info = env.step("sleep 20")
    assert (reward, terminated, truncated, info["ending"]) == (0.25, False, True, "time_limit")
    assert "exit_code=unknown" in observation
    assert (info["timed_out"], info["exit_code"]) == (True, -1)


def test_an_episode_can_be_graded_from_outside(native_backend: Backend) -> None:
    env = TerminalEnv(halves_task(), backend=native_backend)
    env.reset()
    env.step("echo a > one")
    assert env.finish(Ending.CONTEXT_LIMIT).reward == 0.25
    with pytest.raises(ResetNeeded):
        env.step("ls")
    with pytest.raises(ValueError, match="not graded"):
        env.finish(Ending.INFRA_ERROR)


def test_the_shell_starts_at_home_and_keeps_its_state(native_backend: Backend) -> None:
    env = TerminalEnv(halves_task(), backend=native_backend)
    env.reset()
    assert env.step("pwd; X=5; cd /tmp")[0] == "/app\n\n(exit_code=0)"
    assert env.step('echo "$X $PWD"; (exit 7)')[0] == "5 /tmp\n\n(exit_code=7)"
    env.close()


def test_every_episode_has_a_machine_of_its_own(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.reset()
    env.step("echo 42 > sum.txt; echo 1 > numbers.txt; touch /etc/mark")
    env.reset()
    assert env.step("ls /etc/mark; cat numbers.txt")[0].endswith("7\n11\n24\n\n(exit_code=0)")
    assert env.step(SUBMIT)[1] == 0.0


def test_the_words_of_submission_in_output_submit_nothing(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.reset()
    observation, _, terminated, truncated, _ = env.step(f"{SUBMIT}; true")
    assert not terminated and not truncated
    assert observation.startswith("COMPLETE_TASK")
    env.close()


def test_long_output_is_shown_from_both_ends(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.reset()
    observation, *_, info = env.step("seq 100000")
    # seq prints 588,895 bytes, of which 10,000 are shown.
    assert observation.startswith("1\n2\n3\n")
    assert observation.endswith("99999\n100000\n\n(exit_code=0)")
    assert "[... 578895 characters left out" in observation
    assert len(observation) < 10_200
    assert info["truncated_output"] is True
    env.close()


def test_a_shell_that_was_left_comes_back_with_a_notice(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.reset()
    observation, *_, info = env.step("cd /tmp; exit 3")
    assert info["restarted"] is True
    assert "new shell" in observation
    assert env.step("echo here")[0] == "here\n\n(exit_code=0)"
    env.close()


@pytest.mark.parametrize("command", ["", "\0", "echo '\ud800'", "\x03\x04", "if true", "exec <&-"])
def test_no_command_brings_the_environment_down(native_backend: Backend, command: str) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.reset()
    env.step(command)
    assert env.step("echo alive")[0].endswith("alive\n\n(exit_code=0)")
    env.close()


def test_a_seed_decides_what_looks_random(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    seen = []
    for seed in (5, 5, 6):
        env.reset(seed=seed)
        seen.append(env.step("echo $RANDOM $RANDOM")[0])
    assert seen[0] == seen[1] != seen[2]
    env.close()


def test_who_destroys_the_shell_is_graded_and_not_excused(native_backend: Backend) -> None:
    env = TerminalEnv(halves_task(), backend=native_backend)
    env.reset()
    _, reward, terminated, truncated, info = env.step("echo a > one; rm /usr/bin/bash; exit")
    assert (reward, terminated, truncated) == (0.25, False, True)
    assert (info["ending"], info["status"]) == ("shell_lost", "graded")


def test_a_dead_machine_is_an_error_and_never_a_reward(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.reset()
    assert env._episode is not None
    env._episode.sandbox.close()
    with pytest.raises(SandboxError):
        env.step("ls")
    assert env.verdict is None
    with pytest.raises(ResetNeeded):
        env.step("ls")


def test_a_faulty_verifier_is_an_error_and_never_a_reward(native_backend: Backend) -> None:
    env = TerminalEnv(faulty_task(), backend=native_backend)
    env.reset()
    with pytest.raises(VerifierError, match="check bug failed"):
        env.step(SUBMIT)
    assert env.verdict is None
    env.close()


def test_a_set_up_that_fails_is_the_machines_fault(native_backend: Backend) -> None:
    from dataclasses import replace

    task = replace(sum_task(), setup=("echo broken >&2; exit 4",))
    with pytest.raises(SandboxError, match=r"exit 4\): broken"):
        TerminalEnv(task, backend=native_backend).reset()


def test_closing_twice_and_forgetting_leave_nothing_open(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.close()
    env.reset()
    assert env._episode is not None
    sandbox = env._episode.sandbox
    del env
    gc.collect()
    with pytest.raises(SandboxError):
        sandbox.exec(["true"])
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.reset()
    env.close()
    env.close()


def test_the_screen_is_rendered_or_printed(
    native_backend: Backend, capsys: pytest.CaptureFixture[str]
) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend, render_mode="ansi")
    env.reset()
    assert env.render() == sum_task().instruction
    env.step("echo hi")
    assert env.render() == "$ echo hi\nhi\n\n(exit_code=0)"
    env.close()
    assert capsys.readouterr().out == ""
    env = TerminalEnv(sum_task(), backend=native_backend, render_mode="human")
    env.reset()
    assert env.render() is None
    env.step(SUBMIT)
    assert "[submitted: reward 0.000]" in capsys.readouterr().out
    with pytest.raises(ValueError, match="none of: ansi, human"):
        TerminalEnv(sum_task(), render_mode="rgb_array")


def test_an_unknown_task_is_named_at_once() -> None:
    with pytest.raises(TaskNotFound, match="no-such-task"):
        TerminalEnv("no-such-task-at-all")


def test_an_episode_has_at_least_one_step() -> None:
    with pytest.raises(ValueError, match="max_steps is 0"):
        TerminalEnv(sum_task(), max_steps=0)


# From here on: made by Gymnasium, which knows tasks by name.


def test_the_checker_of_gymnasium_is_satisfied(
    native_backend: Backend, tiny_catalogue: str, recwarn: pytest.WarningsRecorder
) -> None:
    env = gym.make(tiny_catalogue, backend=native_backend.name)
    check_env(env.unwrapped)
    env.close()
    ours = [str(w.message) for w in recwarn if "nvironment" in str(w.message)]
    assert not ours


def test_a_spec_survives_json(native_backend: Backend, tiny_catalogue: str) -> None:
    env = gym.make(tiny_catalogue, backend=native_backend.name, max_steps=7)
    assert env.spec is not None
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.spec == env.spec
    _, info = again.reset(seed=1)
    assert (info["task"], info["max_steps"]) == ("sum.plain-1", 7)
    env.close()
    again.close()


def test_pickling_makes_a_fresh_closed_environment(
    native_backend: Backend, tiny_catalogue: str
) -> None:
    env = TerminalEnv(tiny_catalogue, backend=native_backend.name, max_steps=5)
    env.reset()
    copy = pickle.loads(pickle.dumps(env))
    with pytest.raises(ResetNeeded):
        copy.step("ls")
    assert copy.reset()[1]["max_steps"] == 5
    env.close()
    copy.close()


def test_ids_work_with_the_module_in_front(native_backend: Backend, tiny_catalogue: str) -> None:
    env = gym.make(f"tmax_gym:{tiny_catalogue}", backend=native_backend.name)
    assert env.reset()[0] == sum_task().instruction
    env.close()


def test_statistics_of_gymnasium_see_the_verdict(
    native_backend: Backend, tiny_catalogue: str
) -> None:
    env = gym.wrappers.RecordEpisodeStatistics(
        gym.make(tiny_catalogue, backend=native_backend.name)
    )
    env.reset()
    env.step("echo 42 > sum.txt")
    *_, info = env.step(SUBMIT)
    assert (info["episode"]["r"], info["episode"]["l"]) == (1.0, 2)
    env.close()


def test_nothing_of_the_repository_is_inside(native_backend: Backend) -> None:
    env = TerminalEnv(sum_task(), backend=native_backend)
    env.reset()
    assert env.step(f"ls {Path(__file__).parent}")[0].endswith("(exit_code=2)")
    env.close()
