"""Harbor itself, with our sandboxes as its environments and our harnesses as its agents."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.chat_server import Fault, Say, Script, scripted, serving
from tests.support.harness_play import DONE, call, keys
from tests.support.trial_tasks import trial_task
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.harbor.results.trials import TrialResult, read_trial
from tmax_gym.sandboxes import Backend

pytest.importorskip("harbor", reason="needs tmax-gym[harbor], which needs Python 3.12")
OURS = "tmax_gym.adapters.harbor"


def run(tasks: Path, jobs: Path, words: Sequence[str], *, backend: str) -> TrialResult:
    """Let Harbor run one task; return its result of the trial."""
    program = Path(sys.executable).with_name("harbor")
    argv = [program, "run", "-p", tasks, "-o", jobs, "-n", "1", *words]
    argv += ["-e", f"{OURS}:TmaxEnvironment", "--ek", f"backend={backend}"]
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HARBOR_TELEMETRY": "off"}
    ended = subprocess.run(
        argv,
        env={**os.environ, **quiet},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    (file,) = [p for p in jobs.rglob("result.json") if p.parent.parent.parent == jobs]
    return read_trial(file.read_bytes())


@pytest.fixture
def tasks(tmp_path: Path, image: str) -> Path:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    trial_task(tmp_path / "tasks")
    return tmp_path / "tasks"


@pytest.mark.parametrize(("agent", "reward"), [("oracle", 0.75), ("nop", 0.0)])
def test_its_agents_work_on_our_sandboxes(
    agent: str, reward: float, tasks: Path, tmp_path: Path, any_backend: Backend
) -> None:
    seen = run(tasks, tmp_path / "jobs", ["-a", agent], backend=any_backend.name)
    assert seen.exception_info is None
    assert seen.rewards == {"reward": reward}


def test_our_harness_works_as_its_agent(
    tasks: Path, tmp_path: Path, native_backend: Backend
) -> None:
    commands = ["mkdir -p sub; cd sub; export WORD=hello", 'echo "$WORD" > ../hello.txt', SUBMIT]
    script = scripted([Say("Now.", (("bash", {"command": c}),)) for c in commands])
    with serving(script) as server:
        words = ["-a", f"{OURS}:TmaxAgent", "-m", "openai/scripted"]
        words += ["--ak", f"endpoint={server.base_url}", "--ak", "harness=bash"]
        seen = run(tasks, tmp_path / "jobs", words, backend=native_backend.name)
        assert seen.rewards == {"reward": 0.75}
        assert seen.agent_result is not None
        assert seen.agent_result.n_input_tokens == server.input_tokens
        assert seen.agent_result.n_output_tokens == server.output_tokens


WITHOUT_TMUX = "FROM tmax/core:latest\nRUN rm -f /usr/bin/tmux\nWORKDIR /app\n"
WITHOUT_PYTHON = "FROM tmax/core:latest\nRUN rm -f /usr/bin/python3*\nWORKDIR /app\n"
BROKEN_TMUX = (
    "FROM tmax/core:latest\nWORKDIR /app\n"
    "RUN printf '#!/bin/sh\\ncase $1 in -V) ;; *) echo no pty >&2; exit 1;; esac\\n' "
    "> /usr/bin/tmux\n"
)


def played(
    place: Path, script: Script, *, dockerfile: str, harness: str, backend: Backend
) -> TrialResult:
    """Run our harness as Harbor's agent in a machine of an image."""
    trial_task(place / "tasks", files={"environment/Dockerfile": dockerfile})
    with serving(script) as server:
        words = ["-a", f"{OURS}:TmaxAgent", "-m", "openai/scripted"]
        words += ["--ak", f"endpoint={server.base_url}", "--ak", f"harness={harness}"]
        return run(place / "tasks", place / "jobs", words, backend=backend.name)


def test_terminus_is_lent_a_tmux_there(tmp_path: Path, any_backend: Backend, tasks: Path) -> None:
    answers = [keys("echo hello > hello.txt; echo $TMUX\n"), keys("command -v tmux\n"), *DONE]
    seen = played(
        tmp_path / "own", scripted(answers), dockerfile=WITHOUT_TMUX, harness="terminus2",
        backend=any_backend,
    )  # fmt: skip
    assert seen.exception_info is None
    assert seen.rewards == {"reward": 0.75}


@pytest.mark.parametrize(
    ("harness", "dockerfile", "kind", "message"),
    [
        ("openhands", WITHOUT_PYTHON, "Unbuildable", "Put python3 into the image"),
        ("terminus2", BROKEN_TMUX, "RuntimeRequestError", "no pty"),
    ],
)
def test_what_its_machine_lacks_is_an_exception_and_no_reward(
    harness: str,
    dockerfile: str,
    kind: str,
    message: str,
    tmp_path: Path,
    native_backend: Backend,
    tasks: Path,
) -> None:
    seen = played(
        tmp_path / "own", scripted([]), dockerfile=dockerfile, harness=harness,
        backend=native_backend,
    )  # fmt: skip
    assert seen.exception_info is not None
    assert seen.exception_info.exception_type == kind
    assert message in seen.exception_info.exception_message
    assert not seen.rewards


def test_an_endpoint_that_fails_is_an_exception_and_no_reward(
    tmp_path: Path, native_backend: Backend, tasks: Path
) -> None:
    seen = played(
        tmp_path / "own", lambda body: Fault(401, "bad key"), harness="bash",
        dockerfile="FROM tmax/core:latest\nWORKDIR /app\n", backend=native_backend,
    )  # fmt: skip
    assert seen.exception_info is not None
    assert "bad key" in seen.exception_info.exception_message
    assert not seen.rewards


def test_a_command_longer_than_an_argument_arrives_there(
    tmp_path: Path, native_backend: Backend, tasks: Path
) -> None:
    long = "hello 'é' \n" * 30_000
    answers = [
        call("file_editor", command="create", path="/app/hello.txt", file_text=long),
        call("terminal", command="[ $(wc -c < hello.txt) = 360000 ] || rm hello.txt"),
        call("finish"),
    ]
    assert len(long.encode()) == 360_000
    seen = played(
        tmp_path / "own", scripted(answers), harness="openhands",
        dockerfile="FROM tmax/core:latest\nWORKDIR /app\n", backend=native_backend,
    )  # fmt: skip
    assert seen.exception_info is None
    assert seen.rewards == {"reward": 0.75}
