"""Whatever an agent does to its machine, its task is graded and its next step begins."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.support.trial_tasks import TOML, trial_task
from tmax_gym import load_dataset
from tmax_gym.agents.agent import Ground, ScriptedAgent, Turn
from tmax_gym.agents.rollout import rollout
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.trajectory import Ending, Trajectory

WORKDIR = {
    "removed": "rm -rf /app",
    "a file": "rm -rf /app; touch /app",
    "a link to nowhere": "rm -rf /app; ln -s /nowhere /app",
    "a link to itself": "rm -rf /app; ln -s /app /app",
    "closed": "chmod 0 /app",
    "moved": "mv /app /srv/app",
}
WITHIN = {
    "a link in the place of a directory": "ln -s /nowhere in",
    "a link to a directory in its place": "mkdir /srv/x; ln -s /srv/x in",
    "a file in the place of a directory": "touch in",
    "a directory in the place of a file": "mkdir -p in/f/x",
    "a link in the place of a file": "mkdir in; ln -s /etc/hostname in/f",
    "a FIFO in the place of a file": "mkdir in; mkfifo in/f",
}

SOLVED = "echo hello > /app/hello.txt"
LIBRARIES = "$(dirname $(ldd /bin/bash | grep -o '/[^ ]*libc.so.6'))"
SPOILT = {
    "no sh": "rm /bin/sh",
    "no bash": "rm /bin/bash",
    "a bash that may not be executed": "chmod 000 /bin/bash",
    "a bash of another name": "mv /bin/bash /bin/bash.old",
    "a bash that is no program": "rm /bin/bash; echo x > /bin/bash; chmod +x /bin/bash",
    "a bash that does nothing": "ln -sf /bin/true /bin/bash",
    "a bash that is a link to itself": "ln -sf bash /bin/bash",
    "a bash that is a directory": "rm /bin/bash; mkdir /bin/bash",
    "a bash that hangs": "rm /bin/bash; printf '#!/bin/sh\\nexec sleep 999\\n' > /bin/bash; "
    "chmod +x /bin/bash",
    "no C library": f"rm {LIBRARIES}/libc.so.6",
    "an empty C library": f"rm {LIBRARIES}/libc.so.6; : > {LIBRARIES}/libc.so.6",
    "no loader": "rm $(ldd /bin/bash | grep -o '/[^ ]*ld-linux[^ ]*')",
    "no rm": "rm $(which rm)",
    "an rm that fails": "ln -s /bin/false /usr/local/bin/rm",
    "an rm that does nothing, and a reward": (
        "ln -s /bin/true /usr/local/bin/rm; mkdir -p /logs/verifier; ln -sf /bin/true /bin/bash; "
        "echo 1 > /logs/verifier/reward.txt"
    ),
    "no bash, and a process that writes rewards": (
        "(while :; do echo 1 > /logs/verifier/reward.txt; done) 2> /dev/null & disown; rm /bin/bash"
    ),
}  # fmt: skip
"""Damage to a machine with good work; the test script is a bash script."""
CALLED = {
    "the interpreter is gone": ("#!/usr/bin/python3", "rm $(readlink -f $(which python3))"),
    "the interpreter is a text": (
        "#!/usr/bin/python3",
        "p=$(readlink -f $(which python3)); echo x > /x; chmod +x /x; mv /x $p",
    ),
    "its own library is gone": (
        "#!/usr/bin/python3",
        "rm -rf $(python3 -c 'import encodings; print(encodings.__path__[0])')",
    ),
    "env is gone": ("#!/usr/bin/env python3", "rm /usr/bin/env"),
    "env finds a python that fails": (
        "#!/usr/bin/env python3",
        "ln -s /bin/false /usr/local/bin/python3",
    ),
}


@pytest.fixture(autouse=True)
def _core(image: str) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")


def play(place: Path, commands: list[str], backend: Backend) -> Trajectory:
    (task,) = load_dataset(place, name="ours").tasks
    return rollout(task, ScriptedAgent(commands, submit=False), backend=backend, retries=0)


@pytest.mark.parametrize("name", WORKDIR)
def test_a_spoilt_working_directory_is_graded(
    name: str, tmp_path: Path, any_backend: Backend
) -> None:
    trial_task(tmp_path)
    seen = play(tmp_path, [f"cd /; {WORKDIR[name]}", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.0), seen.message


def test_work_that_lies_elsewhere_counts_without_a_working_directory(
    tmp_path: Path, any_backend: Backend
) -> None:
    graded = "#!/bin/bash\n[ -s /srv/done ] && r=1\necho ${r:-0} > /logs/verifier/reward.txt\n"
    graded += "[ -z ${OLDPWD+x} ] && [ $PWD = / ] || echo 0 > /logs/verifier/reward.txt\n"
    trial_task(tmp_path, files={"tests/test.sh": graded})
    seen = play(tmp_path, ["cd /; rm -rf /app; echo x > /srv/done", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 1.0), seen.message


def steps(place: Path) -> Path:
    """Write a task whose second step has its own file."""
    files: dict[str, str | bytes | None] = {
        "task.toml": TOML.format(seconds=60)
        + "".join(f'[[steps]]\nname = "{name}"\n' for name in ("one", "two")),
        "instruction.md": None,
        "tests/test.sh": None,
        "steps/two/workdir/in/f": "data\n",
    }
    for name in ("one", "two"):
        files[f"steps/{name}/instruction.md"] = "Copy what is in in/f to /srv."
        files[f"steps/{name}/tests/test.sh"] = (
            f'#!/bin/bash\n[ {name} = two ] && [ "$(cat /srv/got)" = data ] && r=1\n'
            "echo ${r:-0} > /logs/verifier/reward.txt\n"
        )
    return trial_task(place, files=files)


@pytest.mark.parametrize("name", [*WORKDIR, *WITHIN])
def test_the_next_step_begins_whatever_the_one_before_has_left(
    name: str, tmp_path: Path, any_backend: Backend
) -> None:
    """The second step finds its file, and half of both rewards can still be earned."""
    steps(tmp_path)
    left = f"cd /; {WORKDIR[name]}" if name in WORKDIR else WITHIN[name]
    seen = play(tmp_path, [left, SUBMIT, "cat /app/in/f > /srv/got", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.5), (seen.message, seen.steps)


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_verifier_is_a_zero(name: str, tmp_path: Path, any_backend: Backend) -> None:
    """The work is good and would have earned 0.75."""
    trial_task(tmp_path)
    seen = play(tmp_path, [SOLVED, f"cd /; {SPOILT[name]}", SUBMIT], any_backend)
    assert seen.ending.graded and seen.reward == 0.0, (seen.ending, seen.message)


@pytest.mark.parametrize("name", CALLED)
def test_a_spoilt_interpreter_of_the_tests_is_a_zero(
    name: str, tmp_path: Path, any_backend: Backend
) -> None:
    first, command = CALLED[name]
    script = f"{first}\nopen('/logs/verifier/reward.txt', 'w').write('1')\n"
    trial_task(tmp_path, files={"tests/test.sh": script})
    assert play(tmp_path, [SOLVED, SUBMIT], any_backend).reward == 1.0
    seen = play(tmp_path, [SOLVED, f"cd /; {command}", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.0), seen.message


def test_a_spoilt_program_that_the_tests_call_is_a_zero(
    tmp_path: Path, any_backend: Backend
) -> None:
    script = "#!/bin/bash\npython3 -c 'print(1)' > /tmp/r && mv /tmp/r /logs/verifier/reward.txt\n"
    trial_task(tmp_path, files={"tests/test.sh": script})
    seen = play(tmp_path, ["chmod 000 $(readlink -f $(which python3))", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.0), seen.message


@pytest.mark.parametrize("command", ["head -c 2G /dev/zero > /x", "seq 200000 | xargs touch"])
def test_a_full_disk_is_a_zero(command: str, tmp_path: Path, native_backend: Backend) -> None:
    trial_task(tmp_path)
    seen = play(tmp_path, [SOLVED, f"{command} 2> /dev/null", SUBMIT], native_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.0), seen.message


def test_a_missing_fetcher_is_a_zero_where_the_tests_say_so(
    tmp_path: Path, any_backend: Backend
) -> None:
    script = "#!/bin/bash\ncurl -s file:///etc/hostname > /tmp/h && echo 1 > {}\n"
    path = "/logs/verifier/reward.txt"
    trial_task(tmp_path, files={"tests/test.sh": script.format(path)})
    assert play(tmp_path, [SUBMIT], any_backend).reward == 1.0
    assert play(tmp_path, ["rm $(which curl)", SUBMIT], any_backend).reward == 0.0


def test_room_for_tests_is_checked_before_they_run(tmp_path: Path, native_backend: Backend) -> None:
    """The agent leaves 100 kB, and the report of the tests has 200."""
    script = "#!/bin/bash\nhead -c 200k /dev/zero > /logs/report || exit\necho 1 > {}\n"
    path = "/logs/verifier/reward.txt"
    trial_task(tmp_path, files={"tests/test.sh": script.format(path)})
    fill = "head -c 100k /dev/zero > /y; head -c 2G /dev/zero > /x 2> /dev/null; rm /y"
    assert play(tmp_path, [SUBMIT], native_backend).reward == 1.0
    assert play(tmp_path, [fill, SUBMIT], native_backend).reward == 0.0


def test_the_zero_says_what_was_spoilt(tmp_path: Path, any_backend: Backend) -> None:
    trial_task(tmp_path)
    (task,) = load_dataset(tmp_path, name="ours").tasks
    env: Any = TerminalEnv(task, backend=any_backend)
    env.reset(seed=1)
    env.step("rm /bin/bash")
    _, reward, terminated, _, info = env.step(SUBMIT)
    assert (reward, terminated, info["status"]) == (0.0, True, "graded")
    first_line = info["verifier_output"].splitlines()[0]
    assert "/bin/bash worked before the agent began" in first_line and "o such file" in first_line


HONEST = {
    "a bash is put in its place": "cp /bin/bash /bin/b; mv -f /bin/b /bin/bash",
    "another python3 comes first": (
        "printf '#!/bin/sh\\nexec /usr/bin/python3 \"$@\"\\n' > /usr/local/bin/python3; "
        "chmod +x /usr/local/bin/python3"
    ),
    "a python3 that is not needed goes": "rm $(which python3)",
    "sh is another shell": "ln -sf bash /bin/sh",
}


@pytest.mark.parametrize("name", HONEST)
def test_other_programs_that_work_are_graded_as_usual(
    name: str, tmp_path: Path, any_backend: Backend
) -> None:
    named = "#!/bin/bash\n# python3\npython3 -c 'print(1)'\n"
    graded = "grep -q hello /app/hello.txt && echo 0.75 > /logs/verifier/reward.txt\n"
    trial_task(tmp_path, files={"tests/test.sh": named + graded})
    seen = play(tmp_path, [SOLVED, HONEST[name], SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.75), seen.message


UNWRITTEN = {
    "calls what the agent removed, and wants a network": (
        "#!/bin/bash\n[ -x /usr/bin/python3 ] || echo 'Could not resolve host: example.org'\n"
        "# python3 is installed by uv\n: python3\n",
        "rm $(which python3)",
    ),
    "ends by itself": ("#!/bin/bash\nexit 3\n", "true"),
    "ends by itself, and something else is gone": ("#!/bin/bash\nexit 3\n", "rm /usr/bin/tac"),
    "calls what the image lacks": ("#!/bin/bash\nruby -e 1\n", "true"),
    "spoils the machine itself": ("#!/bin/bash\nrm /bin/bash /bin/sh\n", "true"),
    "does not begin for want of an interpreter": ("#!/opt/none\n", "true"),
}


@pytest.mark.parametrize("name", UNWRITTEN)
def test_tests_that_write_no_reward_by_themselves_are_no_zero(
    name: str, tmp_path: Path, any_backend: Backend
) -> None:
    script, command = UNWRITTEN[name]
    trial_task(tmp_path, files={"tests/test.sh": script})
    seen = play(tmp_path, [command, SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.UNGRADED, None), seen.message


class Victim(ScriptedAgent):
    """Its machine is killed from outside, after its first command."""

    def prepare(self, ground: Ground) -> None:
        """Record the machine."""
        self.machine: Any = getattr(ground, "sandbox")  # noqa: B009

    def act(self, observation: str) -> Turn:
        """Kill the machine before it submits."""
        turn = super().act(observation)
        if turn.command == SUBMIT and isinstance(self.machine, DockerSandbox):
            self.machine.engine.api.kill(self.machine.id, signal.SIGKILL)
        elif turn.command == SUBMIT:
            os.kill(self.machine.pid, signal.SIGKILL)
        return turn


def test_a_machine_that_is_killed_is_no_zero_whatever_was_spoilt(
    tmp_path: Path, any_backend: Backend
) -> None:
    trial_task(tmp_path)
    (task,) = load_dataset(tmp_path, name="ours").tasks
    seen = rollout(task, Victim(["rm /bin/bash"]), backend=any_backend, retries=0)
    assert (seen.ending, seen.reward) == (Ending.INFRA_ERROR, None), seen.message


SEPARATE = """\
schema_version = "1.4"
artifacts = ["/app"]
[environment]
network_mode = "no-network"
[verifier]
environment_mode = "separate"
[verifier.environment]
network_mode = "no-network"
[[steps]]
name = "one"
[[steps]]
name = "two"
"""


def two_machines(place: Path, setup: str) -> None:
    """Write a task of two steps, each graded with 1 in another machine."""
    files: dict[str, str | bytes | None] = {
        "task.toml": SEPARATE,
        "instruction.md": None,
        "tests/test.sh": "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n",
        "tests/Dockerfile": "FROM tmax/core:latest\nCOPY . /tests/\n",
        "steps/two/workdir/setup.sh": setup,
    }
    for name in ("one", "two"):
        files[f"steps/{name}/instruction.md"] = "Do it."
    trial_task(place, files=files)


@pytest.mark.parametrize("name", ["no sh", "no bash", "a bash that is no program", "no loader"])
def test_a_step_that_cannot_begin_for_what_is_spoilt_earns_nothing(
    name: str, tmp_path: Path, any_backend: Backend
) -> None:
    two_machines(tmp_path, "/bin/sh -c 'echo begun > begun'\n")
    assert play(tmp_path, ["true", SUBMIT, "true", SUBMIT], any_backend).reward == 1.0
    seen = play(tmp_path, [f"cd /; {SPOILT[name]}", SUBMIT, "true", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.5), seen.message


def test_a_setup_that_fails_by_itself_is_no_zero(tmp_path: Path, any_backend: Backend) -> None:
    two_machines(tmp_path, "exit 3\n")
    seen = play(tmp_path, ["rm /usr/bin/tac", SUBMIT, "true", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.INFRA_ERROR, None), seen.message
