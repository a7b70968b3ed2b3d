"""Follow-up: the agent writes the rows of a table as JSON, with integers as numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate
from tmax_gym.families.contract import Attempt, Following, FollowUp, World, write_file
from tmax_gym.families.products import Table
from tmax_gym.families.shared.columns import arguments, file_name, heads, listed, run_once
from tmax_gym.families.shared.programs import program_text
from tmax_gym.texts.obligations import Obligation

FEED = program_text(__package__, "feed.py")
MOST_FIELDS = 4
Item = dict[str, str | int]


@dataclass(frozen=True, kw_only=True)
class Feed(World):
    """The decided facts."""

    target: str
    source: str
    fields: tuple[str, ...]
    """The columns that the feed keeps."""
    numbers: tuple[str, ...]
    """Those of them that are integers."""
    items: str
    """The name of the list in the object."""
    expected: tuple[Item, ...]


class JsonFeed(FollowUp[Table, Feed]):
    """The rows of a table as a list of JSON objects, and their number."""

    slug = "json-feed"
    tools = ("bash", "python3")
    works_on = Table

    def suits(self, product: Table) -> bool:
        """Return whether there are several rows and columns."""
        return len(product.rows) >= 2 and len(product.columns) >= 2

    def world(self, ctx: Following[Table]) -> Feed:
        """Return which columns go into the feed; there are no files to begin with."""
        table, rng = ctx.product, ctx.rng.fork("feed")
        count = min(len(table.columns), rng.integer(2, MOST_FIELDS))
        chosen = set(rng.sample(table.columns, count))
        fields = tuple(name for name in table.columns if name in chosen)
        numbers = tuple(name for name in fields if name in table.integers)
        target = ctx.path(rng.choice(("feed.json", file_name(table.noun, "json"), "export.json")))
        return Feed(
            nodes=(),
            outputs=(target,),
            target=target,
            source=table.path,
            fields=fields,
            numbers=numbers,
            items=rng.choice(("items", "rows", "records", "entries")),
            expected=_items(table, fields, numbers),
        )

    def oracle(self, ctx: Following[Table], world: Feed) -> tuple[str, ...]:
        """Return a Python program that is used once."""
        return _written(ctx, world, FEED)

    def checks(self, ctx: Following[Table], world: Feed) -> tuple[Check | Gate, ...]:
        """Return a check of the items, and one of their number."""

        def score(evidence: Evidence) -> float:
            feed = exact.read_json(evidence, world.target)
            items = feed.get(world.items) if isinstance(feed, dict) else None
            if not isinstance(items, list):
                raise BadOutput(f"{world.target} has no list {world.items}")
            pairs = zip(items, world.expected, strict=False)
            same = sum(tolerance.same(item, right) for item, right in pairs)
            share = same / max(len(items), len(world.expected))
            return exact.reduced(share)

        count = {"count": len(world.expected)}
        return (
            Check("items", "exact_text", score, weight=0.9),
            exact.fields("count", world.target, count, weight=0.1),
        )

    def say(self, ctx: Following[Table], world: Feed) -> tuple[Obligation, ...]:
        """Return the source, the form and the kinds of the values."""
        table = ctx.product
        return (
            Obligation(
                "goal",
                f"Write the {table.noun} in `{world.source}` as one JSON object to "
                f"`{world.target}`.",
                "goal",
            ),
            *heads(table),
            Obligation(
                "items",
                f"The object has a list `{world.items}`, with one object for each row of the file, "
                "in the order of the file, and the field `count`, which is the number of rows.",
                "format",
            ),
            Obligation(
                "fields",
                f"Each object in the list has exactly the fields {listed(world.fields)}, which are "
                "the columns of the same name.",
                "format",
            ),
            Obligation("kinds", _kinds(world), "format", ("string", "text", "number")),
        )

    def mutants(self, ctx: Following[Table], world: Feed) -> tuple[Attempt, ...]:
        """Return a feed without the last row, one in reverse order and one with other names."""
        end = "json.dump("
        wrong = {
            "last_row": f"kept.pop()\n    {end}",
            "reversed": f"kept.reverse()\n    {end}",
            "capitals": "kept = [{k.upper(): v for k, v in i.items()} for i in kept]\n    " + end,
        }
        return tuple(
            Attempt(name, _written(ctx, world, FEED.replace(end, change)))
            for name, change in wrong.items()
        )

    def exploits(self, ctx: Following[Table], world: Feed) -> tuple[Attempt, ...]:
        """Return a feed without items, and one with empty items."""
        rows = len(world.expected)
        bodies = {
            "nothing": {world.items: []},
            "empty": {world.items: [dict.fromkeys(world.fields, "")] * (rows + 1)},
        }
        return tuple(
            Attempt(name, (f"mkdir -p {ctx.home}", write_file(world.target, json.dumps(body))))
            for name, body in bodies.items()
        )


def _kinds(world: Feed) -> str:
    if not world.numbers:
        return "All values are strings, as they stand in the file."
    kinds = f"The values of {listed(world.numbers)} are JSON numbers."
    if len(world.numbers) < len(world.fields):
        kinds += " All other values are strings, as they stand in the file."
    return kinds


def _items(table: Table, fields: Sequence[str], numbers: Sequence[str]) -> tuple[Item, ...]:
    return tuple(
        {
            name: int(row[place]) if name in numbers else row[place]
            for place, name in enumerate(table.columns)
            if name in fields
        }
        for row in table.rows
    )


def _written(ctx: Following[Table], world: Feed, program: str) -> tuple[str, ...]:
    words = (*arguments(ctx.product), world.target, world.items)
    fields = (",".join(world.fields), ",".join(world.numbers))
    return (f"mkdir -p {ctx.home}", *run_once("/tmp/feed.py", program, (*words, *fields)))


FOLLOW_UP = JsonFeed()
