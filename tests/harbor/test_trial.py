"""Harbor tasks as environments: real machines, real verifiers."""

from pathlib import Path
from shlex import quote

import gymnasium as gym
import pytest

from tests.support.trial_tasks import trial_task, wheels
from tmax_gym import load_dataset
from tmax_gym.agents.agent import Agent, ScriptedAgent, noop, oracle
from tmax_gym.agents.rollout import rollout
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.errors import HarborError, Ungraded
from tmax_gym.harbor.run.build.dockerfile import bases, obstacle, read
from tmax_gym.harbor.run.containers import network_name
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Trajectory


@pytest.fixture(autouse=True)
def _core(image: str) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")


def load(place: Path, **settings: object) -> TrialTask:
    found = load_dataset(place, name="ours", settings=HarborSettings(**settings))  # type: ignore[arg-type]
    assert found.problems == ()
    return found.tasks[0]


def play(trial: TrialTask, agent: Agent, backend: Backend) -> Trajectory:
    return rollout(trial, agent, backend=backend, retries=0)


def doing(*commands: str) -> ScriptedAgent:
    return ScriptedAgent(commands)


def test_a_loaded_dataset_is_shown_in_one_line(tmp_path: Path) -> None:
    trial_task(tmp_path, "one", {"environment/big": b"x" * 1_000_000})
    trial_task(tmp_path, "two", {"task.toml": "x = ["})
    loaded = load_dataset(tmp_path, name="ours")
    assert repr(loaded) == "<Dataset ours: 1 tasks, 1 problems>"
    assert repr(loaded.task("one")) == f"<TrialTask ours/one at {tmp_path / 'one'}>"


def test_a_directory_becomes_environments_that_gymnasium_makes(
    tmp_path: Path, any_backend: Backend
) -> None:
    trial_task(tmp_path, "one")
    trial_task(tmp_path, "two", {"instruction.md": "<!-- canary 1 -->\nWrite hello.\n"})
    dataset = load_dataset(tmp_path, name="tblike")
    assert dataset.ids == ("tblike/one", "tblike/two")
    env = gym.make("tblike/two", backend=any_backend)
    try:
        instruction, info = env.reset(seed=1)
        assert (instruction, info["task"]) == ("Write hello.\n", "tblike/two")
        seen, _, terminated, _, _ = env.step("pwd; echo hello > hello.txt")
        assert (seen.splitlines()[0], terminated) == ("/app", False)
        _, reward, terminated, _, info = env.step(SUBMIT)
    finally:
        env.close()
    assert (reward, terminated, info["rewards"]) == (0.75, True, {"reward": 0.75})
    assert info["ending"] == "submitted"


def test_a_task_of_any_name_can_be_made_by_gymnasium(
    tmp_path: Path, native_backend: Backend
) -> None:
    for name in ("two words", "größe", "a:b", "group/inner", "plain"):
        trial_task(tmp_path / "my.set 2", name)
    dataset = load_dataset(tmp_path / "my.set 2")
    assert dataset.ids == (
        "my_x002E_set_x0020_2/a_x003A_b",
        "my_x002E_set_x0020_2/group_x002F_inner",
        "my_x002E_set_x0020_2/größe",
        "my_x002E_set_x0020_2/plain",
        "my_x002E_set_x0020_2/two_x0020_words",
    )
    assert dataset.task("group/inner").id == dataset.ids[1]
    assert dataset.task(dataset.ids[4]).name == "my.set 2/two words"
    for task in dataset.tasks:
        env = gym.make(task.id, backend=native_backend)
        try:
            assert env.reset(seed=1)[1]["task"] == task.name
        finally:
            env.close()


def test_the_solution_is_run_and_nothing_earns_nothing(
    tmp_path: Path, native_backend: Backend
) -> None:
    trial_task(tmp_path)
    trial = load(tmp_path)
    assert dict(trial.tags) == {"category": "files", "difficulty": "easy"}
    assert trial.limits().episode_seconds == 300.0
    assert play(trial, oracle(trial), native_backend).reward == 0.75
    assert play(trial, noop(), native_backend).reward == 0.0


