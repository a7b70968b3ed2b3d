"""Items with short texts as files of a desk: four layouts, and the pipeline that reads each.

Covers names, texts made of the words of a trade, and requests.  Does not cover what is computed
from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.families.contract import Context
from tmax_gym.families.data_science.nearest_shelf.evaluator import Item
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Skin

_JOINS = (", ", " - ", "; ", " / ", " with ", " for the ", " and ")
_HEADS = ("", "New: ", "Notes on ", "About the ", "Old ", "Part 2, ", "No. 7: ", "2nd ")


@dataclass(frozen=True, slots=True)
class Given:
    """Files with items, and where names and texts are in them."""

    nodes: tuple[Node, ...]
    sentence: str
    """Says where the items are and in which order."""
    command: str
    """Prints a line `NAME TEXT` for each item."""
    by_name: bool = False
    """Whether the items are read in order of name."""


def phrases(skin: Skin, rng: Rng, count: int) -> list[str]:
    """Return a few phrases of a trade: with few of them, texts have words in common."""
    phrases = [thing.singular for thing in skin.things] + [thing.plural for thing in skin.things]
    phrases += [*skin.events, *skin.jargon, *(measure.name for measure in skin.measures)]
    return rng.sample(sorted({phrase for phrase in phrases if phrase.isascii()}), count)


def sentence(rng: Rng, pool: Sequence[str]) -> str:
    """Return a short text of a few phrases."""
    sentence = rng.choice(pool)
    for _ in range(rng.integer(1, 3)):
        sentence += rng.choice(_JOINS) + rng.choice(pool)
    if rng.chance(0.3):
        sentence += f" ({rng.choice(('no. ', 'type ', 'v', ''))}{rng.integer(2, 40)})"
    sentence = rng.choice(_HEADS) + sentence
    return sentence[0].upper() + sentence[1:]


def items(skin: Skin, rng: Rng, size: int) -> tuple[Item, ...]:
    """Return items under different names."""
    pool = phrases(skin, rng.fork("pool"), 14)
    prefixes = rng.sample(skin.codes, 2)
    numbers = rng.sample(range(100, 1000), size)
    return tuple((f"{rng.choice(prefixes)}-{n}", sentence(rng, pool)) for n in numbers)


def requests(skin: Skin, rng: Rng, items: Sequence[Item], *, liked: bool, count: int) -> list[str]:
    """Return requests: names of items, or texts of the same trade."""
    if liked:
        return [
            " ".join(name for name, _ in rng.sample(items, rng.integer(1, 3))) for _ in range(count)
        ]
    pool = [text_ for _, text_ in items] + phrases(skin, rng.fork("pool"), 4)
    return [" ".join(rng.sample(pool, 2))[: rng.integer(24, 60)].strip() for _ in range(count)]


def given(ctx: Context, rng: Rng, items: Sequence[Item]) -> Given:
    """Return the items in one of the layouts, each of which keeps their order."""
    stem = ctx.path(ctx.skin.stem(rng))
    layout = rng.choice(("tabs", "columns", "two files", "folder"))
    if layout == "tabs":
        path = f"{stem}.tsv"
        body = "".join(f"{name}\t{description}\n" for name, description in items)
        sentence = f"The items are in `{path}`, one per line: the name, a tab, and the text."
        return Given((text(path, body),), sentence, f"tr '\\t' ' ' < {path}")
    if layout == "columns":
        path, places = f"{stem}.psv", [ctx.skin.place(rng) for _ in items]
        rows = zip(items, places, strict=True)
        body = "name|kept at|text\n"
        body += "".join(f"{name}|{place}|{description}\n" for (name, description), place in rows)
        return Given(
            (text(path, body),),
            f"The items are in `{path}`, which has columns separated by `|`; the ones that matter "
            f"are `name` and `text`.",
            f"tail -n +2 {path} | cut -d'|' -f1,3 | tr '|' ' '",
        )
    if layout == "two files":
        paths = (f"{stem}.names", f"{stem}.texts")
        nodes = tuple(
            text(path, "".join(f"{item[n]}\n" for item in items)) for n, path in enumerate(paths)
        )
        sentence = (
            f"The names of the items are in `{paths[0]}` and their texts in `{paths[1]}`, in the "
            f"same order, one per line."
        )
        return Given(nodes, sentence, f"paste -d' ' {paths[0]} {paths[1]}")
    nodes = tuple(text(f"{stem}/{name}.txt", f"{description}\n") for name, description in items)
    loop = f'for f in {stem}/*.txt; do echo "$(basename "$f" .txt) $(cat "$f")"; done'
    sentence = (
        f"The items are the files in `{stem}`: the text of an item is in `NAME.txt`, where "
        f"`NAME` is its name. Take them in byte order of their names."
    )
    return Given(nodes, sentence, loop, by_name=True)
