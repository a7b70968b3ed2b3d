"""SEC-02 traversal guard: a program that refuses upload names which escape their root.

The hidden names are encoded in several layers, use both separators, and include harmless names
that look suspicious.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from tmax_gym.checks.check import Case, Check, Gate, Outcome, adversarial_corpus, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.security.traversal_guard.guards import MISTAKES, SOURCE
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains


@dataclass(frozen=True, kw_only=True)
class Guard(World):
    """The decided facts."""

    program: sources.Source
    sample: str
    evil: tuple[bytes, ...]
    clean: tuple[bytes, ...]


class TraversalGuard(Family[Guard]):
    """Decide whether a name stays below the upload root."""

    id = "SEC-02"
    slug = "traversal-guard"
    domain = "security"
    skill = "Web Security"
    primitives = (
        "Exploit crafting and payload delivery",
        "Injection and XSS vulnerability analysis",
        "Payload encoding and decoding",
        "Pattern matching for intrusion detection",
    )
    fixtures = ("text_only",)
    verifiers = ("adversarial_corpus",)
    languages = ("python", "bash", "c", "cpp", "go", "rust")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Guard:
        """Return a log of past names without a verdict, and hidden names of both kinds."""
        rng = ctx.rng.fork("names")
        layers, count = ctx.knob(1, 3), ctx.knob(2, 8)
        evil = _evil(ctx, rng.fork("evil"), layers=layers, count=count)
        clean = _clean(ctx, rng.fork("clean"), count=count)
        seen = [*_evil(ctx, rng.fork("seen"), layers=layers, count=1)[:4]]
        seen += _clean(ctx, rng.fork("seen"), count=1)[:4]
        sample = ctx.path("uploads_seen.txt")
        body = b"\n".join(rng.fork("order").shuffled(seen)).decode() + "\n"
        (program,) = sources.sources(ctx, "guard")
        return Guard(
            nodes=(text(sample, body),),
            outputs=(program.path,),
            program=program,
            sample=sample,
            evil=evil,
            clean=clean,
        )

    def oracle(self, ctx: Context, world: Guard) -> tuple[str, ...]:
        """Read the names, then write the program in the task's language."""
        source = SOURCE[ctx.language].lstrip()
        *steps, last = sources.written((world.program,), lambda _: source)
        if ctx.language == "go":
            last = f"{last}; gofmt -l {world.program.path}"
        return (f"cat {world.sample}", *steps, last)

    def checks(self, ctx: Context, world: Guard) -> tuple[Check | Gate, ...]:
        """Return a check on names to reject and names to accept."""
        return (
            unchanged("sample", world.nodes),
            adversarial_corpus(
                "names",
                world.program.program("/app"),
                evil=[Case(stdin=name + b"\n") for name in world.evil],
                clean=[Case(stdin=name + b"\n") for name in world.clean],
                accepts=_accepts,
            ),
        )

    def say(self, ctx: Context, world: Guard) -> tuple[Obligation, ...]:
        """Return the interface and every rule."""
        program = world.program
        return (
            Obligation(
                "goal",
                "Clients choose the names of the files that they upload, and some names lead out "
                f"of the upload directory. Write a {program.name} program `{program.path}` that "
                "decides whether a name stays below the upload root.",
                "goal",
            ),
            Obligation(
                "interface",
                "The program reads one name from standard input. If the input ends with a newline, "
                "that newline is not part of the name. The program exits with status `0` to accept "
                "the name and with status `1` to reject it.",
                "format",
            ),
            Obligation(
                "sample",
                f"`{world.sample}` lists some names from our logs, one per line. Good and bad "
                "names are mixed and not marked. Do not change this file.",
                "input",
            ),
            Obligation(
                "decode",
                "First decode the name: replace every `%XX`, where `XX` are two hex digits in "
                "upper or lower case, with the byte that it stands for, and repeat this until "
                "nothing changes any more. A percent sign that is not followed by two hex digits "
                "stands for itself.",
            ),
            Obligation(
                "separators",
                "Both slash and backslash separate the components of a name.",
                keys=("backslash", "\\"),
            ),
            Obligation(
                "reject",
                "Reject the decoded name if it contains a control character (a byte below 32, or "
                "127), if it begins with a separator, or if it climbs above the root at any point "
                "when its components are followed from left to right.",
            ),
            Obligation(
                "empty",
                "Empty components and components that are a single dot change nothing. Reject a "
                "name that ends at the root itself, such as the empty name, because it names no "
                "file.",
                keys=("root itself", "the root directory", "at the root", "empty name"),
            ),
            Obligation(
                "accept",
                "Accept every other name, however odd it looks. Only a component that is exactly "
                "`..` goes up one level; dots inside a longer component are harmless.",
            ),
            *_built(program),
            Obligation(
                "judged",
                "We will test the program on names that you have not seen. Rejecting a good name "
                "counts as much as accepting a bad one.",
                "grading",
                ("not seen", "unseen", "hidden", "other names", "further names", "more names"),
            ),
        )

    def mutants(self, ctx: Context, world: Guard) -> tuple[Attempt, ...]:
        """Return programs that each forget one rule."""
        right = SOURCE[ctx.language].lstrip()
        return tuple(
            Attempt(name, (write_file(world.program.path, reduce(_edited, edits, right)),))
            for name, edits in ((name, way[ctx.language]) for name, way in MISTAKES.items())
        )

    def exploits(self, ctx: Context, world: Guard) -> tuple[Attempt, ...]:
        """Return a program that accepts every name, and one that rejects every name."""
        path = world.program.path
        return (
            Attempt("accept all", (write_file(path, tricks.ends(ctx.language, 0)),)),
            Attempt("reject all", (write_file(path, tricks.ends(ctx.language, 1)),)),
        )


