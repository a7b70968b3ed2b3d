"""Texts that come back from an author."""

from pathlib import Path

import pytest

from tmax_gym.authoring import batch
from tmax_gym.errors import SpecError
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task
from tmax_gym.texts import store


def reworded(task: Task) -> str:
    """Return the plain text with another beginning: a text that says all."""
    return f"Please help us here. {task.instruction}"


def test_a_right_text_is_stored_and_becomes_the_instruction(tasks: list[Task]) -> None:
    text = reworded(tasks[0])
    assert batch.add({tasks[0].name: text}, author="Ada") == ()
    task = catalogue.load(tasks[0].name)
    assert (task.instruction, task.author) == (text, "Ada")
    assert task.digest == tasks[0].digest


def test_a_wrong_text_is_refused_and_the_right_ones_beside_it_are_kept(tasks: list[Task]) -> None:
    given = {tasks[0].name: "Free some space.", tasks[1].name: reworded(tasks[1])}
    (refused,) = batch.add(given, author="Ada")
    assert refused.name == tasks[0].name
    assert any("is missing" in problem for problem in refused.problems)
    assert catalogue.load(tasks[0].name).author == store.PLAIN
    assert catalogue.load(tasks[1].name).author == "Ada"


def test_a_text_whose_obligations_have_changed_falls_back_to_the_plain_one(
    tasks: list[Task], folder: Path
) -> None:
    name = tasks[0].name
    batch.keep([store.Text(name, "0" * 16, "An old text.", "Ada")])
    assert catalogue.load(name).instruction == tasks[0].instruction
    assert store.read(store.path(folder, "space-crisis"))[name].text == "An old text."


def test_texts_are_added_to_those_that_are_there(tasks: list[Task]) -> None:
    for task in tasks:
        batch.add({task.name: reworded(task)}, author="Ada")
    assert [catalogue.load(task.name).author for task in tasks] == ["Ada"] * 4


@pytest.mark.parametrize("author", ["plain", " "])
def test_an_author_has_a_name(tasks: list[Task], author: str) -> None:
    with pytest.raises(SpecError, match="needs a name"):
        batch.add({}, author=author)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with a line"),
        ("Hello\n=== a.b-0001\nDo it.", "begins with a line"),
        ("=== a.b-0001\nx\n=== tmax/a.b-0001\ny", "two texts for a.b-0001"),
    ],
)
def test_a_batch_without_clear_heads_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        batch.parse(text)


def test_a_text_may_hold_signs_that_look_like_a_head(tasks: list[Task]) -> None:
    text = "Title\n=====\n\nA line with === in it."
    assert batch.parse(f"=== a.b-0001\n{text}\n") == {"a.b-0001": text}
