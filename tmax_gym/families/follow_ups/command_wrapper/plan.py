"""What a command around a program has to do: its options, its exit statuses, and its trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.families.contract import Following, World
from tmax_gym.families.products import Case, Program
from tmax_gym.families.shared import program_runs
from tmax_gym.later import Later
from tmax_gym.rng import Rng

Change = Literal["number", "reverse", "sort", "first", "last"]
CHANGES: tuple[Change, ...] = ("number", "reverse", "sort", "first", "last")
"""What an option can do with the lines of the output."""
COUNTED: tuple[Change, ...] = ("first", "last")
"""Those with a number of lines as their argument."""
LETTERS: dict[Change, str] = {
    "number": "n", "reverse": "rb", "sort": "ad", "first": "tm", "last": "le"
}  # fmt: skip
STATUSES = (3, 4, 5, 7, 64, 65, 66, 69, 73, 78)
"""Exit statuses that no program of an earlier stage uses."""
PLAIN = 4
"""Trials without options."""
EACH = 2
"""Trials of every option, and of standard input."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One input that the verifier hands to the script."""

    name: str
    """Its path relative to the current directory."""
    case: Case


@dataclass(frozen=True, kw_only=True)
class Command(World):
    """The decided facts."""

    script: str
    output: str
    """The letter of the option with an output file; "" if there is none."""
    quiet: str
    """The letter of the option that prints nothing; "" if there is none."""
    letter: str
    change: Change
    """What the option `letter` does with the lines."""
    count: int
    """The number of lines in the trials of `first` and `last`."""
    dash: bool
    """Whether `-` stands for standard input."""
    missing: int
    usage: int
    exists: int
    """The exit statuses of mistakes; `exists` is 0 if an output may be overwritten."""
    trials: Sequence[Trial]

    @property
    def name(self) -> str:
        """Return the name of the script."""
        return self.script.rpartition("/")[2]

    @property
    def counted(self) -> bool:
        """Return whether the option `letter` has an argument."""
        return self.change in COUNTED


def drawn_command(ctx: Following[Program]) -> Command:
    """Return the facts for the program of an earlier stage."""
    rng = ctx.rng.fork("command", ctx.product.noun)
    wanted = {"output", "quiet"}
    if ctx.level < rng.uniform():
        wanted = {rng.choice(("output", "quiet"))}
    change = rng.choice(CHANGES)
    missing, usage, exists = rng.sample(STATUSES, 3)
    output = rng.choice(("o", "w")) if "output" in wanted else ""
    script = ctx.path(*rng.choice(((), ("bin",))), _name(ctx.product, rng))
    return Command(
        nodes=(),
        outputs=(script,),
        script=script,
        output=output,
        quiet=rng.choice(("q", "s")) if "quiet" in wanted else "",
        letter=rng.choice(LETTERS[change]),
        change=change,
        count=rng.integer(1, 2),
        dash=rng.chance(0.5),
        missing=missing,
        usage=usage,
        exists=exists if output and rng.chance(0.5) else 0,
        trials=Later(lambda: _trials(ctx.product, rng)),
    )


def _name(program: Program, rng: Rng) -> str:
    stem = program.source.rpartition("/")[2].partition(".")[0].replace("_", "-")
    return rng.choice((f"run-{stem}", f"{stem}-file", f"my-{stem}"))


def _trials(program: Program, rng: Rng) -> tuple[Trial, ...]:
    """Return trials with drawn names; every second one contains a blank."""
    cases = program_runs.drawn(program, rng.fork("cases"), PLAIN + 5 * EACH)
    naming = rng.fork("names")
    names = naming.shuffled(program_runs.input_names(program, naming, len(cases)))
    ending = naming.choice(program_runs.ENDINGS)
    blanks = [name.replace("-", " ", 1) if at % 2 else name for at, name in enumerate(names)]
    return tuple(
        Trial(f"given/{name}.{ending}", case) for name, case in zip(blanks, cases, strict=True)
    )
