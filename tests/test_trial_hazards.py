"""A dataset with one of each hazard: each gets its own status and message, and the rest run."""

import pytest

from tests.trial_tasks import trial_task
from tmax_gym import load_dataset
from tmax_gym.agents import ScriptedAgent
from tmax_gym.rollout import rollout
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Trajectory
from tmax_gym.trial.datasets import Dataset

SLOW = "#!/bin/bash\necho so far so good\nsleep 600 & setsid sleep 600 & wait\n"
NAN = "#!/bin/bash\necho '{\"reward\": NaN}' > /logs/verifier/reward.json\n"
LOUD = (
    "#!/bin/bash\nhead -c 50000000 /dev/zero | tr '\\0' x\necho 0.5 > /logs/verifier/reward.txt\n"
)
PROMPT = (
    "#!/bin/bash\nread -p 'Region? ' a || a=none\necho $a\necho 0.5 > /logs/verifier/reward.txt\n"
)
DAEMON = (
    "setsid bash -c 'while :; do mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt; "
    "done' >/dev/null 2>&1 & sleep 0.3"
)
HAZARDS = {
    "bad-build": {"environment/Dockerfile": "FROM tmax/core:latest\nRUN echo before && exit 7\n"},
    "daemon": {},
    "good": {},
    "loud": {"tests/test.sh": LOUD},
    "nan": {"tests/test.sh": NAN},
    "never-starts": {"tests/test.sh": "#!/no/such/interpreter\necho 1\n"},
    "no-tests": {"tests/test.sh": None},
    "prompts": {"tests/test.sh": PROMPT},
    "syntax": {"task.toml": "[agent\ntimeout_sec = 1\n"},
    "hangs": {"tests/test.sh": SLOW},
}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    place = tmp_path_factory.mktemp("hazards")
    for name, files in HAZARDS.items():
        trial_task(place, name, files, seconds=8.0 if name == "hangs" else 120.0)
    return load_dataset(place, name="hazards")


def test_directories_that_are_no_tasks_get_one_line_each(dataset: Dataset) -> None:
    missing, syntax = map(str, dataset.problems)
    assert missing == "no-tests: tests/test.sh is missing"
    assert syntax.startswith("syntax: task.toml is not TOML: ")
    assert "\n" not in syntax
    assert {name.partition("/")[2] for name in dataset.ids} == set(HAZARDS) - {"no-tests", "syntax"}


EXPECTED = {
    "bad-build": (Ending.INFRA_ERROR, None, "exit 7"),
    "daemon": (Ending.SUBMITTED, 0.0, ""),
    "good": (Ending.SUBMITTED, 0.75, ""),
    "hangs": (Ending.VERIFIER_ERROR, None, "did not end within 8 s"),
    "loud": (Ending.SUBMITTED, 0.5, ""),
    "nan": (Ending.VERIFIER_ERROR, None, "reward.json: reward is nan"),
    "never-starts": (Ending.UNGRADED, None, "wrote no reward"),
    "prompts": (Ending.SUBMITTED, 0.5, ""),
}


def played(dataset: Dataset, name: str, backend: Backend) -> Trajectory:
    command = DAEMON if name == "daemon" else "echo hello > /app/hello.txt"
    return rollout(dataset.task(name), ScriptedAgent([command]), backend=backend, retries=0)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_each_hazard_has_its_own_status_and_message(
    dataset: Dataset, name: str, any_backend: Backend, image: str
) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    ending, reward, words = EXPECTED[name]
    seen = played(dataset, name, any_backend)
    assert (seen.ending, seen.reward) == (ending, reward), seen.message
    assert words in seen.message
    if name == "hangs":
        assert "so far so good" in seen.message
