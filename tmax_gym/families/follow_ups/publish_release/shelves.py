"""Drawn directories with earlier releases: their names, their files, and the links to them."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from tmax_gym.families.contract import Following
from tmax_gym.families.products import Files
from tmax_gym.families.shared import file_sets
from tmax_gym.nodes import Node, link, text
from tmax_gym.rng import Rng

Scheme = Literal["version", "day", "number"]
SCHEMES: tuple[Scheme, ...] = ("version", "day", "number")
FOLDERS = ("releases", "versions", "published")
LINKS = ("current", "latest", "live")
LISTS = ("RELEASES", "INDEX", "HISTORY", "releases.txt")
FEWEST = 2
"""Releases that are kept, at least."""
MOST_FILES = 4
"""Files of an earlier release."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """A directory of releases, and what stands beside it."""

    nodes: tuple[Node, ...]
    releases: str
    new: str
    """The name of the new release."""
    kept: tuple[str, ...]
    """The earlier releases that stay, from the oldest to the newest."""
    keep: int
    """How many releases stay, with the new one."""
    order: str
    """A sentence about which release is newer."""
    link: str
    old_target: str
    """Where the link leads at the start."""
    previous: str
    """A second link for that; "" for none."""
    list: str
    lines: tuple[tuple[str, str], ...]
    """The name and the line of each earlier release, from the oldest to the newest."""

    @property
    def target(self) -> str:
        """Return where the link must lead."""
        return f"{posixpath.basename(self.releases)}/{self.new}"


def shelf(ctx: Following[Files]) -> Shelf:
    """Return some earlier releases, and which of them stay."""
    rng = ctx.rng.fork("shelf")
    scheme = rng.choice(SCHEMES)
    count = max(3, ctx.knob(3, 7))
    *earlier, new = _names(rng, scheme, count + 1)
    keep = rng.integer(FEWEST, count)
    releases = ctx.path(rng.choice(FOLDERS))
    nodes: list[Node] = []
    lines = []
    for name in earlier:
        files = _files(ctx, rng.fork(name), f"{releases}/{name}")
        nodes += files
        lines.append((name, f"{name} {len(files)} {sum(len(n.data or b'') for n in files)}"))
    # The link may have been set back to the release before the last one, if that one stays.
    back = 2 if keep > FEWEST and rng.chance(0.3) else 1
    old_target = f"{posixpath.basename(releases)}/{earlier[-back]}"
    current = ctx.path(rng.choice(LINKS))
    return Shelf(
        nodes=(*nodes, link(current, old_target)),
        releases=releases,
        new=new,
        kept=tuple(earlier[len(earlier) - keep + 1 :]),
        keep=keep,
        order=_order(scheme),
        link=current,
        old_target=old_target,
        previous=ctx.path("previous") if rng.chance(0.5) else "",
        list=ctx.path(rng.choice(LISTS)),
        lines=tuple(lines),
    )


def _names(rng: Rng, scheme: Scheme, count: int) -> list[str]:
    """Return names in the order of their age; as text, those with numbers sort differently."""
    if scheme == "day":
        day = date(rng.integer(2024, 2025), rng.integer(1, 12), rng.integer(1, 28))
        names = []
        for _ in range(count):
            day += timedelta(days=rng.integer(2, 40))
            names.append(day.isoformat())
        return names
    first = 10 - rng.integer(1, count - 2)
    if scheme == "number":
        head = rng.choice(("r", "v", "build"))
        return [f"{head}{number}" for number in range(first, first + count)]
    major = rng.integer(1, 4)
    return [f"{major}.{number}.{rng.integer(0, 3)}" for number in range(first, first + count)]


def _order(scheme: Scheme) -> str:
    return {
        "day": "Their names are the days of their publication.",
        "number": "A release with a higher number is newer, so 10 is newer than 9.",
        "version": "Compare the parts of a version as numbers, so that `1.10.0` is newer than "
        "`1.9.0`.",
    }[scheme]


def _files(ctx: Following[Files], rng: Rng, root: str) -> list[Node]:
    """Return the files of an earlier release: older files of the same names."""
    names: Sequence[str] = file_sets.in_order(ctx.product)
    count = min(len(names), rng.integer(2, MOST_FILES))
    return [
        text(f"{root}/{name}", "".join(f"{rng.hex(16)}\n" for _ in range(rng.integer(1, 9))))
        for name in sorted(rng.sample(names, count))
    ]
