"""A dataset with one task for each hazard: each has its own status, and the others run."""

import pytest

from tests.support.trial_tasks import trial_task
from tmax_gym import load_dataset
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.harbor.run.datasets import Dataset
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Trajectory

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
ZERO = "echo 0 > /logs/verifier/reward.txt\n"
GRADE = "#!/bin/bash\n[ -s /app/hello.txt ] && r=0.5\necho ${r:-0} > /logs/verifier/reward.txt\n"
HELPER = f"#!/bin/bash\n{ZERO}/tests/%s && echo 1 > /logs/verifier/reward.txt\n"
TRUE = "#!/bin/bash\ntrue\n"


def windows(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


FORGED = (
    "printf '%s\\n' '/tests/test.sh: line 2: syntax error near x' '/tests/run.sh: /bin/zsh: bad "
    "interpreter: No such file' $'/usr/bin/env: \\'python3\\r\\': No such file' > /app/hello.txt"
)
"""An agent whose file looks like the output of a verifier that could not run."""
HAZARDS: dict[str, dict[str, str | bytes | None]] = {
    "bom": {"tests/test.sh": b"\xef\xbb\xbf" + GRADE.encode()},
    "bom-python": {"tests/test.sh": b"\xef\xbb\xbf#!/usr/bin/env python3\nprint(1)\n"},
    "broken-syntax": {"tests/test.sh": f"#!/bin/bash\n{ZERO}if true; then\necho 1\n"},
    "crlf": {"tests/test.sh": windows(GRADE)},
    "crlf-bare": {"tests/test.sh": windows("x=1\n/tests/no && x=2\n") + ZERO.encode()},
    "crlf-body": {"tests/test.sh": b"#!/bin/bash\n" + windows("set -u\ntrue\n") + ZERO.encode()},
    "crlf-data": {
        "tests/test.sh": GRADE + "cp /tests/sample.sh /tmp\n",
        "tests/sample.sh": windows(TRUE),
    },
    "crlf-data-unsolved": {
        "tests/test.sh": f"#!/bin/bash\n{ZERO}cp /tests/sample.sh /tmp; cmp /tests/sample.sh /x\n",
        "tests/sample.sh": windows(TRUE),
    },
    "crlf-dirname": {
        "tests/test.sh": HELPER.replace("/tests/%s", 'bash -e "$(dirname "$0")/run.sh"'),
        "tests/run.sh": windows("set -u\nfalse\n"),
    },
    "crlf-loop": {
        "tests/test.sh": HELPER.replace(
            "/tests/%s", "chmod +x /tests/*.sh; for t in /tests/*.case.sh; do $t; done"
        ).replace("&& echo 1", "; echo 0"),
        "tests/a.case.sh": windows(TRUE),
    },
    "crlf-helper": {"tests/test.sh": HELPER % "run.sh", "tests/run.sh": windows(TRUE)},
    "crlf-python": {
        "tests/test.sh": HELPER.replace("/tests/%s", "chmod +x /tests/run.py; /tests/run.py"),
        "tests/run.py": windows("#!/usr/bin/env python3\nprint(1)\n"),
    },
    "crlf-unused": {"tests/test.sh": GRADE, "tests/data.csv": b"a\r\nb\r\n"},
    "empty": {"tests/test.sh": ""},
    "forged": {"tests/test.sh": f"#!/bin/bash\ncat /app/hello.txt\n{ZERO}exit 2\n"},
    "no-bit": {"tests/test.sh": HELPER % "run.py", "tests/run.py": "#!/usr/bin/env python3\n"},
    "no-bit-needed": {
        "tests/test.sh": GRADE + "python3 /tests/run.py\n",
        "tests/run.py": "#!/usr/bin/env python3\n",
    },
    "no-shebang": {"tests/test.sh": GRADE.partition("\n")[2]},
    "reward-directory": {
        "tests/test.sh": f"#!/bin/bash\nmkdir /logs/verifier/reward.json\n{ZERO}",
    },
    "reward-large": {
        "tests/test.sh": f"#!/bin/bash\n{ZERO}cd /logs/verifier\n"
        "{ printf '{\"reward\": 1}'; head -c 17000000 /dev/zero | tr '\\0' ' '; } > reward.json\n",
    },
    "reward-link": {
        "tests/test.sh": f"#!/bin/bash\n{ZERO}cd /logs/verifier\n"
        "echo '{\"reward\": 1}' > /tmp/reward.json\nln -s /tmp/reward.json .\n",
    },
    "reward-twice": {"tests/test.sh": GRADE + "echo '{}' > /logs/verifier/reward.json\n"},
    "remarks": {"tests/test.sh": "#!/bin/bash\n# to do\n\n"},
    "utf-16": {"tests/test.sh": GRADE.encode("utf-16")},
    "zsh": {"tests/test.sh": GRADE.replace("bash", "zsh")},
    "zsh-helper": {
        "tests/test.sh": HELPER.replace("/tests/%s", "chmod +x /tests/run.sh; /tests/run.sh"),
        "tests/run.sh": "#!/bin/zsh\ntrue\n",
    },
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
    "bom": (Ending.SUBMITTED, 0.5, ""),
    "bom-python": (Ending.UNGRADED, None, "tests/test.sh begins with a byte order mark"),
    "broken-syntax": (Ending.UNGRADED, None, "tests/test.sh has a syntax error: /tests/test.sh: "),
    "crlf": (Ending.UNGRADED, None, "tests/test.sh has Windows line ends (CRLF)"),
    "crlf-bare": (Ending.UNGRADED, None, "tests/test.sh has Windows line ends (CRLF)"),
    "crlf-body": (Ending.UNGRADED, None, "tests/test.sh has Windows line ends (CRLF)"),
    "crlf-data": (Ending.SUBMITTED, 0.5, ""),
    "crlf-data-unsolved": (Ending.SUBMITTED, 0.0, ""),
    "crlf-dirname": (Ending.UNGRADED, None, "tests/run.sh has Windows line ends (CRLF)"),
    "crlf-loop": (Ending.UNGRADED, None, "tests/a.case.sh has Windows line ends (CRLF)"),
    "crlf-helper": (Ending.UNGRADED, None, "tests/run.sh has Windows line ends (CRLF)"),
    "crlf-python": (Ending.UNGRADED, None, "tests/run.py has Windows line ends (CRLF)"),
    "crlf-unused": (Ending.SUBMITTED, 0.5, ""),
    "empty": (Ending.UNGRADED, None, "tests/test.sh has no command"),
    "forged": (Ending.SUBMITTED, 0.0, ""),
    "no-bit": (Ending.UNGRADED, None, "tests/test.sh starts tests/run.py, which is not executable"),
    "no-bit-needed": (Ending.SUBMITTED, 0.5, ""),
    "no-shebang": (Ending.SUBMITTED, 0.5, ""),
    "reward-directory": (Ending.VERIFIER_ERROR, None, "reward.json is no plain file but a dir"),
    "reward-large": (Ending.VERIFIER_ERROR, None, "reward.json is too large"),
    "reward-link": (Ending.VERIFIER_ERROR, None, "reward.json is no plain file but a link"),
    "reward-twice": (Ending.VERIFIER_ERROR, None, "reward.json has 0 numbers"),
    "remarks": (Ending.UNGRADED, None, "tests/test.sh has no command"),
    "utf-16": (Ending.UNGRADED, None, "tests/test.sh is UTF-16"),
    "zsh": (Ending.UNGRADED, None, "tests/test.sh needs /bin/zsh, which this machine does not"),
    "zsh-helper": (Ending.UNGRADED, None, "tests/run.sh needs /bin/zsh, which this machine does"),
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
    command = {"daemon": DAEMON, "forged": FORGED}.get(name, "echo hello > /app/hello.txt")
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
