"""`tmax bench` and `tmax regrade`: run many trials of one agent, resume, and grade again.

Exit status 0: every trial has ended and at least one was graded; 1: an error; 2: an unknown
option; 3: every trial has ended and none was graded; 130: stopped.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tmax_gym.cli.options import Fleet, Host, Jobs, Sandbox
from tmax_gym.errors import BenchError

if TYPE_CHECKING:
    from tmax_gym.bench.running.endpoint import Endpoint
    from tmax_gym.bench.running.order import Fleet as OrderFleet
    from tmax_gym.bench.running.order import Order
    from tmax_gym.bench.running.settings import BenchSettings, Sampling
    from tmax_gym.harbor.run.settings import Machines

UNGRADED, STOPPED = 3, 130
KEY = "OPENAI_API_KEY"
LIMITS = ("command_timeout", "episode_seconds", "max_steps", "start_seconds", "transfer_seconds",
          "verify_timeout")  # fmt: skip
"""Limits of an episode that options replace."""

Networks = Literal["auto", "none", "bridge", "host"]
BuildNetworks = Literal["none", "default", "host"]


def _limit(of: str) -> Any:
    """Return an option in seconds that replaces a limit of the task."""
    return typer.Option(min=1, help=f"Limit of {of}; the task's own by default.")


def bench(
    dataset: Annotated[
        str,
        typer.Argument(help="tmax, a source (tmax15k[:PATH]), or a directory of Harbor tasks."),
    ],
    *,
    agent: Annotated[str, typer.Option("-a", "--agent", help="Harness: oracle, noop, bash, …")],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Directory of the run; an existing run continues.")
    ],
    model: Annotated[str, typer.Option("-m", "--model", help="Name of the model.")] = "",
    attempts: Annotated[int, typer.Option("-k", "--attempts", min=1, help="At every task.")] = 1,
    jobs: Jobs = 4,
    fleet: Fleet = "",
    host: Host = "",
    sandbox: Sandbox = "auto",
    image: Annotated[str, typer.Option(help="Base image; the default one if not given.")] = "",
    network: Annotated[
        Networks,
        typer.Option(help="Network of tasks that ask for a public one; auto: the engine's bridge."),
    ] = "auto",
    build_network: Annotated[
        BuildNetworks, typer.Option(help="Network of the RUN lines of Dockerfiles.")
    ] = "default",
    wheels: Annotated[
        Path | None, typer.Option(help="Directory of wheels for verifiers without a network.")
    ] = None,
    substitute: Annotated[
        list[str] | None,
        typer.Option(metavar="IMAGE=OTHER", help="Use another image if IMAGE cannot be pulled."),
    ] = None,
    split: Annotated[str, typer.Option(help="Split of tmax: train, val or test.")] = "",
    names: Annotated[
        list[str] | None, typer.Option("-n", "--names", help="Tasks, families or patterns.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option("-x", help="Patterns of tasks to leave out.")
    ] = None,
    sample: Annotated[int, typer.Option(min=0, help="Number of tasks; all if 0.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the sample and of the trials.")] = 0,
    option: Annotated[
        list[str] | None,
        typer.Option("-H", "--harness", help="name=value, an option of the harness."),
    ] = None,
    base_url: Annotated[str, typer.Option(help="Endpoint, up to and including /v1.")] = "",
    key_env: Annotated[str, typer.Option(help="Environment variable with its key.")] = KEY,
    temperature: Annotated[
        float, typer.Option(min=0, help="TMax's evaluation: 0.7, and top-p 0.95.")
    ] = 0.7,
    top_p: Annotated[float, typer.Option(min=0, max=1)] = 0.95,
    context: Annotated[int, typer.Option(min=512, help="Tokens of the context window.")] = 32_768,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="Largest number of tokens of a reply.")
    ] = 8_192,
    compact: Annotated[
        bool, typer.Option("--compact", help="Leave out old outputs if the window is full.")
    ] = False,
    prices: Annotated[
        str, typer.Option(help="Dollars for a million tokens: input,output[,cached].")
    ] = "",
    max_steps: Annotated[
        int | None, typer.Option(min=1, help="Largest number of commands of a trial.")
    ] = None,
    command_seconds: Annotated[float | None, _limit("one command")] = None,
    episode_seconds: Annotated[float | None, _limit("all commands")] = None,
    agent_seconds: Annotated[float | None, _limit("commands and thinking")] = None,
    turn_seconds: Annotated[
        float, typer.Option(min=1, help="Limit of one reply of the model, with all retries.")
    ] = 1800.0,
    verify_seconds: Annotated[float | None, _limit("grading")] = None,
    start_seconds: Annotated[float | None, _limit("starting the sandbox")] = None,
    transfer_seconds: Annotated[
        float | None, typer.Option(min=1, help="Limit of copies around grading; 120 by default.")
    ] = None,
    factor: Annotated[
        list[str] | None,
        typer.Option(
            "--multiplier", help="commands=2, agent=2 or grading=2: multiply these limits."
        ),
    ] = None,
    retries: Annotated[
        int, typer.Option(min=0, help="Retries of trials whose sandbox or endpoint failed.")
    ] = 2,
    again: Annotated[
        bool, typer.Option("--again", help="Repeat trials that ended by no fault of the agent.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep/--no-keep", help="Keep the results of trials, for tmax regrade.")
    ] = True,
) -> None:
    """Run an agent on many tasks, several times each; continue a stopped run.

    Exit status 3 if every trial has ended and none was graded, 130 if the run was stopped.
    """
    from tmax_gym.agents.registry import agent_entry
    from tmax_gym.bench.running.datasets import Selection, open_dataset
    from tmax_gym.bench.running.order import Order
    from tmax_gym.bench.running.settings import BenchSettings, Multipliers, image_id
    from tmax_gym.sandboxes import backend as backend_named
    from tmax_gym.sandboxes.images import default_image

    by = Multipliers(**{n: float(v) for n, v in _pairs(factor, ("commands", "agent", "grading"))})
    each = (command_seconds, episode_seconds, max_steps, start_seconds, transfer_seconds)
    given = zip(LIMITS, (*each, verify_seconds), strict=True)
    sandboxes = backend_named(sandbox)
    picked = Selection(split, tuple(names or ()), tuple(exclude or ()), sample, seed, image)
    machines = _machines(network, build_network, wheels, substitute)
    tasks = open_dataset(dataset, picked, backend=sandboxes.name, machines=machines)
    settings = BenchSettings(
        harness=agent,
        model=model,
        options=_pairs(option, agent_entry(agent).options),
        sampling=_sampling(model, (temperature, top_p), (context, max_tokens), compact=compact),
        given=tuple((name, value) for name, value in given if value is not None),
        multipliers=by,
        agent_seconds=agent_seconds,
        backend=sandboxes.name,
        image=(root := image or default_image()),
        image_id=image_id(root),
        machines=_chosen(machines),
        seed=seed,
    )
    at = _endpoint(settings, base_url, key_env=key_env, prices=prices, turn_seconds=turn_seconds)
    order = Order(
        *(tasks, settings, sandboxes, at),
        attempts=attempts,
        jobs=jobs,
        retries=retries,
        again=again,
        keep=keep,
        fleet=_fleet(fleet, host, (dataset, machines, key_env)) if fleet else None,
    )
    raise typer.Exit(_carried_out(order, out))


def regrade(
    run: Annotated[Path, typer.Argument(help="Directory of a run of tmax bench.")],
    *,
    sandbox: Sandbox = "auto",
    image: Annotated[str, typer.Option(help="Base image; the run's own if not given.")] = "",
    jobs: Jobs = 4,
    dry: Annotated[bool, typer.Option("--dry-run", help="Only print what would change.")] = False,
) -> None:
    """Grade the results of trials again, without the agent; tasks that changed are refused."""
    from tmax_gym.bench.running.regrade import regrade as graded_again
    from tmax_gym.sandboxes import backend as backend_named

    result = graded_again(run, backend_named(sandbox), image=image, jobs=jobs, dry=dry)
    for change in result.changes:
        print(change)
    print(
        f"{result.graded} trials graded again, {len(result.changes)} changed; "
        f"{result.left_out} left nothing that can be graded"
        + (" (nothing was written)" if dry else "")
    )
    if not result.graded:
        sys.stdout.flush()
        print("tmax: nothing was graded: no trial left anything to grade", file=sys.stderr)
        raise typer.Exit(UNGRADED)


def _carried_out(order: Order, out: Path) -> int:
    """Run the trials; return the exit status."""
    from tmax_gym.bench.reports.tables import nothing_graded, overview
    from tmax_gym.bench.running.order import carry_out
    from tmax_gym.bench.screen.live import watching

    for problem in order.dataset.problems:
        print(f"left out: {problem}", file=sys.stderr)
    title = f"{order.settings.harness} {order.settings.model} on {order.dataset.name}"
    with watching(" ".join(title.split())) as look:
        outcome = carry_out(order, out, look=look)
    for line in overview(out.name, tuple(outcome.records.values())):
        print(line)
    sys.stdout.flush()  # so that the next line comes last, even if both go to one file
    if outcome.stopped:
        print(f"stopped; continue with the same command (-o {out})", file=sys.stderr)
        return STOPPED
    wanted = {(item.name, n) for item in order.dataset.items for n in range(order.attempts)}
    asked = [outcome.records[key] for key in sorted(wanted & outcome.records.keys())]
    if why := nothing_graded(asked):
        print(f"tmax: {why}", file=sys.stderr)
        return UNGRADED
    return 0


def _sampling(
    model: str, chosen: tuple[float, float], room: tuple[int, int], *, compact: bool
) -> Sampling:
    """Return the sampling parameters; without a model they are the defaults."""
    from tmax_gym.bench.running.settings import Sampling

    return Sampling(*chosen, *room, compact=compact) if model else Sampling()


def _endpoint(
    settings: BenchSettings, base_url: str, *, key_env: str, prices: str, turn_seconds: float
) -> Endpoint | None:
    from tmax_gym.agents.client.client import Connection
    from tmax_gym.agents.harnesses.window import Window
    from tmax_gym.bench.running.endpoint import Endpoint, read_prices

    if not base_url:
        return None
    if not settings.model:
        raise BenchError("--base-url needs the model's name as well: -m NAME")
    each = read_prices(prices)
    own = settings.sampling
    at = Connection(
        base_url,
        settings.model,
        os.environ.get(key_env, ""),
        temperature=own.temperature,
        top_p=own.top_p,
        turn_seconds=turn_seconds,
    )
    room = Window()
    window = Window(own.window or room.tokens, own.reply or room.reply, compact=own.compact)
    return Endpoint(at, window, each)


def _fleet(name: str, host: str, beside: tuple[str, Machines, str]) -> OrderFleet:
    """Return the fleet that plays the trials."""
    from tmax_gym.bench.running.order import Fleet as OrderFleet

    return OrderFleet(name, *beside, host=host, tell=partial(print, file=sys.stderr))


def _machines(
    network: Networks, build_network: BuildNetworks, wheels: Path | None, swaps: list[str] | None
) -> Machines:
    """Return how the machines of Harbor tasks are made."""
    from tmax_gym.harbor.run.settings import Machines

    pairs = {}
    for text in swaps or ():
        image, sign, other = text.partition("=")
        if not (sign and image and other):
            raise BenchError(f"--substitute is {text!r}, but should be like python:3.12=core")
        pairs[image] = other
    substitutes = tuple(sorted(pairs.items()))
    return Machines(network, build_network, wheels=wheels, substitutes=substitutes)


def _chosen(machines: Machines) -> tuple[tuple[str, str], ...]:
    """Return the choices that decide a result and differ from the defaults, sorted by name."""
    default = type(machines)()
    rows = [(name, getattr(machines, name)) for name in ("build_network", "network")]
    chosen = [(name, value) for name, value in rows if value != getattr(default, name)]
    swaps = ",".join(map("=".join, machines.substitutes))
    return (*chosen, *([("substitutes", swaps)] if swaps else []))


def _pairs(given: list[str] | None, known: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return name=value options, sorted by name."""
    pairs = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not sign or name not in known:
            raise BenchError(
                f"{text!r} is not an option here; the options are: "
                + (", ".join(f"{name}=…" for name in known) or "none")
            )
        pairs[name] = value
    return tuple(sorted(pairs.items()))
