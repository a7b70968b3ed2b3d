"""SEC-01 sealed archive: the passphrase exists on a scanned card or in a recording only.

Below `SHORT` there is one medium and one seal.  Above, containers lie in containers, each with
a card of its own among others, and some cards were withdrawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family
from tmax_gym.families.products import Product, Record
from tmax_gym.families.security.sealed_archive import media
from tmax_gym.families.security.sealed_archive.instruction import say
from tmax_gym.families.security.sealed_archive.solution import (
    COLUMNS,
    Sealed,
    medium_noun,
    second,
    solution,
)
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.archives import encrypted

SHORT = 0.2
ASKED = ("reference", "keeper", "code")
"""Columns that may be asked for; the first of them always is."""


class SealedArchive(Family[Sealed]):
    """Read the passphrase off its medium, open every seal, take a row from the table inside."""

    id = "SEC-01"
    slug = "sealed-archive"
    domain = "security"
    skill = "Algorithmic"
    primitives = (
        "Encryption and decryption",
        "Payload encoding and decoding",
        "Cryptographic hashing and checksum verification",
    )
    fixtures = ("image", "audio")
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "openssl", "jq", "awk", "python3")
    followed_by = {  # noqa: RUF012
        "fill-notice": ("values", "Whoever asked for the entry should get it in writing."),
        "apply-setting": ("values", "The restore job needs these values in its settings."),
    }

    def world(self, ctx: Context) -> Sealed:
        """Return the media, the container and the table of seals."""
        rng = ctx.rng.fork("seal")
        count = 1 if ctx.level < SHORT else ctx.knob(1, 3)
        codes = [media.passphrase(rng.fork("code", n), ctx.fixture) for n in range(count)]
        rounds = tuple(500 * rng.integer(1, 6) for _ in codes)
        rows, key = _table(ctx), ""
        row = max(rows, key=lambda r: int(r[2]))
        if ctx.level < 0.6:
            row = rng.choice(rows)
            key = row[0]
        fields = tuple(c for c in ASKED[: ctx.knob(1, 3)] if not key or c != "code")
        answer = {"passphrase": codes[-1]} | {c: row[COLUMNS.index(c)] for c in fields}
        container, target = ctx.path(f"{ctx.skin.stem(rng)}.enc"), ctx.path("unsealed.json")
        shelf = _shelf(ctx, codes)
        layers = ctx.path("layers.csv") if shelf.numbers else ""
        nodes = [Node(container, data=_wrapped(rows, codes, rounds=rounds, rng=rng)), *shelf.nodes]
        if layers:
            nodes.append(text(layers, _layers(ctx, shelf.numbers, rounds)))
        return Sealed(
            nodes=tuple(nodes),
            outputs=(target,),
            hidden=(*codes, row[-1]),
            container=container,
            source=shelf.source,
            layers=layers,
            rounds=rounds,
            target=target,
            how=shelf.how,
            key=key,
            fields=fields,
            answer=answer,
            void=shelf.void,
            turned=shelf.turned,
        )

    def oracle(self, ctx: Context, world: Sealed) -> tuple[str, ...]:
        """Return a reader of the medium, then openssl and awk."""
        return solution(ctx, world)

    def alternative(self, ctx: Context, world: Sealed) -> tuple[str, ...] | None:
        """Return the second half in Python."""
        return second(ctx, world)

    def checks(self, ctx: Context, world: Sealed) -> tuple[Check | Gate, ...]:
        """Return the passphrase and the fields of the row."""
        return (
            unchanged("source", world.nodes),
            exact.fields("fields", world.target, world.answer),
        )

    def products(self, ctx: Context, world: Sealed) -> Mapping[str, Product]:
        """Return the passphrase and the values."""
        return {"values": Record(world.target, world.answer, "entry")}

    def say(self, ctx: Context, world: Sealed) -> tuple[Obligation, ...]:
        """Return where the passphrase is, how it is read, and what to deliver."""
        return say(ctx, world)

    def mutants(self, ctx: Context, world: Sealed) -> tuple[Attempt, ...]:
        """Return the passphrase alone, another row, the wrong column."""
        return (
            Attempt("passphrase only", solution(ctx, world, fields=())),
            Attempt("another row", solution(ctx, world, other=True)),
            Attempt("wrong column", solution(ctx, world, shift=1)),
        )

    def exploits(self, ctx: Context, world: Sealed) -> tuple[Attempt, ...]:
        """Return empty fields, the container as the answer, and guesses."""
        names = ["passphrase", *world.fields]
        empty = ", ".join(f'"{name}": ""' for name in names)
        guess = f"cat {world.container} | openssl enc -d -aes-256-cbc -pbkdf2 -pass pass:"
        return (
            Attempt("empty fields", (f"echo '{{{empty}}}' > {world.target}",)),
            Attempt("container", (f"cp {world.container} {world.target}",)),
            Attempt("no passphrase", (f"{guess} > {world.target}; true",)),
        )


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The media of a task."""

    nodes: tuple[Node, ...]
    source: str
    how: media.Coding
    numbers: tuple[str, ...] = ()
    void: bool = False
    turned: bool = False


