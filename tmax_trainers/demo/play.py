"""Where the demo's episodes run: a backend, an image, limits, and threads.

Covers oracle, no-op and policy episodes through the harness `plain`, and lists of them in order.
Does not cover groups: those are `tmax_trainers.rollout`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from tmax_gym.agents.agent import Agent, oracle
from tmax_gym.agents.harnesses.plain import PlainHarness
from tmax_gym.agents.rollout import rollout
from tmax_gym.agents.token_agent import TokenAgent
from tmax_gym.envs.episode import EpisodeLimits
from tmax_gym.errors import TrainingError
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Tokens, Trajectory
from tmax_trainers.engines import Engine
from tmax_trainers.policies.tokenizer import WordTokenizer
from tmax_trainers.rollout.streams.token_policy import EngineTokenPolicy, lesson

HARNESS = PlainHarness()
LIMITS = EpisodeLimits(max_steps=2, command_timeout=5.0)
"""The command and the submission; the command of a guess may wait for input for ever."""
STREAM = 256
"""Tokens of an episode at most; the longest oracle episode has about 110."""
TURN = 48
"""Tokens of a reply at most; the longest oracle command has about 35."""
THREADS = 32
"""Episodes at once: on 2 cores 29 ms an episode with 32, 40 with 16, 56 with 4."""


@dataclass(frozen=True, slots=True)
class Player:
    """A policy that can be asked to play: an engine and its tokenizer."""

    engine: Engine
    tokenizer: WordTokenizer


@dataclass(frozen=True, slots=True)
class Arena:
    """Where episodes run."""

    backend: Backend
    image: str

    def play(self, task: Task, agent: Agent, *, seed: int = 0) -> Trajectory:
        """Play one short episode."""
        return rollout(
            task, agent, backend=self.backend, image=self.image, seed=seed, limits=LIMITS
        )

    def show(self, task: Task, agent: Agent) -> Trajectory:
        """Play one episode under the default limits."""
        return rollout(task, agent, backend=self.backend, image=self.image)

    def ask(self, task: Task, player: Player, *, seed: int, episode: str) -> Trajectory:
        """Let the policy play one episode."""
        policy = EngineTokenPolicy(
            player.engine, player.tokenizer, stop=HARNESS.stop, episode=episode
        )
        agent = TokenAgent(policy, HARNESS, max_tokens=STREAM, max_turn_tokens=TURN, name="policy")
        return self.play(task, agent, seed=seed)

    def evaluate(
        self,
        tasks: Sequence[Task],
        player: Player,
        *,
        seed: int,
        done: Callable[[], None] = lambda: None,
    ) -> tuple[Trajectory, ...]:
        """Return one episode a task; the same seed samples the same from the same policy."""

        def one(place: int) -> Trajectory:
            name = f"evaluation.{seed}.{place}"
            played = self.ask(tasks[place], player, seed=seed + place, episode=name)
            done()
            return played

        return _in_order(one, len(tasks))

    def lessons(
        self, tasks: Sequence[Task], *, done: Callable[[], None] = lambda: None
    ) -> tuple[Trajectory, ...]:
        """Return the oracle's episodes.  Raises `TrainingError` where one does not earn 1."""

        def one(place: int) -> Trajectory:
            played = self.play(tasks[place], oracle(tasks[place]))
            done()
            return played

        episodes = _in_order(one, len(tasks))
        failed = [e for e in episodes if e.reward != 1.0]
        if failed:
            raise TrainingError(
                f"the oracle failed in {len(failed)} of {len(episodes)} lessons; the first: "
                f"{failed[0].task} ({failed[0].ending}, reward {failed[0].reward})\n"
                f"See: tmax doctor; tmax validate {failed[0].task.split('.')[0]}"
            )
        return episodes


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one core: so small a policy gains nothing from a second.

    With two threads on a busy machine a step of the warm start took ten times as long, as they
    wait for each other actively; and sums come out the same however many cores there are.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def streams(
    tasks: Sequence[Task], episodes: Sequence[Trajectory], tokenizer: WordTokenizer
) -> list[Tokens]:
    """Return oracle episodes as the token streams that a policy would have made."""
    return [
        lesson(
            tokenizer,
            HARNESS,
            instruction=task.instruction,
            turns=[(step.action, step.observation) for step in episode.steps],
        )
        for task, episode in zip(tasks, episodes, strict=True)
    ]


def _in_order(one: Callable[[int], Trajectory], count: int) -> tuple[Trajectory, ...]:
    with ThreadPoolExecutor(THREADS, thread_name_prefix="demo") as pool:
        return tuple(pool.map(one, range(count)))
