"""The record of a session, for harnesses that do anything to their history."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmax_gym.agents.agent import Turn
from tmax_gym.agents.harness import Message
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.agents.token_agent import TokenAgent
from tmax_gym.errors import CaptureError
from tmax_trainers.capture.dialects import Dialect, Kind
from tmax_trainers.capture.requests import asked
from tmax_trainers.capture.sequences import TRAINED, Reason
from tmax_trainers.capture.sessions import Answered, Prompt, Session
from tmax_trainers.engines import Completion
from tmax_trainers.policies.tokenizer import WordTokenizer
from tmax_trainers.rollout.streams.token_policy import encode

TOKENIZER = WordTokenizer.train(
    ["<tool_call> echo yes no cat notes assistant user system </tool_call>"], min_count=1
)
BASH = {
    "type": "function",
    "function": {
        "name": "bash",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    },
}
STOP = TOKENIZER.special("<|im_end|>")


def session(kind: Kind = "hermes", **options: Any) -> Session:
    return Session("one", Dialect(kind, **options), TOKENIZER, seed=3)


class Sampler:
    """Samples what it is told; every token has a log-probability of its own."""

    def __init__(self) -> None:
        self.sampled: dict[float, tuple[tuple[int, ...], tuple[int, ...], int]] = {}
        """What was read, what was sampled, and a token's place in it, by log-probability."""

    def completion(
        self, prompt: Prompt, ids: Sequence[int], unknown: Sequence[bool] = ()
    ) -> Completion:
        logprobs = []
        for place, (_, gone) in enumerate(zip(ids, [*unknown, *[False] * len(ids)], strict=False)):
            value = math.nan if gone else -(len(self.sampled) + 1) / 1024
            if not gone:
                self.sampled[value] = (prompt.ids, tuple(ids), place)
            logprobs.append(value)
        ended = ids[-1] == STOP
        versions = tuple(range(len(ids)))
        return Completion(tuple(ids), tuple(logprobs), versions, "stop" if ended else "length")


