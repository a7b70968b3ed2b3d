"""The dataset of other trainers; `test_verl.py` and `test_skyrl.py` read it with theirs."""

import json
from pathlib import Path

from typer.testing import CliRunner

from tmax_gym.adapters.rows import rows
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.cli import app
from tmax_gym.tasks import catalogue

NAMES = tuple(name for name in catalogue.names() if name.startswith("bulk-rename."))[:3]


def test_every_trainer_finds_the_task_and_its_opening_messages() -> None:
    for name, row in zip(NAMES, rows(reversed(NAMES)), strict=True):
        task, opening = f"tmax/{name}", BashHarness().opening(catalogue.load(name).instruction)
        assert row["prompt"] == row["messages"] == list(opening)
        assert row["extra_info"]["task"] == row["task"] == row["env_config"]["task"] == task
        assert (row["agent_name"], row["env_class"], row["env_config"]["env_name"]) == ("tmax",) * 3


def test_the_command_writes_a_line_for_every_task(tmp_path: Path) -> None:
    file = tmp_path / "new" / "tasks.jsonl"
    ended = CliRunner().invoke(
        app, ["export", "rows", str(file), *NAMES, "--dialect", "fenced"], catch_exceptions=False
    )
    assert ended.exit_code == 0
    written = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert written == list(rows(NAMES, dialect="fenced"))
    assert "```bash" in written[0]["prompt"][0]["content"]
