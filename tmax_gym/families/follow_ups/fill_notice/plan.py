"""The template of a notice, what fills it besides the record, the rules, and the right notice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.families.contract import Following, World
from tmax_gym.families.follow_ups.fill_notice.forms import form_of, formed
from tmax_gym.families.products import Record
from tmax_gym.families.shared.records import fresh, label
from tmax_gym.nodes import text
from tmax_gym.rng import Rng

Style = Literal["pairs", "json"]
Value = str | int
MARKS = (("{{", "}}"), ("[[", "]]"), ("<<", ">>"), ("${", "}"))
COMMENTS = ("#", "//", "%")
DETAILS = ("organisation", "recipient", "contact", "office", "case", "issued")
UNKNOWN = ("deadline", "room", "fax", "enclosures")
BEGINNINGS = ("this is about", "you asked us about", "here is what we know about")
OLD = "to be confirmed"


@dataclass(frozen=True, slots=True)
class Place:
    """A placeholder."""

    name: str
    form: str = ""


Line = tuple[str | Place, ...]


@dataclass(frozen=True, kw_only=True)
class Notice(World):
    """The decided facts."""

    record: str
    template: str
    details: str
    style: Style
    """How the details are written."""
    equals: str
    """What separates a name from its value in the details."""
    target: str
    marks: tuple[str, str]
    """How a placeholder begins and ends."""
    bar: str
    """What stands before the form in a placeholder."""
    blanks: bool
    """Whether blanks may stand around what is in a placeholder."""
    forms: tuple[str, ...]
    """The forms that occur."""
    length: int
    """Length of the part of an identifier that is shown."""
    comment: str
    """How lines begin that are left out; "" if there are none."""
    unknown: str
    """What is written for a name that nothing has; "" if its line is left out."""
    old: str
    """The field of the record of which the details have an old value; "" if there is none."""
    expected: tuple[str, ...]
    own: tuple[str, ...]
    """The lines among them that show something of the record."""


def drawn(ctx: Following[Record]) -> Notice:
    """Return the decisions, and what follows from them."""
    rng, record = ctx.rng.fork("notice"), ctx.product
    forms = {name: form_of(value, rng) for name, value in record.fields.items()}
    comment = rng.choice(COMMENTS) if rng.chance(ctx.level) else ""
    lines = _lines(ctx, rng.fork("lines"), forms, comment)
    details: dict[str, Value] = _details(ctx, rng.fork("details"))
    old = rng.choice(tuple(record.fields)) if rng.chance(0.5) else ""
    style: Style = rng.choice(("pairs", "json"))
    equals, length = rng.choice(("=", ": ")), rng.integer(5, 7)
    unknown = rng.choice(("", "n/a", "-", "(to follow)"))
    blanks = rng.chance(0.5)
    marks, bar = rng.choice(MARKS), rng.choice(("|", ":"))
    stem = rng.choice(("notice", "letter", "announcement"))
    template = ctx.path(f"{stem}.tmpl")
    listed = ctx.path(f"details.{'json' if style == 'json' else 'conf'}")
    sheet = _template(lines, marks, bar, rng.fork("blanks") if blanks else None)
    given = {**details, **({old: OLD} if old else {})}
    values = {**details, **record.fields}
    kept = _kept(lines, values, comment=comment, unknown=unknown)
    filled = [(_filled(line, values, unknown, length), line) for line in kept]
    target = ctx.path(rng.choice((f"{stem}.txt", f"{stem}_final.txt", "out.txt")))
    return Notice(
        nodes=(text(template, sheet), text(listed, _written(given, style, equals))),
        outputs=(target,),
        record=record.path,
        template=template,
        details=listed,
        style=style,
        equals=equals,
        target=target,
        marks=marks,
        bar=bar,
        blanks=blanks,
        forms=tuple(sorted({p.form for line in kept for p in _places(line) if p.form})),
        length=length,
        comment=comment,
        unknown=unknown,
        old=old,
        expected=tuple(line for line, _ in filled),
        own=tuple(s for s, line in filled if any(p.name in record.fields for p in _places(line))),
    )


def _kept(
    lines: Sequence[Line], values: Mapping[str, Value], *, comment: str, unknown: str
) -> list[Line]:
    """Return the lines that are not left out."""
    return [
        line
        for line in lines
        if not (comment and str(line[0]).startswith(comment))
        and (unknown or all(p.name in values for p in _places(line)))
    ]


def _lines(
    ctx: Following[Record], rng: Rng, forms: Mapping[str, str], comment: str
) -> tuple[Line, ...]:
    """Return the lines of the template; every field of the record is in at least one."""
    record, details = ctx.product, iter(fresh(DETAILS, ctx.product))
    noun, names = record.noun, rng.shuffled(tuple(record.fields))
    ours, whom, contact, office = (Place(next(details)) for _ in range(4))
    case = Place(next(details, "organisation"))
    missing = rng.sample(fresh(UNKNOWN, record), 2)
    some = names[: rng.integer(2, min(3, len(names)))]
    short = [Place(name, forms[name] if rng.chance(0.4) else "") for name in some]
    note: tuple[Line, ...] = ()
    check: tuple[Line, ...] = ()
    if comment:
        note = ((f"{comment} Template of the office. Lines like this one are for the author.",),)
        check = ((f"{comment} Check ", Place(names[0]), " before you send this."),)
    says = rng.choice((_dash, _dots, _prose))
    lines: list[Line] = [
        *note,
        (ours, ", ", office),
        (rng.choice(("Our number: ", "Case #")), case, " / ", whom),
        ("",),
        ("Dear ", whom, ","),
        ("",),
        (
            rng.choice(("this is about the ", "you asked us about the ")) + f"{noun} of case ",
            case,
            ".",
        ),
        ("",),
        *(says(name, Place(name, forms[name])) for name in names),
        *check,
        ("",),
        (f"In short ({noun}): ", *_between(short), "."),
        (f"Please note the {missing[0]}: ", Place(missing[0]), "."),
        ("Questions go to ", contact, ", ", office, "."),
    ]
    if ctx.level > 0.7:
        lines.append((f"{missing[1].capitalize()}: ", Place(missing[1]), " (", case, ")"))
    return (*lines, ("",), (ours,))


def _dash(name: str, place: Place) -> Line:
    return (f"- {label(name)}: ", place)


def _dots(name: str, place: Place) -> Line:
    return (f"  {label(name).capitalize()} ".ljust(20, "."), " ", place)


def _prose(name: str, place: Place) -> Line:
    return (f"For {label(name)} we have ", place, ".")


def _between(places: Sequence[Place]) -> Line:
    joined: list[str | Place] = []
    for place in places:
        joined += [", ", place] if joined else [place]
    return tuple(joined)


def _places(line: Line) -> tuple[Place, ...]:
    return tuple(piece for piece in line if isinstance(piece, Place))


def _template(lines: Sequence[Line], marks: tuple[str, str], bar: str, rng: Rng | None) -> str:
    """Return the text of the template; with `rng`, some placeholders have blanks inside."""

    def shown(piece: str | Place) -> str:
        if isinstance(piece, str):
            return piece
        gap = " " if rng is not None and rng.chance(0.4) else ""
        form = f"{bar}{piece.form}" if piece.form else ""
        return f"{marks[0]}{gap}{piece.name}{form}{gap}{marks[1]}"

    return "".join("".join(map(shown, line)) + "\n" for line in lines)


def _filled(line: Line, values: Mapping[str, Value], unknown: str, length: int) -> str:
    return "".join(
        piece
        if isinstance(piece, str)
        else formed(values[piece.name], piece.form, length)
        if piece.name in values
        else unknown
        for piece in line
    )


def _details(ctx: Following[Record], rng: Rng) -> dict[str, Value]:
    skin = ctx.skin
    every = {
        "organisation": skin.org(rng),
        "recipient": skin.person(rng),
        "contact": skin.person(rng),
        "office": skin.place(rng),
        "case": skin.code(rng),
        "issued": f"2026-{rng.integer(1, 12):02}-{rng.integer(1, 28):02}",
    }
    return {name: every[name] for name in fresh(DETAILS, ctx.product)}


def _written(details: Mapping[str, Value], style: Style, equals: str) -> str:
    if style == "json":
        return json.dumps(details, ensure_ascii=False, indent=2) + "\n"
    return "".join(f"{name}{equals}{value}\n" for name, value in details.items())
