"""`tmax demo`: a tiny policy gets better at terminal tasks that it was not trained on.

Covers everything from three tasks to look at, over a warm start on oracle episodes and DPPO in
real sandboxes, to the same evaluation before and after.  One core computes, the others run
sandboxes; the same seed gives the same result on the same machine, bit for bit.
Does not cover models that know anything: see the recipes of `tmax_trainers`.
"""

from __future__ import annotations

import copy
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

from tmax_gym.agents.agent import noop, oracle
from tmax_gym.cli import diagnosis
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes import backend, images
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Tokens, Trajectory
from tmax_trainers.demo import page
from tmax_trainers.demo.learning import (
    Point,
    PractiseConfig,
    WarmConfig,
    new_policy,
    practise,
    warm_up,
    weights_digest,
)
from tmax_trainers.demo.play import THREADS, Arena, Player, one_thread, streams
from tmax_trainers.demo.screen import Screen
from tmax_trainers.engines import Engine
from tmax_trainers.engines.transformers import TransformersEngine
from tmax_trainers.policies.sft import SFTStep
from tmax_trainers.policies.tokenizer import WordTokenizer
from tmax_trainers.recipes import practice as demo_tasks
from tmax_trainers.rollout.records import Episode

_RESERVE = 45.0
"""Seconds kept for the last evaluation and the report."""