CRLF = b"#!/bin/bash\r\necho hello > /app/hello.txt\r\n"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"solution/solve.sh": CRLF}, "solution/solve.sh has Windows line ends (CRLF)"),
        ({"solution/solve.sh": CRLF[12:]}, "solution/solve.sh has Windows line ends (CRLF)"),
        ({"solution/solve.sh": "#!/bin/bash\n".encode("utf-16")}, "solve.sh is UTF-16"),
        ({"solution/solve.sh": b"\xef\xbb\xbf#!/usr/bin/env python3\n"}, "a byte order mark"),
        ({"solution/step.sh": CRLF}, "solution/step.sh has Windows line ends (CRLF)"),
    ],
)
def test_a_solution_that_linux_cannot_run_is_a_fault_of_the_task(
    tmp_path: Path, files: dict[str, str | bytes | None], message: str
) -> None:
    trial_task(tmp_path, files=files)
    with pytest.raises(HarborError) as caught:
        oracle(load(tmp_path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("#!/bin/zsh\necho hello > /app/hello.txt\n", "/bin/zsh"),
        ("#!/usr/bin/env zsh\necho hello > /app/hello.txt\n", "zsh"),
    ],
)
def test_a_solution_whose_interpreter_is_absent_is_no_zero(
    tmp_path: Path, any_backend: Backend, script: str, said: str
) -> None:
    trial_task(tmp_path, files={"solution/solve.sh": script})
    trial = load(tmp_path)
    seen = play(trial, oracle(trial), any_backend)
    assert (seen.ending, seen.reward) == (Ending.TASK_ERROR, None)
    names = f"its solution/solve.sh (its first line names {said}) cannot be started in this machine"
    assert names in seen.message


@pytest.mark.parametrize(
    ("script", "reward"),
    [
        ("#!/usr/bin/env python3\nopen('/app/hello.txt', 'w').write('hello')\n", 0.75),
        ("[[ 1 == 1 ]] && echo hello > /app/hello.txt\n", 0.75),
        (b"\xef\xbb\xbf#!/bin/bash\necho hello > /app/hello.txt\n", 0.75),
        ("#!/bin/bash\necho hello > /app/hello.txt\nno-such-program\n", 0.75),
        ("#!/bin/bash\n/app/absent\n", 0.0),
        ("#!/bin/bash\nprintf 'hello\\r\\n' > /app/hello.txt\n", 0.75),
    ],
)
def test_a_solution_is_run_by_what_its_first_line_names(
    tmp_path: Path, native_backend: Backend, script: str | bytes, reward: float
) -> None:
    trial_task(tmp_path, files={"solution/solve.sh": script})
    trial = load(tmp_path)
    assert play(trial, oracle(trial), native_backend).reward == reward


def test_a_script_that_sets_a_step_up_with_windows_line_ends_is_refused(
    tmp_path: Path, native_backend: Backend
) -> None:
    files: dict[str, str | bytes | None] = {
        "task.toml": '[[steps]]\nname = "one"\n',
        "steps/one/instruction.md": "Do it.\n",
        "steps/one/workdir/setup.sh": b"#!/bin/bash\r\nmkdir /app/made\r\n",
    }
    trial_task(tmp_path, files=files)
    seen = play(load(tmp_path), noop(), native_backend)
    assert (seen.ending, seen.reward) == (Ending.INFRA_ERROR, None)
    assert "steps/one/workdir/setup.sh has Windows line ends (CRLF)" in seen.message


def test_json_wins_over_text_and_every_number_is_kept(
    tmp_path: Path, native_backend: Backend
) -> None:
    script = """#!/bin/bash
echo 0 > /logs/verifier/reward.txt
echo '{"speed": 0.5, "reward": 0.25, "style": 7}' > /logs/verifier/reward.json
"""
    trial_task(tmp_path, files={"tests/test.sh": script})
    seen = play(load(tmp_path), noop(), native_backend)
    assert (seen.reward, dict(seen.parts)) == (0.25, {"reward": 0.25, "speed": 0.5, "style": 7.0})


