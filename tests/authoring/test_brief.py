"""What an author gets to read."""

from dataclasses import replace

import pytest

from tmax_gym.authoring import brief
from tmax_gym.axes import Voice
from tmax_gym.tasks.compose import Task, compose


def test_a_brief_has_every_obligation_and_what_must_not_be_told(tasks: list[Task]) -> None:
    for task in tasks:
        lines = brief.brief(task).splitlines()
        assert lines[0] == f"=== {task.name}"
        for one in task.obligations:
            assert any(one.id in line and one.sentence.split("\n")[0] in line for line in lines)


@pytest.mark.parametrize("voice", list(brief.VOICES))
def test_every_voice_has_a_brief_of_its_own(tasks: list[Task], voice: Voice) -> None:
    task = compose(replace(tasks[0].spec, voice=voice))
    assert f"voice: {brief.VOICES[voice]}" in brief.brief(task)


def test_lengths_differ_around_that_of_the_plain_text(tasks: list[Task]) -> None:
    for task in tasks:
        words = len(task.instruction.split())
        assert 0.8 * words - 5 <= brief.length(task) <= 1.4 * words + 5
        assert brief.length(task) % 10 == 0


def test_a_short_request_is_short(tasks: list[Task]) -> None:
    longest = max(tasks, key=lambda task: len(task.instruction))
    task = compose(replace(longest.spec, voice="short"))
    whole = compose(replace(longest.spec, voice="statement"))
    assert brief.length(task) < brief.length(whole) / 1.5
