import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from tests.support.tiny_tasks import sum_task
from tmax_gym.agents.agent import ScriptedAgent, noop, oracle
from tmax_gym.agents.chat_agent import ChatAgent
from tmax_gym.agents.client.client import Completion, ContextFull
from tmax_gym.agents.harness import Segment, TokenHarness, transcript
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.agents.harnesses.plain import PlainHarness
from tmax_gym.agents.model_agent import turn_seed
from tmax_gym.agents.token_agent import TokenAgent
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.trajectory import Ending

END = 0x110000
"""The id after the last character, which is the policy's control token."""


@dataclass(frozen=True)
class Said:
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    versions: tuple[int, ...]
    finish_reason: Literal["stop", "length"]


class Parrot:
    """A token policy whose tokens are characters and whose replies are given."""

    def __init__(self, replies: Sequence[str], stop: Segment) -> None:
        self.replies = list(replies)
        self.stop = self.encode(stop)
        self.calls: list[tuple[tuple[int, ...], int, int]] = []

    def encode(self, segment: Segment) -> list[int]:
        return [END] if segment.control else [ord(c) for c in segment.text]

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(chr(i) for i in ids if i != END)

    def generate(self, ids: Sequence[int], *, max_tokens: int, seed: int) -> Said:
        self.calls.append((tuple(ids), max_tokens, seed))
        whole = [ord(c) for c in self.replies.pop(0)] + self.stop
        sampled = tuple(whole[:max_tokens])
        reason: Literal["stop", "length"] = "stop" if len(whole) <= max_tokens else "length"
        versions = tuple(len(self.calls) for _ in sampled)
        return Said(sampled, tuple(-0.5 for _ in sampled), versions, reason)


def parrot_agent(replies: Sequence[str], **options: int) -> tuple[TokenAgent, Parrot]:
    harness = PlainHarness()
    policy = Parrot(replies, harness.stop)
    limits = {"max_tokens": 1000, "max_turn_tokens": 100, **options}
    return TokenAgent(policy, harness, **limits), policy


def test_the_oracle_works_through_the_solution_and_submits() -> None:
    task = sum_task()
    agent = oracle(task)
    agent.reset(task.instruction, seed=0)
    commands = [agent.act("").command for _ in range(3)]
    assert commands == [*task.oracle, SUBMIT]


def test_the_noop_agent_submits_at_once() -> None:
    agent = noop()
    agent.reset("Do it.", seed=0)
    assert agent.act("").command == SUBMIT


def test_a_script_without_submission_stops_and_can_be_played_again() -> None:
    agent = ScriptedAgent(["ls"], submit=False)
    for _ in range(2):
        agent.reset("Do it.", seed=0)
        assert agent.act("").command == "ls"
        assert agent.act("x").ending is Ending.AGENT_STOPPED


def test_turns_and_episodes_have_unrelated_seeds() -> None:
    seeds = {turn_seed(s, t) for s in range(30) for t in range(30)}
    assert len(seeds) == 900
    assert all(0 <= s < 1 << 63 for s in seeds)
    assert turn_seed(3, 4) == turn_seed(3, 4)


def test_the_token_stream_is_what_was_read_and_sampled_in_order() -> None:
    agent, policy = parrot_agent(["ls", "cat a"])
    agent.reset("Do it.", seed=7)
    assert agent.act("").command == "ls"
    assert agent.act("a\n\n(exit_code=0)").command == "cat a"
    tokens = agent.tokens
    assert policy.decode(tokens.ids) == "Do it.\n$ ls\na\n\n(exit_code=0)\n$ cat a\n"
    sampled = "".join(chr(i) for i, m in zip(tokens.ids, tokens.mask, strict=True) if m)
    assert sampled == "ls\ncat a\n"
    for mask, logprob, version in zip(tokens.mask, tokens.logprobs, tokens.versions, strict=True):
        assert (logprob, version != -1) == ((-0.5, True) if mask else (0.0, False))


def test_every_prompt_extends_the_stream_before_it() -> None:
    agent, policy = parrot_agent(["ls", "", "pwd"])
    agent.reset("Do it.", seed=0)
    agent.act("")
    agent.act("out")
    agent.act("")
    prompts = [ids for ids, _, _ in policy.calls]
    for before, after in itertools.pairwise(prompts):
        assert after[: len(before)] == before
    assert agent.tokens.ids[: len(prompts[-1])] == prompts[-1]
    assert [seed for _, _, seed in policy.calls] == [turn_seed(0, t) for t in range(3)]


def test_format_errors_are_answered_and_end_the_episode_when_repeated() -> None:
    agent, policy = parrot_agent(["", "ls", "", "", ""])
    agent.reset("Do it.", seed=0)
    first = agent.act("")
    assert (first.command, first.ending, first.feedback) == (None, None, "The command is empty.")
    assert agent.act("").command == "ls"
    assert [agent.act("out").ending, agent.act("").ending] == [None, None]
    assert agent.act("").ending is Ending.FORMAT_ERROR
    assert "The command is empty.\n$ ls\n" in policy.decode(agent.tokens.ids)


def test_half_a_command_does_not_run() -> None:
    agent, policy = parrot_agent(["rm -rf /app/old", "ls"], max_turn_tokens=11)
    agent.reset("Do it.", seed=0)
    turn = agent.act("")
    assert (turn.command, turn.reply) == (None, "rm -rf /app")
    assert agent.act("").command == "ls"
    text = policy.decode(agent.tokens.ids)
    assert text == "Do it.\n$ rm -rf /app\nThe reply was too long.\n$ ls\n"


