"""Commands that a page prints exist: `tmax` with its options, targets of make, scripts with theirs.

Blocks are parsed as they are typed.  Commands in running text may leave arguments out, so that only
the names of commands and options are looked up there.
"""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

pytest.importorskip("trl", reason="needs the train extra: `tmax train` is a command as well")

from tests.support.markdown_blocks import ROOT, blocks
from tmax_gym.cli import app
from tmax_gym.cli.plugins import loaded

FOLDERS = ("benchmarks", "docs", "env_specs", "tmax_gym", "tmax_trainers")
PAGES = [
    *sorted(path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"),  # that is history
    *sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")),
]
SHELLS = ("sh", "console")
INLINE = re.compile(r"`((?:tmax|make|python|bash|\.ci/|\.venv/)[^`]*)`")
ENDS = {"|", "||", "&&", ";", "&", "(", ")", ">", "$("}
"""What ends a command within a line."""


def simple_commands(line: str) -> Iterator[list[str]]:
    """Yield the words of each command of a line, without assignments before it."""
    lexer = shlex.shlex(re.sub(r"<(\w+)>", r"\1", line), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if word not in ENDS:
            words.append(word.removeprefix(".venv/bin/"))
        elif words:
            while words and re.match(r"[A-Z_]+=", words[0]):
                words.pop(0)
            yield words
            words = []


def typed(page: Path) -> Iterator[tuple[str, bool, list[str]]]:
    """Yield where a command stands, whether it is whole, and its words."""
    for block in blocks(page):
        if block.language in SHELLS:
            for line in block.commands.replace("\\\n", " ").splitlines():
                yield from ((block.place, True, words) for words in simple_commands(line))
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for text in INLINE.findall(prose):
        line = " ".join(text.replace("...", "").split())
        yield from ((f"{page.name}: {text}", False, words) for words in simple_commands(line))


COMMANDS = [command for page in PAGES for command in typed(page)]


def starting_with(*names: str) -> list[tuple[str, bool, list[str]]]:
    return [command for command in COMMANDS if command[2] and command[2][0] in names]


@cache
def tmax() -> Any:
    return typer.main.get_command(loaded(app))


def problem(words: list[str], *, whole: bool) -> str:
    """Return why `tmax` would refuse these words, or nothing."""
    command, rest = tmax(), words[1:]
    context = typer.Context(command, info_name="tmax")
    while hasattr(command, "commands") and rest:
        if (found := command.get_command(context, rest[0])) is None:
            return f"no such command: {rest[0]}"
        command, rest = found, rest[1:]
    if whole:
        try:
            command.make_context(command.name, list(rest))
        except typer.TyperException as error:
            return str(error)
    options = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-zA-Z]", word)}
    return " ".join(sorted(given - options - {"--help"}))


@pytest.mark.parametrize(("place", "whole", "words"), starting_with("tmax"))
def test_a_printed_tmax_command_is_one_that_tmax_takes(
    place: str, whole: bool, words: list[str]
) -> None:
    assert not problem(words, whole=whole), place


def test_the_check_of_commands_knows_a_wrong_one() -> None:
    assert problem(["tmax", "bench", "tmax", "--nonsense"], whole=False) == "--nonsense"
    assert "nonsense" in problem(["tmax", "images", "nonsense"], whole=False)
    assert problem(["tmax", "show"], whole=True), "the name of a task is missing"
    assert not problem(["tmax", "images", "build", "core"], whole=True)


def test_printed_targets_of_make_exist() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for place, _, words in starting_with("make"):
        goals = [word for word in words[1:] if "=" not in word]
        assert set(goals) <= set(targets), place


def test_printed_scripts_exist_and_know_their_options() -> None:
    printed: dict[str, set[str]] = {}
    for place, _, words in starting_with("python", "bash"):
        if len(words) > 1 and (words[1].endswith(".py") or words[1].startswith(".ci/")):
            assert (ROOT / words[1]).exists(), place
            options = {word.partition("=")[0] for word in words[2:] if word.startswith("--")}
            printed.setdefault(words[1], set()).update(options)
    for script, options in printed.items():
        if options and script.startswith("benchmarks/"):
            source = (ROOT / script).read_text("utf-8")
            known = {name.replace("_", "-") for name in re.findall(r"(\w[\w-]*)", source)}
            assert {option.strip("-") for option in options} <= known, script


def test_printed_verbs_of_the_engine_script_exist() -> None:
    verbs = re.findall(r"^  ([a-z-]+)\)", (ROOT / ".ci/engine").read_text("utf-8"), re.MULTILINE)
    for place, _, words in starting_with(".ci/engine"):
        assert not words[1:] or words[1] in verbs, place


def test_modules_that_are_run_by_name_exist() -> None:
    for place, _, words in starting_with("python", "accelerate"):
        if "-m" in words and words[words.index("-m") + 1].startswith("tmax"):
            module = words[words.index("-m") + 1]
            found = (ROOT / module.replace(".", "/")).with_suffix(".py")
            assert found.exists(), place


def test_modules_that_a_page_names_exist() -> None:
    folders = (ROOT / name for name in (*FOLDERS, "examples", "tests"))
    files = {path.as_posix() for folder in folders for path in folder.rglob("*.py")}
    for page in PAGES:
        for name in re.findall(r"`([\w./-]+\.py)`", page.read_text("utf-8")):
            assert any(file.endswith(f"/{name}") for file in files), f"{page.name}: {name}"
