"""How the demo's policy learns: a warm start on oracle episodes, then DPPO in sandboxes.

Covers one policy from scratch to the end, on a CPU.  Both parts are the package's own: `train_sft`
and `DPPOTrainer` with its group source, worker and weight transfer.
Does not cover anything that is shown or written: see `page.py`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import torch
from transformers import LlamaForCausalLM, PrinterCallback, TrainerCallback

from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Tokens, Trajectory
from tmax_trainers.demo.play import STREAM, Arena, Player
from tmax_trainers.dppo.trainer import DPPOConfig, DPPOTrainer
from tmax_trainers.policies.scratch import PolicyConfig, build_policy
from tmax_trainers.policies.sft import SFTConfig, SFTStep, train_sft
from tmax_trainers.rollout.groups import GroupSource
from tmax_trainers.rollout.records import Episode, GroupConfig
from tmax_trainers.rollout.worker import EngineWeightTransfer, GroupRolloutWorker


@dataclass(frozen=True, slots=True)
class WarmConfig:
    """The policy and its warm start."""

    layers: int = 2
    width: int = 128
    heads: int = 4
    """2 x 128 learns to copy in fewer seconds than 3 x 128 or 4 x 192 (measured on one core)."""
    learning_rate: float = 2e-3
    tokens_per_batch: int = 512
    """Steps count more than rows here: 1024 takes twice the time to the same reward."""
    steps: int = 2000
    """At most."""
    target: float = 0.35
    """Mean reward on the probe that ends the warm start, usually overshot to about 0.4: there the
    policy fails and succeeds, and its likeliest commands are already right nine times in ten."""
    every: int = 25
    """Steps between two probes."""
    probe_accuracy: float = 0.97
    """Probes begin when so many tokens of lessons are said: before, the policy earns nothing."""


@dataclass(frozen=True, slots=True)
class PractiseConfig:
    """Reinforcement learning."""

    learning_rate: float = 3e-4
    gain_factor: float = 40.0
    """Learning rate of the gains of layer norms over that of matrices.  Adam moves every number
    by about the learning rate, and gains are about 1 where matrices are about 0.04: without the
    factor they stand still, and being surer, which is a larger gain, is learned five times more
    slowly."""
    steps: int = 30
    groups: int = 16
    group_size: int = 16
    workers: int = 32
    micro_batches: int = 4
    max_staleness: int = 0
    """Versions that a group may be old; more than 0 lets episodes run while the policy learns."""
    objective: str = "dppo"
    """Or a baseline of the loss: `grpo`, `cispo`."""
    deadline: float = float("inf")
    """`time.monotonic()` after which no further step is begun."""


@dataclass(frozen=True, slots=True)
class Point:
    """One optimizer step of DPPO."""

    step: int
    reward: float
    """Mean over every episode sampled for the step, before it."""
    kept: int
    """Groups that were trained on."""
    dropped: int
    """Groups whose rewards were all equal."""
    entropy: float
    """Nats a token."""
    blocked: float
    """Share of tokens outside the trust region."""
    seconds: float
    """Since practice began."""


def new_policy(vocabulary: int, config: WarmConfig, *, seed: int) -> LlamaForCausalLM:
    """Return an untrained policy."""
    shape = PolicyConfig(
        vocabulary,
        layers=config.layers,
        width=config.width,
        heads=config.heads,
        max_length=STREAM,
    )
    return build_policy(shape, seed=seed)


def warm_up(
    model: LlamaForCausalLM,
    lessons: Sequence[Tokens],
    config: WarmConfig,
    *,
    seed: int,
    probe: Callable[[], float],
    done: Callable[[SFTStep, float | None], None],
) -> list[tuple[int, float]]:
    """Train on lessons until the probe earns enough; return (step, reward) of every probe.

    Args:
        model: Trained in place.
        lessons: Oracle episodes.
        config: How.
        seed: Of the order of lessons.
        probe: Returns the mean reward of the present weights on tasks kept for this.
        done: Called after each step, with the probe's reward where there was one.
    """
    seen: list[tuple[int, float]] = []
    recent: list[float] = []

    def stop(step: SFTStep) -> bool:
        recent.append(step.accuracy)
        reward = None
        known = fmean(recent[-config.every :]) >= config.probe_accuracy
        if known and step.step % config.every == 0:
            reward = probe()
            seen.append((step.step, reward))
        done(step, reward)
        return reward is not None and reward >= config.target

    options = SFTConfig(
        steps=config.steps,
        tokens_per_batch=config.tokens_per_batch,
        learning_rate=config.learning_rate,
        seed=seed,
    )
    train_sft(model, lessons, options, on_step=stop)
    return seen


def practise(
    model: LlamaForCausalLM,
    player: Player,
    arena: Arena,
    *,
    config: PractiseConfig,
    tasks: Iterator[Task],
    seed: int,
    out: str,
    done: Callable[[Point], None] = lambda point: None,
    keep: Callable[[Episode, Trajectory], None] = lambda episode, trajectory: None,
) -> list[Point]:
    """Train with DPPO on endless tasks; return what each step saw.

    Args:
        model: Trained in place.
        player: Samples; its engine is given the weights of `model` after every step.
        arena: Where episodes run.
        config: How.
        tasks: One a group, without an end.
        seed: Of sampling.
        out: A directory for the trainer's own files.
        done: Called after each step.
        keep: Called with every episode, from many threads.
    """
    practice = _Practice(tasks)

    def run(episode: Episode) -> Trajectory:
        task = practice.tasks[episode.task]
        played = arena.ask(task, player, seed=episode.seed, episode=episode.name)
        keep(episode, played)
        return played

    groups = GroupConfig(
        groups_per_step=config.groups,
        group_size=config.group_size,
        max_staleness=config.max_staleness,
        workers=config.workers,
        seed=seed,
    )
    log = _Log(config, done)
    worker = GroupRolloutWorker(GroupSource(run, practice, groups))
    trainer = DPPOTrainer(
        model,
        _options(config, seed, out),
        rollout_worker=worker,
        weight_transfer=EngineWeightTransfer(player.engine),
        callbacks=[log],
        optimizers=(_optimizer(model, config), None),
    )
    trainer.remove_callback(PrinterCallback)
    try:
        trainer.train()
    finally:  # after an interruption as well: no episode outlives its engine
        worker.stop()
    model.eval()
    return log.points


def _options(config: PractiseConfig, seed: int, out: str) -> DPPOConfig:
    return DPPOConfig(
        output_dir=out,
        max_steps=config.steps,
        learning_rate=config.learning_rate,
        objective=config.objective,
        gradient_accumulation_steps=config.micro_batches,
        groups_per_step=config.groups,
        group_size=config.group_size,
        rollout_timeout=300.0,
        use_cpu=True,
        disable_tqdm=True,
        report_to="none",
        seed=seed,
    )


def _optimizer(model: torch.nn.Module, config: PractiseConfig) -> torch.optim.Optimizer:
    gains = [p for p in model.parameters() if p.ndim == 1]
    matrices = [p for p in model.parameters() if p.ndim > 1]
    rate = config.learning_rate
    # A short memory of squares and a floor below them: gradients are those of a few groups.
    return torch.optim.AdamW(
        [{"params": matrices, "lr": rate}, {"params": gains, "lr": rate * config.gain_factor}],
        betas=(0.9, 0.95),
        eps=1e-6,
        weight_decay=0.0,
    )


class _Practice(Iterator[str]):
    """Names of the tasks of a stream; remembers the tasks."""

    def __init__(self, tasks: Iterator[Task]) -> None:
        self.tasks: dict[str, Task] = {}
        self._stream = tasks

    def __next__(self) -> str:
        task = next(self._stream)
        self.tasks[task.name] = task
        return task.name


class _Log(TrainerCallback):  # type: ignore[misc]
    """Turns the trainer's log lines into points, and ends training at the deadline."""

    def __init__(self, config: PractiseConfig, done: Callable[[Point], None]) -> None:
        self.points: list[Point] = []
        self._config = config
        self._done = done
        self._began = time.monotonic()

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Add a point."""
        row = kwargs["logs"]
        if "reward/mean" not in row:
            return
        dropped = row["groups/all_equal_total"] + row["groups/all_solved_total"]
        self.points.append(
            Point(
                step=state.global_step,
                reward=row["reward/mean"],
                kept=self._config.groups,
                dropped=int(dropped),
                entropy=row["policy/entropy"],
                blocked=row["policy/blocked_high"] + row["policy/blocked_low"],
                seconds=time.monotonic() - self._began,
            )
        )
        self._done(self.points[-1])

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Stop where no time is left for another step."""
        if time.monotonic() >= self._config.deadline:
            control.should_training_stop = True


def weights_digest(model: torch.nn.Module) -> str:
    """Return a digest of every bit of the weights."""
    total = hashlib.sha256()
    for name, tensor in sorted(model.named_parameters()):
        total.update(name.encode() + tensor.detach().contiguous().numpy().tobytes())
    return total.hexdigest()[:16]
