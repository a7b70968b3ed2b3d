"""Policies for harnesses that are captured: what they say is taught through the endpoint itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from tests.support.coin_recipe import ANSWERS, coin
from tests.support.tiny_speaker import byte_tokenizer
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.rollout import rollout
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Tokens, Trajectory
from tmax_trainers.capture.agent import captured
from tmax_trainers.capture.dialects import Dialect
from tmax_trainers.capture.server import CaptureServer, Sizes
from tmax_trainers.engines import Completion, Request
from tmax_trainers.policies.scratch import PolicyConfig, build_policy
from tmax_trainers.policies.sft import SFTConfig, train_sft
from tmax_trainers.policies.tokenizer import SPECIALS
from tmax_trainers.recipes.policy import PublishedTokenizer
from tmax_trainers.rollout.streams.token_policy import Tokenizer

SIZES = Sizes(max_tokens=100_000, max_turn_tokens=1000)
BUDGET = Budget(Window(tokens=100_000, reply=1000, notices=False))


def call(tool: str, **arguments: str) -> str:
    """Return a tool call in Hermes form."""
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments})}\n</tool_call>"


def keys(text: str, *, done: bool = False) -> str:
    """Return a reply for Terminus 2."""
    commands = [{"keystrokes": text, "duration": 0.2}] if text else []
    return json.dumps({"analysis": "", "plan": "", "commands": commands, "task_complete": done})


def replies(harness: str, command: str) -> tuple[str, ...]:
    """Return what a policy says to run a command and to end."""
    if harness == "openhands":
        return call("terminal", command=command), call("finish", message="done")
    if harness == "terminus2":
        return keys(f"{command}\n", done=True), keys("", done=True)
    return call("bash", command=command), call("bash", command=SUBMIT)


class Speaker:
    """An engine that says fixed replies, one after the other."""

    version = 0

    def __init__(self, tokenizer: Tokenizer, said: Sequence[str]) -> None:
        self._tokenizer, self._left = tokenizer, list(said)

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        """Say the next reply."""
        ids = (*self._tokenizer.encode(self._left.pop(0)), self._tokenizer.special("<|im_end|>"))
        return [Completion(ids, (0.0,) * len(ids), (0,) * len(ids), "stop")] * len(requests)

    def update(self, weights: Any, version: int) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def spoken(
    harness: str, task: Task, said: Sequence[str], *, tokenizer: Tokenizer, backend: Backend
) -> Trajectory:
    """Play an episode in which the policy says these replies."""
    speaker = Speaker(tokenizer, said)
    with CaptureServer(speaker, tokenizer, Dialect("hermes"), sizes=SIZES) as server:
        agent = captured(server, harness, budget=BUDGET)
        return rollout(task, agent, backend=backend, retries=0)


def write_caller(
    directory: Path, harness: str, backend: Backend, *, steps: int = 70, room: int = 200
) -> Mapping[str, Tokens]:
    """Write a policy that writes yes or no, each about as often, and then ends the episode.

    Its context is `room` tokens longer than the longest lesson.
    Return the lessons by answer: episodes that the harness played with fixed replies.
    """
    chat = [*SPECIALS[:2], "<think>", SPECIALS[2]]  # the last one ends
    plain = PublishedTokenizer(byte_tokenizer(specials=chat))

    def lesson(answer: str, tokenizer: Tokenizer) -> Tokens:
        said = replies(harness, f"echo {answer} > x")
        played = spoken(harness, coin(answer), said, tokenizer=tokenizer, backend=backend)
        assert played.reward == 1.0, (played.ending, played.message, played.steps)
        assert played.tokens is not None
        return played.tokens

    # Once for the words that the harness uses, then for the tokens of a tokenizer that has them.
    texts = [plain.decode(lesson(answer, plain).ids) for answer in ANSWERS]
    inner = byte_tokenizer(texts * 4, size=1200, specials=chat)
    streams = {answer: lesson(answer, PublishedTokenizer(inner)) for answer in ANSWERS}
    longest = max(len(tokens.ids) for tokens in streams.values())
    shape = PolicyConfig(len(inner), layers=1, width=32, heads=2, max_length=longest + room)
    model = build_policy(shape, seed=0)
    config = SFTConfig(steps=steps, learning_rate=2e-2, tokens_per_batch=3 * longest)
    train_sft(model, list(streams.values()), config)
    with torch.no_grad():
        model.save_pretrained(directory)
    inner.save_pretrained(directory)
    return streams