def _shelf(ctx: Context, codes: list[str]) -> _Shelf:
    rng = ctx.rng.fork("media")
    audio = ctx.fixture == "audio"
    how, suffix = media.coding(rng), "wav" if audio else "png"
    title, hiss = f"{ctx.skin.org(rng)} KEY CARD".upper(), ctx.knob(0, 2200)

    def medium(path: str, message: str, r: Rng, *, turned: bool = False) -> Node:
        if audio:
            return Node(path, data=media.call(message, r, hiss=hiss))
        return Node(path, data=media.scan(message, how, title=title, turned=turned))

    if ctx.level < SHORT:
        path = ctx.path(f"{'call' if audio else 'card'}.{suffix}")
        return _Shelf((medium(path, codes[0], rng),), path, how)
    numbers = [str(n) for n in rng.sample(range(1000, 10_000), len(codes) + ctx.knob(1, 2))]
    others = [media.passphrase(rng.fork("other", n), ctx.fixture) for n in range(len(numbers))]
    texts = [n + (codes[i] if i < len(codes) else others[i]) for i, n in enumerate(numbers)]
    void = ctx.level >= 0.4
    if void:
        texts.append(numbers[0] + others[0] + media.VOID)
    turned = not audio and ctx.level >= 0.5
    folder = ctx.path("calls" if audio else "cards")
    nodes = [
        medium(f"{folder}/{n:02d}.{suffix}", message, rng.fork(n), turned=turned and n % 2 == 0)
        for n, message in enumerate(rng.shuffled(texts), start=1)
    ]
    return _Shelf(
        tuple(nodes), f"{folder}/*.{suffix}", how, tuple(numbers[: len(codes)]), void, turned
    )


def _layers(ctx: Context, numbers: tuple[str, ...], rounds: tuple[int, ...]) -> str:
    rows = [f"{i},{n},{r}" for i, (n, r) in enumerate(zip(numbers, rounds, strict=True), start=1)]
    return "\n".join((f"layer,{medium_noun(ctx)},iterations", *rows)) + "\n"


def _table(ctx: Context) -> list[tuple[str, ...]]:
    rng = ctx.rng.fork("table")
    count = ctx.knob(6, 24)
    amounts = rng.sample(range(100, 5000), count)
    people = ctx.skin.people(rng.fork("people"), count)
    codes = [f"{rng.choice(ctx.skin.codes)}-{n}" for n in rng.sample(range(1000, 9999), count)]
    return [
        (codes[n], people[n], str(amounts[n]), rng.fork("reference", n).secret(9))
        for n in range(count)
    ]


def _wrapped(
    rows: list[tuple[str, ...]], codes: list[str], *, rounds: tuple[int, ...], rng: Rng
) -> bytes:
    """Return the table under all seals; the first code is that of the outermost one."""
    data = "\n".join(",".join(row) for row in (COLUMNS, *rows)).encode() + b"\n"
    for n in range(len(codes) - 1, -1, -1):
        salt = rng.fork("salt", n).bytes(8)
        data = encrypted(data, codes[n], salt=salt, iterations=rounds[n])
    return data


FAMILY = SealedArchive()
