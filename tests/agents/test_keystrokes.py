"""Replies of `terminus2`: the answer is found among other text, and drafts are ignored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tmax_gym.agents.harness import FormatError
from tmax_gym.agents.harnesses.keystrokes import Understood, understood
from tmax_gym.agents.harnesses.terminus import TerminusHarness


def answer(*typed: str, **more: Any) -> str:
    commands = [{"keystrokes": text, "duration": 0.1} for text in typed]
    return json.dumps({"analysis": "a", "plan": "p", "commands": commands, **more})


GOOD, DRAFT = answer("good\n"), answer("rm -rf /\n")

READ = {
    "alone": GOOD,
    "in a fence": f"```json\n{GOOD}\n```",
    "with words around": f"Here it is:\n{GOOD}\nThat is all.",
    "after a draft in <think>": f"<think>\nPerhaps {DRAFT}?\nNo.\n</think>\n{GOOD}",
    "after a draft in <thinking>": f"<thinking>{DRAFT}</thinking>{GOOD}",
    "after a draft in <reasoning>": f"  <reasoning>\n{DRAFT}\n</reasoning>\n{GOOD}",
    "after a draft in [THINK]": f"[THINK]{DRAFT}[/THINK]{GOOD}",
    "after a draft whose tag the prompt opened": f"Hm. {DRAFT}\n</think>\n\n{GOOD}",
    "after two thoughts": f"<think>{DRAFT}</think>\n<think>{DRAFT}</think>\n{GOOD}",
    "before a thought": f"{GOOD}\n<think>{DRAFT}</think>",
    "after half a draft": f'<think>\n{{"analysis": "x", "commands": [\n</think>\n{GOOD}',
    "after a brace in a thought": f"<think>\nif (x) {{ y; }} else {{\n</think>\n{GOOD}",
    "after braces in prose": f"I use ${{HOME}} and awk '{{print $1}}'.\n{GOOD}",
    "after an unclosed brace": f"The file ends with a {{ only.\n{GOOD}",
    "after a quote in prose": f'It is 6" long.\n{GOOD}',
    "before braces in prose": f"{GOOD}\nThen {{ and }} and ${{x}}.",
    "after another object": f'The config is {{"port": 80}}.\n{GOOD}',
    "after an object that lacks keys": f'{{"analysis": "x", "plan": "y"}}\n{GOOD}',
    "before a second answer": f"{GOOD}\n\nNew Terminal Output:\n{DRAFT}",
    "with a comma too many": GOOD.replace('"duration": 0.1}', '"duration": 0.1,}'),
    "with a comma after the last": GOOD[:-1] + ",\n}",
    "with a raw newline in a text": GOOD.replace("\\n", "\n"),
    "without its last brace": GOOD[:-1],
    "without its last brace, in a fence": f"```json\n{GOOD[:-1]}\n```",
    "with the tag in a text": GOOD.replace('"a"', '"</think> closes {"'),
    "with a mark in front": "\ufeff" + GOOD,
}


@pytest.mark.parametrize("name", READ)
def test_the_answer_is_found_among_other_text(name: str) -> None:
    read = understood(READ[name])
    assert read.error == ""
    assert [typed.keystrokes for typed in read.commands] == ["good\n"]


REFUSED = {
    "nothing": ("", "No valid JSON found in response"),
    "prose": ("I would rather not {at all}.", "No valid JSON found in response"),
    "a draft alone": (f"<think>\n{DRAFT}\n</think>\nNow I am done.", "No valid JSON"),
    "a thought that never ends": (f"<think>\nMaybe {DRAFT}", "No valid JSON"),
    "a list": ("[1, 2]", "No valid JSON"),
    "no plan": ('{"analysis": "", "commands": []}', "Missing required fields: plan"),
    "nothing that is needed": ('{"port": 80}', "Missing required fields: analysis, plan, commands"),
    "a broken object": (GOOD.replace('"plan"', "plan"), "Invalid JSON"),
    "an object cut off in a text": (GOOD[:-12], "Invalid JSON"),
    "commands that are no list": (
        '{"analysis": "", "plan": "", "commands": "ls"}',
        "Field 'commands' must be an array",
    ),
    "a command that is no object": (
        '{"analysis": "", "plan": "", "commands": ["ls"]}',
        "Command 1 must be an object",
    ),
    "no keystrokes": (
        '{"analysis": "", "plan": "", "commands": [{"duration": 1}]}',
        "Command 1 missing required 'keystrokes' field",
    ),
    "keystrokes that are no text": (
        '{"analysis": "", "plan": "", "commands": [{"keystrokes": 1}]}',
        "Command 1 'keystrokes' must be a string",
    ),
    "half a character": (answer("\ud800"), "lone surrogate"),
    "deep nesting": ('{"a":' * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_reply_without_an_answer_types_nothing(name: str) -> None:
    text, reason = REFUSED[name]
    read = understood(text)
    assert reason in read.error
    assert not read.commands


@pytest.mark.parametrize(
    ("duration", "kept"),
    [(0, 0.0), (0.25, 0.25), (61, 60.0), (1e400, 60.0), (-3, 0.0), (float("nan"), 1.0),
     ("2", 1.0), (None, 1.0), (10**400, 60.0)],
)  # fmt: skip
def test_a_duration_is_between_nothing_and_a_minute(duration: object, kept: float) -> None:
    row = {"analysis": "", "plan": "", "commands": [{"keystrokes": "", "duration": duration}]}
    (typed,) = understood(json.dumps(row)).commands
    assert typed.duration == kept


@pytest.mark.parametrize(
    ("value", "complete"),
    [(True, True), ("true", True), ("Yes", True), ("1", True), (1, True), ("no", False),
     (False, False), (None, False), (0, False)],
)  # fmt: skip
def test_completion_is_said_in_several_ways(value: object, complete: bool) -> None:
    assert understood(answer(task_complete=value)).complete is complete


def test_a_finished_agent_needs_no_valid_commands() -> None:
    read = understood('{"analysis": "", "plan": "", "commands": [1], "task_complete": true}')
    assert (read.complete, read.commands, read.error) == (True, (), "")


def test_warnings_name_what_is_odd() -> None:
    row = {
        "plan": 1,
        "analysis": "",
        "commands": [{"keystrokes": "ls"}, {"keystrokes": "", "x": 1, "duration": "1"}],
        "task_complete": 2,
    }
    read = understood(f"So: {json.dumps(row)} That is it.")
    assert read.warnings == (
        "Extra text detected before JSON object",
        "Extra text detected after JSON object",
        "Field 'plan' should be a string",
        "Fields appear in wrong order. Found: plan → analysis → commands, "
        "expected: analysis → plan → commands",
        "Field 'task_complete' should be a boolean or string",
        "Command 1: Missing duration field, using default 1.0",
        "Command 1 should end with newline when followed by another command. "
        "Otherwise the two commands will be concatenated together on the same line.",
        "Command 2: Invalid duration value, using default 1.0",
        "Command 2: Unknown fields: x",
    )


def test_an_object_that_cannot_be_read_is_quoted_with_the_place_in_it() -> None:
    read = understood('So: {"a": "}", b} Done.')
    assert read.error == (
        "Invalid JSON: Expecting property name enclosed in double quotes: "
        'line 1 column 12 (char 11) | Content: \'{"a": "}", b}\''
    )
    assert read.warnings == (
        "Extra text detected before JSON object",
        "Extra text detected after JSON object",
    )


def test_the_beginning_of_a_long_unreadable_object_is_quoted() -> None:
    read = understood('{"a": "' + "x" * 300 + '", b}')
    assert read.error.endswith(" | Content preview: '" + '{"a": "' + "x" * 93 + "'...")


@pytest.mark.parametrize(
    ("reply", "error", "warning"),
    [
        (
            "I would rather not.",
            "No valid JSON found in response",
            "No valid JSON object found",
        ),
        (
            '{"analysis": "", "commands": []} That is it.',
            "Missing required fields: plan",
            "Extra text detected after JSON object",
        ),
    ],
)
def test_a_wrong_reply_has_the_error_and_the_warning_of_terminus_2(
    reply: str, error: str, warning: str
) -> None:
    read = understood(reply)
    assert (read.error, read.warnings) == (error, (warning,))


@pytest.mark.parametrize("rest", ['"', "\\", '"\\', '"a\\"', "{" * 20_000])
def test_an_object_that_ends_in_the_middle_is_refused_in_good_time(rest: str) -> None:
    assert understood('{"a": 1, b' + rest).error.startswith("Invalid JSON: ")


def test_a_clean_reply_has_no_warnings() -> None:
    assert understood(answer("ls\n", "")) == Understood(understood(answer("ls\n", "")).commands)


def test_a_reply_of_braces_is_read_in_good_time() -> None:
    assert understood('{"a' * 20_000 + GOOD).error == ""


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": GOOD}],
        [{"type": "thinking", "thinking": DRAFT}, {"type": "text", "text": GOOD}],
        [{"type": "reasoning", "text": DRAFT}, {"type": "output_text", "text": GOOD}],
    ],
)
def test_parts_of_a_message_that_are_reasoning_are_left_out(content: object) -> None:
    actions = TerminusHarness().parse({"content": content, "reasoning_content": DRAFT})
    assert not isinstance(actions, FormatError)
    assert "good" in actions[0].command
    assert "rm -rf" not in actions[0].command
