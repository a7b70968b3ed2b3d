"""What a list can say about the values of a column, and values that only the list has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.families.products import Table
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Skin, slugged

MOST = 80
"""Largest number of different values that a list covers."""
TRIES = 40
_DIGITS = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind of thing that a column names."""

    files: tuple[str, ...]
    """Names of the list without a suffix."""
    added: tuple[str, ...]
    """Names of the column that says something about the thing."""
    says: str = "person"
    """What that is: "person", "place", "org", "event" or "code"."""
    others: tuple[str, ...] = ()
    """More things of the kind; () for others that are drawn."""


SUBJECTS = {
    "measure": Subject(
        ("duty", "assignments"),
        ("on_duty", "person"),
        others=("check the cable", "update the firmware", "clean the fan", "wait a day"),
    ),
    "place": Subject(("places", "contacts"), ("contact", "person")),
    "part": Subject(("suppliers", "sources"), ("supplier", "vendor"), "org"),
    "buyer": Subject(("letters", "writers"), ("writer", "clerk")),
    "feature": Subject(("allowed", "audit"), ("permit", "approval"), "code"),
    "log": Subject(("machines", "keepers"), ("keeper", "admin")),
    "scene": Subject(("titles", "scenes_list"), ("title", "caption"), "event"),
    "account": Subject(("offices", "accounts"), ("office", "site"), "place"),
    "rule": Subject(
        ("owners", "rules"),
        ("owner", "person"),
        others=("mail", "sessions", "spool", "snapshots", "drafts"),
    ),
    "caller": Subject(("call_back", "voters"), ("agent", "person")),
    "station": Subject(("stations", "sites"), ("place", "site"), "place"),
    "host": Subject(("owners", "hosts"), ("owner", "admin")),
    "kind": Subject(
        ("carers", "kinds"), ("person", "owner"), others=("clipped", "echo", "hum", "shifted")
    ),
    "code": Subject(("codes", "carers"), ("person", "owner")),
}
"""The columns that name things somebody keeps a list of, the most telling one first."""
OTHER = Subject(("list", "contacts"), ("contact", "person"))


def key_column(table: Table) -> str | None:
    """Return the column that a list is about, or None if there is none."""

    def fits(name: str) -> bool:
        values = set(table.column(name))
        return 2 <= len(values) <= MOST and all(values)

    able = [name for name in (*SUBJECTS, *table.columns) if name in table.columns and fits(name)]
    return able[0] if able else None


def said(subject: Subject, skin: Skin, rng: Rng, *, count: int) -> list[str]:
    """Return different things that a list says; fewer than `count` if the skin has no more."""
    pool: Sequence[str] = {
        "place": skin.places,
        "org": skin.orgs,
        "event": skin.events,
    }.get(subject.says, ())
    if subject.says == "code":
        return list(dict.fromkeys(skin.code(rng) for _ in range(count)))
    return rng.sample(pool, min(count, len(pool))) if pool else list(skin.people(rng, count))


def others(
    column: str, values: Sequence[str], rng: Rng, *, skin: Skin, count: int
) -> tuple[str, ...]:
    """Return values that the table does not have, of the same shape, up to a number of them."""
    taken = {value.lower() for value in values}
    listed = list(SUBJECTS.get(column, OTHER).others)
    chosen: list[str] = []
    for _ in range(TRIES):
        other = rng.choice(listed) if listed else _shaped(column, rng.choice(values), skin, rng)
        if other.lower() not in taken:
            taken.add(other.lower())
            chosen.append(other)
    return tuple(chosen[:count])


def _shaped(column: str, value: str, skin: Skin, rng: Rng) -> str:
    """Return something that could stand in a column in place of a value."""
    if value.isdigit():
        return str(rng.integer(1, 2 * int(value) + 20))
    if column == "buyer":
        return skin.person(rng)
    if column == "account":
        return skin.login(skin.person(rng))
    if column == "place":
        return slugged(skin.place(rng)) if value == slugged(value) else skin.place(rng)
    if column == "host":
        return f"{slugged(skin.stem(rng)).replace('_', '-')}.{value.partition('.')[2]}"
    if column == "feature":
        return skin.measure(rng).column
    if _DIGITS.search(value) and column != "log":
        return _DIGITS.sub(lambda run: "".join(rng.choice("0123456789") for _ in run[0]), value)
    return skin.stem(rng)
