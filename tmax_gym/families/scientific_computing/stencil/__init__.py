"""SCI-02 stencil: steady profiles along a rod, from a grid solver that runs on hidden inputs.

The law (taper, conductivity, loss, drift, ends) differs from task to task.  Hidden problems are
made from their solutions, so that the error of an answer is known and not estimated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, log10

from tmax_gym.checks import exact
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    metric_threshold,
    unchanged,
)
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.scientific_computing.stencil import profiles
from tmax_gym.families.scientific_computing.stencil.rendering import Choices, render
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import text
from tmax_gym.texts.obligations import Obligation

CASES = 6
DIGITS = 4.0
"""Digits that are asked for; the solver of the reference has five."""
GUESS = 1.0
"""Digits that a straight line or a constant may have; they score 0."""
WRONG = 4
"""Most mistakes of a task; a proof runs each of them."""


@dataclass(frozen=True, kw_only=True)
class Rods(World):
    """The decided facts."""

    law: profiles.Law
    program: sources.Source
    report: str
    given: tuple[tuple[str, profiles.Problem], ...]
    """Problems of the world by path."""
    unseen: tuple[profiles.Problem, ...]


class Stencil(Family[Rods]):
    """Solve a boundary value problem with half cells, Newton and elimination."""

    id = "SCI-02"
    slug = "stencil"
    domain = "scientific_computing"
    skill = "Mathematical"
    primitives = (
        "Linear and nonlinear equation solving",
        "Matrix decomposition (SVD, LU, QR, Cholesky)",
        "ODE/PDE numerical solving",
    )
    fixtures = ("text_only",)
    verifiers = ("metric_threshold",)
    languages = ("c", "cpp", "go", "rust")
    tools = ("bash", "sed")

    def world(self, ctx: Context) -> Rods:
        """Return problems to solve, and hidden ones."""
        rng = ctx.rng.fork("rods")
        of = profiles.law(rng.fork("law"), ctx.level)
        (program,) = sources.sources(ctx, rng.choice(("profile", "rod", "steady", "solve")))
        folder, stem = rng.choice(("problems", "rods", "cases")), ctx.skin.stem(rng)
        given = tuple(
            (ctx.path(folder, f"{stem}_{n + 1}.txt"), profiles.problem(rng.fork("given", n), of))
            for n in range(ctx.knob(1, 6))
        )
        report = ctx.path(f"{stem}.csv")
        return Rods(
            nodes=tuple(text(path, problem.stdin) for path, problem in given),
            outputs=(program.path, report),
            law=of,
            program=program,
            report=report,
            given=given,
            unseen=tuple(profiles.problem(rng.fork("unseen", n), of) for n in range(CASES)),
        )

    def oracle(self, ctx: Context, world: Rods) -> tuple[str, ...]:
        """Return a look at a problem, the solver, and the table."""
        return (f"cat {world.given[0][0]}", *_solved(world, Choices()))

    def checks(self, ctx: Context, world: Rods) -> tuple[Check | Gate, ...]:
        """Return the right digits of hidden problems, and those of the table."""
        return (
            unchanged("problems", world.nodes),
            metric_threshold(
                "table",
                lambda evidence: _table_digits(evidence, world),
                base=GUESS,
                threshold=DIGITS,
            ),
            metric_threshold(
                "solver",
                lambda evidence: _solver_digits(evidence, world),
                base=GUESS,
                threshold=DIGITS,
                weight=3.0,
            ),
        )

    def say(self, ctx: Context, world: Rods) -> tuple[Obligation, ...]:
        """Return the law, the interface, the table, and how numbers are compared."""
        law, program = world.law, world.program
        folder = world.given[0][0].rpartition("/")[0]
        mean = ", and then the mean of u over the interval on one more line" if law.mean else ""
        label = "; the row of the mean has `mean` there" if law.mean else ""
        return (
            Obligation(
                "goal",
                f"Write a solver for steady profiles u(x) along a rod as the {program.name} "
                f"program `{program.path}`. The equation is `{law.equation}` on an interval, with "
                f"one condition at each end.",
                "goal",
            ),
            Obligation(
                "feed",
                f"The program reads one problem from standard input. Each line has a keyword and "
                f"then numbers, separated by blanks: {_terms(law)}.",
            ),
            Obligation("ends", _kinds(law)),
            *_wanted(law),
            Obligation(
                "prints",
                f"It prints u at each of the places after `at`, in the same order and one number "
                f"per line{mean}. Nothing else goes to standard output.",
                "format",
            ),
            Obligation(
                "report",
                f"Also solve all problems in `{folder}/*.txt` and write the results to "
                f"`{world.report}`, a CSV file with the header `case,x,u` and one row for each "
                f"number. `case` is the name of the file without `.txt`, and `x` is the place "
                f"exactly as it is written after `at`{label}. The rows may be in any order.",
                "output",
            ),
            Obligation(
                "built",
                f"We compile the program with `{program.build[0]}`, without any other file and "
                f"without a network, so use nothing but the standard library.",
                "limit",
            ),
            Obligation("keep", f"Do not change the files in `{folder}`.", "limit"),
            Obligation(
                "error",
                "We compare the table, and what the program prints for problems that you have not "
                "seen, with exact solutions. A number is right if its error is at most 0.0001 of "
                "the range of u, which is the largest minus the smallest exact u at the places of "
                "the problem. Less exact numbers count in part; the worst number of a problem "
                "decides.",
                "grading",
            ),
        )

    def mutants(self, ctx: Context, world: Rods) -> tuple[Attempt, ...]:
        """Return coarse grids, ends without half cells, missing terms, and no table."""
        problems = [line for problem in world.unseen for line in problem.lines]
        flows = [line for line in problems if line.startswith(("left", "right"))]
        wrong = {
            "cubic loss as linear": (world.law.loss == 3, Choices(power=1)),
            "no taper": (world.law.taper, Choices(taper=0)),
            "one round": (world.law.loss == 3 or world.law.bent, Choices(rounds=1)),
            "exchange inwards": (
                any(line.startswith("right exchange") for line in flows),
                Choices(sign=1),
            ),
            "whole cells at the ends": (
                any("value" not in line for line in flows),
                Choices(half=1.0, cells=50),
            ),
            "ten cells": (True, Choices(cells=10)),
            "eighteen cells": (True, Choices(cells=18)),
        }
        attempts = [Attempt(n, _solved(world, choices)) for n, (is_on, choices) in wrong.items()
                 if is_on]  # fmt: skip
        return (*attempts[:WRONG], Attempt("no table", _built(world, Choices())))

    def exploits(self, ctx: Context, world: Rods) -> tuple[Attempt, ...]:
        """Return constants, a program that prints its input, and a table of one value."""
        program, count = world.program, len(world.unseen[0].wanted)
        labels = [
            f"{_case(path)},{label},2.5"
            for path, problem in world.given
            for label in problem.labels
        ]
        return (
            Attempt(
                "constants",
                (write_file(program.path, tricks.prints(program.language, ["2.5"] * count)),),
            ),
            Attempt("echo", (write_file(program.path, tricks.copies(program.language)),)),
            Attempt(
                "constant table", (write_file(world.report, "\n".join(["case,x,u", *labels])),)
            ),
        )


def _terms(of: profiles.Law) -> str:
    """Return the keywords of a problem and what they mean."""
    terms = ["`span` gives the left and the right end of the interval"]
    terms += ["`section` the coefficients of the polynomial A(x)"] * of.taper
    terms.append("`conductivity` the numbers k0 and k1" if of.bent else "`conductivity` k0")
    terms += ["`drift` c"] * of.drift
    terms += ["`loss` r"] * bool(of.loss)
    terms.append("`source` the coefficients of the polynomial q(x)")
    terms.append("`left` and `right` the conditions at the ends")
    terms.append("and `at` the places x where u is wanted")
    return ", ".join(terms) + ". The coefficients of a polynomial begin with the constant term"


def _wanted(of: profiles.Law) -> Iterator[Obligation]:
    """Yield which solution is wanted, where there can be several: conductivity depends on u."""
    if of.bent:
        yield Obligation(
            "solution",
            "The wanted solution u is positive everywhere.",
            keys=("positive", "above zero", "greater than zero"),
        )


def _kinds(of: profiles.Law) -> str:
    """Return the conditions that an end may have."""
    flow = of.conduction
    meanings = {
        "value": "`value g` means u = g",
        "flux": f"`flux g` means {flow} = g",
        "exchange": f"`exchange h g` means {flow} = h (u - g) at the left end and {flow} = "
        f"-h (u - g) at the right end",
    }
    return (
        "After the keyword `left` or `right`, the condition at that end has one of these forms: "
        + "; ".join(meanings[end] for end in of.ends)
        + "."
    )


def _case(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".txt")


def _built(world: Rods, choices: Choices) -> tuple[str, ...]:
    return sources.written((world.program,), lambda language: render(world.law, language, choices))


def _solved(world: Rods, choices: Choices) -> tuple[str, ...]:
    """Return the commands that write the solver and the table."""
    commands = [*_built(world, choices), f"echo case,x,u > {world.report}"]
    mean = "; echo mean" if world.law.mean else ""
    for path, _ in world.given:
        places = f"(sed -n 's/^at //p' {path} | tr ' ' '\\n'{mean})"
        commands.append(
            f"paste -d, <({places}) <({world.program.call} < {path}) "
            f"| sed 's/^/{_case(path)},/' >> {world.report}"
        )
    return tuple(commands)


def _digits(words: Sequence[str], problem: profiles.Problem) -> float:
    """Return the right digits of an answer, by its worst number; at most as many as asked for."""
    try:
        values = [float(word) for word in words]
    except ValueError:
        return 0.0
    if len(values) != len(problem.wanted) or not all(map(isfinite, values)):
        return 0.0
    pairs = zip(values, problem.wanted, strict=True)
    error = max(abs(got - want) for got, want in pairs) / problem.spread
    return DIGITS if error <= 10**-DIGITS else max(0.0, -log10(error))


def _solver_digits(evidence: Evidence, world: Rods) -> float:
    outcomes = evidence.run(
        world.program.program(), [Case(stdin=p.stdin.encode()) for p in world.unseen]
    )
    total = 0.0
    for outcome, problem in zip(outcomes, world.unseen, strict=True):
        if not outcome.timed_out and outcome.exit_code == 0:
            total += _digits(outcome.stdout.decode("utf-8", "replace").split(), problem)
    return total / len(world.unseen)


def _table_digits(evidence: Evidence, world: Rods) -> float:
    table = exact.read_table(evidence, world.report, ("case", "x", "u"))
    count = sum(len(problem.labels) for _, problem in world.given)
    if len(table) != count:
        raise BadOutput(
            f"{world.report} has {len(table)} rows, not one for each of {count} numbers"
        )
    cells_by_label = {row[:2]: row[2] for row in table if len(row) == 3}
    total = 0.0
    for path, problem in world.given:
        cells = [cells_by_label.get((_case(path), label), "") for label in problem.labels]
        total += _digits(cells, problem)
    return total / len(world.given)


FAMILY = Stencil()
