"""Log lines with identifiers and with lookalikes.

Covers the text around them and odd bytes: tabs, carriage returns, letters beyond ASCII, bytes
that are no UTF-8, a last line without its end.  Does not cover identifiers (`kinds.py`).
"""

from __future__ import annotations

from tmax_gym.families.security.pii_redactor.policy import Policy, redacted
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Skin

SHAPES = (
    "{event}: {x}",
    "{person} <{x}> about the {thing}",
    "call {x} or {y}.",
    "from={x};to={y};n={n}",
    '"{x}","{y}",{n}',
    "({x})",
    "mailto:{x}?subject={thing}",
    "{place}/{x}/{y}",
    "{x},{y},{x}",
    "note: {x}. {y}!",
    "..{x}--\t{n}",
    "[{n}]\t{place} {x}",
    "{n} {thing}, {event}, v{n}.{n}, {x}",
    "user:{x} host:{y} -> {event}",
)
ODD = ("\u00e9t\u00e9 ", "\u2014 ", "S\u00f8ren: ", "")


def corpus(policy: Policy, rng: Rng, skin: Skin, *, count: int, odd: bool) -> bytes:
    """Return so many lines, about half of them with something to mask."""
    pool = [kind.drawn(rng.fork("pool", n)) for n, (kind, _) in enumerate(policy.rules * 2)]
    lines_ = [_line(policy, rng.fork(n), skin, pool) for n in range(count)]
    lines = [line.encode() for line in lines_]
    if odd:
        fork = rng.fork("odd")
        lines[fork.integer(1, count - 1)] += b" \xff\xfe"
        lines = [fork.choice(ODD).encode() + line + b"\r" * fork.chance(0.3) for line in lines]
    return b"\n".join(lines) + b"\n" * (not odd)


def _line(policy: Policy, rng: Rng, skin: Skin, pool: list[str]) -> str:
    evil = rng.chance(0.5)

    def word(name: str) -> str:
        fork = rng.fork(name)
        kind, _ = fork.choice(policy.rules)
        if evil and (name == "x" or fork.chance(0.4)):
            return fork.choice(pool) if fork.chance(0.3) else kind.drawn(fork)
        return fork.choice(kind.decoys(fork))

    return rng.choice(SHAPES).format(
        x=word("x"),
        y=word("y"),
        n=rng.integer(1, 9999),
        event=skin.event(rng),
        person=skin.person(rng),
        place=skin.place(rng),
        thing=skin.thing(rng).singular,
    )


def sides(policy: Policy, data: bytes) -> list[bool]:
    """Return of each line whether there is something in it to be masked."""
    return [redacted(policy, line) != line for line in data.split(b"\n")]
