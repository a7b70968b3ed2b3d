"""SEC-12 weak cipher: decrypt messages under home-made ciphers, whose beginning is known.

Known plaintext breaks a repeated key, an affine cipher and a small generator.  The score is the
share of bytes that are recovered, above the share that the known beginning alone gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    Program,
    fuzz_equivalence,
    metric_threshold,
    unchanged,
)
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Files, Product
from tmax_gym.families.security.weak_cipher.solution import CIPHERS, NOTES, solve
from tmax_gym.nodes import Node, prose
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

HIDDEN = 2
"""Number of hidden messages per cipher on which the tool is tested."""


@dataclass(frozen=True, kw_only=True)
class Intercepts(World):
    """The decided facts."""

    source: str
    target: str
    notes: str
    header: str
    tool: str
    """Path of the program that is asked for, or ""."""
    kinds: tuple[str, ...]
    plain: tuple[tuple[str, bytes], ...]
    """Path of each recovered message, and its right content."""
    second: tuple[tuple[str, bytes, bytes], ...] = ()
    """Hidden messages: cipher, sealed, plain."""


class WeakCipher(Family[Intercepts]):
    """Recover messages from the words with which all of them begin."""

    id = "SEC-12"
    slug = "weak-cipher"
    domain = "security"
    skill = "Algorithmic"
    primitives = (
        "Cryptanalysis (differential, linear)",
        "Encryption and decryption",
        "Password cracking and brute-force search",
        "Payload encoding and decoding",
    )
    fixtures = ("text_only",)
    verifiers = ("metric_threshold",)
    languages = ("any", "python")
    tools = ("bash", "python3", "xxd")
    followed_by = {  # noqa: RUF012
        "pack-bundle": ("texts", "The analysts want all plain texts in one archive."),
        "file-manifest": (
            "texts",
            "The plain texts are evidence, so we need to prove later that nobody changed them.",
        ),
        "publish-release": ("texts", "Other teams read the plain texts from a shared directory."),
    }

    def world(self, ctx: Context) -> Intercepts:
        """Return sealed messages and notes on how such messages are made."""
        rng = ctx.rng.fork("intercepts")
        kinds = ("xor", "affine", "lcg")[: 1 + (ctx.level >= 0.25) + (ctx.level >= 0.55)]
        header = f"{ctx.skin.org(rng)}, {ctx.skin.place(rng)}: message of "
        source, target = ctx.path("intercepts"), ctx.path("recovered")
        nodes, plain, keys = [], [], []
        for number in range(ctx.knob(1, 4) * len(kinds)):
            kind = kinds[number % len(kinds)]
            body, sealed, key = _message(ctx, rng.fork("m", number), header, kind)
            nodes.append(Node(f"{source}/{number + 1:02d}.{kind}", data=sealed))
            plain.append((f"{target}/{number + 1:02d}.txt", body))
            keys += [key] if kind == "xor" else []
        notes, tool = ctx.path("notes.md"), ctx.path("break.py")
        manual = "# How they encrypt messages\n\n" + "".join(NOTES[kind] for kind in kinds)
        asked = ctx.language == "python"
        hidden = [(k, *_message(ctx, rng.fork("h", k, n), header, k)[:2])
                  for k in kinds for n in range(HIDDEN) if asked]  # fmt: skip
        return Intercepts(
            nodes=(prose(notes, manual), *nodes),
            outputs=(target, tool) if asked else (target,),
            hidden=tuple(keys),
            source=source,
            target=target,
            notes=notes,
            header=header.strip(),
            tool=tool if asked else "",
            kinds=kinds,
            plain=tuple(plain),
            second=tuple((k, sealed, body) for k, body, sealed in hidden),
        )

    def oracle(self, ctx: Context, world: Intercepts) -> tuple[str, ...]:
        """Return a known-plaintext attack, and run it for each cipher."""
        return self._solved(ctx, world, solve(world.header))

    def _solved(
        self, ctx: Context, world: Intercepts, program: str, *, tail: str = ""
    ) -> tuple[str, ...]:
        tool = world.tool or "/tmp/break.py"
        tried = ctx.rng.fork("way").chance(0.5)
        sizes = f"du -ab {world.source}" if tried else f"ls -l {world.source}"
        limit = "timeout 60 " if tried else ""
        runs = []
        for kind in world.kinds:
            done = f"{world.target}/$(basename $f .{kind}).txt"
            runs.append(
                f"for f in {world.source}/*.{kind}; do "
                f"{limit}python3 {tool} {kind} < $f{tail} > {done}; head -c 60 {done}; done"
            )
        return (
            f"cat {world.notes}; {sizes}; xxd -p -l 40 {world.source}/01.xor | fold -w 2",
            write_file(tool, program),
            f"install -d {world.target}" if tried else f"mkdir -p {world.target}",
            *runs,
            *(() if world.tool else (f"rm {tool}",)),
        )

    def checks(self, ctx: Context, world: Intercepts) -> tuple[Check | Gate, ...]:
        """Return checks of the recovered bytes, and of the tool on hidden messages."""
        total = sum(len(body) for _, body in world.plain)
        known = sum(_alike(world.header.encode().ljust(len(b)), b) for _, b in world.plain)
        checks: list[Check | Gate] = [
            unchanged("intercepts", world.nodes),
            metric_threshold(
                "bytes",
                lambda evidence: _share(evidence, world),
                base=known / total,
                threshold=1.0,
                weight=2.0,
            ),
        ]
        if world.tool:
            checks.append(
                fuzz_equivalence(
                    "tool",
                    Program(world.tool, "python", roots=(world.tool,)),
                    cases=[Case(argv=(kind,), stdin=sealed) for kind, sealed, _ in world.second],
                    expected=[body for *_, body in world.second],
                )
            )
        return tuple(checks)

    def products(self, ctx: Context, world: Intercepts) -> Mapping[str, Product]:
        """Return the plain texts."""
        contents = {path.rpartition("/")[2]: body for path, body in world.plain}
        return {"texts": Files(world.target, contents, "messages")}

    def say(self, ctx: Context, world: Intercepts) -> tuple[Obligation, ...]:
        """Return the messages, the known facts, and where the plain texts go."""
        obligations = [
            Obligation(
                "goal",
                f"`{world.source}` holds messages that we intercepted. They are encrypted with "
                f"weak home-made ciphers, and we have no keys. Decrypt every message in "
                f"`{world.source}` and write its plain text to a file of its own in "
                f"`{world.target}`.",
                "goal",
            ),
            Obligation(
                "known",
                f"The suffix of a message's file name is its cipher, and `{world.notes}` describes "
                "the ciphers. Each message has its own key. We know that the plain text of every "
                f"message begins with `{world.header}`.",
                "input",
            ),
            Obligation(
                "naming",
                "A plain text has the file name of its message with the suffix `.txt` in place of "
                f"the cipher's, so `{world.source}/01.xor` becomes `{world.target}/01.txt`. The "
                "files are compared byte by byte, line ends included, and the score is the share "
                "of bytes that are right.",
                "format",
            ),
        ]
        if world.tool:
            obligations.append(
                Obligation(
                    "tool",
                    "Further messages will follow, so also leave a Python program "
                    f"`{world.tool}` that decrypts one message. Its only argument is the name of "
                    "the cipher, which is the suffix without the dot (for example `xor`). It reads "
                    "the encrypted message from standard input and writes exactly the plain text "
                    f"to standard output. We will run `{world.tool}` by itself on messages that "
                    f"you have not seen, with the same ciphers and the same beginning.",
                    "output",
                )
            )
        return (
            *obligations,
            Obligation("keep", f"Do not change `{world.source}` or `{world.notes}`.", "limit"),
        )

    def mutants(self, ctx: Context, world: Intercepts) -> tuple[Attempt, ...]:
        """Return recovered texts cut short, folded to capitals, and a key that is too long."""
        right = solve(world.header)
        late = right.replace("stream[i % size]", "stream[i % (size + 1)]")
        return (
            Attempt("cut short", self._solved(ctx, world, right, tail=" | head -c 120")),
            Attempt("capitals", self._solved(ctx, world, right, tail=" | tr a-z A-Z")),
            Attempt("key too long", self._solved(ctx, world, late)),
        )

    def exploits(self, ctx: Context, world: Intercepts) -> tuple[Attempt, ...]:
        """Return the known beginning with blanks behind it, and the sealed messages."""
        blanks = f"printf '%-900s' '{world.header}'"
        each = f"for f in {world.source}/*; do n=$(basename $f); "
        return (
            Attempt(
                "known beginning",
                (f"mkdir -p {world.target}; {each}{blanks} > {world.target}/${{n%.*}}.txt; done",),
            ),
            Attempt(
                "as they came",
                (f"mkdir -p {world.target}; {each}cp $f {world.target}/${{n%.*}}.txt; done",),
            ),
        )


def _message(ctx: Context, rng: Rng, header: str, kind: str) -> tuple[bytes, bytes, str]:
    """Return a message, its ciphertext, and its key."""
    skin, lines = ctx.skin, []
    for _ in range(rng.integer(3, 6)):
        lines.append(
            rng.choice(
                (
                    f"Move {skin.code(rng)} to {skin.place(rng)} before {skin.person(rng)} asks.",
                    f"After the {skin.event(rng)} we lost {rng.integer(2, 90)} "
                    f"{skin.thing(rng).plural}.",
                    f"{skin.person(rng)} must not hear of {skin.code(rng)}.",
                    f"Bring the {skin.thing(rng).singular} to {skin.place(rng)} at "
                    f"{rng.integer(1, 12)}.{rng.integer(10, 59)}.",
                )
            )
        )
    salutation = f"{header}{rng.integer(1, 28)} {rng.choice(('May', 'June', 'July'))}\n"
    body = (salutation + "\n".join(lines) + "\n").encode()
    key = rng.secret(6 + ctx.knob(0, 8)).encode()
    raw = key if kind == "xor" else rng.bytes(2)
    return body, CIPHERS[kind](body, raw), key.decode()


def _alike(content: bytes, wanted: bytes) -> int:
    return sum(a == b for a, b in zip(content, wanted, strict=False))


def _share(evidence: Evidence, world: Intercepts) -> float:
    """Return the share of bytes that are right, in their place; a missing file has none."""
    right = total = 0
    for path, body in world.plain:
        try:
            content = evidence.read(path, limit=1 << 16)
        except BadOutput:
            content = b""
        right += _alike(content, body)
        total += max(len(body), len(content))
    return right / total


FAMILY = WeakCipher()
