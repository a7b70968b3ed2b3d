"""A language model as the author, behind an endpoint whose answers are scripted."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat_server import Answer, Fault, Say, serving
from tmax_gym.agents.client.client import Client, Connection
from tmax_gym.authoring.write import CUT, SENT_BACK, Progress, Writer
from tmax_gym.bench.running.endpoint import Prices
from tmax_gym.errors import ModelError, ModelRefused
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task
from tmax_gym.texts import store

PRICES = Prices(1.0, 10.0)
Answers = Callable[[str, int], Answer]
"""Returns the answer for a task's name, and how often it was asked for before."""


def good(task: Task) -> str:
    return f"Here is what we need. {task.instruction}"


def written(
    tasks: list[Task], answers: Answers, journal: Path, **options: Any
) -> tuple[Progress, list[str]]:
    """Write texts; return the progress and the names that were asked for, in order."""
    asked: list[str] = []

    def script(body: Mapping[str, Any]) -> Answer:
        brief = body["messages"][1]["content"]
        name = brief.split("\n")[0].removeprefix("=== ")
        asked.append(name)
        return answers(name, asked.count(name) - 1)

    with serving(script) as server:
        client = Client(Connection(server.base_url, "author", first_wait=0.01))
        writer = Writer(client, author="author", journal=journal, **options)
        progress = writer.run([task.name for task in tasks], jobs=2)
    return progress, asked


def test_good_texts_are_stored_under_the_name_of_the_model(
    tasks: list[Task], tmp_path: Path
) -> None:
    texts = {task.name: good(task) for task in tasks}
    progress, asked = written(tasks, lambda name, n: Say(texts[name]), tmp_path / "j")
    assert (progress.written, progress.given_up, progress.failed) == (4, 0, 0)
    assert sorted(asked) == sorted(texts)
    for name, text in texts.items():
        task = catalogue.load(name)
        assert (task.instruction, task.author) == (text, "author")


WRONG: dict[str, Callable[[Task], Answer]] = {
    "a missing literal": lambda task: Say(good(task).replace("/app/", "/opt/")),
    "a refusal": lambda task: Say("I am sorry, but I cannot help with that."),
    "nothing": lambda task: Say(""),
    "cut off": lambda task: Say(good(task), finish="length"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_text_goes_back_with_the_reason_and_the_next_one_counts(
    tasks: list[Task], tmp_path: Path, kind: str
) -> None:
    (task, *_) = tasks
    seen: list[str] = []

    def script(body: Mapping[str, Any]) -> Answer:
        if len(body["messages"]) == 2:
            return WRONG[kind](task)
        seen.append(body["messages"][-1]["content"])
        return Say(good(task))

    with serving(script) as server:
        client = Client(Connection(server.base_url, "author"))
        writer = Writer(client, author="author", journal=tmp_path / "j")
        assert writer.run([task.name], jobs=1).written == 1
    (reason,) = seen
    assert (CUT if kind == "cut off" else "is missing") in reason
    assert catalogue.load(task.name).instruction == good(task)


def test_a_hidden_value_in_a_text_is_a_fault(folder: Path, tmp_path: Path) -> None:
    tasks = [catalogue.load(s.name) for s in catalogue.select(family="matryoshka")[:8]]
    task = next(one for one in tasks if any(len(value) > 5 for value in one.hidden))
    value = next(value for value in task.hidden if len(value) > 5)
    told = f"{good(task)} It is {value}."
    texts = [told, good(task)]
    progress, asked = written([task], lambda name, n: Say(texts[n]), tmp_path / "j")
    assert (progress.written, len(asked)) == (1, 2)
    assert catalogue.load(task.name).instruction == good(task)


def test_after_three_returns_a_text_is_given_up(tasks: list[Task], tmp_path: Path) -> None:
    progress, asked = written(tasks[:1], lambda name, n: Say("No."), tmp_path / "j")
    assert (progress.written, progress.given_up) == (0, 1)
    assert len(asked) == 1 + SENT_BACK
    assert catalogue.load(tasks[0].name).author == store.PLAIN


@pytest.mark.parametrize("status", [429, 500])
def test_a_busy_endpoint_is_asked_again(tasks: list[Task], tmp_path: Path, status: int) -> None:
    def answers(name: str, n: int) -> Answer:
        return Fault(status) if n == 0 else Say(good(tasks[0]))

    progress, asked = written(tasks[:1], answers, tmp_path / "j")
    assert (progress.written, len(asked)) == (1, 2)


def test_an_endpoint_that_refuses_the_key_ends_the_run(tasks: list[Task], tmp_path: Path) -> None:
    with pytest.raises(ModelRefused):
        written(tasks, lambda name, n: Fault(401, "no such key"), tmp_path / "j")


def test_a_paid_answer_is_never_asked_for_again(
    tasks: list[Task], tmp_path: Path, folder: Path
) -> None:
    texts = {task.name: good(task) for task in tasks}
    written(tasks, lambda name, n: Say(texts[name]), tmp_path / "j")
    for file in folder.glob("*.jsonl"):
        file.unlink()
    store.read.cache_clear()
    progress, asked = written(tasks, lambda name, n: Fault(500), tmp_path / "j")
    assert (progress.written, asked) == (4, [])
    assert catalogue.load(tasks[0].name).author == "author"


def test_a_run_goes_on_with_the_returns_that_were_paid_for(
    tasks: list[Task], tmp_path: Path
) -> None:
    task = tasks[0]

    def stops(name: str, n: int) -> Answer:
        return Say("No.") if n < 2 else Fault(401)

    with pytest.raises(ModelRefused):
        written([task], stops, tmp_path / "j")
    progress, asked = written([task], lambda name, n: Say("No."), tmp_path / "j")
    assert (progress.given_up, len(asked)) == (1, 1 + SENT_BACK - 2)


def test_a_call_that_could_exceed_the_budget_is_not_made(tasks: list[Task], tmp_path: Path) -> None:
    texts = {task.name: good(task) for task in tasks}
    # One call costs at most 2,000 tokens of output and some 1,500 of input: $0.0215.
    progress, asked = written(
        tasks, lambda name, n: Say(texts[name]), tmp_path / "j", prices=PRICES, budget=0.03
    )
    assert 1 <= len(asked) < 4
    assert progress.cost <= 0.03
    assert progress.stopped == "the budget of $0.03"


def test_earlier_runs_count_against_the_budget(tasks: list[Task], tmp_path: Path) -> None:
    written(tasks[:2], lambda name, n: Say("No."), tmp_path / "j", prices=PRICES)
    progress, asked = written(
        tasks[2:], lambda name, n: Say("No."), tmp_path / "j", prices=PRICES, budget=0.022
    )
    assert asked == []
    assert 0 < progress.cost < 0.022
    assert progress.stopped


def test_a_budget_needs_prices(tasks: list[Task], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="prices"):
        written(tasks, lambda name, n: Say(""), tmp_path / "j", budget=1.0)
