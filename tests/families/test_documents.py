"""Documents in worlds: read by people, and without influence on what was proven."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.support.tiny_tasks import tiny_task
from tmax_gym import families
from tmax_gym.families.shared.sheets import WIDTH, flowed
from tmax_gym.nodes import PROSE, digest, prose, text
from tmax_gym.tasks import planner
from tmax_gym.tasks.compose import compose

SHOWN = re.compile(r"\s*(cd \S+;? (&& )?)?cat [^|>]*(\||;|&&|$)")
"""A line of a command that begins by showing files, into no other file."""


def test_a_solution_only_shows_the_documents_of_its_world() -> None:
    seen = 0
    for slug in families.slugs():
        task = compose(planner.single(slug, seed=11, level=0.8))
        names = [n.path.rpartition("/")[2] for n in task.nodes if n.canonical == PROSE]
        seen += bool(names)
        for line in (line for command in task.oracle for line in command.splitlines()):
            if any(re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", line) for name in names):
                assert SHOWN.match(line), f"{slug}: {line}"
    assert seen > 30


def test_the_words_of_a_document_count_for_no_digest() -> None:
    assert digest([prose("/app/A.md", "one")]) == digest([prose("/app/A.md", "two")])
    assert digest([prose("/app/A.md", "one")]) != digest([prose("/app/B.md", "one")])
    assert digest([text("/app/A.md", "one")]) != digest([text("/app/A.md", "two")])


def test_tasks_with_other_documents_share_no_layer() -> None:
    first, second = (
        tiny_task("doc.plain-1", "Do it.", nodes=[prose("/app/A.md", words)])
        for words in ("one", "two")
    )
    assert first.layer.key != second.layer.key
    assert replace(first, nodes=second.nodes).layer == second.layer


def test_a_flowed_document_has_no_long_lines_and_keeps_code_and_blocks() -> None:
    code = "`" + "a b " * 12 + "`"
    block = "    kept " + "x " * 80
    item = "- " + "word " * 40 + code
    lines = flowed(f"# Title\n\n{item}\n- short\n\n{block}\n").split("\n")
    assert lines[0] == "# Title"
    assert block.rstrip() in [line.rstrip() for line in lines]
    assert sum(code in line for line in lines) == 1
    assert all(len(line) <= WIDTH for line in lines if not line.startswith("    kept"))
    assert [line[:2] for line in lines if "word" in line or "short" in line] == [
        "- ", *["  "] * (len([line for line in lines if "word" in line]) - 1), "- ",
    ]  # fmt: skip
