"""Harbor itself, with our sandboxes as its environments and our harnesses as its agents."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.chat_server import Say, scripted, serving
from tests.trial_tasks import trial_task
from tmax_gym.harbor.trial_reader import read_trial
from tmax_gym.harbor.trials import TrialResult
from tmax_gym.observation import SUBMIT
from tmax_gym.sandboxes import Backend

pytest.importorskip("harbor", reason="needs tmax-gym[harbor], which needs Python 3.12")
OURS = "tmax_gym.adapters.harbor"


def run(tasks: Path, jobs: Path, words: Sequence[str], *, backend: str) -> TrialResult:
    """Let Harbor run one task; return what it wrote about the trial."""
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
