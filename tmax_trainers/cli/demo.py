"""`tmax demo`: the recipe `cpu_tiny` in minutes, and a page that shows what it learned.

First come three tasks to look at, then the recipe's own run, then `report.html`: reward by step,
held-out tasks before and after DPPO, and episodes.  The same seed gives the same result on the
same machine, bit for bit.
"""

from __future__ import annotations

import resource
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:  # torch is imported once the command runs
    from tmax_trainers.recipes.run import RunResult

from tmax_gym.agents.agent import noop, oracle
from tmax_gym.agents.rollout import rollout
from tmax_gym.cli import diagnosis
from tmax_gym.errors import TmaxError
from tmax_gym.journal import read
from tmax_gym.reports import svg
from tmax_gym.reports.markdown import to_markdown
from tmax_gym.reports.page import Episodes, Plot, Table, Text, write_html
from tmax_gym.reports.statistics import Interval, mean_interval
from tmax_gym.sandboxes import Backend, backend, images
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Trajectory, from_row
from tmax_trainers.recipes import files, practice
from tmax_trainers.recipes.recipe import Recipe
from tmax_trainers.recipes.tasks import task_book

RISE = 0.15
"""By how much the mean reward on held-out tasks is meant to rise."""
_SHOWN = 12
"""Held-out tasks whose episodes are on the page, before and after."""
_GAINED = 10
"""Those of them that gained the most; the others lost the most, if anything was lost."""


@dataclass(frozen=True, slots=True)
class Result:
    """The run and the episodes that the page shows."""

    recipe: Recipe
    run: RunResult
    before: tuple[Trajectory, ...]
    """Held-out episodes before DPPO."""
    after: tuple[Trajectory, ...]
    """The same tasks with the same seeds, after DPPO."""

    @property
    def verdict(self) -> str:
        """Return one line that says whether the policy learned."""
        before, after = interval(self.before), interval(self.after)
        apart = "disjoint" if after.low > before.high else "overlapping"
        return (
            f"held-out tasks: {before} -> {after}, {after.mean - before.mean:+.3f} "
            f"(meant: >= {RISE:+.2f}), intervals {apart}"
        )


