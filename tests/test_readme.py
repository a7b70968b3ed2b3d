"""The README's code runs, its commands exist, and the tables of results say what was measured."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tmax_gym.errors import BackendUnavailable, ImageError
from tmax_gym.sandboxes import backend

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_python_of_the_readme_runs() -> None:
    try:
        backend()
    except (BackendUnavailable, ImageError) as error:
        pytest.skip(f"no sandbox backend works here: {error}")
    (code,) = blocks("python")
    seen: dict[str, object] = {}
    exec(code, seen)
    assert isinstance(seen["instruction"], str) and len(seen["instruction"]) > 40
    assert "." in str(seen["observation"]), "ls -la lists at least its own directory"
    assert (seen["reward"], seen["terminated"], seen["truncated"]) == (0.0, False, False)


def test_the_readme_has_six_lines_of_python() -> None:
    (code,) = blocks("python")
    assert len([line for line in code.splitlines() if line]) <= 6


def test_the_readme_has_exactly_two_commands_and_the_makefile_knows_them() -> None:
    commands = [line.split("#")[0].strip() for text in blocks("sh") for line in text.splitlines()]
    assert commands == ["make demo", "make test"]
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {command.removeprefix("make ") for command in commands} <= set(targets)


def test_the_tables_of_results_are_what_the_benchmarks_wrote() -> None:
    script = ROOT / "benchmarks" / "table.py"
    ended = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_every_linked_file_exists() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    for path in (*documents, ROOT / "env_specs" / "README.md"):
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (path.parent / target).exists(), f"{path} links to {target}"
