"""The words of a make file: what it makes, when it renews it, and what `make clean` removes."""

from __future__ import annotations

from collections.abc import Iterator

from tmax_gym.families.follow_ups.make_target.plan import Plant
from tmax_gym.families.follow_ups.make_target.trials import JOBS
from tmax_gym.families.products import Program
from tmax_gym.families.shared import program_runs
from tmax_gym.families.shared.columns import listed
from tmax_gym.texts.obligations import Obligation


def say(program: Program, plant: Plant) -> Iterator[Obligation]:
    """Yield the goal, the rules of the make file, and the state at the end."""
    folder = f"{plant.home}/{plant.source}"
    yield Obligation(
        "goal",
        f"Write `{plant.makefile}` for GNU make. A plain `make` in `{plant.home}` has to run "
        f"{program_runs.called(program)} for each `{plant.input('NAME')}`, with this file on "
        f"standard input, and write what it prints to `{plant.output('NAME')}`.",
        "goal",
    )
    yield from program_runs.compiled(
        program,
        f"If the binary `{plant.home}/{plant.binary}` is missing or older than "
        f"`{program.source}`, `make` first compiles it with @.",
        f"{plant.home}/{plant.binary}",
    )
    yield from _renewal(program, plant)
    if plant.failing:
        yield Obligation(
            "statuses",
            "If the program ends with a status other than 0, its output is kept like any other, "
            "and `make` goes on.",
        )
    if plant.parallel:
        yield Obligation("parallel", f"`make -j {JOBS}` must have the same results.")
    yield Obligation(
        "later",
        f"Inputs will be added and changed later. Other files in `{folder}`, such as "
        f"`NAME.{plant.ending}.bak`, are no inputs. Names have no blanks.",
        "input",
    )
    yield Obligation("end", _end(plant), "output")
    yield Obligation(
        "keep",
        f"Do not change anything in `{folder}`. We will test with a copy of `/app` on another "
        "machine, under the same path.",
        "limit",
    )


def _renewal(program: Program, plant: Plant) -> Iterator[Obligation]:
    yield Obligation(
        "renew",
        "`make` makes an output if, and only if, it is missing, or older than its input or than "
        f"`{program.source}`. It leaves all other outputs as they are.",
    )
    if plant.joined:
        yield Obligation(
            "joined",
            f"`make` also keeps `{plant.home}/{plant.joined}` up to date, which has the content "
            "of all outputs one after the other, in byte order of their names.",
        )
    gone = ["the outputs"]
    if plant.binary:
        gone.append("the binary")
    if plant.joined:
        gone.append(listed([plant.joined]))
    what = " and ".join([", ".join(gone[:-1]), gone[-1]] if len(gone) > 1 else gone)
    yield Obligation("clean", f"`make clean` removes {what}, and no other file.")


def _end(plant: Plant) -> str:
    also = f" and `{plant.home}/{plant.joined}`" if plant.joined else ""
    return (
        f"When you have finished, `{plant.home}/{plant.target}` must have the outputs for the "
        f"present inputs and nothing else{';' + also[4:] + ' must exist too' if also else ''}."
    )
