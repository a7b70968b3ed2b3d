"""The value that a stage delivers to a later one: readable after its solution, and not before."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from tmax_gym import families
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.families.contract import UNLOCK, Artifact
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes.images import missing_tools
from tmax_gym.tasks import planner
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.tasks.spec import StageRef

SOURCES = [slug for slug in families.slugs() if families.family(slug).produces]
LEVELS = (0.05, 0.3, 0.5, 0.7, 0.95)
CHAINED = 0.5
"""The lowest level of a chain."""
SINK = "bulk-rename"


def alone(slug: str, *, level: float, seed: int = 5, cell: int = 0) -> Task:
    spec = planner.single(slug, seed=seed, level=level)
    cells = planner._cells(families.family(slug))
    fixture, verifier, language = cells[cell % len(cells)]
    return compose(replace(spec, fixture=fixture, verifier=verifier, language=language))


def chained(slug: str, *, level: float = CHAINED) -> Task:
    """Return a task whose second stage is locked with the value that the first one delivers."""
    (port,) = families.family(slug).produces
    plan = (StageRef(slug), StageRef(SINK, ((UNLOCK, 0, port),)))
    return compose(replace(planner.single(SINK, seed=9, level=level), plan=plan))


def delivered(task: Task) -> Artifact:
    (artifact,) = task.stages[0].world.produces.values()
    return artifact


@pytest.mark.parametrize("slug", SOURCES)
def test_every_cell_and_level_has_a_value_of_its_own_that_its_phrase_does_not_hold(
    slug: str,
) -> None:
    values = set()
    for cell in range(len(planner._cells(families.family(slug)))):
        for number, level in enumerate(LEVELS):
            artifact = delivered(alone(slug, level=level, seed=10 * cell + number, cell=cell))
            values.add(artifact.value)
            if level >= CHAINED:
                assert artifact.value
                assert artifact.value not in artifact.phrase
                assert not set(artifact.value) & set(" \t\n'\"$`\\")
    assert len(values) > 3


@pytest.mark.parametrize("slug", SOURCES)
def test_the_key_of_a_stage_is_neither_in_the_text_nor_in_a_file(slug: str) -> None:
    task = chained(slug)
    artifact = delivered(task)
    assert artifact.phrase in task.instruction
    if artifact.type == "secret":  # a scalar may equal another number by chance
        assert artifact.value not in task.instruction
        assert not [n.path for n in task.nodes if artifact.value.encode() in (n.data or b"")]


@pytest.mark.parametrize("slug", SOURCES)
def test_the_solution_leaves_the_value_where_it_is_read(
    slug: str, native_backend: Backend, image: str
) -> None:
    task = alone(slug, level=CHAINED)
    if lacking := missing_tools(image, task.tools):
        pytest.skip(f"the image lacks {', '.join(lacking)}")
    limits = EpisodeLimits()
    with closing(task.open(native_backend, limits=limits, seed=0, image=image)) as episode:
        for command in task.oracle:
            episode.shell.run(command)
        seen = episode.shell.run(f"printf '[%s]' {delivered(task).shell}")
    assert seen.output.strip() == f"[{delivered(task).value}]"
