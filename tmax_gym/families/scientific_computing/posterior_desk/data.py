"""Readings of two groups as files of a lab: four layouts, and the pipeline that reads each.

Covers what lies in the sandbox and how a shell turns it into lines `GROUP READING`.  Does not
cover what is computed from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tmax_gym.families.contract import Context
from tmax_gym.families.scientific_computing.posterior_desk.evaluator import Reading
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng


@dataclass(frozen=True, slots=True)
class Given:
    """Files with readings, and how they are laid out."""

    nodes: tuple[Node, ...]
    sentence: str
    """Says where the readings are."""
    command: str
    """Prints the readings as lines `GROUP READING`."""


def given(ctx: Context, rng: Rng, groups: tuple[str, str], *, readings: Sequence[Reading]) -> Given:
    """Return the readings in one of the layouts; each keeps the order within a group."""
    stem = ctx.path(ctx.skin.stem(rng))
    split = [[v for g, v in readings if g == group] for group in groups]
    layout = rng.choice(("long", "two files", "rows", "columns"))
    if layout == "long":
        column = ctx.skin.measure(rng).column
        lines = [f"{n},{g},{v}" for n, (g, v) in enumerate(readings, start=1)]
        body = "\n".join((f"no,group,{column}", *lines)) + "\n"
        path = f"{stem}.csv"
        command = f"tail -n +2 {path} | cut -d, -f2,3 | tr , ' '"
        sentence = (
            f"The readings are in `{path}`, one per row, in the columns `group` and `{column}`."
        )
        return Given((text(path, body),), sentence, command)
    if layout == "two files":
        paths = [f"{stem}.{group}" for group in groups]
        nodes = tuple(
            text(path, "".join(f"{v}\n" for v in values))
            for path, values in zip(paths, split, strict=True)
        )
        command = "; ".join(
            f"sed 's/^/{group} /' {path}" for group, path in zip(groups, paths, strict=True)
        )
        sentence = (
            f"The readings of `{groups[0]}` are in `{paths[0]}` and those of `{groups[1]}` in "
            f"`{paths[1]}`, one per line."
        )
        return Given(nodes, sentence, command)
    if layout == "rows":
        return _rows(f"{stem}.txt", groups, split)
    cells = [",".join("" if v is None else str(v) for v in row) for row in zip_longest(*split)]
    path = f"{stem}.csv"
    body = "\n".join((",".join(groups), *cells)) + "\n"
    command = "; ".join(
        f"tail -n +2 {path} | cut -d, -f{n} | grep . | sed 's/^/{group} /'"
        for n, group in enumerate(groups, start=1)
    )
    sentence = (
        f"The readings are in `{path}`, in one column for each group; the cells of a group with "
        f"fewer readings are empty at the end."
    )
    return Given((text(path, body),), sentence, command)


def _rows(path: str, groups: tuple[str, str], split: Sequence[Sequence[int]]) -> Given:
    """Return a file whose lines hold up to six readings of a group, behind its name."""
    lines = [
        f"{group}: " + " ".join(map(str, values[at : at + 6]))
        for at in range(0, max(map(len, split)), 6)
        for group, values in zip(groups, split, strict=True)
        if values[at:]
    ]
    loop = 'while IFS=: read -r g v; do printf "$g %s\\n" $v; done'
    body = "".join(f"{line}\n" for line in lines)
    sentence = (
        f"The readings are in `{path}`. Each of its lines has the name of a group, a colon, "
        f"and readings of this group; a group may have several lines."
    )
    return Given((text(path, body),), sentence, f"{loop} < {path}")