def test_several_numbers_without_a_reward_among_them_are_averaged(
    tmp_path: Path, native_backend: Backend
) -> None:
    script = '#!/bin/bash\necho \'{"a": 1, "b": 0.5}\' > /logs/verifier/reward.json\n'
    trial_task(tmp_path, files={"tests/test.sh": script})
    assert play(load(tmp_path), noop(), native_backend).reward == 0.75


def test_a_daemon_that_rewrites_the_reward_is_dead_before_grading(
    tmp_path: Path, any_backend: Backend
) -> None:
    trial_task(tmp_path)
    # It moves whole files into place: a reader never sees an empty one.
    whole = "echo '{0}' > /tmp/{1} && mv /tmp/{1} /logs/verifier/{1}"
    loop = "; ".join(
        (
            "mkdir -p /logs/verifier",
            whole.format("1", "reward.txt"),
            whole.format('{"reward": 1}', "reward.json"),
        )
    )
    daemon = f"setsid bash -c {quote(f'while :; do {loop}; done')} >/dev/null 2>&1 &"
    seen = play(load(tmp_path), doing(daemon, WAIT), any_backend)
    assert "1" in seen.steps[1].observation
    assert seen.reward == 0.0


def test_what_the_agent_puts_at_the_place_of_tests_is_gone(
    tmp_path: Path, native_backend: Backend
) -> None:
    script = """#!/bin/bash
if [ -e /tests/conftest.py ] || [ -s /logs/verifier/reward.json ]; then echo 1; else echo 0.5; fi \
> /logs/verifier/reward.txt
"""
    trial_task(tmp_path, files={"tests/test.sh": script})
    agent = doing("rm -rf /tests /logs; mkdir /tests; ln -s /tmp /logs; touch /tests/conftest.py")
    assert play(load(tmp_path), agent, native_backend).reward == 0.5


WAIT = "until [ -s /logs/verifier/reward.txt ]; do sleep 0.1; done; cat /logs/verifier/reward.txt"
STEPS = """\
schema_version = "1.4"
multi_step_reward_strategy = "mean"
[environment]
workdir = "/job"
network_mode = "no-network"
env = {{ GREETING = "${{NO_SUCH_VARIABLE:-hello}}" }}
[[steps]]
name = "first"
min_reward = {least}
[[steps]]
name = "second"
"""
STEP_TEST = """#!/bin/bash
[ -f /job/{name} ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
"""


def two_steps(place: Path, least: float = 0.5) -> TrialTask:
    files: dict[str, str | bytes | None] = {
        "task.toml": STEPS.format(least=least),
        "instruction.md": None,
        "solution/solve.sh": None,
        "tests/test.sh": None,
        "steps/second/workdir/setup.sh": "echo $GREETING > /job/set-up\n",
    }
    for name in ("first", "second"):
        files[f"steps/{name}/instruction.md"] = f"Make /job/{name}.\n"
        files[f"steps/{name}/tests/test.sh"] = STEP_TEST.format(name=name)
        files[f"steps/{name}/solution/solve.sh"] = f"touch /job/{name}\n"
    trial_task(place, files=files)
    return load(place)


def test_steps_follow_each_other_in_one_machine(tmp_path: Path, any_backend: Backend) -> None:
    trial = two_steps(tmp_path)
    env = TerminalEnv(trial, backend=any_backend)
    try:
        assert env.reset(seed=0)[0] == "Make /job/first.\n"
        seen = env.step("touch first; echo $GREETING; pwd; ls /tests")[0]
        assert seen.splitlines()[:2] == ["hello", "/job"]
        assert "No such file" in seen
        text, reward, terminated, truncated, info = env.step(SUBMIT)
        assert (text, reward, terminated, truncated) == ("Make /job/second.\n", 0.0, False, False)
        assert info["step_name"] == "second"
        assert env.step("cat set-up; ls first; ls -A /tests /logs/verifier")[0].splitlines()[
            :2
        ] == [
            "hello",
            "first",
        ]
        _, reward, terminated, _, info = env.step(SUBMIT)
    finally:
        env.close()
    assert (reward, terminated) == (0.5, True)
    assert info["step_rewards"] == [{"reward": 1.0}, {"reward": 0.0}]


