"""A recipe becomes a run: tasks, policy, engine, rollouts and trainer put together.

A run has a warm start, DPPO, evaluations, checkpoints and traces, and can be resumed.  Of several
trainer processes, the main one has the rollouts.  `accelerate launch` starts trainer processes,
`tmax serve` vLLM servers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import broadcast_object_list
from rich.console import Console
from transformers import PrinterCallback, TrainerCallback

from tmax_gym.errors import TrainingError
from tmax_gym.journal import append
from tmax_gym.reports.statistics.intervals import mean_interval
from tmax_trainers.dppo import checkpoints
from tmax_trainers.dppo.checkpoints import HISTORY, Checkpoints, Score
from tmax_trainers.dppo.trainer import DPPOTrainer
from tmax_trainers.engines import Engine
from tmax_trainers.policies.sft import SFTStep
from tmax_trainers.recipes import files, warm_start
from tmax_trainers.recipes.alarms import ALARMS, Alarms
from tmax_trainers.recipes.options import engine_of, harness_of, optimizer_of, trainer_options
from tmax_trainers.recipes.plan.memory import GIB
from tmax_trainers.recipes.plan.refusals import check_here
from tmax_trainers.recipes.policy import WORDS, load_policy, load_tokenizer, with_adapters
from tmax_trainers.recipes.processes import processes, splits_weights, suit_sharding
from tmax_trainers.recipes.recipe import Recipe
from tmax_trainers.recipes.rollouts import Playing, apart
from tmax_trainers.recipes.screen import LiveScreen
from tmax_trainers.recipes.tasks import task_book
from tmax_trainers.rollout.process.idle import Idle
from tmax_trainers.rollout.source import Rollouts
from tmax_trainers.rollout.traces import INDEX, TRACES, write_traces
from tmax_trainers.rollout.worker import EngineWeightTransfer, GroupRolloutWorker

LOGS = (WORDS, HISTORY, ALARMS, TRACES, INDEX)
"""Files that a run adds to, or that depend on its lessons: a run from the start begins them."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run."""

    steps: int
    scores: tuple[Score, ...]
    """Of this life of the run, in order."""
    best: Score | None
    seconds: float
    warm_start: tuple[SFTStep, ...] = ()
    """Of this life of the run."""
    log: tuple[Mapping[str, Any], ...] = ()
    """What the trainer logged after each step, earlier lives included."""


@dataclass(slots=True)
class Run:
    """The parts of a run on the main process."""

    engine: Engine
    source: Rollouts
    traces: Path | None
    """Where held-out episodes are written; nowhere if None."""
    scores: list[Score] = field(default_factory=list)
    warm_start: tuple[SFTStep, ...] = ()

    def close(self) -> None:
        """End the episodes and what they sample from."""
        self.source.stop()
        if isinstance(self.source, Playing):
            self.source.close()  # its engine with it
        else:
            self.engine.close()

    def evaluate(self, step: int) -> Score:
        """Let the present weights play the held-out tasks, always with the same seeds."""
        episodes = self.source.evaluate(step)
        if self.traces is not None:
            file = held_out_file(self.traces, step)
            file.unlink(missing_ok=True)
            append(file, *map(asdict, episodes))
        mean = mean_interval([e.reward for e in episodes if e.reward is not None])
        self.scores.append(Score(step, mean.mean, mean.low, mean.high, len(episodes)))
        return self.scores[-1]


class TimeLimit(TrainerCallback):  # type: ignore[misc]
    """Ends training after so many minutes; later callbacks see it as the last step.

    The main process decides for all, because they end with the same step.
    """

    def __init__(self, minutes: float) -> None:
        self._end = time.monotonic() + 60 * minutes

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begin no further step where the time is up."""
        ended = [time.monotonic() >= self._end]
        broadcast_object_list(ended)
        control.should_training_stop |= ended[0]


def held_out_file(out: Path, step: int) -> Path:
    """Return where the held-out episodes of a step are written."""
    return out / f"held_out-{step}.jsonl"


def train(
    recipe: Recipe, out: Path, *, resume: bool = False, console: Console | None = None
) -> RunResult:
    """Run a recipe and return its result; files are written below `out`.

    Raises:
        TrainingError: The rollouts cannot go on, or nothing can be resumed.
        RecipeError: The recipe cannot work here, or a model or tokenizer is absent.
    """
    began = time.monotonic()
    console = console or Console(highlight=False, soft_wrap=True)
    state = processes()
    check_here(recipe, processes=state.num_processes, split=splits_weights(), card_gib=_card_gib())
    out.mkdir(parents=True, exist_ok=True)
    checkpoint = checkpoints.latest(out) if resume else None
    if resume and checkpoint is None:
        raise TrainingError(f"{out} holds no whole checkpoint; start anew without --resume")
    if not resume and checkpoints.whole(out):
        raise TrainingError(f"{out} holds checkpoints of another run; --resume, or another --out")
    if not resume and state.is_main_process:
        for name in LOGS:
            (out / name).unlink(missing_ok=True)
    (out / "recipe.yaml").write_text(files.dump(recipe), encoding="utf-8")
    torch.manual_seed(recipe.seed)
    trainer, run = _assembled(recipe, out, checkpoint, console=console)
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint[1]) if checkpoint else None)
    finally:
        if run is not None:
            run.close()
    return RunResult(
        steps=trainer.state.global_step,
        scores=tuple(run.scores) if run is not None else (),
        best=checkpoints.best(out),
        seconds=time.monotonic() - began,
        warm_start=run.warm_start if run is not None else (),
        log=tuple(row for row in trainer.state.log_history if "reward/mean" in row),
    )


def _card_gib() -> float | None:
    """Return the memory of this process's GPU; None without one."""
    if not torch.cuda.is_available():
        return None
    total: int = torch.cuda.get_device_properties(torch.cuda.current_device()).total_memory
    return total / GIB