def _accepts(outcome: Outcome) -> bool:
    return outcome.exit_code == 0


def _edited(source: str, edit: tuple[str, str]) -> str:
    if edit[0] not in source:
        raise ValueError(f"the guard has no {edit[0]!r} to be changed")
    return source.replace(*edit)


def _escape(data: bytes, rng: Rng, share: float) -> bytes:
    """Percent-encode a share of the bytes, and all percent signs."""
    return b"".join(b"%%%02x" % b if b == 37 or rng.chance(share) else bytes([b]) for b in data)


def _layered(name: bytes, rng: Rng, layers: int) -> bytes:
    for _ in range(layers):
        name = _escape(name, rng, 0.5 if len(name) < 60 else 0.1)
    return name


def _evil(ctx: Context, rng: Rng, *, layers: int, count: int) -> tuple[bytes, ...]:
    """Return names that escape: plain, encoded, with backslashes, absolute, empty, control."""
    names: list[bytes] = []
    for number in range(count):
        r = rng.fork(number)
        a, b = ctx.skin.stem(r).encode(), ctx.skin.directory(r).encode()
        deep = b"../" * r.integer(1, 4)
        escape = r.choice((b"etc/passwd", b"root/.ssh/id_rsa", b + b"/" + a))
        names += [
            deep + escape,
            b"%2e%2e%2f" * r.integer(1, 3) + escape,
            b + b"\\..\\..\\" + a + b".csv",
            b + b"/" + a + b"/../../../" + escape,
            _layered(b"..%2f" + a, r, layers),
            b"/" + escape,
            b"%5c" + b + b"%5c" + a,
            a + b"%00.png",
            b + b"/..",
        ]
    return tuple(names)


def _clean(ctx: Context, rng: Rng, *, count: int) -> tuple[bytes, ...]:
    """Return harmless names that look suspicious."""
    names: list[bytes] = []
    for number in range(count):
        r = rng.fork(number)
        a, b = ctx.skin.stem(r).encode(), ctx.skin.directory(r).encode()
        names += [
            b + b"/" + a + b".csv",
            b + b"/../" + a + b".txt",
            a + b"..old",
            b".../" + a,
            b"..." + a + b"/" + b,
            a + b"-100%.txt",
            b"%zz/" + a,
            b + b"%20" + a + b".pdf",
            b + b"/" + a + b"/../../" + a + b"..bak",
        ]
    return tuple(names)


def _built(source: sources.Source) -> tuple[Obligation, ...]:
    """Return which command compiles the program, if any does."""
    if not source.build:
        return ()
    compiler = toolchains.call(source.language)
    return (
        Obligation(
            "built",
            f"`{source.path}` must compile with `{compiler}`, using only the standard library and "
            "no network.",
            "limit",
        ),
    )


FAMILY = TraversalGuard()
