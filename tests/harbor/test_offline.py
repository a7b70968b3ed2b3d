"""Scripts that need an absent network fail at once, whatever an agent has left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.trial_tasks import TOML, trial_task, wheels
from tmax_gym import load_dataset
from tmax_gym.agents.agent import ScriptedAgent, oracle
from tmax_gym.agents.rollout import rollout
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending

ASKS = """#!/bin/bash
cd /app
apt-get update
apt-config dump Acquire::Retries > {out}
env | grep -E '^(PIP_RETRIES|npm_config_fetch_retries|CARGO_NET_RETRY)=' | sort >> {out}
[ $SECONDS -le 4 ] && echo hello at once >> {out}
"""
TOLD = 'Acquire::Retries "0";\nCARGO_NET_RETRY=0\nPIP_RETRIES=0\nnpm_config_fetch_retries=0\n'
COMPARED = """#!/bin/bash
cmp {out} /tests/expected && r=1
echo ${{r:-0}} > /logs/verifier/reward.txt
"""


@pytest.fixture(autouse=True)
def _core(image: str) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")


def load(place: Path, **settings: object) -> TrialTask:
    found = load_dataset(place, name="ours", settings=HarborSettings(**settings))  # type: ignore[arg-type]
    assert found.problems == ()
    return found.tasks[0]


def test_a_solution_without_a_network_fails_at_once(tmp_path: Path, any_backend: Backend) -> None:
    files: dict[str, str | bytes | None] = {
        "solution/solve.sh": ASKS.format(out="/app/out"),
        "tests/test.sh": COMPARED.format(out="/app/out"),
        "tests/expected": f"{TOLD}hello at once\n",
    }
    trial = load(trial_task(tmp_path, files=files).parent)
    seen = rollout(trial, oracle(trial), backend=any_backend, retries=0)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 1.0), seen.steps[-2].observation


def test_a_solution_without_a_network_fails_in_every_step_of_a_task(
    tmp_path: Path, native_backend: Backend
) -> None:
    files: dict[str, str | bytes | None] = {
        "task.toml": TOML.format(seconds=60)
        + "".join(f'[[steps]]\nname = "{name}"\n' for name in ("one", "two")),
        **dict.fromkeys(("instruction.md", "tests/test.sh", "solution/solve.sh")),
    }
    for name in ("one", "two"):
        files |= {
            f"steps/{name}/instruction.md": "Do it.",
            f"steps/{name}/solution/solve.sh": ASKS.format(out=f"/app/{name}"),
            f"steps/{name}/tests/test.sh": COMPARED.format(out=f"/app/{name}"),
            f"steps/{name}/tests/expected": f"{TOLD}hello at once\n",
        }
    trial = load(trial_task(tmp_path, files=files).parent)
    seen = rollout(trial, oracle(trial), backend=native_backend, retries=0)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 1.0), seen.parts


def test_the_settings_of_a_task_for_its_solution_stay(
    tmp_path: Path, native_backend: Backend
) -> None:
    files: dict[str, str | bytes | None] = {
        "task.toml": TOML.format(seconds=60) + '[solution.env]\nPIP_RETRIES = "7"\n',
        "solution/solve.sh": '#!/bin/bash\necho "hello $PIP_RETRIES" > /app/hello.txt\n',
        "tests/test.sh": "#!/bin/bash\ngrep -c 'hello 7' /app/hello.txt "
        "> /logs/verifier/reward.txt\n",
    }
    trial = load(trial_task(tmp_path, files=files).parent)
    assert rollout(trial, oracle(trial), backend=native_backend, retries=0).reward == 1.0


@pytest.mark.docker
def test_a_solution_with_a_network_is_left_as_it_is(
    tmp_path: Path, docker_backend: Backend
) -> None:
    files: dict[str, str | bytes | None] = {
        "task.toml": TOML.format(seconds=60).replace("= false", "= true"),
        "solution/solve.sh": "#!/bin/bash\n{ echo hello; env | grep -E '^(APT_CONFIG|PIP_RETR)'; "
        "ls /logs/.tmax 2>&1; } > /app/hello.txt\n",
        "tests/test.sh": "#!/bin/bash\ncmp /app/hello.txt /tests/expected && r=1\n"
        "echo ${r:-0} > /logs/verifier/reward.txt\n",
        "tests/expected": "hello\nls: cannot access '/logs/.tmax': No such file or directory\n",
    }
    trial = load(trial_task(tmp_path, files=files).parent, network="bridge")
    seen = rollout(trial, oracle(trial), backend=docker_backend, retries=0)
    assert seen.reward == 1.0, seen.message


def test_the_agents_own_shell_is_left_as_it_is(tmp_path: Path, any_backend: Backend) -> None:
    trial = load(trial_task(tmp_path).parent)
    look = "env | grep -E '^(APT_CONFIG|RES_OPTIONS|PIP_R|UV_|npm_|CARGO_)'; ls /etc/apt/apt.conf.d"
    seen = rollout(trial, ScriptedAgent([look]), backend=any_backend, retries=0)
    assert "=" not in seen.steps[0].observation.replace("(exit_code=", "")
    assert "tmax" not in seen.steps[0].observation


LEFT = {
    "a file in the place of /opt": "rm -rf /opt; touch /opt",
    "a link in the place of /opt": "rm -rf /opt; ln -s /nowhere /opt",
    "a directory in the place of a file": "mkdir -p /opt/.tmax/offline-apt.conf/x "
    "/logs/.tmax/offline-apt.conf/x",
    "a link in the place of our directory": "ln -s /nowhere /logs/.tmax; ln -s /nowhere /opt/.tmax",
    "a file in the place of our directory": "touch /logs/.tmax /opt/.tmax",
    "a loop in the place of /logs": "rm -rf /logs; ln -s /logs /logs",
    "no /logs": "rm -rf /logs /opt",
    "a directory that nobody may enter": "mkdir -p /logs/.tmax/bin; chmod 0 /logs /logs/.tmax /opt",
}


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("name", LEFT)
def test_nothing_that_an_agent_leaves_keeps_it_from_being_graded(
    name: str, cached: bool, tmp_path: Path, native_backend: Backend
) -> None:
    assert_zero(LEFT[name], tmp_path, native_backend, cached=cached)


@pytest.mark.docker
@pytest.mark.parametrize("name", LEFT)
def test_nothing_that_it_leaves_in_a_container_does_either(
    name: str, tmp_path: Path, docker_backend: Backend
) -> None:
    assert_zero(LEFT[name], tmp_path, docker_backend, cached=True)


def assert_zero(command: str, place: Path, backend: Backend, *, cached: bool) -> None:
    """Grade an agent that did nothing else, with or without stand-ins for `pip`."""
    script = (
        "#!/bin/bash\npip --version >/dev/null\napt-config dump Acquire::Retries\n"
        "grep -q hello /app/hello.txt && r=1; echo ${r:-0} > /logs/verifier/reward.txt\n"
    )
    trial_task(place / "tasks", files={"tests/test.sh": script})
    house = wheels(place / "wheels") if cached else place / "none"
    trial = load(place / "tasks", wheels=house)
    seen = rollout(trial, ScriptedAgent([command]), backend=backend, retries=0)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.0), seen.message
