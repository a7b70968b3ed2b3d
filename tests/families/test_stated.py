"""Texts state what checks rely on: columns of names, files that stay, and what may change."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tmax_gym import families
from tmax_gym.checks.check import unchanged
from tmax_gym.tasks import catalogue, planner
from tmax_gym.tasks.compose import Task, compose


def sentences(slug: str, level: float) -> Iterator[str]:
    """Yield the texts of some single tasks of a family."""
    for seed in range(4):
        yield compose(planner.single(slug, seed=seed, level=level)).instruction


def test_the_text_says_what_the_column_of_forms_holds() -> None:
    for text in sentences("form-batch", 0.6):
        assert re.search(r"`form` is the .*file name.*suffix", text), text


def test_the_text_says_what_names_a_call() -> None:
    for text in sentences("tone-poll", 0.6):
        assert re.search(r"`call`.*suffix", text), text


def test_the_text_of_a_short_export_says_that_it_has_no_header() -> None:
    for text in sentences("schema-etl", 0.1):
        assert re.search(r"(no|without a) header", text), text


def test_the_text_of_a_stack_names_what_may_not_change() -> None:
    for text in sentences("will-not-start", 0.6):
        assert re.search(r"[^.]*`run\.py`[^.]*", text), text


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
    document = (task.document.data or b"").decode() if task.document else ""
    return f"{task.instruction}\n{document}"


KEPT = re.compile(
    r"unchanged|unaltered|untouched|as (they|it) (are|is)|not to be changed|read.only"
    r"|(never|not) write|(change|write) nothing|stays? |may not be touched|only reads|never change"
    r"|remain|not one byte|do not change",
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
        task = compose(planner.single(slug, seed=7, level=level))
        for path in guarded(task):
            seen.add(slug)
            places = (path, path.rpartition("/")[0] + " ", f"`{path.rpartition('/')[0]}`")
            parts = re.split(r"(?<=[.;:])\s|\n", said(task))
            lines = [part for part in parts if any(place in part for place in places)]
            assert any(KEPT.search(line) for line in lines), (slug, task.instruction)
    assert len(seen) >= 4, seen
