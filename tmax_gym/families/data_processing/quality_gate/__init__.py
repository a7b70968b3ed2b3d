"""DPR-18 quality gate: the agent writes a program that checks rows against rules and gives reasons.

The rules are on a sheet.  Below `SHORT` there is a single rule for lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks.check import (
    Case,
    Check,
    Evidence,
    Gate,
    Outcome,
    Program,
    adversarial_corpus,
    fraction,
    prints,
    unchanged,
)
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.quality_gate import instruction
from tmax_gym.families.data_processing.quality_gate.lines import single
from tmax_gym.families.data_processing.quality_gate.rendering import filled, program
from tmax_gym.families.data_processing.quality_gate.rules import (
    COLUMNS,
    NO_LIMITS,
    RULES,
    STATES,
    Limits,
    Rule,
    Tables,
)
from tmax_gym.families.products import Case as Run
from tmax_gym.families.products import Product
from tmax_gym.families.products import Program as Filter
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged

SHORT = 0.2
"""Level below which one pattern is the whole sheet."""
KIND = {"python": "a Python program", "bash": "a Bash script"}
SUFFIX = {"python": "py", "bash": "sh"}


@dataclass(frozen=True, kw_only=True)
class Gatekeeping(World):
    """The decided facts."""

    program: str
    evil: tuple[str, ...]
    clean: tuple[str, ...]
    pattern: str = ""
    """The one rule of a short task, as a regular expression."""
    wanted: str = ""
    """The same as the rest of a sentence about a line."""
    sheet: str = ""
    sample: str = ""
    verdicts: str = ""
    tables: Tables | None = None
    """Makes tables under the sheet; None in a short task."""
    rules: tuple[Rule, ...] = ()
    limits: Limits = NO_LIMITS
    reports: tuple[tuple[str, str], ...] = ()
    """Hidden faulty tables, and what is to be printed."""


class QualityGate(Family[Gatekeeping]):
    """Accept good tables, reject the others, say which row breaks which rule."""

    id = "DPR-18"
    slug = "quality-gate"
    domain = "data_processing"
    skill = "Algorithmic"
    primitives = (
        "Constraint-based data validation",
        "Validation checkpoints and quality gates",
        "Regex pattern construction",
        "Hash-based deduplication",
    )
    fixtures = ("text_only",)
    verifiers = ("adversarial_corpus",)
    languages = ("python", "bash")
    tools = ("bash", "awk", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": ("gate", "The tables of the whole month are waiting to be checked."),
        "command-wrapper": ("gate", "The clerks want a command that they can call without help."),
        "make-target": ("gate", "Reports should be made again only for tables that have changed."),
    }

    def world(self, ctx: Context) -> Gatekeeping:
        """Return a sheet with an example, and hidden tables that barely pass or barely fail."""
        target = ctx.path(f"gate.{SUFFIX[ctx.language]}")
        if ctx.level < SHORT:
            return _short(ctx, target)
        rng = ctx.rng.fork("gate")
        rules, limits = _rules(ctx, rng.fork("rules")), _limits(rng.fork("limits"))
        names = _names(ctx, rng.fork("names"))
        tables = Tables(ctx.skin.codes, rules, limits, ";".join(names.values()))
        sheet, sample = ctx.path("rules.txt"), ctx.path("sample.csv")
        shown, verdicts = tables.mixed(rng.fork("sample"), rules[1:4])
        answer = ctx.path("sample_report.txt")
        nodes = (
            prose(sheet, _sheet(ctx, rules, limits, names)),
            text(sample, shown),
            text(answer, verdicts),
        )
        share = [rules[i::4] for i in range(4)]
        return Gatekeeping(
            nodes=nodes,
            outputs=(target,),
            program=target,
            evil=tuple(
                tables.mixed(rng.fork("evil", i, n), (rule,))[0]
                for i, rule in enumerate(rules)
                for n in range(2)
            ),
            clean=tuple(tables.mixed(rng.fork("clean", n), ())[0] for n in range(10)),
            sheet=sheet,
            sample=sample,
            verdicts=answer,
            tables=tables,
            rules=rules,
            limits=limits,
            reports=tuple(
                tables.mixed(rng.fork("report", n, i), part)
                for n in range(2)
                for i, part in enumerate(share)
                if part
            ),
        )

    def oracle(self, ctx: Context, world: Gatekeeping) -> tuple[str, ...]:
        """Return the program, after a look at the sheet; a pattern below `SHORT`."""
        run = f"{'python3' if ctx.language == 'python' else 'bash'} {world.program}"
        if world.pattern:
            command = _one_liner(ctx, world, world.pattern)
            trial = f"{run} < {world.sample}; echo $?"
            look = ctx.rng.fork("way").choice(("head", "shuf"))
            return (f"{look} -n 4 {world.sample}", command, trial)
        body = program(ctx.language, world.rules, world.limits)
        return (
            f"cat {world.sheet}",
            write_file(world.program, body),
            f"{run} < {world.sample} | diff - {world.verdicts}",
        )

    def checks(self, ctx: Context, world: Gatekeeping) -> tuple[Check | Gate, ...]:
        """Return the two-sided corpus by exit status, and the reasons."""
        target = Program(world.program, ctx.language)
        corpus = adversarial_corpus(
            "tables",
            target,
            evil=[Case(stdin=table.encode()) for table in world.evil],
            clean=[Case(stdin=table.encode()) for table in world.clean],
            accepts=_accepts,
            weight=2.0,
        )
        if world.pattern:
            return (corpus,)
        return (unchanged("sheet", world.nodes), corpus, _reasons(target, world.reports))

    def products(self, ctx: Context, world: Gatekeeping) -> Mapping[str, Product]:
        """Return the program, unless its output is free."""
        tables = world.tables
        if tables is None:
            return {}

        def case(rng: Rng) -> Run:
            broken = rng.sample(world.rules, rng.integer(0, min(3, len(world.rules))))
            table, report = tables.mixed(rng, broken)
            return Run(table.encode(), report.encode(), status=1 if broken else 0)

        start = "python3" if ctx.language == "python" else "bash"
        return {"gate": Filter(world.program, f"{start} {world.program}", case, "tables")}

    def say(self, ctx: Context, world: Gatekeeping) -> tuple[Obligation, ...]:
        """Return the interface; the rules themselves are on the sheet."""
        kind = KIND[ctx.language]
        if world.pattern:
            return instruction.short(kind, world.program, wanted=world.wanted, sample=world.sample)
        example = (world.sample, world.verdicts)
        return instruction.whole(kind, world.program, sheet=world.sheet, example=example)

    def mutants(self, ctx: Context, world: Gatekeeping) -> tuple[Attempt, ...]:
        """Return a forgotten rule at a time, or a pattern that is applied carelessly."""
        if world.pattern:
            loose = world.pattern.strip("^$")
            wrong = {
                "not anchored": _one_liner(ctx, world, loose),
                "not anchored at the end": _one_liner(ctx, world, "^" + loose),
                "one line is enough": _one_liner(ctx, world, world.pattern, every=False),
            }
            return tuple(Attempt(name, (command,)) for name, command in wrong.items())
        skipped = (world.rules[-1].name, "count", "form")
        return tuple(
            Attempt(
                f"without {name}",
                (
                    write_file(
                        world.program, program(ctx.language, world.rules, world.limits, skip=name)
                    ),
                ),
            )
            for name in skipped
        )

    def exploits(self, ctx: Context, world: Gatekeeping) -> tuple[Attempt, ...]:
        """Return programs that decide without looking, and one that counts."""
        python = ctx.language == "python"
        bodies = {
            "accept all": "import sys; sys.exit(0)" if python else "exit 0",
            "reject all": "import sys; sys.exit(1)" if python else "exit 1",
            "count": "import sys; print(len(list(sys.stdin)) - 1, 'accepted, 0 rejected')"
            if python
            else 'echo "$(($(wc -l) - 1)) accepted, 0 rejected"',
        }
        return tuple(
            Attempt(name, (write_file(world.program, body),)) for name, body in bodies.items()
        )


def _accepts(outcome: Outcome) -> bool:
    return outcome.exit_code == 0


def _reasons(target: Program, reports: Sequence[tuple[str, str]]) -> Check:
    """Return the check: the share of faulty tables whose whole report is right."""

    def score(evidence: Evidence) -> float:
        outcomes = evidence.run(target, [Case(stdin=table.encode()) for table, _ in reports])
        hits = sum(
            not o.timed_out and o.exit_code == 1 and prints(o.stdout, report.encode())
            for o, (_, report) in zip(outcomes, reports, strict=True)
        )
        return fraction(hits, len(reports))

    return Check("reasons", "fuzz_equivalence", score)


def _rules(ctx: Context, rng: Rng) -> tuple[Rule, ...]:
    """Return as many rules as the level asks for, each with those that it needs."""
    known = {rule.name: rule for rule in RULES}
    order = rng.shuffled([rule.name for rule in RULES])
    if ctx.level >= 0.45:
        order = [rng.choice(("check", "order", "pair", "product")), "unique", *order]
    chosen = {"fields", "form", "count"}
    for name in order:
        if len(chosen) >= ctx.knob(3, 12):
            break
        chosen |= {name, *known[name].needs}
    return tuple(rule for rule in RULES if rule.name in chosen)


def _limits(rng: Rng) -> Limits:
    low = rng.integer(2, 9)
    return Limits(low, low + rng.integer(8, 90), rng.integer(12, 30), tuple(rng.sample(STATES, 4)))


def _names(ctx: Context, rng: Rng) -> dict[str, str]:
    """Return the heading of every column, in the words of the trade."""
    names = {column: column for column in COLUMNS}
    names["count"] = slugged(ctx.skin.thing(rng).plural)
    names["code"] = rng.choice([c for c in ctx.skin.columns if c not in names.values()])
    return names


def _sheet(ctx: Context, rules: Sequence[Rule], limits: Limits, names: dict[str, str]) -> str:
    lines = [f"Rules for {ctx.skin.stem(ctx.rng.fork('sheet'))}, to be tried in this order", ""]
    for number, rule in enumerate(rules, start=1):
        sentence = re.sub("<([a-z]+)>", lambda m: names[m[1]], filled(rule.sheet, limits))
        lines.append(f"R{number:<3} {sentence}")
    return "\n".join(lines) + "\n"


def _short(ctx: Context, target: str) -> Gatekeeping:
    """Return a task of one rule on lines."""
    rng = ctx.rng.fork("short")
    rule = single(rng, rng.choice(ctx.skin.codes))
    lying = rng.fork("lying")
    sample = ctx.path(f"{ctx.skin.stem(lying)}.txt")
    return Gatekeeping(
        nodes=(text(sample, rule.raw(lying)),),
        outputs=(target,),
        program=target,
        evil=rule.evil,
        clean=rule.clean,
        sample=sample,
        pattern=rule.pattern,
        wanted=rule.wanted,
    )


def _one_liner(ctx: Context, world: Gatekeeping, pattern: str, *, every: bool = True) -> str:
    """Return the command that writes the program of a short task."""
    if ctx.language == "bash":
        body = f'! grep -qvE "{pattern}"' if every else f'grep -qE "{pattern}"'
    else:
        quantifier = "all" if every else "any"
        tests = f're.search("{pattern}", line.rstrip("\\n")) for line in sys.stdin'
        body = f"import re, sys; sys.exit(not {quantifier}({tests}))"
    return f"printf '%s\\n' '{body}' > {world.program}"


FAMILY = QualityGate()
