"""Follow-up: the agent sets keys of a configuration file to values from a JSON object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, fraction
from tmax_gym.families.contract import Attempt, Following, FollowUp, World
from tmax_gym.families.follow_ups.apply_setting.forms import FORMS, Layout, Place, Value, escaped
from tmax_gym.families.follow_ups.apply_setting.layouts import COUNTERS, layout
from tmax_gym.families.products import Record
from tmax_gym.nodes import text
from tmax_gym.texts.obligations import Obligation

FEWEST, MOST = 2, 4
"""Keys that are set."""
PLAIN = re.compile(r"\w[\w .:/@+-]*")
"""Strings that stand in every form without escapes."""
STEMS = ("settings", "config", "service", "options")
PREFIXES = ("", "last_", "known_", "current_")
UNTIDY = 0.5
"""Factor on the score of a file in which something else has changed too."""


@dataclass(frozen=True, kw_only=True)
class Settings(World):
    """The decided facts."""

    target: str
    layout: Layout
    section: str
    keys: Mapping[str, str]
    """The field from which each key gets its value."""
    counter: str
    """A key that must grow by one; "" for none."""
    backup: str
    """Where the old file is to be kept; "" for nowhere."""
    before: str
    after: str


class ApplySetting(FollowUp[Record, Settings]):
    """A few values change, and not a byte besides."""

    slug = "apply-setting"
    tools = ("bash", "sed", "jq")
    works_on = Record

    def suits(self, product: Record) -> bool:
        """Return whether there are enough plain values."""
        return len(_plain(product)) >= FEWEST

    def world(self, ctx: Following[Record]) -> Settings:
        """Return a configuration file, and which of its keys get which fields."""
        rng = ctx.rng.fork("settings")
        form = rng.choice(FORMS)
        plain = _plain(ctx.product)
        # A reason for this follow-up may name the first fields, so these are always there.
        first, more = tuple(plain)[:FEWEST], tuple(plain)[FEWEST:]
        others = rng.sample(more, min(len(more), rng.integer(0, MOST - FEWEST)))
        chosen = rng.shuffled((*first, *others))
        prefix = rng.choice(PREFIXES)
        keys = {_key(f"{prefix}{field}", form): field for field in chosen}
        counter = rng.choice(("", *COUNTERS))
        drawn, section = layout(
            ctx.rng.fork("layout"),
            form,
            new={key: plain[field] for key, field in keys.items()},
            counter=_key(counter, form),
        )
        changed: dict[Place, Value] = {(section, key): plain[f] for key, f in keys.items()}
        if counter:
            place = section, _key(counter, form)
            changed[place] = _number(drawn, place) + 1
        target = ctx.path(f"{rng.choice(STEMS)}.{form}")
        backup = f"{target}.{rng.choice(('bak', 'orig', 'old'))}" if rng.chance(0.5) else ""
        before = drawn.text({})
        return Settings(
            nodes=(text(target, before),),
            outputs=(target, backup) if backup else (target,),
            target=target,
            layout=drawn,
            section=section,
            keys=keys,
            counter=_key(counter, form),
            backup=backup,
            before=before,
            after=drawn.text(changed),
        )

    def oracle(self, ctx: Following[Record], world: Settings) -> tuple[str, ...]:
        """Return commands that read the values with jq and set them with sed or jq."""
        return (*_kept(world), *_set(ctx, world))

    def checks(self, ctx: Following[Record], world: Settings) -> tuple[Check | Gate, ...]:
        """Return a check of the file, and one of the copy where it is asked for."""

        def settings(evidence: Evidence) -> float:
            return _score(evidence, world)

        def backup(evidence: Evidence) -> float:
            same = evidence.read(world.backup) == world.before.encode()
            return float(same) * settings(evidence)

        checks = [Check("settings", "exact_text", settings, weight=0.85)]
        if world.backup:
            checks.append(Check("backup", "exact_text", backup, weight=0.15))
        return tuple(checks)

    def say(self, ctx: Following[Record], world: Settings) -> tuple[Obligation, ...]:
        """Return which keys get which fields, and what must stay as it is."""
        source, target, form = ctx.product.path, world.target, world.layout.form
        pairs = [f"`{key}` to the field `{field}`" for key, field in world.keys.items()]
        where = {"env": "", "json": f" of the object `{world.section}`"}.get(
            form, f" of the section `{world.section}`"
        )
        goal = f"Set these keys{where} in `{target}` to values from `{source}`: "
        obligations = [
            Obligation("goal", f"{goal}{', '.join(pairs[:-1])} and {pairs[-1]}.", "goal"),
            Obligation("quotes", _quotes_rule(world), "format", ("quotes", "quotation", "string")),
        ]
        if world.counter:
            also = f"Also increase the number `{world.counter}`{where} by 1."
            obligations.append(Obligation("counter", also, "rule"))
        if world.backup:
            copy = f"Keep a copy of the file as it is now in `{world.backup}`."
            obligations.append(Obligation("backup", copy, "output"))
        return (*obligations, Obligation("keep", _keep_rule(world), "limit", ("byte", "bytes")))

    def mutants(self, ctx: Following[Record], world: Settings) -> tuple[Attempt, ...]:
        """Return files with one key left, other keys changed, names for values, other lines."""
        first, *_, last = world.keys
        kept = _kept(world)
        spoil = f"sed -i '/^ *{world.layout.mark}/d' {world.target}"
        if world.layout.form == "json":
            spoil = f"jq --tab . {world.target} > /tmp/new && cp /tmp/new {world.target}"
        names = " ".join(f"-e 's|{key}|{key}s|'" for key in (first,))
        return (
            Attempt("one key left", (*kept, *_set(ctx, world, skip=last))),
            Attempt("keys of that name everywhere", (*kept, *_set(ctx, world, anywhere=True))),
            Attempt("key renamed", (*kept, *_set(ctx, world), f"sed -i {names} {world.target}")),
            Attempt("other lines changed", (*kept, *_set(ctx, world), spoil)),
            *(
                (Attempt("copy too late", (*_set(ctx, world), *kept)),)
                if world.backup
                else (Attempt("blank line added", (*_set(ctx, world), f"echo >> {world.target}")),)
            ),
        )

    def exploits(self, ctx: Following[Record], world: Settings) -> tuple[Attempt, ...]:
        """Return the file as it is with a copy, an empty one, and zeros for all numbers."""
        zeros = f'sed -i \'s|[0-9][0-9]*|0|; s|"[^"]*"$|""|\' {world.target}'
        return (
            Attempt("copy alone", _kept(world) or (f"touch {world.target}",)),
            Attempt("emptied", (*_kept(world), f": > {world.target}")),
            Attempt("zeros", (*_kept(world), zeros)),
        )


def _plain(record: Record) -> dict[str, str | int]:
    """Return the fields that can be written in every form."""
    return {
        name: value
        for name, value in record.fields.items()
        if (isinstance(value, int) and value >= 0)
        or (isinstance(value, str) and PLAIN.fullmatch(value) and value == value.strip())
    }


def _key(name: str, form: str) -> str:
    return name.upper() if form == "env" else name


def _number(drawn: Layout, place: Place) -> int:
    """Return the number that the layout has at a place."""
    (value,) = (
        entry.value
        for section, entries in drawn.sections
        for entry in entries
        if (section, entry.key) == place
    )
    return int(str(value))


def _score(evidence: Evidence, world: Settings) -> float:
    actual = evidence.read(world.target)
    right = {world.after.encode()}
    if world.layout.form == "json":
        right.add(escaped(world.after).encode())
    if actual in right:
        return 1.0
    try:
        lines = actual.decode().split("\n")
    except UnicodeDecodeError as error:
        raise BadOutput(f"{world.target} is not UTF-8") from error
    before, after = world.before.split("\n"), world.after.split("\n")
    changed = [n for n, line in enumerate(after) if line != before[n]]
    counts = [n for n in changed if not (world.counter and _sets(after[n], world.counter))]
    if len(lines) != len(after):
        hits = sum(after[n] in lines for n in counts)
        return exact.NOT_WHOLE * UNTIDY * fraction(hits, len(counts))
    hits = sum(lines[n] == after[n] for n in counts)
    tidy = all(lines[n] == line for n, line in enumerate(before) if n not in changed)
    return exact.NOT_WHOLE * fraction(hits, len(counts)) * (1.0 if tidy else UNTIDY)


def _sets(line: str, key: str) -> bool:
    """Return whether a line of a file sets a key."""
    return line.strip().removeprefix("export ").lstrip('"').startswith(key)


def _quotes_rule(world: Settings) -> str:
    if world.layout.form == "ini":
        return "In this file values stand without quotes."
    if world.layout.form == "json":
        return "Strings stay JSON strings, and numbers stay JSON numbers."
    return "Strings stand in double quotes in this file, numbers without quotes."


def _keep_rule(world: Settings) -> str:
    if world.layout.form == "json":
        return (
            "Everything else stays byte for byte as it is, with the order of the keys and the "
            "indentation, and so do keys of the same name in other objects."
        )
    same = (
        "keys whose names only begin in the same way"
        if world.layout.form == "env"
        else "keys of the same name in other sections"
    )
    return (
        "Everything else in the file stays byte for byte as it is, with all comments, blank lines "
        f"and spaces, and so do {same}."
    )


def _kept(world: Settings) -> tuple[str, ...]:
    return (f"cp {world.target} {world.backup}",) if world.backup else ()


def _set(
    ctx: Following[Record], world: Settings, *, skip: str = "", anywhere: bool = False
) -> tuple[str, ...]:
    drawn, source, target = world.layout, ctx.product.path, world.target
    keys = {key: field for key, field in world.keys.items() if key != skip}
    if drawn.form == "json":
        where = f'(.[] | objects | select(has("{next(iter(keys))}")))' if anywhere else ""
        where = where or f".{world.section}"
        steps = [f"{where}.{key} = $from[0].{field}" for key, field in keys.items()]
        steps += [f".{world.section}.{world.counter} += 1"] if world.counter else []
        script = " | ".join(steps)
        return (
            f"jq --slurpfile from {source} '{script}' {target} > /tmp/settings.json",
            f"cat /tmp/settings.json > {target}",
            "rm /tmp/settings.json",
        )
    commands = []
    for key, field in keys.items():
        number = isinstance(ctx.product.fields[field], int)
        script = drawn.replaces(
            world.section, key, number=number, value=f"${field}", anywhere=anywhere
        )
        commands += [f"{field}=$(jq -r .{field} {source})", f"sed -i {script} {target}"]
    if world.counter:
        shows = drawn.shows(world.section, world.counter)
        script = drawn.replaces(world.section, world.counter, number=True, value="$((counter + 1))")
        commands += [f"counter=$(sed -n {shows} {target})", f"sed -i {script} {target}"]
    return tuple(commands)


FOLLOW_UP = ApplySetting()
