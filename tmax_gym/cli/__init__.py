"""The command `tmax`.

Other packages add commands, such as `tmax demo`, through the entry point group `tmax.commands`.
Every command imports what it needs when it runs, so that `tmax --help` is fast.  Errors of this
package end here: one message, exit status 1.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from tmax_gym.cli import analyze, bench, compare, exports, prove, report, stores, texts
from tmax_gym.cli.options import Backend, Image
from tmax_gym.cli.plugins import Commands
from tmax_gym.errors import TmaxError
from tmax_gym.fleet.commands import fleet

if TYPE_CHECKING:
    from tmax_gym.agents.agent import Agent
    from tmax_gym.tasks.compose import Task

Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(stores.images, name="images")
app.add_typer(stores.catalogue, name="catalogue")
app.add_typer(texts.texts, name="texts")
app.add_typer(exports.exports, name="export")
app.add_typer(fleet, name="fleet")
app.command("bench")(bench.bench)
app.command("regrade")(bench.regrade)
app.command("report")(report.report)
app.command("view")(report.view)
app.command("compare")(compare.compare)
app.command("analyze")(analyze.analyze)
app.command("validate")(prove.validate)


def _show_version(wanted: bool) -> None:
    if wanted:
        from tmax_gym import __version__

        print(f"tmax-gym {__version__}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Graded tasks in real, isolated terminals."""


def main() -> None:
    """Run the command line; only here do errors become an exit status."""
    try:
        app()
    except TmaxError as error:
        print(f"tmax: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Say what works on this machine, what does not, and what to do about it."""
    from tmax_gym.cli import diagnosis as doctors
    from tmax_gym.cli import screen

    findings = []
    for finding in doctors.examine():
        findings.append(finding)
        print(json.dumps(asdict(finding)) if as_json else screen.finding(finding), flush=True)
    if not doctors.healthy(findings):
        raise typer.Exit(1)


@app.command("list")
def list_tasks(
    *,
    domain: Annotated[str | None, typer.Option(help="For example: security.")] = None,
    family: Annotated[str | None, typer.Option(help="Family of the last stage.")] = None,
    split: Annotated[str | None, typer.Option(help="train, val or test.")] = None,
    complexity: Annotated[
        str | None, typer.Option(help="short, moderate, complex or intricate.")
    ] = None,
    fixture: Annotated[str | None, typer.Option(help="For example: image.")] = None,
    verifier: Annotated[str | None, typer.Option(help="For example: exact_text.")] = None,
    as_json: Json = False,
) -> None:
    """List tasks with these labels: name, domain, complexity, split, fixture, verifier."""
    from tmax_gym.cli import screen
    from tmax_gym.tasks import catalogue

    specs = catalogue.select(
        domain=domain,
        family=family,
        split=split,
        complexity=complexity,
        fixture=fixture,
        verifier=verifier,
    )
    for line in (spec.to_json() for spec in specs) if as_json else screen.rows(specs):
        print(line)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A task, with or without `tmax/`.")],
    *,
    oracle: Annotated[
        bool, typer.Option("--oracle", help="Show the reference solution too.")
    ] = False,
) -> None:
    """Show a task: axes, instruction, files, deliverables, grading."""
    from tmax_gym.cli import screen
    from tmax_gym.tasks import catalogue

    print(screen.described(catalogue.load(name), oracle=oracle))


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="A task, with or without `tmax/`.")],
    *,
    agent: Annotated[
        str, typer.Option(help="oracle, noop, alternative, or a mistake or cheat by its name.")
    ] = "oracle",
    backend: Backend = "auto",
    image: Image = None,
    seed: Annotated[int, typer.Option(help="Seed of the episode.")] = 0,
    as_json: Json = False,
) -> None:
    """Play one episode in a sandbox and show it with its verdict."""
    from tmax_gym import trajectory
    from tmax_gym.agents.rollout import rollout
    from tmax_gym.cli import screen
    from tmax_gym.tasks import catalogue

    task = catalogue.load(name)
    played = rollout(task, _agent(task, agent), backend=backend, image=image, seed=seed)
    if as_json:
        print(trajectory.to_json(played))
    else:
        print(f"{task.instruction}\n")
        print("\n".join(screen.episode(played)))
    if played.reward is None:
        raise TmaxError(f"nothing was graded: {played.ending}: {played.message}")


def _agent(task: Task, name: str) -> Agent:
    from tmax_gym.agents.agent import ScriptedAgent
    from tmax_gym.agents.registry import AgentInputs, make_agent
    from tmax_gym.proofs import hostile

    if name in ("oracle", "noop"):
        return make_agent(name, AgentInputs(task=task))
    attempts = (*task.mutants, *task.exploits, *hostile.attempts(task))
    scripts = {attempt.name: attempt.commands for attempt in attempts}
    if task.alternative is not None:
        scripts = {"alternative": task.alternative, **scripts}
    if name not in scripts:
        raise TmaxError(
            f"no agent is called {name!r} for {task.name}.\n"
            f"There are: {', '.join(('oracle', 'noop', *scripts))}"
        )
    return ScriptedAgent(scripts[name], name=name)
