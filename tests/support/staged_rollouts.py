"""Episodes with staged faults in real sandboxes: a backend and an agent that fail by a seed."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace

import numpy as np

from tests.support.tiny_tasks import equals, sum_task
from tmax_gym.agents.agent import ScriptedAgent, Turn
from tmax_gym.checks.check import Check, Evidence
from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Tokens
from tmax_trainers.rollout.records import Episode

FAULTS = ("reset", "verifier", "killed", "completion")


class Dice:
    """Chooses a fault for each episode by its seed, and counts the faults that happened."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.struck: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._local = threading.local()

    def begin(self, episode: Episode) -> None:
        """Choose the fault of the episode that this thread runs now."""
        rng = np.random.default_rng([episode.seed, 7])
        fault = str(rng.choice(FAULTS)) if rng.random() < self.share else ""
        self._local.fault = fault

    def strikes(self, fault: str) -> bool:
        """Return whether this fault happens here; it happens once in an episode."""
        if getattr(self._local, "fault", "") != fault:
            return False
        self._local.fault = ""
        with self._lock:
            self.struck[fault] += 1
        return True


class FaultyBackend:
    """A real backend whose machines sometimes do not start, or are killed under the agent."""

    def __init__(self, backend: Backend, dice: Dice) -> None:
        self._backend = backend
        self._dice = dice
        self.name = backend.name
        self.opened = threading.local()

    def __getattr__(self, name: str) -> object:
        return getattr(self._backend, name)

    def open(self, image: str, **options: object) -> Sandbox:
        """Start a machine, unless the dice choose a fault."""
        if self._dice.strikes("reset"):
            raise SandboxError("staged: the machine did not start")
        self.opened.sandbox = self._backend.open(image, **options)  # type: ignore[arg-type]
        return self.opened.sandbox


class CoinAgent(ScriptedAgent):
    """Solves the task in every second episode, by its seed; its tokens are artificial."""

    def __init__(self, task: Task, episode: Episode, dice: Dice, backend: FaultyBackend) -> None:
        dice.begin(episode)
        rng = np.random.default_rng(episode.seed)
        super().__init__(task.oracle if rng.random() < 0.5 else ("true",), name="coin")
        self._dice = dice
        self._backend = backend
        sampled = rng.integers(2, 40, 6).tolist()
        prompt = [2, 3]
        self._tokens = Tokens(
            ids=(*prompt, *sampled),
            mask=(False,) * 2 + (True,) * 6,
            logprobs=(0.0,) * 2 + (-3.7,) * 6,
            versions=(-1,) * 2 + (episode.version,) * 6,
        )

    def act(self, observation: str) -> Turn:
        """Return the next command; or fail, or kill the machine, if the dice choose so."""
        if self._dice.strikes("completion"):
            raise ConnectionError("staged: the engine answered 500")
        if self._dice.strikes("killed"):
            self._backend.opened.sandbox.close()
        return super().act(observation)

    @property
    def tokens(self) -> Tokens:
        """Return the artificial token stream."""
        return self._tokens


def staged_task(dice: Dice) -> Task:
    """Return the sum task with a check that sometimes fails."""

    def score(evidence: Evidence) -> float:
        if dice.strikes("verifier"):
            raise AssertionError("staged: the verifier has a bug")
        return equals("/app/sum.txt", "42").score(evidence)

    return replace(sum_task(), checks=(Check("content", "exact_text", score),))