def test_a_step_that_earns_too_little_ends_the_task(
    tmp_path: Path, native_backend: Backend
) -> None:
    trial = two_steps(tmp_path)
    seen = play(trial, doing("true"), native_backend)
    assert (seen.reward, seen.ending, len(seen.steps)) == (0.0, Ending.SUBMITTED, 2)
    assert play(trial, oracle(trial), native_backend).reward == 1.0


SEPARATE = """\
schema_version = "1.4"
artifacts = [{ source = "/app", exclude = ["*.log"] }]
[environment]
network_mode = "no-network"
[verifier]
environment_mode = "separate"
env = { LEAST = "3" }
[[verifier.collect]]
command = "date +%s > /logs/artifacts/when; cp /etc/hostname /app/host.log"
[verifier.environment]
network_mode = "no-network"
"""


def test_a_separate_verifier_sees_artifacts_alone(tmp_path: Path, any_backend: Backend) -> None:
    script = """#!/bin/bash
[ -s /logs/artifacts/when ] && [ ! -e /root/secret ] && [ ! -e /app/host.log ] &&
  [ "$(wc -c < /app/hello.txt)" -ge "$LEAST" ] && reward=1
echo ${reward:-0} > /logs/verifier/reward.txt
"""
    trial_task(tmp_path, files={
        "task.toml": SEPARATE,
        "tests/test.sh": script,
        "tests/Dockerfile": "FROM tmax/core:latest\nCOPY . /tests/\n",
    })  # fmt: skip
    trial = load(tmp_path)
    agent = doing("mkdir -p /logs/artifacts; touch /root/secret; echo hello > /app/hello.txt")
    assert play(trial, agent, any_backend).reward == 1.0
    assert play(trial, noop(), any_backend).reward == 0.0


def test_a_verifiers_image_may_repair_windows_line_ends_else_they_are_reported(
    tmp_path: Path, native_backend: Backend
) -> None:
    script = b"#!/bin/bash\r\necho 0.5 > /logs/verifier/reward.txt\r\n"
    repair = "RUN sed -i 's/\\r$//' /tests/test.sh\n"
    base = "FROM tmax/core:latest\nCOPY . /tests/\n"
    for name, text in (("kept", base), ("repaired", base + repair)):
        files: dict[str, str | bytes | None] = {
            "task.toml": SEPARATE, "tests/test.sh": script, "tests/Dockerfile": text,
        }  # fmt: skip
        trial_task(tmp_path, name, files)
    dataset = load_dataset(tmp_path, name="ours")
    assert play(dataset.task("repaired"), noop(), native_backend).reward == 0.5
    seen = play(dataset.task("kept"), noop(), native_backend)
    assert (seen.ending, seen.reward) == (Ending.UNGRADED, None)
    assert "/tests/test.sh of its image has Windows line ends (CRLF)" in seen.message


def test_a_machine_must_be_well_before_the_agent_comes(
    tmp_path: Path, native_backend: Backend
) -> None:
    check = (
        '[environment.healthcheck]\ncommand = "test -e /app/{}"\ninterval_sec = 0.1\nretries = 2\n'
    )
    base = "FROM tmax/core:latest\nRUN mkdir -p /app && touch /app/well\nWORKDIR /app\n"
    for name, ending in (("well", Ending.SUBMITTED), ("unwell", Ending.INFRA_ERROR)):
        toml = 'schema_version = "1.4"\n[environment]\n' + check.format(name)
        place = tmp_path / name
        trial_task(place, files={"task.toml": toml, "environment/Dockerfile": base})
        seen = play(load(place), noop(), native_backend)
        assert seen.ending is ending
        assert ending is Ending.SUBMITTED or "health check failed 2 times" in seen.message