def message_of(answered: Answered) -> dict[str, Any]:
    calls = [
        {"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, (name, arguments) in enumerate(answered.reply.calls)
    ]
    return {"role": "assistant", "content": answered.reply.text, "tool_calls": calls}


def ask(
    one: Session, rows: Sequence[Mapping[str, Any]], text: str, *, cut: bool = False
) -> tuple[Prompt, Answered]:
    """Let the policy say a text."""
    prompt = one.prompt(asked({"messages": list(rows), "tools": [BASH]}))
    ids = tuple(TOKENIZER.encode(text)) + (() if cut else (STOP,))
    ended = "length" if cut else "stop"
    completion = Completion(ids, (-0.5,) * len(ids), (7,) * len(ids), ended)
    return prompt, one.record(prompt, completion)


TEXTS = st.one_of(
    st.text(alphabet="ab é\n<|im_end|>", max_size=8),
    st.sampled_from(["<|im_start|>assistant\n", "yes no", '<tool_call>{"name": "bash"', " "]),
)
TURNS = st.tuples(
    st.lists(st.integers(0, len(TOKENIZER) - 1), min_size=1, max_size=5),
    st.booleans(),
    st.lists(st.booleans(), max_size=2),
)


def changed(
    rows: list[dict[str, Any]], data: st.DataObject, earlier: list[list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Return a history to which a harness has done something."""
    place = data.draw(st.integers(0, max(0, len(rows) - 1)))
    kind = data.draw(
        st.sampled_from(["append", "truncate", "rewrite", "blanks", "drop", "swap", "go back"])
    )
    if kind == "append" or not rows:
        role = data.draw(st.sampled_from(["user", "tool", "system", "assistant"]))
        return [*rows, {"role": role, "content": data.draw(TEXTS)}]
    if kind == "truncate":
        return rows[: place + 1]
    if kind == "rewrite":
        return [*rows[:place], {**rows[place], "content": data.draw(TEXTS)}, *rows[place + 1 :]]
    if kind == "blanks":
        return [*rows[:place], {**rows[place], "content": f" {rows[place]['content']}\n"},
                *rows[place + 1 :]]  # fmt: skip
    if kind == "drop":
        return [*rows[:place], *rows[place + 1 :]]
    if kind == "swap":
        return [*rows[place:], *rows[:place]]
    return data.draw(st.sampled_from(earlier)) if earlier else rows


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_only_what_the_engine_sampled_is_trained_and_each_token_once_as_it_was_reported(
    data: st.DataObject,
) -> None:
    one = session(
        data.draw(st.sampled_from(["hermes", "qwen3"])), thinking=data.draw(st.booleans())
    )
    tools = data.draw(st.sampled_from([[], [BASH]]))
    engine = Sampler()
    lost: set[float] = set()
    rows: list[dict[str, Any]] = [{"role": "user", "content": "notes"}]
    earlier: list[list[dict[str, Any]]] = []
    for _ in range(data.draw(st.integers(1, 7))):
        for _ in range(data.draw(st.integers(0, 2))):
            rows = changed(rows, data, earlier)
        if not rows:
            continue
        earlier.append(rows)
        # Several requests read their prompts before the first one of them is answered.
        prompts = [
            one.prompt(asked({"messages": rows, "tools": tools}))
            for _ in range(data.draw(st.integers(1, 2)))
        ]
        answers = []
        for prompt in prompts:
            ids, stops, unknown = data.draw(TURNS)
            completion = engine.completion(prompt, [*ids, *[STOP] * stops], unknown)
            answers.append(one.record(prompt, completion))
            if data.draw(st.integers(0, 5)) == 0:
                one.unheard(answers[-1].turn)
                lost |= {p for p in completion.logprobs if math.isfinite(p)}
        rows = [*rows, message_of(data.draw(st.sampled_from(answers)))]
    tokens = one.tokens()
    seen: Counter[float] = Counter()
    for sequence in tokens.sequences():
        for place, mine in enumerate(sequence.mask):
            if mine:
                prompt_ids, ids, at = engine.sampled[sequence.logprobs[place]]
                assert sequence.ids[: place + 1] == prompt_ids + ids[: at + 1]
                assert sequence.versions[place] == at
                seen[sequence.logprobs[place]] += 1
    assert seen == Counter(engine.sampled.keys() - lost)
    assert one.counts()[TRAINED] == sum(tokens.mask)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.text(alphabet="xé ", max_size=4), st.booleans()), max_size=6))
def test_a_harness_that_only_appends_has_one_sequence_and_no_token_is_encoded_twice(
    turns: list[tuple[str, bool]],
) -> None:
    one = session()
    rows: list[Mapping[str, Any]] = [{"role": "user", "content": "notes"}]
    stream: tuple[int, ...] = ()
    for text, cut in [*turns, ("done", False)]:
        prompt, answered = ask(one, rows, f"{text}echo", cut=cut)
        assert prompt.ids[: len(stream)] == stream
        stream = one.tokens().ids
        rows = [*rows, message_of(answered), {"role": "user", "content": text}]
    assert one.tokens().starts == (0,)
    assert set(one.counts()) == {Reason.PROMPT, TRAINED}


class Repeating:
    """A token policy that says one thing; what it reads is the stream of a token agent."""

    def __init__(self, replies: Sequence[str]) -> None:
        self._replies = list(replies)

    def encode(self, segment: Any) -> list[int]:
        return encode(TOKENIZER, segment)

    def decode(self, ids: Sequence[int]) -> str:
        return TOKENIZER.decode(ids)

    def generate(self, ids: Sequence[int], *, max_tokens: int, seed: int) -> Completion:
        said = (*TOKENIZER.encode(self._replies.pop(0)), STOP)
        return Completion(said, (-0.5,) * len(said), (7,) * len(said), "stop")


def test_a_policy_reads_the_same_tokens_through_the_endpoint_and_in_a_token_agent() -> None:
    harness = BashHarness("hermes")
    replies = [harness.say("cat notes"), harness.say("echo yes"), harness.say("echo no")]
    agent = TokenAgent(Repeating(replies), harness, max_tokens=9999, max_turn_tokens=99)
    agent.reset("Write yes.", seed=0)
    acted: list[Turn] = [agent.act(seen) for seen in ("", "some notes", "(no output)")]
    assert [turn.command for turn in acted] == ["cat notes", "echo yes", "echo no"]

    one = session()
    rows: list[Message] = list(harness.opening("Write yes."))
    for reply, seen in zip(replies, ["some notes", "(no output)", ""], strict=True):
        prompt = one.prompt(asked({"messages": rows}))
        said = Repeating([reply]).generate(prompt.ids, max_tokens=99, seed=0)
        rows += [message_of(one.record(prompt, said)), {"role": "tool", "content": seen}]
    assert one.tokens() == agent.tokens


OPENING: list[dict[str, Any]] = [
    {"role": "system", "content": "You work."},
    {"role": "user", "content": "Write yes."},
]


def test_a_reply_that_the_harness_alters_is_not_trained_where_it_is_altered() -> None:
    one = session()
    _, first = ask(one, OPENING, "yes")
    told = {**message_of(first), "content": "no"}
    ask(one, [*OPENING, told, {"role": "user", "content": "go on"}], "echo")
    before, after = one.tokens().sequences()
    assert TOKENIZER.decode([i for i, m in zip(before.ids, before.mask, strict=True) if m]) == "yes"
    assert TOKENIZER.decode([i for i, m in zip(after.ids, after.mask, strict=True) if m]) == "echo"
    assert one.counts()[Reason.FOREIGN] > 0


def test_a_reply_after_a_changed_observation_is_told_apart_from_an_altered_one() -> None:
    one = session()
    _, first = ask(one, OPENING, "yes")
    _, second = ask(one, [*OPENING, message_of(first), {"role": "user", "content": "a"}], "no")
    compacted = [{"role": "user", "content": "Write yes, soon."}, message_of(first)]
    ask(one, [*compacted, message_of(second)], "echo")
    counted = one.counts()
    assert counted[Reason.RETOLD] > 0
    assert counted[Reason.FOREIGN] == counted[Reason.REPEATED] == 0


def test_a_branch_keeps_the_recorded_ids_as_context_and_trains_them_once() -> None:
    one = session()
    _, first = ask(one, OPENING, "yes")
    told = [*OPENING, message_of(first)]
    ask(one, [*told, {"role": "user", "content": "a"}], "no")
    prompt, _ = ask(one, [*told, {"role": "user", "content": "b"}], "echo")
    main, branch = one.sequences()
    assert branch[0].ids == main[0].ids
    assert prompt.known is not None
    assert one.counts()[Reason.REPEATED] == len(TOKENIZER.encode("yes")) + 1
    assert one.counts()[TRAINED] == sum(len(TOKENIZER.encode(t)) + 1 for t in ("yes", "no", "echo"))


@pytest.mark.parametrize("kind", ["hermes", "qwen3"])
def test_calls_are_read_from_a_reply_and_go_on_from_its_ids_in_any_order_of_arguments(
    kind: Kind,
) -> None:
    one = session(kind)
    said = {
        "hermes": '<tool_call>\n{"name": "bash", "arguments": {"command": "a <tool_call>", "n": 3}}'
        "\n</tool_call>",
        "qwen3": "<tool_call>\n<function=bash>\n<parameter=command>\na <tool_call>\n</parameter>\n"
        "<parameter=n>\n3\n</parameter>\n</function>\n</tool_call>",
    }[kind]
    schema = {"command": {"type": "string"}, "n": {"type": "integer"}}
    tool = {"type": "function", "function": {"name": "bash", "parameters": {"properties": schema}}}
    prompt = one.prompt(asked({"messages": OPENING, "tools": [tool]}))
    ids = (*TOKENIZER.encode(f"Look.\n{said}"), STOP)
    done = one.record(prompt, Completion(ids, (-0.5,) * len(ids), (1,) * len(ids), "stop"))
    assert done.reply.text == "Look.\n"
    ((name, arguments),) = done.reply.calls
    assert (name, arguments) == ("bash", '{"command": "a <tool_call>", "n": 3}')
    call = {"function": {"name": name, "arguments": '{"n":3,"command":"a <tool_call>"}'}}
    told = {"role": "assistant", "content": "Look.", "tool_calls": [call]}
    rows = [*OPENING, told, {"role": "tool", "tool_call_id": "x", "content": "3"}]
    again = one.prompt(asked({"messages": rows, "tools": [tool]}))
    assert again.ids[: len(prompt.ids) + len(ids)] == prompt.ids + ids


def test_reasoning_stays_in_the_recorded_ids_though_the_harness_never_sends_it_back() -> None:
    one = session(thinking=True)
    prompt, first = ask(one, OPENING, "notes</think>\n\nyes")
    assert (first.reply.reasoning, first.reply.text) == ("notes", "yes")
    rows = [*OPENING, message_of(first), {"role": "user", "content": "a"}]
    again, _ = ask(one, rows, "</think>no")
    assert again.ids[: len(prompt.ids)] == prompt.ids
    assert one.tokens().starts == (0,)


def test_the_seed_depends_on_what_is_read_and_on_how_often_it_was_read() -> None:
    one, other = session(), session()
    rows = [asked({"messages": [{"role": "user", "content": text}]}) for text in ("a", "b", "a")]
    a, b, again = (one.prompt(row).seed for row in rows)
    assert len({a, b, again}) == 3
    assert [other.prompt(row).seed for row in (rows[1], rows[0])] == [b, a]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"n": 2}, "n is 2"),
        ({"stop": ["x"]}, "stop"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"messages": []}, "no messages"),
        ({"messages": [{"role": "robot", "content": ""}]}, "robot"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "image_url"),
    ],
)
def test_what_the_endpoint_cannot_do_is_refused_by_name(change: Any, told: str) -> None:
    with pytest.raises(CaptureError, match=told):
        asked({"messages": OPENING, **change})
