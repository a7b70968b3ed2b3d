"""`tmax bench` and `tmax regrade`: many trials of one agent, resumable, and grading them again.

Exit status 0: every trial has ended, and at least one was graded; 1: an error; 2: an unknown
option; 3: every trial has ended, and none was graded; 130: stopped.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tmax_gym.errors import BenchError

if TYPE_CHECKING:
    from tmax_gym.bench.running.endpoint import Endpoint
    from tmax_gym.bench.running.order import Order
    from tmax_gym.bench.running.settings import Sampling, Settings
    from tmax_gym.harbor.run.settings import Settings as Machines

UNGRADED, STOPPED = 3, 130
KEY = "OPENAI_API_KEY"
LIMITS = ("command_timeout", "episode_seconds", "max_steps", "start_seconds", "transfer_seconds",
          "verify_timeout")  # fmt: skip
"""Of an episode, that options replace."""

Networks = Literal["auto", "none", "bridge", "host"]
BuildNetworks = Literal["none", "default", "host"]
Backends = Literal["auto", "native", "docker", "podman", "apptainer", "singularity"]


def bench(
    dataset: Annotated[
        str,
        typer.Argument(help="tmax, a source (tmax15k[:PATH]), or a directory of Harbor tasks."),
    ],
    *,
    agent: Annotated[str, typer.Option("-a", "--agent", help="Harness: oracle, noop, bash, …")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Directory of the run; goes on there.")],
    model: Annotated[str, typer.Option("-m", "--model", help="Name of the model.")] = "",
    attempts: Annotated[int, typer.Option("-k", "--attempts", min=1, help="At every task.")] = 1,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Trials at once.")] = 4,
    sandbox: Annotated[Backends, typer.Option("-s", "--sandbox", help="Where they run.")] = "auto",
    image: Annotated[str, typer.Option(help="Base image; the default one if not given.")] = "",
    network: Annotated[
        Networks, typer.Option(help="What a task's public network is; auto: the engine's bridge.")
    ] = "auto",
    build_network: Annotated[
        BuildNetworks, typer.Option(help="Network of the RUN lines of Dockerfiles.")
    ] = "default",
    wheels: Annotated[
        Path | None, typer.Option(help="Directory of wheels for verifiers without a network.")
    ] = None,
    substitute: Annotated[
        list[str] | None,
        typer.Option(metavar="IMAGE=OTHER", help="Use another image where IMAGE cannot be had."),
    ] = None,
    split: Annotated[str, typer.Option(help="Of tmax: train, val or test.")] = "",
    names: Annotated[
        list[str] | None, typer.Option("-n", "--names", help="Tasks, families or patterns.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option("-x", help="Not these patterns.")] = None,
    sample: Annotated[int, typer.Option(min=0, help="Only so many tasks.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the sample and of the trials.")] = 0,
    option: Annotated[
        list[str] | None, typer.Option("-H", "--harness", help="name=value, for the harness.")
    ] = None,
    base_url: Annotated[str, typer.Option(help="Endpoint, up to and including /v1.")] = "",
    key_env: Annotated[str, typer.Option(help="Environment variable with its key.")] = KEY,
    temperature: Annotated[
        float, typer.Option(min=0, help="TMax's evaluation: 0.7, and top-p 0.95.")
    ] = 0.7,
    top_p: Annotated[float, typer.Option(min=0, max=1)] = 0.95,
    context: Annotated[int, typer.Option(min=512, help="Tokens of the window.")] = 32_768,
    max_tokens: Annotated[int, typer.Option(min=1, help="Most of one reply.")] = 8_192,
    compact: Annotated[
        bool, typer.Option("--compact", help="Leave out old outputs where the window is full.")
    ] = False,
    prices: Annotated[
        str, typer.Option(help="Dollars for a million tokens: input,output[,cached].")
    ] = "",
    max_steps: Annotated[int | None, typer.Option(min=1, help="Commands of a trial.")] = None,
    command_seconds: Annotated[
        float | None, typer.Option(min=1, help="Of one command; the task's own if not given.")
    ] = None,
    episode_seconds: Annotated[
        float | None, typer.Option(min=1, help="Of all commands; the task's own if not given.")
    ] = None,
    agent_seconds: Annotated[
        float | None, typer.Option(min=1, help="Of commands and thinking; the task's own if any.")
    ] = None,
    turn_seconds: Annotated[
        float, typer.Option(min=1, help="Of one reply of the model, with all tries and pauses.")
    ] = 1800.0,
    verify_seconds: Annotated[
        float | None, typer.Option(min=1, help="Of grading; the task's own if not given.")
    ] = None,
    start_seconds: Annotated[
        float | None, typer.Option(min=1, help="Of starting the machine; the task's own if any.")
    ] = None,
    transfer_seconds: Annotated[
        float | None, typer.Option(min=1, help="Of copies around grading; 120 if not given.")
    ] = None,
    factor: Annotated[
        list[str] | None,
        typer.Option("--multiplier", help="commands=2, agent=2 or grading=2: longer limits."),
    ] = None,
    retries: Annotated[
        int, typer.Option(min=0, help="Of trials whose machine or endpoint failed.")
    ] = 2,
    again: Annotated[
        bool, typer.Option("--again", help="Repeat ended trials that no agent failed.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep/--no-keep", help="Keep what trials left, for tmax regrade.")
    ] = True,
) -> None:
    """Run an agent on many tasks, several times each; goes on where it was stopped.

    Exit status 3 if every trial has ended and none was graded, 130 if the run was stopped.
    """
    from tmax_gym.agents.registry import agent_entry
    from tmax_gym.bench.running.datasets import Selection, open_dataset
    from tmax_gym.bench.running.order import Order
    from tmax_gym.bench.running.settings import Multipliers, Settings
    from tmax_gym.sandboxes import backend as backend_named
    from tmax_gym.sandboxes.images import default_image

    by = Multipliers(**{n: float(v) for n, v in _pairs(factor, ("commands", "agent", "grading"))})
    each = (command_seconds, episode_seconds, max_steps, start_seconds, transfer_seconds)
    given = zip(LIMITS, (*each, verify_seconds), strict=True)
    machines = backend_named(sandbox)
    picked = Selection(split, tuple(names or ()), tuple(exclude or ()), sample, seed, image)
    world = _machines(network, build_network, wheels, substitute)
    found = open_dataset(dataset, picked, backend=machines.name, settings=world)
    settings = Settings(
        harness=agent,
        model=model,
        options=_pairs(option, agent_entry(agent).options),
        sampling=_sampling(model, (temperature, top_p), (context, max_tokens), compact=compact),
        given=tuple((name, value) for name, value in given if value is not None),
        multipliers=by,
        agent_seconds=agent_seconds,
        backend=machines.name,
        image=(root := image or default_image()),
        image_id=_image_id(root),
        machines=_chosen(world),
        seed=seed,
    )
    at = _endpoint(settings, base_url, key_env=key_env, prices=prices, turn_seconds=turn_seconds)
    order = Order(
        *(found, settings, machines, at),
        attempts=attempts,
        jobs=jobs,
        retries=retries,
        again=again,
        keep=keep,
    )
    raise typer.Exit(_carried_out(order, out))


def regrade(
    run: Annotated[Path, typer.Argument(help="Directory of a run of tmax bench.")],
    *,
    sandbox: Annotated[Backends, typer.Option("-s", "--sandbox", help="Where they run.")] = "auto",
    image: Annotated[str, typer.Option(help="Base image; the run's own if not given.")] = "",
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Trials at once.")] = 4,
    dry: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
) -> None:
    """Grade again what trials left, without their agent; refuses tasks that have changed."""
    from tmax_gym.bench.running.regrade import regrade as graded_again
    from tmax_gym.sandboxes import backend as backend_named

    done = graded_again(run, backend_named(sandbox), image=image, jobs=jobs, dry=dry)
    for change in done.changes:
        print(change)
    print(
        f"{done.graded} trials graded again, {len(done.changes)} changed; "
        f"{done.left_out} left nothing that can be graded"
        + (" (nothing was written)" if dry else "")
    )
    if not done.graded:
        sys.stdout.flush()
        print("tmax: nothing was graded: no trial left anything to grade", file=sys.stderr)
        raise typer.Exit(UNGRADED)


def _carried_out(order: Order, out: Path) -> int:
    """Run it; return the exit status."""
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
    sys.stdout.flush()  # what follows is the last line, also where both go to one file
    if outcome.stopped:
        print(f"stopped; go on with the same command (-o {out})", file=sys.stderr)
        return STOPPED
    wanted = {(item.name, n) for item in order.dataset.items for n in range(order.attempts)}
    asked = [outcome.records[key] for key in sorted(wanted & outcome.records.keys())]
    if why := nothing_graded(asked):
        print(f"tmax: {why}", file=sys.stderr)
        return UNGRADED
    return 0


def _image_id(name: str) -> str:
    """Return what identifies an image's content, "" where that is not known here."""
    import hashlib

    from tmax_gym.errors import ImageError
    from tmax_gym.sandboxes import images

    if name == "host":
        return ""
    try:
        return hashlib.blake2b(images.resolve(name).id.encode(), digest_size=8).hexdigest()
    except ImageError:
        return ""  # an engine may have it all the same