def test_a_dockerfile_of_ours_is_followed_without_an_engine(
    tmp_path: Path, native_backend: Backend
) -> None:
    trial_task(tmp_path, files={
        "environment/Dockerfile": (
            "ARG BASE=tmax/core:latest\nFROM ${BASE}\nENV COLOUR=green SIZE='very big'\n"
            "WORKDIR /app/inner\nCOPY data/ ./data/\nCOPY one.txt two.txt /etc/\n"
            'RUN ["bash", "-c", "echo $COLOUR > made"]\n'
        ),
        "environment/data/x.txt": "x",
        "environment/one.txt": "1",
        "environment/two.txt": "2",
    })  # fmt: skip
    agent = doing('pwd; cat made data/x.txt /etc/one.txt /etc/two.txt; echo; echo "$COLOUR $SIZE"')
    seen = play(load(tmp_path), agent, native_backend).steps[0].observation
    assert seen.splitlines()[:4] == ["/app/inner", "green", "x12", "green very big"]


def test_a_task_that_needs_an_engine_is_reported_and_has_no_reward(
    tmp_path: Path, native_backend: Backend
) -> None:
    trial_task(tmp_path, files={"environment/Dockerfile": "FROM ubuntu:24.04\n"})
    seen = play(load(tmp_path), noop(), native_backend)
    assert (seen.ending, seen.reward, seen.attempts) == (Ending.INFRA_ERROR, None, 1)
    assert "unsupported: its image is ubuntu:24.04" in seen.message
    assert "use docker" in seen.message


def test_dockerfiles_are_read_with_their_variables() -> None:
    text = "# c\nARG A=one\nFROM ${A:-x}:2 AS base\nFROM base\nRUN a \\\n # note\n  b\nCOPY . $A/\n"
    assert bases(text) == ("one:2",)
    assert [s.word for s in read(text)] == ["ARG", "FROM", "FROM", "RUN", "COPY"]
    assert read(text)[-1].rest == ". /"  # an ARG before FROM applies to FROM alone
    assert read(text.replace("RUN", "ARG A\nRUN"))[-1].rest == ". one/"
    assert "several stages" in obstacle(text)
    assert obstacle("FROM tmax/core\nUSER daemon\n") == "it works as the user daemon"
    assert obstacle("FROM tmax/core:latest\nRUN true\n") == ""


BOOTSTRAP = """#!/bin/bash
apt-get update
apt-get install -y curl
curl -LsSf https://example.test/uv/0.9.5/install.sh | sh
source $HOME/.local/bin/env
uvx -p 3.13 -w pytest==8.4.1 -w iniconfig pytest /tests/test_outputs.py -rA
[ $? -eq 0 ] && reward=1
echo ${reward:-0} > /logs/verifier/reward.txt
"""
OUTPUTS = """import subprocess

def test_it():
    assert open('/app/hello.txt').read().strip() == 'hello'
    subprocess.run(['python', '-c', 'import pytest'], check=True)
"""


def test_the_usual_bootstrap_of_pytest_works_without_a_network(
    tmp_path: Path, any_backend: Backend
) -> None:
    wheels(tmp_path / "wheels")
    files = {"tests/test.sh": BOOTSTRAP, "tests/test_outputs.py": OUTPUTS}
    trial_task(tmp_path / "set", files=files)
    trial = load(tmp_path / "set", wheels=tmp_path / "wheels")
    env = TerminalEnv(trial, backend=any_backend)
    for command, reward in (("echo hello > hello.txt", 1.0), ("true", 0.0)):
        env.reset(seed=0)
        env.step(command)
        assert env.step(SUBMIT)[1] == reward
        assert "test session starts" in env.graded[0].output
        assert f"1 {'passed' if reward else 'failed'}" in env.graded[0].output
    env.close()


def test_a_bootstrap_that_fails_leaves_the_trial_ungraded_and_not_zero(
    tmp_path: Path, native_backend: Backend
) -> None:
    trial_task(tmp_path / "set", files={"tests/test.sh": BOOTSTRAP})
    trial = load(tmp_path / "set", wheels=tmp_path / "none")
    seen = play(trial, doing("echo hello > hello.txt"), native_backend)
    assert (seen.ending, seen.reward) == (Ending.UNGRADED, None)
    assert "its tests never ran" in seen.message


