"""The warm start of a recipe: reference solutions, played in sandboxes and learned token by token.

They are played once (`lessons.jsonl`); a policy from scratch has its words from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from statistics import fmean

import torch

from tmax_gym import journal
from tmax_gym.agents.agent import oracle
from tmax_gym.agents.harness import TokenHarness
from tmax_gym.agents.rollout import rollout
from tmax_gym.episodes.task import Task
from tmax_gym.errors import RecipeError, TrainingError
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.trajectory import Tokens, Trajectory, from_row
from tmax_trainers.policies.sft import SFTConfig, SFTStep, train_sft
from tmax_trainers.recipes.recipe import Recipe, WarmStart
from tmax_trainers.recipes.tasks import TaskBook
from tmax_trainers.rollout.streams.token_policy import Tokenizer, lesson

FILE = "lessons.jsonl"
WINDOW = 25
"""Steps over which the accuracy is averaged."""
_LEAST_WARMUP = 20
_EXCERPT = 100


class School:
    """Lessons of one run; played when they are first needed.

    Raises `RecipeError` where the recipe has no warm start.
    """

    def __init__(
        self,
        recipe: Recipe,
        book: TaskBook,
        out: Path,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        if recipe.warm_start is None:
            raise RecipeError(f"recipe {recipe.name} has no warm_start, so there are no lessons")
        self.options: WarmStart = recipe.warm_start
        self._recipe = recipe
        self._book = book
        self._file = out / FILE
        self._say = say
        self._seen: tuple[tuple[Task, Trajectory], ...] = ()

    def lessons(self) -> tuple[tuple[Task, Trajectory], ...]:
        """Return tasks and solved episodes; episodes are kept in a file."""
        if not self._seen:
            tasks = self._book.lessons(self.options.lessons)
            played = journal.read(self._file, from_row)
            if [episode.task for episode in played] != [task.name for task in tasks]:
                played = self._play(tasks)
                self._file.unlink(missing_ok=True)
                journal.append(self._file, *map(asdict, played))
            self._seen = tuple(zip(tasks, played, strict=True))
        return self._seen

    def texts(self) -> Iterator[str]:
        """Yield every instruction, action and observation of the lessons."""
        for task, episode in self.lessons():
            yield task.instruction
            for step in episode.steps:
                yield step.action
                yield step.observation

    def teach(
        self, model: torch.nn.Module, tokenizer: Tokenizer, harness: TokenHarness
    ) -> list[SFTStep]:
        """Train the model on the lessons, in place."""
        streams = [self._stream(task, e, tokenizer, harness) for task, e in self.lessons()]
        recent: list[float] = []

        def content(step: SFTStep) -> bool:
            recent.append(step.accuracy)
            mean = fmean(recent[-WINDOW:])
            if step.step % _EXCERPT == 0:
                self._say(f"warm start {step.step}: loss {step.loss:.3f}, accuracy {mean:.3f}")
            return len(recent) >= WINDOW and mean >= self.options.accuracy

        if torch.cuda.is_available():
            model.to("cuda")
        return train_sft(model, streams, self._config(streams), on_step=content)

    def _config(self, streams: list[Tokens]) -> SFTConfig:
        options, steps = self.options, self.options.steps
        if options.epochs is not None:
            total = sum(len(s.ids) for s in streams)
            steps = max(1, math.ceil(options.epochs * total / options.tokens_per_batch))
        return SFTConfig(
            steps=steps,
            tokens_per_batch=options.tokens_per_batch,
            learning_rate=options.learning_rate,
            schedule=options.schedule,
            warmup_steps=round(options.warmup_share * steps) or min(_LEAST_WARMUP, steps),
            dtype=self._recipe.model.dtype,
            seed=self._recipe.seed,
        )

    def _play(self, tasks: tuple[Task, ...]) -> tuple[Trajectory, ...]:
        self._say(f"playing {len(tasks)} lessons")
        options = self._recipe.rollouts
        machines = backend_named(options.backend)

        def one(task: Task) -> Trajectory:
            return rollout(task, oracle(task), backend=machines, image=options.image)

        with ThreadPoolExecutor(min(options.concurrent, options.starts)) as pool:
            played = tuple(pool.map(one, tasks))
        failed = [e for e in played if e.reward != 1.0]
        if failed:
            raise TrainingError(
                f"the reference solution failed in {len(failed)} of {len(played)} lessons; the "
                f"first: {failed[0].task} ({failed[0].ending}, reward {failed[0].reward})\n"
                f"See: tmax doctor; tmax validate {failed[0].task.split('.')[0]}"
            )
        return played

    def _stream(
        self, task: Task, episode: Trajectory, tokenizer: Tokenizer, harness: TokenHarness
    ) -> Tokens:
        turns = [(step.action, step.observation) for step in episode.steps]
        return lesson(tokenizer, harness, instruction=task.instruction, turns=turns)
