"""SCI-15 sign error: a vendored numerical package with wrong coefficients, signs and indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tmax_gym.checks import exact
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    Program,
    fuzz_equivalence,
    metric_threshold,
    unchanged,
)
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.products import Edits, Product
from tmax_gym.families.scientific_computing.sign_error import routines
from tmax_gym.nodes import prose, text
from tmax_gym.texts.obligations import Obligation

CASES, HEALTHY = 5, 2
"""Hidden calls of a faulty and of a healthy routine."""


@dataclass(frozen=True, kw_only=True)
class Package(World):
    """The decided facts."""

    package: str
    notes: str
    findings: str
    """"" below the level at which they are asked for."""
    faults: tuple[routines.Fault, ...]
    lines: dict[str, tuple[str, ...]]
    """Hidden calls by routine."""


class SignError(Family[Package]):
    """Compare the routines with theory and repair only what is wrong."""

    id = "SCI-15"
    slug = "sign-error"
    domain = "scientific_computing"
    skill = "Mathematical"
    primitives = (
        "Numerical integration and differentiation",
        "ODE/PDE numerical solving",
        "Convergence testing",
        "Analytical solution validation",
    )
    fixtures = ("vendored_package",)
    verifiers = ("fuzz_equivalence", "metric_threshold")
    languages = ("python", "any")
    tools = ("bash", "python3", "sed")
    followed_by = {  # noqa: RUF012
        "patch-file": ("package", "The authors of the package want the repair as a patch."),
        "git-commit": ("package", "The repair has to go into the history of the package."),
    }

    def world(self, ctx: Context) -> Package:
        """Return the package with faults in some routines, and hidden calls."""
        rng = ctx.rng.fork("faults")
        faults = []
        for routine in rng.shuffled(routines.ROUTINES)[: ctx.knob(1, 5)]:
            faults.append(rng.choice([f for f in routines.FAULTS if f.routine == routine]))
        package = ctx.path("vendor", ctx.skin.directory(rng).replace("-", "_") + "_numerics")
        notes = f"{package}/NOTES.txt"
        nodes = [prose(notes, routines.NOTES.replace("{package}", package))]
        for module, source in routines.MODULES.items():
            for fault in faults:
                if fault.module == module:
                    source = source.replace(fault.right, fault.wrong)
            nodes.append(text(f"{package}/{module}.py", source))
        return Package(
            nodes=tuple(nodes),
            outputs=(ctx.path("findings.txt"),) if ctx.level >= 0.25 else (),
            package=package,
            notes=notes,
            findings=ctx.path("findings.txt") if ctx.level >= 0.25 else "",
            faults=tuple(faults),
            lines={name: _calls(ctx, name, tuple(faults)) for name in routines.ROUTINES},
        )

    def oracle(self, ctx: Context, world: Package) -> tuple[str, ...]:
        """Return one repair for each fault, with a trial of it."""
        commands = [f"cat {world.notes}; cat {world.package}/[a-z]*.py"]
        for fault in world.faults:
            sample = _sample(fault.routine)
            commands += [
                _repair(world, fault, fault.right),
                f"echo '{sample}' | python3 {world.package}",
            ]
        return (*commands, *_found(world), f"rm -rf {world.package}/__pycache__")

    def checks(self, ctx: Context, world: Package) -> tuple[Check | Gate, ...]:
        """Return one check for each faulty routine; the others must still work."""
        program = Program(f"{world.package}/__main__.py", "python", roots=(world.package,))
        faulty = [fault.routine for fault in world.faults]
        healthy = [name for name in routines.ROUTINES if name not in faulty]
        right = routines.routines(())
        notes = [n for n in world.nodes if n.path == world.notes]
        lines = [line for name in healthy for line in world.lines[name]]
        checks: list[Check | Gate] = [
            unchanged("notes", notes),
            Gate("healthy routines", lambda e: _off(e, program, lines) == 0.0),
        ]
        for name in faulty:
            cases = [Case(stdin=f"{line}\n".encode()) for line in world.lines[name]]
            wanted = [str(routines.answer(right, line)).encode() for line in world.lines[name]]
            if ctx.verifier == "metric_threshold":
                checks.append(
                    metric_threshold(
                        name,
                        lambda e, n=name: _ratio(e, program, world, n),  # type: ignore[misc]
                        base=1.0,
                        threshold=1e-6,
                    )
                )
            else:
                checks.append(fuzz_equivalence(name, program, cases=cases, expected=wanted))
        if world.findings:
            names = "\n".join(sorted(faulty))
            checks.append(exact.value("findings", world.findings, names, weight=0.7))
        return tuple(checks)

    def products(self, ctx: Context, world: Package) -> Mapping[str, Product]:
        """Return the modules that are repaired in place."""
        before = {
            node.path.removeprefix(f"{world.package}/"): node.data
            for node in world.nodes
            if node.path != world.notes and node.data is not None
        }
        return {"package": Edits(world.package, before, "package")}

    def say(self, ctx: Context, world: Package) -> tuple[Obligation, ...]:
        """Return the symptom, the way to call the package, and what must stay."""
        line = _sample(world.faults[0].routine)
        obligations = [
            Obligation(
                "goal",
                f"Since the last clean-up, one or more routines of our numerical Python package "
                f"`{world.package}` return wrong results. Somebody left wrong coefficients, signs "
                f"or indices in the formulas. Find these mistakes and repair them in place.",
                "goal",
            ),
            Obligation(
                "use",
                f"`python3 {world.package}` reads calls such as `{line}` from standard input, one "
                f"per line, and prints one exact fraction for each. `{world.notes}` says which "
                f"method every routine implements.",
                "input",
            ),
        ]
        if world.findings:
            obligations.append(
                Obligation(
                    "findings",
                    f"Also write the names of the routines that were wrong to `{world.findings}`, "
                    f"one per line, in alphabetical order.",
                    "output",
                )
            )
        obligations += [
            Obligation(
                "scope",
                f"Routines that are right must stay right, the command line and the form of its "
                f"output must stay as they are, and `{world.notes}` must not be changed.",
                "limit",
            ),
            Obligation(
                "hidden",
                "We will run the package on its own, with calls of every routine that you have "
                "not seen, and compare the printed fractions with the right ones.",
                "grading",
                keys=("not seen", "unseen", "hidden", "other calls", "other numbers", "new calls"),
            ),
        ]
        return tuple(obligations)

    def mutants(self, ctx: Context, world: Package) -> tuple[Attempt, ...]:
        """Return hasty repairs of the first fault, and one routine left as it is."""
        first, *rest = world.faults
        others = [_repair(world, fault, fault.right) for fault in rest]
        ways = {f"hasty {n}": (_repair(world, first, o),) for n, o in enumerate(first.others, 1)}
        attempts = [Attempt(name, (*way, *others, *_found(world))) for name, way in ways.items()]
        return (*attempts, Attempt("one left", (*others, *_found(world))))

    def exploits(self, ctx: Context, world: Package) -> tuple[Attempt, ...]:
        """Return a package that always answers 0, a deleted one, and every name as a finding."""
        names = "\\n".join(routines.ROUTINES)
        findings = world.findings or "/app/findings.txt"
        return (
            Attempt("zero", (f"echo 'print(0)' > {world.package}/__main__.py",)),
            Attempt("gone", (f"rm -rf {world.package}",)),
            Attempt("every name", (f"printf '{names}\\n' > {findings}",)),
        )


def _calls(ctx: Context, routine: str, faults: tuple[routines.Fault, ...]) -> tuple[str, ...]:
    """Return hidden calls; a faulty routine answers all of them wrongly."""
    mine = tuple((f.module, f.right, f.wrong) for f in faults if f.routine == routine)
    right, broken = routines.routines(()), routines.routines(mine)
    answers: dict[str, str] = {}
    for number in range(100):
        line = routines.call(routine, ctx.rng.fork("call", routine, number))
        if not mine and number < HEALTHY:
            answers[line] = line
        elif mine:
            wanted = routines.answer(right, line)
            telling = routines.answer(broken, line) != wanted
            if telling and str(wanted) not in answers.values():
                answers[line] = str(wanted)
        if len(answers) == (CASES if mine else HEALTHY):
            return tuple(answers)
    raise ValueError(f"no {CASES} telling calls of {routine} in 100 draws")


def _sample(routine: str) -> str:
    samples = {
        "newton": "newton 5/2 1 2 4 3 5 1",
        "stencil": "stencil 2 1/4 1 0 3 0 0 1",
        "heun": "heun 1/2 1 3 1/4 2",
        "rk4": "rk4 1/2 1 3 1/4 2",
    }
    return samples.get(routine, f"{routine} 0 2 1 1 0 3 0 0 1")


def _repair(world: Package, fault: routines.Fault, instead: str) -> str:
    edit = (
        "import sys; p = sys.argv[1]; s = open(p).read(); "
        f"assert {fault.wrong!r} in s; open(p, 'w').write(s.replace({fault.wrong!r}, {instead!r}))"
    )
    if "\n" not in fault.wrong + instead:
        script = f"s|{_escaped(fault.wrong)}|{instead.replace('&', chr(92) + '&')}|"
        return f"sed -i '{script}' {world.package}/{fault.module}.py"
    return f'python3 -c "{edit}" {world.package}/{fault.module}.py'


def _escaped(snippet: str) -> str:
    return "".join(f"\\{c}" if c in "[]*.^$\\" else c for c in snippet)


def _found(world: Package) -> tuple[str, ...]:
    names = " ".join(sorted(fault.routine for fault in world.faults))
    return (f"printf '%s\\n' {names} > {world.findings}",) if world.findings else ()


def _off(evidence: Evidence, program: Program, lines: list[str]) -> float:
    """Return the sum of all errors; 1 if an answer is missing or is no number."""
    right = routines.routines(())
    try:
        (outcome,) = evidence.run(program, [Case(stdin="\n".join(lines).encode())])
    except BadOutput:
        return 1.0
    printed = outcome.stdout.decode("utf-8", "replace").split()
    if len(printed) != len(lines):
        return 1.0
    total = Fraction(0)
    for line, word in zip(lines, printed, strict=True):
        value = _fraction(word)
        if value is None:
            return 1.0
        total += abs(value - routines.answer(right, line))
    return float(min(total, Fraction(10**9)))


def _ratio(evidence: Evidence, program: Program, world: Package, routine: str) -> float:
    """Return the mean error of a routine, as a share of the error at the start."""
    right = routines.routines(())
    broken = routines.routines(tuple((f.module, f.right, f.wrong) for f in world.faults))
    lines = world.lines[routine]
    (outcome,) = evidence.run(program, [Case(stdin="\n".join(lines).encode())])
    printed = outcome.stdout.decode("utf-8", "replace").split()
    if len(printed) != len(lines):
        raise BadOutput(f"{routine} gives {len(printed)} answers to {len(lines)} calls")
    total = Fraction(0)
    for line, word in zip(lines, printed, strict=True):
        wanted, value = routines.answer(right, line), _fraction(word)
        if value is None:
            raise BadOutput(f"{word!r} is no fraction")
        total += min(abs((value - wanted) / (routines.answer(broken, line) - wanted)), Fraction(9))
    return float(total / len(lines))


def _fraction(word: str) -> Fraction | None:
    try:
        return Fraction(word) if len(word) < 200 and "e" not in word.lower() else None
    except (ValueError, ZeroDivisionError):
        return None


FAMILY = SignError()