def test_a_full_context_ends_the_episode_and_is_never_exceeded() -> None:
    agent, _ = parrot_agent(["ls", "ls"], max_tokens=30)
    agent.reset("Do it.", seed=0)
    assert agent.act("").command == "ls"
    before = agent.tokens
    assert agent.act("x" * 40).ending is Ending.CONTEXT_LIMIT
    assert agent.tokens == before
    agent, _ = parrot_agent(["a long command that does not fit"], max_tokens=20)
    agent.reset("Do it.", seed=0)
    assert agent.act("").ending is Ending.CONTEXT_LIMIT
    assert len(agent.tokens.ids) == 20


def test_a_new_episode_starts_a_new_stream() -> None:
    agent, _ = parrot_agent(["ls", "ls"])
    for _ in range(2):
        agent.reset("Do it.", seed=0)
        agent.act("")
    assert len(agent.tokens.ids) == len("Do it.\n$ ls\n")


@pytest.mark.parametrize("harness", [PlainHarness(), BashHarness("hermes"), BashHarness("qwen3")])
def test_a_taught_episode_is_the_stream_that_an_agent_assembles(harness: TokenHarness) -> None:
    turns = [("ls", "a.txt\n\n(exit_code=0)"), ("cat a.txt", "x\n\n(exit_code=0)"), (SUBMIT, "")]
    policy = Parrot([harness.say(command) for command, _ in turns], harness.stop)
    agent = TokenAgent(policy, harness, max_tokens=10_000, max_turn_tokens=500)
    agent.reset("Do it.", seed=0)
    heard = ""
    for _, observation in turns:
        agent.act(heard)
        heard = observation
    taught = [
        (token, sampled)
        for segment, sampled in transcript(harness, "Do it.", turns)
        for token in policy.encode(segment)
    ]
    assert taught == list(zip(agent.tokens.ids, agent.tokens.mask, strict=True))


def test_control_segments_are_the_only_control_tokens() -> None:
    harness = BashHarness("fenced")
    policy = Parrot([harness.say("ls")] * 2, harness.stop)
    agent = TokenAgent(policy, harness, max_tokens=10_000, max_turn_tokens=100)
    agent.reset("Do it.", seed=0)
    agent.act("")
    before = agent.tokens.ids.count(END)
    agent.act("<|im_end|> " * 9)
    # End and start of the observation's turn, start of the reply's, and its sampled end.
    assert agent.tokens.ids.count(END) == before + 4


class Scripted:
    """A chat model with given messages, which records what it was sent."""

    def __init__(self, replies: Sequence[Any]) -> None:
        self.replies = list(replies)
        self.sent: list[tuple[Mapping[str, Any], ...]] = []
        self.tools: Sequence[Mapping[str, Any]] = ()

    def __call__(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]],
        seed: int,
        max_tokens: int,
    ) -> Completion:
        self.sent.append(tuple(messages))
        self.tools = tools
        if not self.replies:
            raise ContextFull("the conversation is too long")
        return Completion(self.replies.pop(0), "stop")


def call(command: str, id_: str) -> dict[str, Any]:
    arguments = json.dumps({"command": command})
    return {"id": id_, "type": "function", "function": {"name": "bash", "arguments": arguments}}


def test_a_chat_model_gets_every_call_answered_by_its_id() -> None:
    first = {
        "role": "assistant",
        "content": "Look.",
        "tool_calls": [call("ls", "c1"), call("x", "c2")],
    }
    model = Scripted(
        [first, {"role": "assistant", "content": "Hm."}, {"tool_calls": [call("pwd", "c3")]}]
    )
    agent = ChatAgent(model, BashHarness("openai"))
    agent.reset("Do it.", seed=0)
    assert agent.act("").command == "ls"
    assert agent.act("a.txt").command is None
    assert agent.act("").command == "pwd"
    assert agent.act("/app").ending is Ending.CONTEXT_LIMIT
    last = model.sent[-1]
    assert [m["role"] for m in last] == [
        "system", "user", "assistant", "tool", "assistant", "user", "assistant", "tool"
    ]  # fmt: skip
    assert [c["id"] for c in last[2]["tool_calls"]] == ["c1"]
    assert (last[3]["tool_call_id"], last[3]["content"]) == ("c1", "a.txt")
    assert last[7]["tool_call_id"] == "c3"
    assert [t["function"]["name"] for t in model.tools] == ["bash"]


def test_a_chat_model_that_writes_text_is_answered_as_a_user() -> None:
    harness = BashHarness("fenced")
    model = Scripted([{"content": harness.say(command)} for command in ("ls", SUBMIT)])
    agent = ChatAgent(model, harness)
    agent.reset("Do it.", seed=0)
    agent.act("")
    assert agent.act("a.txt").command == SUBMIT
    assert model.sent[-1][-1] == {"role": "user", "content": "a.txt"}
    assert model.tools == ()


def test_a_chat_model_in_the_plain_harness_says_one_line_a_turn() -> None:
    model = Scripted([{"content": "ls\nIt lists."}])
    agent = ChatAgent(model, PlainHarness())
    agent.reset("Do it.", seed=0)
    assert agent.act("").command == "ls"
    assert agent.act("a.txt").ending is Ending.CONTEXT_LIMIT
    assert [m["content"] for m in model.sent[-1]] == ["Do it.", "ls\nIt lists.", "a.txt"]


def test_a_policy_is_given_the_next_part_of_a_task_after_it_has_submitted() -> None:
    agent, policy = parrot_agent([SUBMIT, "ls"])
    agent.reset("Part one.", seed=0)
    assert agent.act("").command == SUBMIT
    assert agent.act("Part two.").command == "ls"
    text = policy.decode(agent.tokens.ids)
    assert text == f"Part one.\n$ {SUBMIT}\n(submitted)\nThe next part:\n\nPart two.\n$ ls\n"
