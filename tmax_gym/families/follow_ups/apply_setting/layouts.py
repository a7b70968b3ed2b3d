"""Drawn configuration files: sections with other keys, comments, and traps beside what changes."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.follow_ups.apply_setting.forms import Entry, Form, Layout, Value
from tmax_gym.rng import Rng

COUNTERS = ("revision", "serial")
SECTIONS = ("alerts", "audit", "defaults", "imports", "exports", "display", "review")
OTHERS: tuple[tuple[str, tuple[Value, ...]], ...] = (
    ("enabled", (True, False)),
    ("retries", (2, 3, 5)),
    ("timeout_s", (10, 30, 90)),
    ("level", ("info", "warning", "debug")),
    ("owner", ("operations", "support", "night shift")),
    ("spool", ("/var/spool/in", "/srv/spool", "/var/tmp/spool")),
    ("batch", (50, 100, 250)),
)
"""Keys that stay as they are, and their possible values."""
REMARKS = ("do not remove", "agreed in spring", "see the manual", "in use everywhere")
OLD_WORDS = ("unset", "unknown", "none", "pending")
TITLES = ("Maintained by hand.", "Read at every start.", "Ask operations before you change this.")


def layout(
    rng: Rng, form: Form, *, new: Mapping[str, str | int], counter: str
) -> tuple[Layout, str]:
    """Return a file in which some keys of one section have old values, and that section.

    Args:
        rng: The stream.
        form: The form of the file.
        new: The values that the keys will get.
        counter: A key with a number that is there too; "" for none.
    """
    names = rng.sample(SECTIONS, 3)
    place = rng.integer(0, 2)
    sections = []
    for number, name in enumerate(names):
        own = rng.fork(name)
        lines = _others(own, form, name)
        if number == place:
            lines = _own_section(own, form, lines, new, counter)
        else:
            lines = _alike_section(own, form, name, lines, new)
        sections.append((name, tuple(lines)))
    equals = {
        "ini": rng.choice((" = ", "=")),
        "toml": " = ",
        "yaml": ": ",
    }.get(form, "=")
    mark = rng.choice(("#", ";")) if form == "ini" else "#"
    lead = "export " if form == "env" and rng.chance(0.5) else ""
    return Layout(form, rng.choice(TITLES), tuple(sections), equals, mark, lead), names[place]


def _others(rng: Rng, form: Form, section: str) -> list[Entry]:
    """Return keys that have nothing to do with the new values."""
    return [
        Entry(f"{section}_{name}".upper() if form == "env" else name, rng.choice(values))
        for name, values in rng.sample(OTHERS, 3)
    ]


def _own_section(
    rng: Rng, form: Form, others: list[Entry], new: Mapping[str, str | int], counter: str
) -> list[Entry]:
    """Return the section of the keys, with a comment that looks like the first of them."""
    keys = [_own(rng, form, key, value) for key, value in new.items()]
    trap = Entry(keys[0].key, keys[0].value, disabled=True)
    lines = [others[0], Entry(remark=rng.choice(REMARKS)), *keys, *others[1:]]
    lines.insert(rng.integer(1, 2), trap)
    if counter:
        lines.insert(rng.integer(0, len(lines)), Entry(counter, rng.integer(3, 60)))
    return lines


def _alike_section(
    rng: Rng, form: Form, section: str, others: list[Entry], new: Mapping[str, str | int]
) -> list[Entry]:
    """Return another section with a key of the same name, or one that begins with it."""
    first = next(iter(new))
    alike = f"{first}_{section}".upper() if form == "env" else first
    at = rng.integer(0, 2)
    blank = [Entry()] if form != "json" and rng.chance(0.3) else []
    return [*others[:at], _own(rng, form, alike, new[first]), *others[at:], *blank]


def _own(rng: Rng, form: Form, key: str, new: str | int) -> Entry:
    """Return a key with an old value of the same kind."""
    remark = rng.choice(REMARKS) if form in ("toml", "yaml") and rng.chance(0.4) else ""
    if isinstance(new, str):
        return Entry(key, rng.choice(OLD_WORDS), remark)
    old = rng.integer(0, 9 * 10 ** (len(str(new)) - 1))
    return Entry(key, old + 1 if old == new else old, remark)
