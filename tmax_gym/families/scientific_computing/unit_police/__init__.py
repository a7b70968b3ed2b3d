"""SCI-18 unit police: equations pass only if their units agree."""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    Outcome,
    Program,
    adversarial_corpus,
    unchanged,
)
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.scientific_computing.unit_police import dimensions
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import text
from tmax_gym.texts.obligations import Obligation

CHECKER = program_text(__package__, "checker.py")
MAIN = """\
if __name__ == "__main__":
    sys.exit(0 if consistent(sys.stdin.read().strip(), table()) else 1)
"""
KIND = {"python": "the Python program", "any": "the executable"}
SYMBOLS = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa"),
    *("mu", "nu", "xi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
)


@dataclass(frozen=True, kw_only=True)
class Desk(World):
    """The decided facts."""

    paths: dict[str, str]
    lab: dimensions.Lab
    formulas: tuple[str, ...]
    truth: tuple[bool, ...]
    evil: tuple[str, ...]
    clean: tuple[str, ...]
    table: bool


class UnitPolice(Family[Desk]):
    """Parse equations, resolve units and compare them."""

    id = "SCI-18"
    slug = "unit-police"
    domain = "scientific_computing"
    skill = "Testing"
    primitives = (
        "Scientific code regression testing",
        "Analytical solution validation",
        "Numerical stability testing",
        "Graph algorithms for molecular/network models",
    )
    fixtures = ("text_only",)
    verifiers = ("adversarial_corpus",)
    languages = ("python", "any")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Desk:
        """Return tables of units, sample equations, and hidden ones."""
        rng = ctx.rng.fork("lab")
        names = rng.sample(SYMBOLS, ctx.knob(7, 15))
        functions = ctx.level >= 0.35
        lab = dimensions.laboratory(
            names, rng.fork("units"), functions=functions, depth=ctx.knob(1, 3)
        )
        evil, clean = dimensions.corpus(lab, rng.fork("hidden"), 14)
        bad, good = dimensions.corpus(lab, rng.fork("sample"), ctx.knob(4, 9))
        lines = rng.shuffled([(line, False) for line in bad] + [(line, True) for line in good])
        suffix = "" if ctx.language == "any" else ".py"
        table = ctx.level >= 0.25
        paths = {
            "program": ctx.path(f"check_units{suffix}"),
            "quantities": ctx.path("quantities.csv"),
            "units": ctx.path("units.csv"),
            "formulas": ctx.path(f"{ctx.skin.stem(rng)}.txt"),
            "verdicts": ctx.path("verdicts.txt"),
            "table": ctx.path("exponents.json"),
        }
        quantities = "".join(f"{name},{unit}\n" for name, unit in lab.quantities)
        units = "".join(f"{unit},{rule}\n" for unit, rule, _ in dimensions.DERIVED)
        outputs = ["program", "verdicts", *(["table"] if table else [])]
        return Desk(
            nodes=(
                text(paths["quantities"], f"name,unit\n{quantities}"),
                text(paths["units"], f"unit,definition\n{units}"),
                text(paths["formulas"], "".join(f"{line}\n" for line, _ in lines)),
            ),
            outputs=tuple(paths[name] for name in outputs),
            paths=paths,
            lab=lab,
            formulas=tuple(line for line, _ in lines),
            truth=tuple(yes for _, yes in lines),
            evil=tuple(evil),
            clean=tuple(clean),
            table=table,
        )

    def oracle(self, ctx: Context, world: Desk) -> tuple[str, ...]:
        """Return a recursive-descent checker, and its verdicts on the samples."""
        paths = world.paths
        sample = f"head -n 5 {paths['formulas']}"
        if ctx.rng.fork("look").chance(0.5):
            sample = f"shuf -n 5 --random-source={paths['formulas']} {paths['formulas']}"
        look = f"cat {paths['quantities']} {paths['units']}; {sample}"
        guarded = ctx.rng.fork("way").chance(0.5)
        beside = f"pr -m -t -w 100 {paths['formulas']} {paths['verdicts']} | head -n 6"
        return (look, *_solved(world, _source(world), guarded=guarded), beside)

    def checks(self, ctx: Context, world: Desk) -> tuple[Check | Gate, ...]:
        """Return the hidden corpus, the verdicts on the samples, and the exponents."""
        checks: list[Check | Gate] = [
            unchanged("tables", world.nodes),
            adversarial_corpus(
                "equations",
                Program(world.paths["program"], ctx.language),
                evil=[Case(stdin=f"{line}\n".encode()) for line in world.evil],
                clean=[Case(stdin=f"{line}\n".encode()) for line in world.clean],
                accepts=_accepts,
                weight=3.0,
            ),
            Check("verdicts", "adversarial_corpus", lambda e: _verdicts(e, world)),
        ]
        if world.table:
            wanted = {name: list(dim) for name, dim in world.lab.known.items()}
            checks.append(exact.fields("exponents", world.paths["table"], wanted))
        return tuple(checks)

    def say(self, ctx: Context, world: Desk) -> tuple[Obligation, ...]:
        """Return the interface, the grammar, and the tables."""
        paths = world.paths
        obligations = [
            Obligation(
                "goal",
                f"Nobody checks the units in our equations yet. Write {KIND[ctx.language]} "
                f"`{paths['program']}` that accepts an equation if its units are consistent and "
                f"rejects it if they are not.",
                "goal",
            ),
            Obligation(
                "interface",
                "The program reads one equation from standard input. Its exit status is 0 if it "
                "accepts the equation and 1 if it rejects it.",
                "format",
            ),
            Obligation(
                "known",
                f"`{paths['quantities']}` gives the unit of every name that may occur in an "
                f"equation. `{paths['units']}` defines the derived units by other units, down to "
                f"the base units `m`, `kg`, `s`, `A` and `K`. The unit `1` means a pure number. "
                f"The program may read both files when it runs.",
                "input",
            ),
            Obligation(
                "grammar",
                "The left side of an equation is a name. The right side consists of names, "
                "numbers without a unit, round brackets and the operators `+ - * / ^` with the "
                "usual precedence. The number after `^` is a whole number.",
            ),
            Obligation(
                "rules",
                "The terms of a sum or difference must have the same unit, and so must both sides "
                "of the equation.",
                keys=("same unit", "equal unit", "identical unit", "units match", "units agree"),
            ),
        ]
        if world.lab.functions:
            obligations.append(
                Obligation(
                    "functions",
                    "The argument of `exp`, `log` and `sin` must be a pure number, and so is the "
                    "result. `sqrt` halves the exponents of all base units; each of them must be "
                    "even, or the equation is rejected.",
                )
            )
        obligations.append(
            Obligation(
                "verdicts",
                f"Also judge all equations in `{paths['formulas']}`, one per line, and write the "
                f"verdicts to `{paths['verdicts']}`: for each equation, in the same order, a line "
                f"with `accept` or `reject`.",
                "output",
            )
        )
        if world.table:
            obligations.append(
                Obligation(
                    "table",
                    f"Write `{paths['table']}` as well, a JSON object that maps every name in "
                    f"`{paths['quantities']}` to the list of the five exponents of its unit, in "
                    f"the order `m`, `kg`, `s`, `A`, `K`.",
                    "output",
                )
            )
        return (
            *obligations,
            Obligation(
                "keep",
                f"Do not change `{paths['quantities']}`, `{paths['units']}` or "
                f"`{paths['formulas']}`.",
                "limit",
            ),
            Obligation(
                "hidden",
                "We will run the program on other equations over the same names.",
                "grading",
                keys=("other equations", "more equations", "hidden", "unseen", "not seen"),
            ),
        )

    def mutants(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return programs that break one rule each."""
        right = _source(world)
        wrong = {
            "sums not compared": right.replace("if product() != left:", "if not product():"),
            "division multiplies": right.replace('take() == "*" else -1', 'take() == "*" else 1'),
            "known names only": right.replace(
                "known[left.strip()] == dims(right, known)", "bool(dims(right, known))"
            ),
            "first two base units": right.replace(
                "== dims(right, known)", "[:2] == dims(right, known)[:2]"
            ).replace("known[left.strip()][:2]", "known[left.strip()][:2]"),
        }
        # A slip that no hidden equation shows is no mutant of this task.
        if not any("+" in line or " - " in line for line in world.evil):
            del wrong["sums not compared"]
        if not any("/" in line for line in (*world.evil, *world.clean)):
            del wrong["division multiplies"]
        return tuple(Attempt(name, _solved(world, body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return programs that accept all or none, and one verdict for all."""
        program = world.paths["program"]
        return (
            Attempt("accept all", (f"printf '#!/bin/sh\\nexit 0\\n' > {program}",)),
            Attempt("reject all", (write_file(program, "raise SystemExit(1)"),)),
            Attempt(
                "one verdict",
                (f"sed 's/.*/accept/' {world.paths['formulas']} > {world.paths['verdicts']}",),
            ),
        )


def _source(world: Desk) -> str:
    names = {"UNITS": world.paths["units"], "QUANTITIES": world.paths["quantities"]}
    head = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    return f"#!/usr/bin/env python3\n{head}{CHECKER}{MAIN}"


def _solved(world: Desk, source: str, *, guarded: bool = False) -> tuple[str, ...]:
    """Return the program and its verdicts; `guarded` against a parser that never ends."""
    paths = world.paths
    draft = "/tmp/check_units"
    program = (
        f"{write_file(draft, source)}\ninstall -m 755 {draft} {paths['program']} && rm {draft}"
        if guarded
        else write_file(paths["program"], source, mode="755")
    )
    run = f"timeout 20 {paths['program']}" if guarded else paths["program"]
    commands = [
        program,
        "while read -r line; do "
        f'if echo "$line" | {run}; then echo accept; else echo reject; fi; '
        f"done < {paths['formulas']} > {paths['verdicts']}",
    ]
    if world.table:
        call = f"import json; exec(open('{paths['program']}').read().split('if __name__')[0]); "
        commands.append(f'python3 -c "{call}print(json.dumps(table()))" > {paths["table"]}')
    return tuple(commands)


def _accepts(outcome: Outcome) -> bool:
    return outcome.exit_code == 0


def _verdicts(evidence: Evidence, world: Desk) -> float:
    """Return the true positive rate plus the true negative rate on the samples, less 1."""
    verdicts = exact.read_text(evidence, world.paths["verdicts"]).split()
    if len(verdicts) != len(world.truth) or set(verdicts) - {"accept", "reject"}:
        raise BadOutput(f"{world.paths['verdicts']} is not {len(world.truth)} verdicts")
    pairs = list(zip(verdicts, world.truth, strict=True))
    kept = sum(word == "accept" for word, yes in pairs if yes) / sum(world.truth)
    stopped = sum(word == "reject" for word, yes in pairs if not yes)
    return max(0.0, kept + stopped / (len(pairs) - sum(world.truth)) - 1.0)


FAMILY = UnitPolice()