def _sampling(
    model: str, chosen: tuple[float, float], room: tuple[int, int], *, compact: bool
) -> Sampling:
    """Return how a model is asked; without one nothing of it decides a result."""
    from tmax_gym.bench.running.settings import Sampling

    return Sampling(*chosen, *room, compact=compact) if model else Sampling()


def _endpoint(
    settings: Settings, base_url: str, *, key_env: str, prices: str, turn_seconds: float
) -> Endpoint | None:
    from tmax_gym.agents.client.client import Connection
    from tmax_gym.agents.harnesses.window import Window
    from tmax_gym.bench.running.endpoint import Endpoint, Prices

    if not base_url:
        return None
    if not settings.model:
        raise BenchError("--base-url needs the model's name as well: -m NAME")
    try:
        each = Prices(*map(float, prices.split(","))) if prices else None
    except (TypeError, ValueError) as error:
        raise BenchError(f"--prices is {prices!r} and should be like 0.5,1.5[,0.1]") from error
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


def _machines(
    network: Networks, build_network: BuildNetworks, wheels: Path | None, swaps: list[str] | None
) -> Machines:
    """Return how the tasks of a directory or a source are run."""
    from tmax_gym.harbor.run.settings import Settings as Machines

    pairs = {}
    for text in swaps or ():
        image, sign, other = text.partition("=")
        if not (sign and image and other):
            raise BenchError(f"--substitute is {text!r} and should be like python:3.12=core")
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
    found = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not sign or name not in known:
            raise BenchError(
                f"{text!r} is no option here; there are: "
                + (", ".join(f"{name}=…" for name in known) or "none")
            )
        found[name] = value
    return tuple(sorted(found.items()))
