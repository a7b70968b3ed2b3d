"""Examples and tutorials: scripts run, pages show what they print, and commands work as printed."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat_server import Say, serving
from tmax_gym import SUBMIT
from tmax_gym.errors import ImageError
from tmax_gym.sandboxes import Backend, images

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(path.name for path in ROOT.glob("examples/*.py"))
PAGES = {path.name: path.read_text("utf-8") for path in sorted(ROOT.glob("docs/tutorials/*.md"))}
ELSEWHERE = {
    "benchmark_agent.py": "a command of the tutorial on benchmarks runs it",
    "train_with_trl.py": "tests/trainers/trl/test_trl_script.py runs it, with a model to train",
}
"""Examples that want arguments, and what runs them."""
ENDPOINT = "http://localhost:8000/v1"
"""What the pages call a server of models."""
PATIENCE = 600.0
"""Seconds for all commands of a page; they take 20 where nothing else runs."""
pytestmark = pytest.mark.timeout(PATIENCE + 60)


IMAGE = ("benchmark", "harbor_dataset")
"""Pages and examples whose tasks need the image `core`."""


@pytest.fixture(autouse=True)
def ground(native_backend: Backend, request: pytest.FixtureRequest) -> None:
    if any(name in request.node.name for name in IMAGE):
        try:
            images.tar_path("core")
        except ImageError as error:
            pytest.skip(str(error).splitlines()[0])


def run(*command: str, place: Path) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    ended = subprocess.run(
        command,
        cwd=place,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
    )
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    return ended.stdout


SHOWN = r'^--8<-- "examples/(\w+\.py)"\n```\n\n```text title="Output"\n(.*?)^```'
OUTPUTS = dict(re.findall(SHOWN, "".join(PAGES.values()), re.MULTILINE | re.DOTALL))
"""What the pages say that each example prints."""
COMMANDS = {
    page: "".join(blocks)
    for page, text in PAGES.items()
    if (blocks := re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
}


@pytest.mark.parametrize("example", [name for name in EXAMPLES if name not in ELSEWHERE])
def test_an_example_prints_what_its_tutorial_shows(example: str, tmp_path: Path) -> None:
    if "tmax_trainers" in (ROOT / "examples" / example).read_text():
        pytest.importorskip("torch", reason="needs the train extra")
    printed = run("python", str(ROOT / "examples" / example), place=tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    wanted = OUTPUTS[example]
    assert doctest.OutputChecker().check_output(wanted, printed, flags), f"{printed}\nnot\n{wanted}"


def look_then_submit(body: Mapping[str, Any]) -> Say:
    """Answer as a model that looks around once and then believes that it has finished."""
    began = any(message["role"] == "assistant" for message in body["messages"])
    return Say(calls=(("bash", {"command": SUBMIT if began else "ls /app"}),))


@pytest.mark.parametrize("page", COMMANDS)
def test_the_commands_of_a_tutorial_work_as_they_are_printed(page: str, tmp_path: Path) -> None:
    if "tmax train" in COMMANDS[page]:
        pytest.importorskip("torch", reason="needs the train extra")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    with serving(look_then_submit) as server:
        script = COMMANDS[page].replace(ENDPOINT, server.base_url)
        run("bash", "-eu", "-c", script, place=tmp_path)


def test_every_example_belongs_to_a_tutorial() -> None:
    included = re.findall(r'^--8<-- "examples/(\w+\.py)"', "".join(PAGES.values()), re.MULTILINE)
    assert set(included) == set(EXAMPLES)
