"""DBG-09 edge parser: a row reader that accepts invalid rows and refuses valid ones.

Its docstrings say what a row is.  The check sends rows at the limits of the format: the score is
the share of right answers for rows that the faulty reader gets wrong, and the others must stay
right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Evidence, Gate, Program, fraction, unchanged
from tmax_gym.families import products
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.debugging.edge_parser import faults as rows
from tmax_gym.families.debugging.edge_parser.faults import FAULTS, TOOL, Fault
from tmax_gym.families.shared import marks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation


@dataclass(frozen=True, kw_only=True)
class Reader(World):
    """The decided facts."""

    faults: tuple[Fault, ...]
    module: str
    tool: str
    issue: str
    export: str
    """"" below the level from which on an export has to be read again."""
    verdicts: str
    lines: tuple[str, ...]
    """Lines of the export."""
    wrong: tuple[str, ...]
    """Hidden rows that the faulty reader gets wrong."""
    right: tuple[str, ...]


class EdgeParser(Family[Reader]):
    """Make a reader exactly as strict as its documentation says."""

    id = "DBG-09"
    slug = "edge-parser"
    domain = "debugging"
    skill = "Data Processing"
    primitives = (
        "Format parsing edge-case repair",
        "Encoding and serialization troubleshooting",
        "Fuzz testing",
        "Loop termination and recursion fixing",
    )
    fixtures = ("vendored_package",)
    verifiers = ("adversarial_corpus", "fuzz_equivalence")
    languages = ("python",)
    tools = ("bash", "python3", "sed")
    followed_by = {  # noqa: RUF012
        "batch-run": ("reader", "Deliveries of the last days have to be read again."),
        "command-wrapper": ("reader", "Others want to check their rows before they send them."),
        "make-target": ("reader", "Readings should be renewed whenever a delivery has changed."),
        "patch-file": ("repair", "The maintainers of the reader take changes only as patches."),
        "git-commit": ("repair", "The repair of the reader should be reviewed and documented."),
    }

    def world(self, ctx: Context) -> Reader:
        """Return a reader with faults, a tool that uses it, and an issue."""
        rng = ctx.rng.fork("rows")
        chosen = rng.sample(FAULTS, ctx.knob(1, 6))
        faults = tuple({fault.right: fault for fault in chosen}.values())
        stems = _words(ctx)
        templates = _templates()
        drawn = [rows.drawn(t, rng.fork("hidden", t, n), stems) for t in templates for n in (0, 1)]
        wrong = [r for r in drawn if rows.answer(r) != rows.answer(r, faults)]
        sample = [rows.drawn(t, rng.fork("export", t), stems) for t in templates]
        lines = rng.fork("order").shuffled(sample)[: ctx.knob(10, 36)]
        asked = ctx.level >= 0.35 and any(rows.answer(r) != rows.answer(r, faults) for r in lines)
        shown = [rows.drawn(f.rows[0], rng.fork("shown", f.symptom), stems) for f in faults]
        file = rng.fork("files")
        module = ctx.path("vendor", "rows", "rows.py")
        tool = ctx.path(file.choice(("tool", "show", "readings", "try_rows")) + ".py")
        issue, export = (
            ctx.path(f"issue_{rng.integer(12, 700)}.md"),
            ctx.path(file.choice(("export", "delivery", "nightly", "rows")) + ".txt"),
        )
        nodes = [
            text(tool, TOOL),
            text(module, rows.source(faults)),
            text(issue, _issue(faults, shown, detail=ctx.level < 0.7)),
        ]
        if asked:
            nodes.append(text(export, "\n".join(lines) + "\n"))
        verdicts = ctx.path(file.choice(("reread", "again", "corrected")) + ".txt") if asked else ""
        return Reader(
            nodes=tuple(nodes),
            outputs=(module, verdicts) if verdicts else (module,),
            faults=faults,
            module=module,
            tool=tool,
            issue=issue,
            export=export if asked else "",
            verdicts=verdicts,
            lines=tuple(lines),
            wrong=tuple(wrong),
            right=tuple(r for r in drawn if r not in wrong and not _touched(r, faults)),
        )

    def oracle(self, ctx: Context, world: Reader) -> tuple[str, ...]:
        """Return one edit for each fault, and the export read again."""
        return (
            f"cat {world.issue}",
            f"cat {world.module}; ls -R {ctx.path('vendor')}",
            *_edits(world, rows.source()),
            *_reread(world),
        )

    def alternative(self, ctx: Context, world: Reader) -> tuple[str, ...] | None:
        """Return the module written anew."""
        return (write_file(world.module, rows.source()), *_reread(world))

    def checks(self, ctx: Context, world: Reader) -> tuple[Check | Gate, ...]:
        """Return the hidden rows, and the export; tool and issue stay."""
        keep = unchanged("tool", [n for n in world.nodes if n.path != world.module])
        checks: list[Check | Gate] = [keep, _judged(ctx, world)]
        if world.export:
            answers = [rows.answer(line) for line in world.lines]
            before = [rows.answer(line, world.faults) for line in world.lines]
            checks.append(exact.lines("export", world.verdicts, answers, initial=before))
        return tuple(checks)

    def products(self, ctx: Context, world: Reader) -> Mapping[str, products.Product]:
        """Return the repaired reader, and its tool where the whole readings are compared."""
        folder, _, name = world.module.rpartition("/")
        before = {name: rows.source(world.faults).encode()}
        made: dict[str, products.Product] = {"repair": products.Edits(folder, before, "row reader")}
        if ctx.verifier == "fuzz_equivalence":
            stems, templates = _words(ctx), _templates()

            def case(rng: Rng) -> products.Case:
                picked = [rng.choice(templates) for _ in range(rng.integer(3, 9))]
                lines = [rows.drawn(t, rng.fork(n), stems) for n, t in enumerate(picked)]
                answers = [rows.answer(line) for line in lines]
                stdin, stdout = ("".join(f"{one}\n" for one in part) for part in (lines, answers))
                return products.Case(stdin.encode(), stdout.encode())

            run = f"python3 {world.tool}"
            made["reader"] = products.Program(world.module, run, case, "lists of rows")
        return made

    def say(self, ctx: Context, world: Reader) -> tuple[Obligation, ...]:
        """Return where the issue is, what is right, and what has to be read again."""
        obligations = [
            Obligation(
                "goal",
                f"The row reader `{world.module}` accepts some invalid rows, refuses some valid "
                f"ones or reads them wrongly. Users have described what they noticed in "
                f"`{world.issue}`. Find the faults in the reader and repair them.",
                "goal",
            ),
            Obligation(
                "tool",
                f"You can try the reader with `{world.tool}`: it reads rows from standard input, "
                f"one on each line, and prints for each row the list of its fields, or `invalid`.",
                "input",
            ),
            Obligation(
                "truth",
                "The docstrings of the reader are right. They say which rows are valid and how "
                "they are read, and wherever the code differs from them, the code is wrong.",
                "rule",
                ("docstring",),
            ),
        ]
        kept = [world.tool, world.issue]
        if world.export:
            kept.append(world.export)
            obligations.append(
                Obligation(
                    "export",
                    f"The rows of `{world.export}` were read with the faulty reader and have to "
                    f"be read again. Write what `{world.tool}` prints for this file after the "
                    f"repair to `{world.verdicts}`.",
                    "output",
                )
            )
        names = [f"`{path}`" for path in kept]
        judged = "accepted or refused" if ctx.verifier == "adversarial_corpus" else "read"
        obligations += [
            Obligation("keep", f"Do not change {', '.join(names[:-1])} or {names[-1]}.", "limit"),
            Obligation(
                "unseen",
                f"We will send many other rows, valid and invalid ones, through `{world.tool}` and "
                f"check that each of them is {judged} as the docstrings say. If any row that is "
                f"read correctly now is read wrongly afterwards, the repair counts for nothing.",
                "grading",
            ),
        ]
        return tuple(obligations)

    def mutants(self, ctx: Context, world: Reader) -> tuple[Attempt, ...]:
        """Return repairs that forget a fault, and repairs that break something else."""
        taken = {fault.right for fault in world.faults}
        rest = [fault for fault in FAULTS if fault.right not in taken]
        wrong = {f"breaks: {fault.symptom}": (fault,) for fault in rest[:3]}
        if len(world.faults) > 1:
            wrong |= {f"leaves: {fault.symptom}": (fault,) for fault in world.faults[:2]}
        return tuple(
            Attempt(name, (*_edits(world, rows.source(left)), *_reread(world)))
            for name, left in wrong.items()
        )

    def exploits(self, ctx: Context, world: Reader) -> tuple[Attempt, ...]:
        """Return readers that refuse everything, and that accept everything."""
        refuse = "def parse(row):\n    raise ValueError(row)\n"
        accept = "def parse(row):\n    return row.split(';')\n"
        return (
            Attempt("refuse all", (write_file(world.module, refuse),)),
            Attempt("accept all", (write_file(world.module, accept),)),
        )


def _words(ctx: Context) -> tuple[str, ...]:
    """Return the words that rows contain."""
    return tuple(sorted({stem.replace("_", " ") for stem in ctx.skin.stems}))


def _templates() -> list[str]:
    return [t for fault in FAULTS for t in fault.rows] + list(rows.PLAIN)


def _touched(row: str, faults: tuple[Fault, ...]) -> bool:
    """Return whether a fault, alone or with one other, spoils a row."""
    some = [(one, two) for one in faults for two in faults if one is not two]
    sets = [*((one,) for one in faults), *some]
    return any(rows.answer(row, left) != rows.answer(row) for left in sets)


def _issue(faults: tuple[Fault, ...], shown: list[str], *, detail: bool) -> str:
    """Return the complaints, each with an example at the lower levels."""
    parts = ["# Rows read wrongly\n"]
    for fault, row in zip(faults, shown, strict=True):
        parts.append(f"- {fault.symptom[0].upper()}{fault.symptom[1:]}.")
        if detail:
            parts += ["", f"      {row!r}  ->  {rows.answer(row, (fault,))}", ""]
    return "\n".join(parts).rstrip() + "\n"


def _judged(ctx: Context, world: Reader) -> Check:
    """Return the check: share of wrong rows repaired, or 0 if a right row broke."""
    lines = (*world.wrong, *world.right)
    wanted = [rows.answer(line) for line in lines]
    verdict = ctx.verifier == "adversarial_corpus"

    def score(evidence: Evidence) -> float:
        pairs = marks.by_line(evidence, Program(world.tool, "python"), lines)
        good = [
            all((a == "invalid") == (b == "invalid") if verdict else a == b for a in pair)
            for pair, b in zip(pairs, wanted, strict=bool(pairs))
        ]
        if not good:
            return 0.0
        mended = good[: len(world.wrong)]
        start = [rows.answer(line, world.faults) for line in world.wrong]
        free = sum(
            verdict and (a == "invalid") == (b == "invalid")
            for a, b in zip(start, wanted, strict=False)
        )
        gain = fraction(sum(mended) - free, len(mended) - free)
        return max(0.0, gain) if all(good[len(world.wrong) :]) else 0.0

    return Check("rows", ctx.verifier, score, 2.0)


def _edits(world: Reader, wanted: str) -> tuple[str, ...]:
    """Return one sed command for every line that differs from a wanted module."""
    lines = rows.source(world.faults).splitlines()
    commands = []
    for number, (old, new) in enumerate(zip(lines, wanted.splitlines(), strict=True), start=1):
        if old != new:
            body = re.sub(r"([\\&~])", r"\\\1", new).replace("'", "'\\''")
            commands.append(f"sed -i '{number}s~.*~{body}~' {world.module}")
    return tuple(commands)


def _reread(world: Reader) -> tuple[str, ...]:
    if not world.export:
        return ()
    return (f"python3 {world.tool} < {world.export} > {world.verdicts}",)


FAMILY = EdgeParser()
