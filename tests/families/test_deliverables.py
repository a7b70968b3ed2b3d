"""Every family with files as deliverables: equal content earns the same, other content does not.

The reference solution of a task runs once in a real sandbox.  Its files are then graded again and
again, rewritten or as links.  Programs as deliverables are not run here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.support.delivered_files import OTHER, SAME, Solved, linked, rewritten, solved
from tmax_gym import families
from tmax_gym.nodes import Node, link
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes.images import missing_tools
from tmax_gym.tasks import planner
from tmax_gym.tasks.compose import Task, compose

LEVEL = 0.3
"""Index of a task beyond the shortest ones."""
LEVELS = (0.05, 0.6)
"""Levels of the wide sweep: the shortest tasks, and long ones."""
BYTES = {
    "dump-desk": "restored bytes, as its text says",
    "weak-cipher": "original bytes, as its text says",
    "package-mend": "control files, word for word",
    "converge": "a whole host",
    "hardening-baseline": "a whole host, beside its report",
    "space-crisis": "files that stay",
    "bulk-rename": "names of files that stay",
    "backup-bug": "a package of programs",
    "edge-filter": "rules that a given program reads",
}
"""Families in which some delivered text is compared byte by byte, or run, with the reason."""
COMPARED = [slug for slug in families.slugs() if slug not in BYTES]
"""The others: composing a task of each to see what it asks for is left to the tests."""
LOST = {"hardlink-dedup": "s0.saved"}
"""Checks of hard links, which our archives do not keep."""


@cache
def tasks(slug: str, level: float) -> tuple[Task, ...]:
    """Return a task for each kind of verifier, in a language that every image has."""
    by_verifier: dict[str, Task] = {}
    for fixture, verifier, language in planner._cells(families.family(slug)):
        if verifier not in by_verifier and language in ("any", "python", "bash", "c"):
            spec = planner.single(slug, seed=41, level=level)
            cell = replace(spec, fixture=fixture, verifier=verifier, language=language)
            by_verifier[verifier] = compose(cell)
    return tuple(by_verifier.values())


def asks_for_text(slug: str) -> bool:
    """Return whether any task of a family asks for a file of text."""
    ends = (".csv", ".json", ".txt", ".tsv", ".md")
    return any(path.endswith(ends) for task in tasks(slug, LEVEL) for path in task.outputs)


def grade(one: Solved, place: Path) -> None:
    """Assert that equal content of one solved task earns 1, and that other content does not."""
    lost = LOST.get(one.task.spec.family)

    def scores(changed: Mapping[str, Node]) -> set[float]:
        return {score for id_, score in one.scores(changed, place).items() if id_ != lost}

    assert scores({}) == {1.0}
    for name, change in SAME.items():
        assert scores(rewritten(one, change)) == {1.0}, name
    for absolute in (False, True):
        assert scores(linked(one, absolute=absolute)) == {1.0}, absolute
    for name, change in OTHER.items():
        changed = rewritten(one, change)
        assert not changed or min(scores(changed)) < 1.0, name
    assert min(scores({path: link(path, "/etc/passwd") for path in one.delivered})) < 1.0


def grade_all(slug: str, level: float, backend: Backend, image: str, place: Path) -> None:
    if not asks_for_text(slug):
        pytest.skip("the family asks for no file of text")
    seen = 0
    for task in tasks(slug, level):
        if missing_tools(image, task.tools):
            continue
        one = solved(task, backend, image)
        read = one.scores({}, place / "left.tar").keys() & {check.id for check in task.checks}
        if one.delivered and read:
            grade(one, place / "left.tar")
            seen += 1
    if not seen:
        pytest.skip("nothing that is delivered is a text, or the image lacks a tool")


@pytest.mark.parametrize("slug", COMPARED)
def test_what_says_the_same_earns_the_same(
    slug: str, native_backend: Backend, image: str, tmp_path: Path
) -> None:
    grade_all(slug, LEVEL, native_backend, image, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("slug", COMPARED)
def test_what_says_the_same_earns_the_same_at_every_level(
    slug: str, level: float, native_backend: Backend, image: str, tmp_path: Path
) -> None:
    grade_all(slug, level, native_backend, image, tmp_path)