@dataclass(frozen=True, slots=True)
class DemoConfig:
    """Sizes of a run."""

    seed: int = 0
    out: Path = Path("runs/demo")
    minutes: float = 9.5
    """No further step of DPPO begins when what is left is needed for the last evaluation."""
    families: tuple[str, ...] = demo_tasks.FAMILIES
    lessons: int = 1600
    tests: int = 128
    tries: int = 2
    """Episodes of each test."""
    held_out: int = 60
    probes: int = 120
    warm: WarmConfig = field(default_factory=WarmConfig)
    practise: PractiseConfig = field(default_factory=PractiseConfig)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A policy after its warm start, and what it earns."""

    model: LlamaForCausalLM
    player: Player
    tests: tuple[Task, ...]
    held_out: tuple[Task, ...]
    probes: tuple[tuple[int, float], ...] = ()
    before: page.Evaluation = field(default_factory=lambda: page.Evaluation((), ()))


@dataclass(frozen=True, slots=True)
class Learned:
    """What DPPO made of it."""

    points: tuple[Point, ...]
    practice: tuple[Trajectory, ...]
    after: page.Evaluation
    weights: str


def run(
    *,
    seed: Annotated[int, typer.Option(help="Of tasks, weights and sampling.")] = 0,
    lr: Annotated[float, typer.Option(help="Learning rate of DPPO.")] = 3e-4,
    steps: Annotated[int, typer.Option(min=1, help="Optimizer steps of DPPO.")] = 30,
    minutes: Annotated[float, typer.Option(help="Time after which DPPO ends early.")] = 9.5,
    out: Annotated[Path, typer.Option(help="Where files are written.")] = Path("runs/demo"),
) -> None:
    """Train a tiny policy on real tasks in real sandboxes; writes report.html."""
    config = DemoConfig(
        seed=seed,
        out=out,
        minutes=minutes,
        practise=PractiseConfig(learning_rate=lr, steps=steps),
    )
    with Screen() as screen:
        outcome = demo(config, screen)
        for line in page.lines(outcome):
            screen.line(line)
        screen.line(f"\n{out / 'report.html'} shows the curve, the table and the episodes.")


def demo(config: DemoConfig, screen: Screen) -> page.Outcome:
    """Run everything and write the files; return what was found out."""
    began = time.monotonic()
    deadline = began + 60 * config.minutes - _RESERVE
    arena = _arena(screen)
    looked_at, seen = show(arena, screen)
    with one_thread(), prepared(config, arena, screen) as warm:
        practise_config = replace(config.practise, deadline=deadline)
        learned = learn(warm, replace(config, practise=practise_config), arena, screen=screen)
        outcome = page.Outcome(
            seed=config.seed,
            learning_rate=config.practise.learning_rate,
            lessons=config.lessons,
            probes=warm.probes,
            points=learned.points,
            before=warm.before,
            after=learned.after,
            weights=(weights_digest(warm.model), learned.weights),
            seconds=time.monotonic() - began,
            peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        )
        page.write(
            config.out,
            outcome,
            shown=seen,
            practice=learned.practice,
            instructions=page.instructions([*looked_at, *warm.tests, *warm.held_out]),
        )
    return outcome


def show(arena: Arena, screen: Screen) -> tuple[tuple[Task, ...], tuple[Trajectory, ...]]:
    """Play three larger tasks twice: by their reference solution, and by doing nothing."""
    tasks = demo_tasks.shown(arena.backend, arena.image)
    seen: list[Trajectory] = []
    with screen.stage("Three tasks: reference solution, no-op", 2 * len(tasks)) as stage:
        for task in tasks:
            played = [arena.show(task, oracle(task)), arena.show(task, noop())]
            stage.advance()
            stage.advance()
            seen += played
            screen.line(f"\ntmax/{task.name}  ({task.spec.domain}, {task.spec.verifier})")
            screen.line(f"  {task.instruction.splitlines()[0][:92]} ...")
            for episode in played:
                parts = "  ".join(f"{name}={score:.2f}" for name, score in episode.parts)
                screen.line(f"  {episode.agent:<7} reward {episode.reward}   {parts}")
    screen.line("")
    return tasks, tuple(seen)


@contextmanager
def prepared(config: DemoConfig, arena: Arena, screen: Screen) -> Iterator[Prepared]:
    """Warm a policy up and evaluate it; its engine is closed at the end."""
    lessons = demo_tasks.take("lessons", config.lessons, seed=config.seed, families=config.families)
    tests = demo_tasks.take("test", config.tests, seed=config.seed, families=config.families)
    held_out = demo_tasks.take(
        "test", config.held_out, seed=config.seed, families=demo_tasks.HELD_OUT
    )
    with screen.stage("Lessons: oracle episodes in sandboxes", len(lessons)) as stage:
        episodes = arena.lessons(lessons, done=stage.advance)
    page.write_lines(config.out / "lessons.jsonl", episodes)
    tokenizer = WordTokenizer.train(_texts(lessons, episodes))
    model = new_policy(len(tokenizer), config.warm, seed=config.seed)
    with TransformersEngine(model, slots=THREADS) as engine:
        player = Player(engine, tokenizer)
        data = streams(lessons, episodes, tokenizer)
        warm = Prepared(model, player, tests, held_out)
        probes = _warm_up(warm, data, config, arena, screen=screen)
        before = evaluate(warm, config, arena, screen=screen, title="Held-out tasks, before DPPO")
        yield replace(warm, probes=tuple(probes), before=before)


def learn(warm: Prepared, config: DemoConfig, arena: Arena, *, screen: Screen) -> Learned:
    """Train a copy of the warm policy and evaluate it; the warm one stays as it is."""
    model = copy.deepcopy(warm.model)
    found: list[tuple[Episode, Trajectory]] = []
    count = config.practise.groups * config.practise.group_size
    with screen.stage("DPPO: groups of episodes in sandboxes", config.practise.steps) as stage:

        def done(point: Point) -> None:
            stage.advance(f"reward {point.reward:.3f}")
            screen.line(
                f"  step {point.step:>2}  reward {point.reward:.3f}  groups {point.kept} kept, "
                f"{point.dropped} without signal  entropy {point.entropy:.3f}  "
                f"blocked {100 * point.blocked:.1f} %  {point.seconds:.0f} s"
            )

        screen.line(f"  a step: {config.practise.groups} groups of "
                    f"{config.practise.group_size} = {count} episodes")  # fmt: skip
        points = practise(
            model,
            warm.player,
            arena,
            config=config.practise,
            tasks=demo_tasks.stream("practice", seed=config.seed, families=config.families),
            seed=config.seed,
            out=str(config.out / "trainer"),
            done=done,
            keep=lambda episode, played: found.append((episode, played)),
        )
    _hand_over(warm.player.engine, model)
    after = evaluate(warm, config, arena, screen=screen, title="Held-out tasks, after DPPO")
    found.sort(key=lambda pair: (pair[0].group, pair[0].member, pair[0].attempt))
    # After the last step episodes for another one had begun; how many is chance.
    practice = tuple(played for episode, played in found if episode.version <= len(points))
    return Learned(tuple(points), practice, after, weights_digest(model))


def evaluate(
    warm: Prepared, config: DemoConfig, arena: Arena, *, screen: Screen, title: str
) -> page.Evaluation:
    """Let the present weights of the engine play the held-out tasks, always the same way."""
    tests = warm.tests * config.tries
    with screen.stage(title, len(tests) + len(warm.held_out)) as stage:
        found = page.Evaluation(
            arena.evaluate(tests, warm.player, seed=config.seed, done=stage.advance),
            arena.evaluate(warm.held_out, warm.player, seed=config.seed, done=stage.advance),
        )
    screen.line(f"  mean reward {found.reward}; held-out family {page.interval(found.held_out)}")
    return found


def _warm_up(
    warm: Prepared, lessons: Sequence[Tokens], config: DemoConfig, arena: Arena, *, screen: Screen
) -> list[tuple[int, float]]:
    """Train on the lessons until the probe earns enough; the engine has the last weights."""
    tasks = demo_tasks.take("probe", config.probes, seed=config.seed, families=config.families)

    def probe() -> float:
        _hand_over(warm.player.engine, warm.model)
        reward = page.interval(arena.evaluate(tasks, warm.player, seed=config.seed)).mean
        screen.line(f"  probe: mean reward {reward:.3f}")
        return reward

    def done(step: SFTStep, reward: float | None) -> None:
        stage.advance(f"loss {step.loss:.3f}")

    with screen.stage("Warm start on the lessons", config.warm.steps) as stage:
        probes = warm_up(warm.model, lessons, config.warm, seed=config.seed, probe=probe, done=done)
    _hand_over(warm.player.engine, warm.model)
    return probes


def _hand_over(engine: Engine, model: LlamaForCausalLM) -> None:
    """Let the engine sample from these weights."""
    engine.update(((n, p.detach()) for n, p in model.named_parameters()), engine.version + 1)


def _texts(tasks: Sequence[Task], episodes: Sequence[Trajectory]) -> Iterator[str]:
    for task, episode in zip(tasks, episodes, strict=True):
        yield task.instruction
        for step in episode.steps:
            yield step.action
            yield step.observation


def _arena(screen: Screen) -> Arena:
    """Look at the machine; say in one line what was found."""
    found = list(diagnosis.examine())
    for finding in found:
        if finding.state == "broken":
            raise TmaxError(f"{finding.name}: {finding.text}\n{finding.remedy}\nSee: tmax doctor")
    said = {finding.name: finding.text for finding in found}
    arena = Arena(backend("auto"), images.default_image())
    screen.line(
        f"doctor: {said['machine']}; sandboxes: {arena.backend.name} on image {arena.image}; "
        f"{demo_tasks.catalogued()} tasks catalogued"
    )
    return arena
