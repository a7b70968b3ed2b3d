"""The text that a task has until somebody writes a better one."""

from dataclasses import replace

from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.plain import documented, plain_text

GOAL = Obligation("goal", "Clean `/app/a.csv`.", "goal")
INPUT = Obligation("input", "Fields are split by `;`.", "input")
RULES = tuple(Obligation(f"rule{n}", f"Rule {n} holds.") for n in range(3))
FORMAT = Obligation("format", "Write a line for each row.", "format")
LIMIT = Obligation("limit", "Leave `/app/a.csv` as it is.", "limit")


def test_sentences_of_a_kind_make_a_paragraph_and_three_rules_a_list() -> None:
    text = plain_text([[GOAL, INPUT, *RULES, FORMAT, LIMIT]])
    assert text == (
        "Clean `/app/a.csv`. Fields are split by `;`.\n\n"
        "- Rule 0 holds.\n- Rule 1 holds.\n- Rule 2 holds.\n\n"
        "Write a line for each row.\n\nLeave `/app/a.csv` as it is."
    )


def test_two_rules_are_prose() -> None:
    assert plain_text([[GOAL, *RULES[:2]]]).endswith("\n\nRule 0 holds. Rule 1 holds.")


def test_stages_follow_each_other() -> None:
    assert plain_text([[GOAL], [LIMIT]]) == f"{GOAL.sentence}\n\n{LIMIT.sentence}"


def test_a_fenced_block_stands_by_itself() -> None:
    block = Obligation("example", "For example:\n\n```\na\n```", "input")
    text = plain_text([[GOAL, block, INPUT]])
    assert text == f"{GOAL.sentence}\n\n{block.sentence}\n\n{INPUT.sentence}"


def test_a_short_request_keeps_the_goal_and_names_the_document() -> None:
    kept, document = documented([GOAL, *RULES, FORMAT, LIMIT], Rng("test"))
    assert document is not None
    assert [one.id for one in kept] == ["goal", "document"]
    assert kept[-1].literals == (document.path,)
    content = (document.data or b"").decode()
    assert all(one.sentence in content for one in (GOAL, *RULES, FORMAT, LIMIT))


def test_the_document_has_a_chapter_for_each_stage() -> None:
    stages = [[replace(one, id=f"s{n}.{one.id}") for one in (GOAL, FORMAT)] for n in range(2)]
    _, document = documented([one for stage in stages for one in stage], Rng("test"))
    assert document is not None
    chapters = (document.data or b"").decode().split("## Part ")
    assert [chapter[:2] for chapter in chapters[1:]] == ["1\n", "2\n"]
    assert all(GOAL.sentence in chapter for chapter in chapters[1:])


def test_if_the_goal_says_it_all_there_is_no_document() -> None:
    assert documented([GOAL], Rng("test")) == ((GOAL,), None)