def test_an_ungraded_trial_is_tried_again_as_a_fault_of_ours(
    tmp_path: Path, native_backend: Backend
) -> None:
    trial_task(tmp_path, files={"tests/test.sh": "#!/no/such/shell\n"})
    seen = rollout(load(tmp_path), noop(), backend=native_backend, retries=1)
    assert (seen.ending, seen.attempts, len(seen.faults)) == (Ending.UNGRADED, 2, 1)
    assert "the verifier wrote no reward" in seen.message


def test_what_the_agent_started_may_live_on_where_that_is_chosen(
    tmp_path: Path, native_backend: Backend
) -> None:
    script = """#!/bin/bash
[ -e /proc/$(cat /app/pid) ] && echo 1 > /logs/verifier/reward.txt ||
  echo 0 > /logs/verifier/reward.txt
"""
    trial_task(tmp_path, files={"tests/test.sh": script})
    start = "setsid sh -c 'echo $$ > /app/pid; exec sleep 600' > /dev/null 2>&1 &"
    agent = doing(f"{start} until test -s /app/pid; do sleep 0.01; done")
    assert play(load(tmp_path, leftovers="keep"), agent, native_backend).reward == 1.0
    assert play(load(tmp_path), agent, native_backend).reward == 0.0


@pytest.mark.docker
def test_an_agent_works_as_the_user_that_its_task_names(
    tmp_path: Path, docker_backend: Backend
) -> None:
    toml = """\
version = "1.0"
[agent]
user = "worker"
[environment]
allow_internet = false
"""
    script = """#!/bin/bash
[ "$(stat -c %U /app/hello.txt) $(id -un)" = "worker root" ] &&
  echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
"""
    base = (
        "FROM tmax/core:latest\nRUN useradd -m worker\nWORKDIR /app\nRUN chown worker /app\n"
        "ENV PATH=/opt/own/bin:/usr/bin:/bin\n"
    )
    files = {"task.toml": toml, "tests/test.sh": script, "environment/Dockerfile": base}
    trial_task(tmp_path, files=files)
    trial = load(tmp_path)
    agent = doing('echo "$(whoami) $HOME $PATH"; touch hello.txt; touch /etc/x')
    seen = play(trial, agent, docker_backend)
    first, second = seen.steps[0].observation.splitlines()[:2]
    assert first == "worker /home/worker /opt/own/bin:/usr/bin:/bin"
    assert "Permission denied" in second
    assert seen.reward == 1.0
    assert play(trial, oracle(trial), docker_backend).reward == 1.0


PUBLIC = 'version = "1.0"\n[environment]\nallow_internet = true\n'
ASKING = """#!/bin/bash
apt-get update
curl -sS https://example.com
git clone https://example.com/x
python3 -c 'import socket; socket.getaddrinfo("example.com", 80)'
apt-config dump Acquire::Retries
env | grep -o -E '^(PIP_RETRIES|npm_config_fetch_retries)=.*'
echo "took $SECONDS s"
"""
GRADING = "echo 0 > /logs/verifier/reward.txt\n"


def test_programs_that_need_an_absent_network_fail_at_once(
    tmp_path: Path, any_backend: Backend
) -> None:
    trial_task(tmp_path, files={"tests/test.sh": ASKING})
    env = TerminalEnv(load(tmp_path), backend=any_backend)
    env.reset(seed=0)
    with pytest.raises(Ungraded) as caught:
        env.step(SUBMIT)
    (graded,) = env.graded
    lines = graded.output.splitlines()
    took = int(lines[-1].split()[1])
    env.close()
    assert took <= 4, "apt alone waits 7 s for what is not there"
    assert {'Acquire::Retries "0";', "PIP_RETRIES=0", "npm_config_fetch_retries=0"} <= set(lines)
    assert graded.output.lower().count("could not resolve") >= 3
    assert "the tests asked for a network, which this machine does not have" in str(caught.value)


