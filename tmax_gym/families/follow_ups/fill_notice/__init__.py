"""Follow-up: the agent fills in the template of a notice with the fields of a record."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import replace

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import Check, Evidence, Gate, unchanged
from tmax_gym.families.contract import Attempt, Following, FollowUp
from tmax_gym.families.follow_ups.fill_notice.forms import PADDED, meaning
from tmax_gym.families.follow_ups.fill_notice.plan import Notice, drawn
from tmax_gym.families.products import Record
from tmax_gym.families.shared.columns import run_once
from tmax_gym.families.shared.programs import program_sections
from tmax_gym.texts.obligations import Obligation

PIECES = program_sections(__package__, "fill.py")


class FillNotice(FollowUp[Record, Notice]):
    """A template with placeholders, filled from a record and a file of details."""

    slug = "fill-notice"
    tools = ("bash", "python3")
    works_on = Record

    def suits(self, product: Record) -> bool:
        """Return whether there are two fields, each on one line."""
        values = [str(value) for value in product.fields.values()]
        return len(values) >= 2 and all(value and value.isprintable() for value in values)

    def world(self, ctx: Following[Record]) -> Notice:
        """Return the template and the details."""
        return drawn(ctx)

    def oracle(self, ctx: Following[Record], world: Notice) -> tuple[str, ...]:
        """Return a Python program that is used once."""
        return _written(world)

    def checks(self, ctx: Following[Record], world: Notice) -> tuple[Check | Gate, ...]:
        """Return a check of the lines that show something of the record, and a gate."""
        wanted, own = tolerance.lines("\n".join(world.expected)), Counter(world.own)

        def score(evidence: Evidence) -> float:
            actual = tolerance.lines(exact.read_text(evidence, world.target))
            if actual == wanted:
                return 1.0
            share = (Counter(actual) & own).total() / own.total()
            # Many guesses are worth no more than one.
            return exact.NOT_WHOLE * share * min(1.0, len(wanted) / max(1, len(actual)))

        return (Check("notice", "exact_text", score), unchanged("given", world.nodes))

    def say(self, ctx: Following[Record], world: Notice) -> tuple[Obligation, ...]:
        """Return the three inputs, and the rules for placeholders and lines."""
        return (
            Obligation(
                "goal",
                f"Fill in the template `{world.template}` for the {ctx.product.noun} that "
                f"`{world.record}` describes, and write the notice to `{world.target}`.",
                "goal",
            ),
            Obligation("places", _say_places(world), "input"),
            *_say_forms(world),
            Obligation("unknown", _say_unknown(world), "rule", ("neither", "unknown")),
            *_say_comment(world),
            Obligation(
                "rest",
                "All other text and the blank lines stay as they are in the template. Do not "
                f"change `{world.template}` and `{world.details}`.",
                "limit",
            ),
        )

    def mutants(self, ctx: Following[Record], world: Notice) -> tuple[Attempt, ...]:
        """Return notices with placeholders left, lines lost, or rules that are mixed up."""
        other = replace(world, unknown="" if world.unknown else "unknown")
        wrong = {
            "first of a line": (world, ", line))", ", line, count=1))"),
            "no blank lines": (world, "for line in lines:", "for line in filter(None, lines):"),
            "unknown names": (other, "", ""),
        }
        if world.old:
            order = "{**record, **details}"
            wrong["old values"] = (world, "{**details, **record}", order)
        if world.comment:
            wrong["with notes"] = (replace(world, comment=""), "", "")
        return tuple(
            Attempt(name, _written(changed, old, new))
            for name, (changed, old, new) in wrong.items()
        )

    def exploits(self, ctx: Following[Record], world: Notice) -> tuple[Attempt, ...]:
        """Return the template, and the template without placeholders."""
        first, last = (re.sub(r"[$*.\[\]^]", r"\\\g<0>", mark) for mark in world.marks)
        empty = f"s/{first}[^{world.marks[1][0]}]*{last}//g"
        emptied = f"sed {shlex.quote(empty)} {world.template} > {world.target}"
        return (
            Attempt("template", (f"cp {world.template} {world.target}",)),
            Attempt("nothing filled in", (emptied,)),
        )


def _say_places(world: Notice) -> str:
    first, last = world.marks
    inside = ", with or without blanks inside" if world.blanks else ""
    details = f"the JSON object in `{world.details}`"
    if world.style == "pairs":
        details = f"`{world.details}`, which has a line `name{world.equals}value` for each name"
    return (
        f"A placeholder is a name between `{first}` and `{last}`{inside}. Replace it by the field "
        f"of this name in `{world.record}` or, only if there is no such field, by the value of "
        f"this name in {details}."
    )


def _say_forms(world: Notice) -> tuple[Obligation, ...]:
    if not world.forms:
        return ()
    meanings = "; ".join(meaning(form, world.length) for form in world.forms)
    return (
        Obligation(
            "forms",
            f"The name may be followed by `{world.bar}` and the form in which the value is "
            f"written: {meanings}.",
            "format",
        ),
    )


def _say_unknown(world: Notice) -> str:
    if not world.unknown:
        return "Leave out every line that has a placeholder whose name is in neither file."
    return f"Write `{world.unknown}` for a placeholder whose name is in neither file."


def _say_comment(world: Notice) -> tuple[Obligation, ...]:
    if not world.comment:
        return ()
    also = "also " if not world.unknown else ""
    return (Obligation("comment", f"Lines that begin with `{world.comment}` are {also}left out."),)


def _program(world: Notice) -> str:
    """Return the program that fills the template, without parts that it does not need."""
    names = ["start", world.style, "forms", *world.forms]
    names += ["comments"] if world.comment else []
    names += ["fill" if world.unknown else "fill_or_drop", "write"]
    program = "".join(PIECES[name] for name in names)
    first, last = map(re.escape, world.marks)
    holes = {
        "@record": world.record,
        "@template": world.template,
        "@details": world.details,
        "@equals": world.equals,
        "@length": world.length,
        "@width": PADDED,
        "@unknown": world.unknown,
        "@comment": world.comment,
        "@pattern": rf"{first} *(\w+)(?:{re.escape(world.bar)}(\w+))? *{last}",
        "@target": world.target,
    }
    for name, value in holes.items():
        program = program.replace(name, repr(value))
    return program


def _written(world: Notice, old: str = "", new: str = "") -> tuple[str, ...]:
    """Return commands that write the notice, with a change of the program."""
    return run_once("/tmp/fill.py", _program(world).replace(old, new), ())


FOLLOW_UP = FillNotice()