def run(
    *,
    seed: Annotated[int, typer.Option(help="Of tasks, weights and sampling.")] = 0,
    lr: Annotated[
        float | None, typer.Option(help="Learning rate of DPPO.", show_default="the recipe's")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Optimizer steps of DPPO.")] = 30,
    minutes: Annotated[float, typer.Option(help="Time after which DPPO ends early.")] = 8.0,
    out: Annotated[Path, typer.Option(help="Where files are written.")] = Path("runs/demo"),
) -> None:
    """Train a tiny policy on real tasks in real sandboxes; writes report.html."""
    import torch

    # A second core gains so small a policy nothing, and sandboxes need it.
    torch.set_num_threads(1)
    sizes = (
        f"seed={seed}",
        f"optimization.steps={steps}",
        f"optimization.minutes={minutes}",
        "saving.checkpoint_every=0",
    )
    rate = () if lr is None else (f"optimization.learning_rate={lr}",)
    recipe = files.read("cpu_tiny", (*sizes, *rate))
    console = Console(highlight=False, soft_wrap=True)
    result = demo(recipe, out, console)
    console.print(f"\n{to_markdown(table(result))}\n{result.verdict}", markup=False)
    console.print(f"{cost(result)}\n{out / 'report.html'} shows the curves and the episodes.")


def demo(recipe: Recipe, out: Path, console: Console) -> Result:
    """Show three tasks, train, and write the page."""
    from tmax_trainers.recipes.run import held_out_file, train

    tasks, played = show(machine(console), images.default_image(), console)
    outcome = train(recipe, out, console=console)
    before, after = (
        read(held_out_file(out, score.step), from_row)
        for score in (outcome.scores[0], outcome.scores[-1])
    )
    result = Result(recipe, outcome, before, after)
    held_out = task_book(recipe).held_out()
    instructions = tuple(
        sorted({task.name: task.instruction for task in (*tasks, *held_out)}.items())
    )
    sections = (
        Text(f"{result.verdict}\n\n{_method(result)}", "In one sentence"),
        table(result),
        _learning(outcome),
        _warming(outcome),
        Episodes(played, "Three tasks: the reference solution, and nothing done", instructions),
        Episodes(_pairs(result), "The policy on held-out tasks, before and after", instructions),
    )
    write_html(out / "report.html", "A tiny policy learns terminal tasks", sections)
    return result


def machine(console: Console) -> Backend:
    """Look at the machine, describe it in one line, and return its backend."""
    findings = list(diagnosis.examine())
    for finding in findings:
        if finding.state == "broken":
            raise TmaxError(f"{finding.name}: {finding.text}\n{finding.remedy}\nSee: tmax doctor")
    texts = {finding.name: finding.text for finding in findings}
    chosen = backend("auto")
    console.print(
        f"doctor: {texts['machine']}; sandboxes: {chosen.name} on image {images.default_image()}; "
        f"{len(catalogue.names())} tasks catalogued"
    )
    return chosen


def show(
    machines: Backend, image: str, console: Console
) -> tuple[tuple[Task, ...], tuple[Trajectory, ...]]:
    """Play three larger tasks twice: by their reference solution, and by doing nothing."""
    tasks = practice.shown(machines, image)
    played: list[Trajectory] = []
    for task in tasks:
        lines = [
            f"\ntmax/{task.name}  ({task.spec.domain}, {task.spec.verifier})",
            f"  {task.instruction.splitlines()[0][:92]} ...",
        ]
        for agent in (oracle(task), noop()):
            episode = rollout(task, agent, backend=machines, image=image)
            parts = "  ".join(f"{name}={score:.2f}" for name, score in episode.parts)
            lines.append(f"  {episode.agent:<7} reward {episode.reward}   {parts}")
            played.append(episode)
        console.print("\n".join(lines), markup=False)
    return tasks, tuple(played)


def interval(episodes: Iterable[Trajectory]) -> Interval:
    """Return the mean reward of graded episodes with its interval."""
    return mean_interval([e.reward for e in episodes if e.reward is not None])


def table(result: Result) -> Table:
    """Return the mean rewards before and after, of all held-out tasks and by family."""
    families = sorted({practice.family(e.task) for e in result.before})
    rows = {"held-out tasks": (interval(result.before), interval(result.after))} | {
        name: (_of(result.before, name), _of(result.after, name)) for name in families
    }
    return Table(
        ("mean reward [95 % interval]", "tasks", "before DPPO", "after DPPO", "change"),
        tuple(
            (name, str(b.count), str(b), str(a), f"{a.mean - b.mean:+.3f}")
            for name, (b, a) in rows.items()
        ),
        "Before and after",
        "Sampled at temperature 1; the same tasks and seeds both times. No instruction of these "
        "tasks occurs in lessons or practice; nearly all are new combinations of words that do.",
    )


def cost(result: Result) -> str:
    """Return time and memory of the run."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return f"{result.run.seconds:.0f} s, at most {peak} MB"


def _of(episodes: Iterable[Trajectory], family: str) -> Interval:
    return interval(e for e in episodes if practice.family(e.task) == family)


def _method(result: Result) -> str:
    recipe, log = result.recipe, result.run.log
    lessons = recipe.warm_start.lessons if recipe.warm_start is not None else 0
    return (
        f"Seed {recipe.seed}. A policy made from scratch imitated the reference solution of "
        f"{lessons} tasks. Then DPPO took {result.run.steps} steps at learning rate "
        f"{recipe.optimization.learning_rate:g}, each on {recipe.rollouts.groups_per_step} groups "
        f"of {recipe.rollouts.group_size} episodes, every one in a sandbox of its own and graded "
        f"in another. It learned mostly to choose more surely what it could do already: its "
        f"entropy fell from {log[0]['policy/entropy']:.3f} to {log[-1]['policy/entropy']:.3f} nats "
        f"a token. {cost(result)}.\n\n"
        "The same seed gives the same weights, bit for bit, on the same machine with the same "
        "packages. Other processors round sums differently; results then differ as those of "
        "another seed do."
    )


def _learning(outcome: RunResult) -> Plot:
    practised = tuple((float(n), row["reward/mean"]) for n, row in enumerate(outcome.log))
    scores = outcome.scores
    held_out = svg.Series(
        "held-out tasks",
        tuple((float(score.step), score.reward) for score in scores),
        tuple((score.low, score.high) for score in scores),
    )
    lines = (svg.Series("practice, every episode", practised), held_out)
    return Plot(
        svg.lines("DPPO", lines, x="optimizer steps", y="mean reward", y_range=(0.0, 1.0)),
        "Practice draws new seeds in every step, of the instructions that lessons are drawn from. "
        "The band is the 95 % interval of the held-out tasks.",
    )


def _warming(outcome: RunResult, points: int = 100) -> Plot:
    """Return the accuracy of the warm start as a plot of at most about so many means."""
    size = max(1, len(outcome.warm_start) // points)
    cuts = [outcome.warm_start[i : i + size] for i in range(0, len(outcome.warm_start), size)]
    line = tuple((float(cut[-1].step), fmean(step.accuracy for step in cut)) for cut in cuts)
    lines = (svg.Series("tokens of lessons", line),)
    title = "Warm start"
    return Plot(svg.lines(title, lines, x="optimizer steps", y="share right", y_range=(0.0, 1.0)))


def _pairs(result: Result) -> tuple[Trajectory, ...]:
    after = {episode.task: episode for episode in result.after}
    both = [(e, after[e.task]) for e in result.before if e.task in after]
    changed = sorted(both, key=lambda pair: (pair[0].reward or 0.0) - (pair[1].reward or 0.0))
    if len(changed) > _SHOWN:
        changed = [*changed[:_GAINED], *changed[_GAINED - _SHOWN :]]
    return tuple(episode for pair in changed for episode in pair)
