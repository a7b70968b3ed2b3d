"""Tutorials work as they are printed: their blocks run in order, and print what the page shows.

All blocks of a page run in one bash, in one directory of a checkout's examples.  Where a page shows
an output, `...` stands for what differs from run to run, and widths of blanks do not count.
"""

import doctest
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat_server import Say, serving
from tests.support.markdown_blocks import ROOT, Block, blocks
from tmax_gym import SUBMIT
from tmax_gym.errors import ImageError
from tmax_gym.sandboxes import Backend, images

PAGES = {
    path.relative_to(ROOT / "docs").with_suffix("").as_posix(): blocks(path)
    for path in (
        *sorted(ROOT.glob("docs/tutorials/*.md")),
        ROOT / "docs/index.md",
        ROOT / "docs/objectives.md",
    )
}
RUN = ("sh", "console", "python")
SHOWN = ("text", "yaml")
"""Languages of blocks that are only read."""
ENDPOINT = "http://localhost:8000/v1"
"""What the pages call a server of models; a scripted one takes its place."""
IMAGE = ("tutorials/benchmark", "tutorials/harbor_dataset")
"""Pages whose tasks need the image `core`."""
PATIENCE = 600.0
"""Seconds for all blocks of a page; they take 20 where nothing else runs."""
MARK = "--- end of a block ---"
pytestmark = pytest.mark.timeout(PATIENCE + 60)


def look_then_submit(body: Mapping[str, Any]) -> Say:
    """Answer as a model that looks around once and then believes that it has finished."""
    began = any(message["role"] == "assistant" for message in body["messages"])
    return Say(calls=(("bash", {"command": SUBMIT if began else "ls /app"}),))


def text_of(page: str) -> str:
    return "".join(block.code for block in PAGES[page])


def runs_by_itself(block: Block, page: str) -> bool:
    """Return whether a block is code or commands, and no example that a later command runs."""
    typed = "".join(b.commands for b in PAGES[page] if b.language in ("sh", "console"))
    return block.language in RUN and not any(name in typed for name in block.included)


def command(block: Block, place: Path) -> str:
    """Return what runs a block, as lines of the page's bash."""
    if block.language != "python":
        return block.commands
    script = place / f"line_{block.line}.py"
    script.write_text(block.code, "utf-8")
    return f"python {script.name}\n"


def run(script: str, place: Path) -> str:
    """Run the lines of a page, as in a shell with the virtual environment; return the output."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    bash = subprocess.Popen(
        ["bash", "-eu", "-c", script],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        start_new_session=True,
    )
    try:
        output, errors = bash.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(bash.pid, signal.SIGKILL)  # what it started as well
        raise
    assert bash.returncode == 0, output[-2000:] + errors[-2000:]
    return output


@pytest.fixture
def place(page: str, tmp_path: Path, native_backend: Backend) -> Path:
    """Where a page is tried out."""
    if "tmax_trainers" in text_of(page) or "tmax train" in text_of(page):
        pytest.importorskip("trl", reason="needs the train extra")
    if page in IMAGE:
        try:
            images.tar_path("core")
        except ImageError as error:
            pytest.skip(str(error).splitlines()[0])
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


@pytest.fixture
def counterparts() -> Iterator[Mapping[str, str]]:
    """What takes the place of a server that the reader has."""
    with serving(look_then_submit) as server:
        yield {ENDPOINT: server.base_url}


SLOW = "tutorials/train_with_trl"
"""It trains two small models: as long as all other pages together."""


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=pytest.mark.slow) if p == SLOW else p for p in PAGES]
)
def test_a_tutorial_works_as_it_is_printed(
    page: str, place: Path, counterparts: Mapping[str, str]
) -> None:
    steps = [b for b in PAGES[page] if not b.mark and runs_by_itself(b, page)]
    script = "".join(f"{command(block, place)}echo; echo '{MARK}'\n" for block in steps)
    for written, real in counterparts.items():
        script = script.replace(written, real)
    outputs = run(script, place).split(MARK)
    same = doctest.OutputChecker().check_output
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for block, output in zip(steps, outputs, strict=False):
        if block.printed:
            message = f"{block.place} prints\n{output}\nand the page shows\n{block.printed}"
            assert same(block.printed, output, flags), message


def test_every_block_of_a_tutorial_runs_or_says_why_not() -> None:
    for block in (block for shown in PAGES.values() for block in shown):
        known = block.language in (*RUN, *SHOWN)
        assert known or block.mark, f"{block.place}: no test runs {block.language!r} blocks"
        assert not block.mark or len(block.mark) > 20, f"{block.place}: say why it is not run"


def test_every_example_belongs_to_a_tutorial() -> None:
    included = {file for shown in PAGES.values() for block in shown for file in block.included}
    assert included == {f"examples/{path.name}" for path in ROOT.glob("examples/*.*")}