@pytest.mark.parametrize(
    ("toml", "script", "ending", "reward"),
    [
        (PUBLIC, ASKING + GRADING, Ending.UNGRADED, None),
        (None, ASKING + GRADING, Ending.SUBMITTED, 0.0),
        (
            PUBLIC,
            ASKING + GRADING + "echo 0.5 > /logs/verifier/reward.txt\n",
            Ending.SUBMITTED,
            0.5,
        ),
        (PUBLIC, f"#!/bin/bash\ncat /app/said\n{GRADING}", Ending.SUBMITTED, 0.0),
        (PUBLIC, f"#!/bin/bash\napt-get --version\n{GRADING}", Ending.SUBMITTED, 0.0),
    ],
)
def test_a_zero_because_of_a_missing_network_is_not_graded(
    tmp_path: Path,
    native_backend: Backend,
    toml: str | None,
    script: str,
    ending: Ending,
    reward: float | None,
) -> None:
    files: dict[str, str | bytes | None] = {"tests/test.sh": script}
    trial_task(tmp_path, files=files | ({"task.toml": toml} if toml else {}))
    agent = doing("echo 'Could not resolve host: example.com' > /app/said")
    seen = play(load(tmp_path), agent, native_backend)
    assert (seen.ending, seen.reward) == (ending, reward), seen.message


@pytest.mark.docker
def test_a_machine_with_a_network_is_left_as_it_is(tmp_path: Path, docker_backend: Backend) -> None:
    script = """#!/bin/bash
command -v curl
env | grep -E '^(APT_CONFIG|RES_OPTIONS|PIP_|UV_|npm_|CARGO_|BUNDLE_)' | grep -v PIP_NO_INPUT
ls /opt/.tmax /logs/.tmax
echo 1 > /logs/verifier/reward.txt
"""
    trial_task(tmp_path, files={"tests/test.sh": script, "task.toml": PUBLIC})
    env = TerminalEnv(load(tmp_path, network="bridge"), backend=docker_backend)
    env.reset(seed=0)
    assert env.step(SUBMIT)[1] == 1.0
    (graded,) = env.graded
    env.close()
    assert graded.output.splitlines() == [
        "/usr/bin/curl",
        "ls: cannot access '/opt/.tmax': No such file or directory",
        "ls: cannot access '/logs/.tmax': No such file or directory",
    ]


@pytest.mark.docker
def test_a_resolver_that_never_answers_costs_seconds_and_not_minutes(
    tmp_path: Path, docker_backend: Backend
) -> None:
    script = """#!/bin/bash
apt-get update
echo "took $SECONDS s"
echo 0.5 > /logs/verifier/reward.txt
"""
    base = "FROM tmax/core:latest\nWORKDIR /app\nRUN echo 'hosts: files dns' > /etc/nsswitch.conf\n"
    files = {"tests/test.sh": script, "task.toml": PUBLIC, "environment/Dockerfile": base}
    trial_task(tmp_path, files=files)
    env = TerminalEnv(load(tmp_path, network="bridge"), backend=docker_backend)
    env.reset(seed=0)
    env.step("echo nameserver 192.0.2.1 > /etc/resolv.conf")  # TEST-NET-1, where no host answers
    assert env.step(SUBMIT)[1] == 0.5
    (graded,) = env.graded
    env.close()
    assert int(graded.output.splitlines()[-1].split()[1]) <= 25
    assert graded.seconds <= 40


@pytest.mark.parametrize(
    ("choice", "mode", "there", "name"),
    [
        ("auto", "public", ("bridge", "host", "none"), "bridge"),
        ("auto", "public", ("host", "none"), "none"),
        ("auto", "no-network", ("bridge",), "none"),
        ("none", "public", ("bridge",), "none"),
        ("host", "public", ("bridge",), "host"),
        ("host", "no-network", ("bridge",), "none"),
    ],
)
def test_a_task_without_a_network_never_gets_one(
    choice: str, mode: str, there: tuple[str, ...], name: str
) -> None:
    settings = HarborSettings(network=choice)  # type: ignore[arg-type]
    assert network_name(there, mode, settings) == name  # type: ignore[arg-type]
