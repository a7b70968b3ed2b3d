"""Texts state what checks rely on: columns of names, files that stay, and what may change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tmax_gym import families
from tmax_gym.checks.check import unchanged
from tmax_gym.families.data_processing import form_batch, schema_etl
from tmax_gym.families.data_querying import tone_poll
from tmax_gym.families.debugging import will_not_start
from tmax_gym.tasks import catalogue, planner
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.texts.clauses import Clause


def frames(clause: Clause) -> tuple[str, ...]:
    """Return all texts of a clause in lower case, with the short ones."""
    return tuple(frame.lower() for frame in (*clause.frames, *clause.briefs))


def named(clauses: tuple[Clause, ...], id_: str) -> Clause:
    return next(clause for clause in clauses if clause.id == id_)


def test_every_way_to_ask_for_forms_says_what_the_column_of_forms_holds() -> None:
    for frame in frames(named(form_batch.words.rules(), "table")):
        assert "name" in frame, frame
        assert "suffix" in frame, frame
        assert re.search(r"directory|path|bare", frame), frame


def test_every_way_to_ask_for_calls_says_what_names_a_call() -> None:
    clauses = tone_poll.words.say(
        folder="/app/calls", database="/app/x.db", which="last", tables={"calls": "/app/c.csv"}
    )
    for frame in frames(named(clauses, "calls")):
        assert "suffix" in frame, frame


def test_every_way_to_ask_for_sites_says_that_they_have_no_header() -> None:
    (clause,) = schema_etl.words.short("/app/x.jsonl", "/app/sites.csv")
    for frame in frames(clause):
        assert re.search(r"no|without", frame), frame
        assert re.search(r"header|heading", frame), frame


def test_every_way_to_forbid_changes_of_a_stack_names_the_programs_and_frees_the_rest() -> None:
    words = will_not_start.words
    clauses = words.clauses("/app/STACK.md", "/app/start.sh", conf="/app/x.env", port=1)
    keep = named(clauses, "keep")
    assert keep.facts["run"] == "`run.py`"
    for frame in frames(keep):
        assert "{run}" in frame, frame
        assert "{sheet}" in frame, frame
        assert re.search(r"stray|other\}? file|any file|file beside|the rest", frame), frame


def test_no_solution_of_a_stack_touches_what_its_text_forbids() -> None:
    seen = 0
    for spec in catalogue.select(family="will-not-start")[::30]:
        task = compose(spec)
        for command in task.oracle:
            for path in re.findall(r"\brm (/app\S*services\S*)", command):
                seen += 1
                assert not path.endswith("run.py")
                assert "run.py" in said(task)
    assert seen


def said(task: Task) -> str:
    """Return all words of a task's texts."""
    documents = [n.data or b"" for n in task.nodes if n.path in task.documents]
    return "\n".join((task.instruction, *(data.decode() for data in documents)))


KEPT = re.compile(
    r"unchanged|unaltered|untouched|as (they|it) (are|is)|not to be changed|read.only"
    r"|(never|not) write|(change|write) nothing|stays? |may not be touched|only reads|never change"
    r"|remain|not one byte",
    re.I,
)


def guarded(task: Task) -> Iterator[str]:
    """Yield the databases that a gate of a task compares."""
    gate = unchanged("x", ()).holds
    for held in task.gates:
        if held.holds.__qualname__ == gate.__qualname__:
            cells = zip(held.holds.__code__.co_freevars, held.holds.__closure__ or (), strict=True)
            nodes = dict(cells)["wanted"].cell_contents
            yield from (node.path for node in nodes if node.path.endswith(".db"))


@pytest.mark.parametrize("level", [0.05, 0.3, 0.7])
def test_a_database_that_may_not_change_is_said_to_stay(level: float) -> None:
    seen = set()
    for slug in families.slugs():
        spec = replace(planner.single(slug, seed=7, level=level), explicitness="explicit")
        task = compose(spec)
        for path in guarded(task):
            seen.add(slug)
            places = (path, path.rpartition("/")[0] + " ")
            parts = re.split(r"(?<=[.;:])\s|\n", said(task))
            lines = [part for part in parts if any(place in part for place in places)]
            assert any(KEPT.search(line) for line in lines), (slug, task.instruction)
    assert len(seen) >= 4, seen
