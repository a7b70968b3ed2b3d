"""Runs of a program of an earlier stage: inputs with right outputs, commands, words about them.

Covers filters that read standard input, with or without a compiler.  Does not cover what a
follow-up makes of a run.
"""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.checks.check import Outcome, prints
from tmax_gym.errors import SpecError
from tmax_gym.families.products import Case, Program
from tmax_gym.families.shared.columns import file_name
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

ENDINGS = ("in", "txt", "dat", "inp")
"""Endings of input files: none says more than that a program reads them."""
RESULTS = ("out", "res", "ans", "result")
"""Endings of files with outputs."""
TRIES = 40
"""Draws for one case before a product is given up."""


def drawn(program: Program, rng: Rng, count: int) -> tuple[Case, ...]:
    """Return cases of which no two print the same, and none prints nothing or its own input."""
    cases: dict[bytes, Case] = {}
    for number in range(TRIES * count):
        case = program.case(rng.fork(number))
        printed = case.stdout.rstrip()
        if case.stdin and printed and printed != case.stdin.rstrip() and printed not in cases:
            cases[printed] = case
        if len(cases) == count:
            return tuple(cases.values())
    raise SpecError(f"{program.source} has fewer than {count} different outputs")


def failing(cases: Sequence[Case]) -> bool:
    """Return whether a right run ends with a status other than 0."""
    return any(case.status for case in cases)


def called(program: Program) -> str:
    """Return how a sentence names the program.

    >>> called(Program("/app/a.py", "python3 /app/a.py", lambda rng: Case(b"", b""), "lists"))
    '`python3 /app/a.py`'
    """
    return f"the program `{program.source}`" if program.build else f"`{program.run}`"


def command(program: Program, binary: str) -> str:
    """Return the command that runs the program, whose binary is at this path if it has one."""
    return program.run.replace("{out}", binary)


def built(program: Program, binary: str) -> tuple[str, ...]:
    """Return the command that compiles the program to a path, none if nothing is compiled."""
    return (program.build.replace("{out}", binary),) if program.build else ()


def compiled(program: Program, sentence: str, binary: str = "BINARY") -> tuple[Obligation, ...]:
    """Return a sentence about compiling, in which `@` is the command, if there is a compiler."""
    return tuple(
        Obligation("build", sentence.replace("@", f"`{call}`"), "input")
        for call in built(program, binary)
    )


def input_names(program: Program, rng: Rng, count: int) -> tuple[str, ...]:
    """Return different names without blanks and endings, in byte order."""
    stem = file_name(program.noun, "x").split(".")[0].split("_")[-1]
    style = rng.choice(("numbers", "days", "codes"))
    if style == "codes":
        codes: set[str] = set()
        while len(codes) < count:
            codes.add(rng.secret(4))
        return tuple(sorted(f"{stem}-{code}" for code in codes))
    places, at = [], rng.integer(1, 4)
    for _ in range(count):
        places.append(at)
        at += rng.integer(1, 3)
    if style == "numbers":
        return tuple(f"{stem}-{place:03}" for place in places)
    year = rng.integer(2022, 2025)
    return tuple(f"{year}-{1 + place // 28:02}-{1 + place % 28:02}" for place in places)


def right(outcome: Outcome, case: Case) -> bool:
    """Return whether a run printed what it should, and ended as it should."""
    return (
        not outcome.timed_out
        and outcome.exit_code == case.status
        and prints(outcome.stdout, case.stdout)
    )


def endless(printed: bytes) -> tuple[bytes, bytes]:
    """Return an output as it is and without the end of its last line, which may be absent."""
    return printed, printed.rstrip(b"\n")