def _assembled(
    recipe: Recipe, out: Path, checkpoint: tuple[int, Path] | None, *, console: Console
) -> tuple[DPPOTrainer, Run | None]:
    """Return the trainer and, on the main process, the parts that play."""
    state = processes()
    book = task_book(recipe)
    with state.main_process_first():
        warm = recipe.warm_start
        school = warm_start.School(recipe, book, out, console.print) if warm is not None else None
        texts = school.texts() if school is not None else ()
        tokenizer = load_tokenizer(recipe.model, out, texts)
    model = load_policy(
        recipe.model,
        vocabulary=len(tokenizer),
        max_length=recipe.rollouts.prompt_tokens + recipe.rollouts.response_tokens,
        seed=recipe.seed,
    )
    taught: list[SFTStep] = []
    if school is not None and checkpoint is None and state.is_main_process:
        taught = school.teach(model, tokenizer, harness_of(recipe.harness))
    run = None
    if state.is_main_process:
        if recipe.rollouts.process == "own":
            source: Rollouts = apart(recipe, out)
            engine = engine_of(recipe, model, on_version=source.stamp)
        else:
            engine = engine_of(recipe, model)
            source = Playing(recipe, book, tokenizer=tokenizer, engine=engine, book_of=task_book)
        traces = out if recipe.watching.traces else None
        run = Run(engine, source, traces, warm_start=tuple(taught))
        if checkpoint is not None:
            checkpoints.restore(run.source, checkpoint[1])
    if recipe.model.lora is not None:
        model = with_adapters(model, recipe.model.lora, seed=recipe.seed)
    return _trainer(recipe, out, model, run=run, sent=checkpoint[0] if checkpoint else 0,
                    console=console), run  # fmt: skip


def _trainer(
    recipe: Recipe,
    out: Path,
    model: torch.nn.Module,
    *,
    run: Run | None,
    sent: int,
    console: Console,
) -> DPPOTrainer:
    worker, transfer = _seams(run, recipe, out, sent)
    trainer = DPPOTrainer(
        model,
        trainer_options(recipe, out),
        rollout_worker=worker,
        weight_transfer=transfer,
        optimizer_cls_and_kwargs=optimizer_of(model, recipe.optimization),
    )
    suit_sharding(trainer.accelerator, model, taught=recipe.warm_start is not None and not sent)
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(Alarms(recipe.watching, out))
    if run is not None:
        source = run.source

        def now() -> dict[str, float]:
            return source.inside() | {"queue": float(worker.rollout_buffer.qsize())}

        trainer.add_callback(LiveScreen(now, console))
    if recipe.optimization.minutes is not None:
        trainer.add_callback(TimeLimit(recipe.optimization.minutes))
    saving = recipe.saving
    # Every process has them, because all take part in writing sharded weights.
    trainer.add_callback(
        Checkpoints(
            run.source if run is not None else None,
            out,
            every=saving.checkpoint_every,
            keep=saving.keep,
            evaluate=_reported(run, trainer, console) if run is not None else None,
            evaluate_every=saving.evaluate_every,
        )
    )
    return trainer


def _reported(run: Run, trainer: DPPOTrainer, console: Console) -> Callable[[int], Score]:
    """Return an evaluation whose result is in the log line of its step."""

    def evaluate(step: int) -> Score:
        score = run.evaluate(step)
        console.print(
            f"step {step}: held-out reward {score.reward:.3f} "
            f"[{score.low:.3f}, {score.high:.3f}], {score.episodes} episodes"
        )
        if step:  # before the first step there is no log line
            trainer.note({f"held_out/{k}": v for k, v in asdict(score).items() if k != "step"})
        return score

    return evaluate


def _seams(run: Run | None, recipe: Recipe, out: Path, sent: int) -> tuple[Any, Any]:
    """Return worker and weight transfer; on other processes than the main one, idle ones."""
    if run is None:
        return Idle(), Idle()
    worker = GroupRolloutWorker(run.source)
    if recipe.watching.traces:
        worker = GroupRolloutWorker(run.source, watch=partial(write_traces, out))
    return worker, EngineWeightTransfer(run.engine, sent=sent)
