"""Records of the intake gate: the rules, plausible records, and records that break one rule.

A dictionary has the rules for fields and relations.  Labelled examples decide some of them, and
the dictionary says exactly how.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import ceil, floor

from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Measure, Skin, slugged

Record = dict[str, object]
OPERATIONS = ("sum", "difference", "product", "larger")
OPTIONS = ("observed", "extremes", "pair", "derived", "order", "presence")
"""Rules that examples decide."""
NOTES = {
    "record": "A plausible record is a JSON object with exactly the fields below, in any order, "
    "that satisfies the check of every field and every relation.",
    "types": "text is a string; whole is a number without fraction; number is any number. "
    "Only a field that is marked nullable may be null.",
    "accepted records": "those of the history whose verdict is accepted; they decide the "
    "checks below that mention them.",
    "picture": "A stands for one capital letter A to Z, 9 for one digit, any other character "
    "for itself.",
    "listed": "the value is one of values.",
    "range": "the value lies between low and high, both included.",
    "observed": "the value occurs in this field of an accepted record.",
    "extremes": "the value lies between the smallest and the largest one in this field of the "
    "accepted records, both included.",
    "pair": "the two values occur together in an accepted record.",
    "derived": "the first field is the sum of the other two, or the second minus the third, or "
    "their product, or the larger of them: always the same, as in all accepted records.",
    "order": "the first field is smaller than the second; they may be equal only if they are in "
    "some accepted record.",
    "presence": "for one value of the second field, the first one is null in all accepted "
    "records or in none; a record does the same.",
}


@dataclass(frozen=True, slots=True)
class Truth:
    """The facts that decide whether a record is plausible."""

    key: str
    measure: Measure
    tally: str
    """Name of the counted things."""
    prefix: str
    options: frozenset[str]
    kinds: tuple[str, ...]
    places: tuple[str, ...]
    strangers: tuple[str, ...]
    """Places that no accepted record has."""
    pairs: frozenset[tuple[str, str]]
    """Allowed (place, kind)."""
    limits: tuple[int, int]
    operation: str
    equal: bool
    """`begun` may equal `ended`."""
    silent: frozenset[str]
    """Kinds without a reading."""

    @property
    def picture(self) -> str:
        """Return the form of the key."""
        return "A" * len(self.prefix) + "-9999"


def truth(skin: Skin, rng: Rng, options: frozenset[str]) -> Truth:
    """Return rules for one kind of organisation."""
    kinds = tuple(rng.sample(sorted(set(slugged(e) for e in skin.events)), 4))
    places = rng.sample(skin.places, 6)
    known = tuple(places[:4])
    pairs = {
        (place, kind)
        for i, kind in enumerate(kinds)
        for n, place in enumerate(known)
        if n == i or (n != (i + 1) % 4 and rng.chance(0.35))
    }
    low = rng.integer(2, 30)
    taken = {"state", "place", "total", "one", "two", "begun", "ended", "reading"}
    tally = next(n for t in rng.shuffled(skin.things) if (n := slugged(t.plural)) not in taken)
    measure = next(m for m in rng.shuffled(skin.measures) if m.column not in {*taken, tally})
    key = next(c for c in rng.shuffled(skin.columns) if c not in {*taken, tally, measure.column})
    return Truth(
        key=key,
        measure=measure,
        tally=tally,
        prefix=rng.choice(skin.codes),
        options=options,
        kinds=kinds,
        places=known,
        strangers=tuple(places[4:]),
        pairs=frozenset(pairs),
        limits=(low, low + rng.integer(15, 80)),
        operation=rng.choice(OPERATIONS),
        equal=rng.chance(0.5),
        silent=frozenset(rng.sample(kinds, rng.integer(1, 2))),
    )


def dictionary(t: Truth, title: str) -> str:
    """Return the data dictionary."""
    fields: list[Record] = [
        {"name": t.key, "type": "text", "check": "picture", "picture": t.picture},
        {"name": "state", "type": "text", "check": "listed", "values": sorted(t.kinds)},
        {
            "name": t.measure.column,
            "type": "number",
            "unit": t.measure.unit,
            "check": "range",
            "low": t.measure.lo,
            "high": t.measure.hi,
        },
    ]
    relations: list[Record] = []
    if "observed" in t.options:
        fields.append({"name": "place", "type": "text", "check": "observed"})
    if "extremes" in t.options:
        fields.append({"name": t.tally, "type": "whole", "check": "extremes"})
    if "pair" in t.options:
        relations.append({"fields": ["place", "state"], "check": "pair"})
    if "derived" in t.options:
        fields += [{"name": n, "type": "whole"} for n in ("one", "two", "total")]
        relations.append({"fields": ["total", "one", "two"], "check": "derived"})
    if "order" in t.options:
        fields += [{"name": n, "type": "whole"} for n in ("begun", "ended")]
        relations.append({"fields": ["begun", "ended"], "check": "order"})
    if "presence" in t.options:
        fields.append({"name": "reading", "type": "whole", "nullable": True})
        relations.append({"fields": ["reading", "state"], "check": "presence"})
    used = {str(f["check"]) for f in [*fields, *relations] if "check" in f}
    notes = {k: v for k, v in NOTES.items() if k in used or k not in NAMES}
    whole = {"title": title, "notes": notes, "fields": fields, "relations": relations}
    return json.dumps(whole, indent=1) + "\n"


NAMES = frozenset({"picture", "listed", "range", *OPTIONS})
"""Checks that a field or relation may name."""


def honest(t: Truth, rng: Rng, turn: int) -> Record:
    """Return a plausible record; in sixteen turns every limit, value and pair occurs."""
    pairs = sorted(t.pairs) if "pair" in t.options else [(p, k) for p in t.places for k in t.kinds]
    place, kind = pairs[turn % len(pairs)]
    # Only tenths inside the limits, which may be no tenths; 3 * 0.1 * 10 is 3.0000000000000004.
    low, high = ceil(round(t.measure.lo * 10, 6)), floor(round(t.measure.hi * 10, 6))
    limits = {1: float(t.measure.lo), 2: float(t.measure.hi)}
    amount = limits.get(turn % 12, rng.integer(low, high) / 10)
    count = {3: t.limits[0], 4: t.limits[1]}.get(turn % 12, rng.integer(*t.limits))
    record: Record = {
        t.key: f"{t.prefix}-{rng.integer(0, 9999):04d}",
        "state": kind,
        t.measure.column: amount,
    }
    if "observed" in t.options:
        record["place"] = place
    if "extremes" in t.options:
        record[t.tally] = count
    if "derived" in t.options:
        one, two = rng.integer(2, 60), rng.integer(2, 60)
        record |= {"one": one, "two": two, "total": _derived(t.operation, one, two)}
    if "order" in t.options:
        begun = rng.integer(0, 1200)
        record["begun"] = begun
        record["ended"] = begun + (0 if t.equal and turn % 4 == 0 else rng.integer(1, 200))
    if "presence" in t.options:
        record["reading"] = None if kind in t.silent else rng.integer(0, 500)
    return record


def _derived(operation: str, one: int, two: int) -> int:
    return {"sum": one + two, "difference": one - two, "product": one * two}.get(
        operation, max(one, two)
    )


def shown(record: object, rng: Rng) -> str:
    """Return a record as one line of JSON, its fields in some order."""
    if isinstance(record, dict):
        record = {name: record[name] for name in rng.shuffled(sorted(record))}
    return json.dumps(record)


def corrupted(t: Truth, rng: Rng, rule: str, *, turn: int) -> object:
    """Return a record that breaks only this rule, in one of several ways."""
    good = honest(t, rng, rng.integer(0, 400))
    key, state, column = str(good[t.key]), str(good["state"]), t.measure.column
    low, high = t.measure.lo, t.measure.hi
    ways: dict[str, tuple[object, ...]] = {
        "structure": (
            {k: v for k, v in good.items() if k != "state"},
            {**good, "remark": "none"},
            {**good, column: str(good[column])},
            {**good, column: None},
            {**good, t.key: int(key[-4:])},
            [good],
        ),
        "picture": tuple(
            {**good, t.key: k}
            for k in (key.lower(), key[:-1], key + "0", key[:-1] + "O", key.replace("-", "_"))
        ),
        "listed": tuple({**good, "state": s} for s in (state.upper(), state + "_", state[1:])),
        "range": (
            {**good, column: round(low - 0.1, 1)},
            {**good, column: round(high + 0.1, 1)},
            {**good, column: high + 1000},
        ),
    }
    chosen = ways.get(rule) or _against_examples(t, rng, good)[rule]
    return chosen[turn % len(chosen)]


def _against_examples(t: Truth, rng: Rng, good: Record) -> dict[str, tuple[object, ...]]:
    """Return ways to break each rule that examples decide."""
    place, state = str(good.get("place", "")), str(good["state"])
    apart = [p for p in t.places if (p, state) not in t.pairs]
    return {
        "observed": tuple(
            {**good, "place": p} for p in (*t.strangers, place.swapcase(), place + " ")
        ),
        "extremes": tuple(
            {**good, t.tally: n} for n in (t.limits[0] - 1, t.limits[1] + 1, t.limits[0] + 0.5)
        ),
        "pair": tuple({**good, "place": p} for p in apart),
        "derived": tuple({**good, "total": _total(good) + d} for d in (1, -1, 10)),
        "order": (
            {**good, "ended": _begun(good) - 1},
            {**good, "ended": _begun(good) - (1 if t.equal else 0)},
            {**good, "begun": good.get("ended"), "ended": _begun(good) - 30},
        ),
        "presence": ({**good, "reading": rng.integer(1, 90) if state in t.silent else None},),
    }


def _total(record: Record) -> int:
    total = record.get("total", 0)
    return total if isinstance(total, int) else 0


def _begun(record: Record) -> int:
    begun = record.get("begun", 0)
    return begun if isinstance(begun, int) else 0
