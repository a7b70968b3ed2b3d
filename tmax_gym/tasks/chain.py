"""Puts follow-ups after the family of a task, where its plan asks for more work.

A complex or intricate task gets a follow-up while its solution has too few commands for its
planned complexity, and in some of the other cases once, for variety.  Follow-ups come from the
pairs that families declare (`followed_by`), in an order drawn for each task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tmax_gym import families
from tmax_gym.rng import Rng
from tmax_gym.tasks.commands import LEAST, count_commands
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.tasks.spec import StageRef, TaskSpec
from tmax_gym.texts.plain import plain_text

LINKED = 0.4
"""Share of the tasks with enough commands that have a follow-up all the same."""
MOST_STAGES = 3
MOST_WORDS = 500
"""Longest plain text of a task with three stages; people rarely ask for more at once."""


def extended(planned: TaskSpec) -> Task:
    """Return the task of a planned spec, with as many follow-ups as it should have."""
    task = compose(planned)
    if planned.complexity not in ("complex", "intricate"):
        return task
    rng = Rng(planned.seed, "follow-ups")
    wished = rng.fork("wished").chance(LINKED)
    while len(task.stages) < MOST_STAGES:
        enough = count_commands(task.oracle) >= LEAST[planned.complexity]
        if enough and not (wished and len(task.stages) == 1):
            break
        longer = next(_longer(task, rng), None)
        if longer is None:
            break
        task = longer
    return task


def _longer(task: Task, rng: Rng) -> Iterator[Task]:
    """Yield the task with one more stage, the preferred ones first."""
    used = {ref.family for ref in task.spec.plan}
    names = {ref.product[1] for ref in task.spec.plan if ref.product}
    pairs = [
        (slug, name, number)
        for number, stage in enumerate(task.stages)
        for slug, (name, _) in sorted(stage.family.followed_by.items())
        if slug not in used
    ]
    # A product that no other follow-up has used comes first.
    pairs.sort(key=lambda pair: (pair[1] in names, rng.fork(pair[0], pair[1]).uniform()))
    for slug, name, number in pairs:
        stage = task.stages[number]
        product = stage.family.products(stage.ctx, stage.world).get(name)
        follow_up = families.follow_up(slug)
        if not isinstance(product, follow_up.works_on) or not follow_up.suits(product):
            continue
        ref = StageRef(slug, (number, name))
        longer = compose(replace(task.spec, plan=(*task.spec.plan, ref), digest=""))
        if not too_long(longer):
            yield longer


def too_long(task: Task) -> bool:
    """Return whether a task has three stages and more obligations than people ask for at once."""
    if len(task.stages) < MOST_STAGES:
        return False
    return len(plain_text([task.obligations]).split()) > MOST_WORDS
