"""`DrivenEpisode`: an episode whose replies another program gives, one text at a time.

For trainers that sample by themselves and ask an environment for the next messages.  It reads
replies as an agent of the same harness does, and grades every ending that it sees.  It starts a
failed machine again only before the first reply, and it never sees a token: where tokens matter,
play a `TokenAgent` with `rollout`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

from tmax_gym.agents.agent import Turn
from tmax_gym.agents.harness import Harness, Message
from tmax_gym.agents.model_agent import ModelAgent
from tmax_gym.agents.rollout import recover
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.limits import LimitOptions
from tmax_gym.episodes.task import Task
from tmax_gym.errors import BackendUnavailable, ImageError, SandboxError, Unbuildable
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.trajectory import Ending


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply led to."""

    messages: tuple[Message, ...] = ()
    """What the model reads before its next reply; empty after the last one."""
    reward: float | None = None
    """The verdict from 0 to 1; None while the episode runs."""
    ending: Ending | None = None
    """How the episode ended; None while it runs."""


class DrivenEpisode:
    """One episode of a task, for one caller at a time.

    Args:
        task: Name in the catalogue, with or without `tmax/`, or a task of any kind.
        harness: The prompt, and how replies are read.
        backend: Where sandboxes run.
        image: Root file system, for a task without one of its own; the default one if None.
        retries: Times that a machine which does not start is replaced.
        **limits: Fields of `EpisodeLimits`; the task decides those that are not given.
    """

    def __init__(
        self,
        task: str | Task,
        harness: Harness,
        *,
        backend: str | Backend = "auto",
        image: str | None = None,
        retries: int = 2,
        **limits: Unpack[LimitOptions],
    ) -> None:
        self._machines = backend_named(backend) if isinstance(backend, str) else backend
        self._env = TerminalEnv(task, backend=self._machines, image=image, **limits)
        self._agent = _Listener(harness, name=harness.name)
        self._retries = retries
        self._last: Answer | None = None

    @property
    def turns(self) -> int:
        """Return the commands and unreadable replies so far."""
        return self._agent.turns

    def open(self, *, seed: int = 0) -> tuple[Message, ...]:
        """Start the machine; return the messages before the first reply.

        Raises:
            SandboxError: No machine could be started in all attempts.
        """
        for attempt in range(self._retries):
            try:
                return self._open(seed)
            except (BackendUnavailable, ImageError, Unbuildable):
                raise
            except SandboxError:
                recover(self._machines, attempt)
        return self._open(seed)

    def reply(self, text: str) -> Answer:
        """Do what a reply asks for; after the last reply, return the same answer again.

        Raises:
            SandboxError: The machine failed; the episode is closed and has no reward.
            VerifierError: The verifier failed; the episode is closed and has no reward.
        """
        if self._last is not None:
            return self._last
        turn = self._agent.hear(text)
        while turn.command is not None:
            observation, reward, terminated, truncated, info = self._env.step(turn.command)
            if terminated or truncated:
                self._last = Answer(reward=reward, ending=Ending(info["ending"]))
                return self._last
            turn = self._agent.act(observation)
        ending = turn.ending
        if ending is None and self._agent.turns >= self._env.limits.max_steps:
            ending = Ending.STEP_LIMIT
        return Answer(self._agent.unread()) if ending is None else self.finish(ending)

    def finish(self, ending: Ending) -> Answer:
        """Grade and end the episode from outside, for example when a model's context is full.

        Raises as `reply` does.
        """
        if self._last is None:
            self._last = Answer(reward=self._env.finish(ending).reward, ending=ending)
        return self._last

    def close(self) -> None:
        """Destroy the machine.  Idempotent."""
        self._env.close()

    def _open(self, seed: int) -> tuple[Message, ...]:
        instruction, _ = self._env.reset(seed=seed)
        self._last = None
        self._agent.reset(instruction, seed=seed)
        self._agent.prepare(self._env.ground)
        return self._agent.unread()


class _Listener(ModelAgent):
    """A model that is asked elsewhere: its turns are empty until its reply is told."""

    observed_as = "user"
    tokens: None = None

    @property
    def turns(self) -> int:
        """Return the commands and unreadable replies so far."""
        return self._steps

    def hear(self, text: str) -> Turn:
        """Return the first turn of a reply."""
        self._asked += 1
        return self._read({"role": "assistant", "content": text}, text)

    def unread(self) -> tuple[Message, ...]:
        """Return the messages since the last call."""
        messages = tuple(self._messages)
        self._messages.clear()
        return messages

    def _ask(self) -> Turn:
        return Turn()
