"""What a verdict is made of: `Check`, `Gate`, the evidence they see, the five verifier kinds.

Covers scoring, as functions of evidence that was read safely and of programs that were run
elsewhere.  Does not cover how evidence is obtained (see `verifier.py`), nor which differences
between two files do not count: that is one rule for all families, stated in `tolerance.py`.

A check scores progress in [0, 1]; nothing done scores 0.  A gate is a condition that held at
the start (inputs untouched, say): it multiplies, and earns nothing.

A program is graded for what it does with its input, so it must not learn from anything else which
case it is in.  Cases run in an order that is drawn for every grading, each in the same
surroundings.  Where an answer is one of a few, every case runs in several rounds, and counts only
if all of them are right: guesses that depend on a count, a clock or a process id earn nothing
(`repeats.py`).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from tmax_gym.axes import Language, VerifierKind
from tmax_gym.checks.repeats import repeated
from tmax_gym.nodes import Node

T = TypeVar("T")
FEW = 4
"""With so many different answers, or fewer, a guess is often right: cases run several times."""


def shuffled(items: Iterable[T]) -> list[T]:
    """Return the items in an order that nobody can foresee: a new one for every grading."""
    return sorted(items, key=lambda _: secrets.randbits(64))


class BadOutput(Exception):
    """What the agent left is absent, of the wrong kind, or unreadable: that check scores 0."""


@dataclass(frozen=True, slots=True)
class Program:
    """A deliverable that the verifier runs, away from both agent and verdict."""

    path: str
    """Source or script, for example `/app/guard.py`."""
    language: Language
    """`any` runs the file itself, by its shebang or as a binary."""
    roots: tuple[str, ...] = ("/app",)
    """Trees of the agent that are copied beside it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a program."""

    argv: tuple[str, ...] = ()
    stdin: bytes = b""
    nodes: tuple[Node, ...] = ()
    """Files put in place before this run, by absolute path."""
    collect: tuple[str, ...] = ()
    """Files whose content is wanted afterwards, by absolute path."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case ended."""

    exit_code: int
    stdout: bytes
    timed_out: bool = False
    files: tuple[tuple[str, bytes], ...] = ()
    """The collected files that exist."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One step of a conversation with the agent's service."""

    id: str
    protocol: Literal["http", "tcp", "udp", "restart"]
    """`restart` stops the service and starts it again; the other fields are then unused."""
    port: int = 0
    send: bytes = b""
    """Body of an HTTP request, else the bytes to send."""
    method: str = "GET"
    target: str = "/"
    headers: tuple[tuple[str, str], ...] = ()
    connection: str = ""
    """TCP exchanges with one non-empty name share one connection."""
    until: bytes = b"\n"
    """TCP: read up to this mark (b"" reads to the end of the stream)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the service answered."""

    status: int = 0
    """HTTP status; 0 for other protocols and where nothing answered."""
    headers: tuple[tuple[str, str], ...] = ()
    """Names in lower case."""
    body: bytes = b""
    error: str = ""
    """Why there is no answer; "" where there is one."""


class Evidence(Protocol):
    """What is left of an episode, for checks: read-only files, and runs of its programs."""

    def node(self, path: str) -> Node:
        """Return one entry.  Raises `BadOutput` where it is absent."""

    def read(self, path: str, *, limit: int = 8 << 20) -> bytes:
        """Return the content of a regular file, or of the one that a link below `/app` leads to.

        Raises `BadOutput` otherwise.
        """

    def tree(self, root: str) -> tuple[Node, ...]:
        """Return everything at and below `root`, sorted by path; empty where absent.

        Where `root` is a link, what it leads to is there; links below it are links.
        """

    def run(
        self,
        program: Program,
        cases: Sequence[Case],
        *,
        timeout: float = 5.0,
        chained: int = 0,
    ) -> tuple[Outcome, ...]:
        """Run a program once a case, unprivileged, in a sandbox of its own.

        The first `chained` cases run first, in this order, and each finds what those before it
        left.  All others run in an order that is drawn, and find what the chained ones left and
        nothing else.  Outcomes come in the order of `cases`.

        Raises `BadOutput` where the program is absent or does not compile.
        """

    def talk(
        self, start: str, script: Sequence[Exchange], *, roots: tuple[str, ...] = ("/app",)
    ) -> tuple[Reply, ...]:
        """Start a service by its script, unprivileged, and hold a conversation with it."""


Score = Callable[[Evidence], float]


@dataclass(frozen=True, slots=True)
class Check:
    """A weighted measure of progress."""

    id: str
    kind: VerifierKind
    score: Score
    """Returns a number in [0, 1] or raises `BadOutput`; anything else is a verifier fault."""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition without which nothing counts."""

    id: str
    holds: Callable[[Evidence], bool]


def unchanged(id_: str, nodes: Sequence[Node]) -> Gate:
    """Return a gate: these input files still have their content."""
    wanted = tuple(n for n in nodes if n.kind == "file")

    def holds(evidence: Evidence) -> bool:
        try:
            return all(evidence.read(n.path) == n.data for n in wanted)
        except BadOutput:
            return False

    return Gate(id_, holds)


def fraction(hits: int, total: int) -> float:
    """Return hits / total, 0 for an empty total."""
    return hits / total if total else 0.0


def metric_threshold(
    id_: str,
    measure: Score,
    *,
    base: float,
    threshold: float,
    weight: float = 1.0,
) -> Check:
    """Return a check that rises from 0 at `base` (a trivial answer) to 1 at `threshold`.

    Either direction: a threshold below the base means that less is better.
    """
    if base == threshold:
        raise ValueError(f"check {id_!r}: base and threshold are both {base}")

    def score(evidence: Evidence) -> float:
        value = (measure(evidence) - base) / (threshold - base)
        return min(1.0, max(0.0, value)) if value == value else 0.0

    return Check(id_, "metric_threshold", score, weight)


def adversarial_corpus(
    id_: str,
    program: Program,
    *,
    evil: Sequence[Case],
    clean: Sequence[Case],
    accepts: Callable[[Outcome], bool],
    weight: float = 1.0,
) -> Check:
    """Return a two-sided check: true positive rate + true negative rate - 1, at least 0.

    Accepting all, rejecting all and guessing each earn 0.  Every case runs in several rounds
    (`repeats.py`): an evil one is rejected where no run accepts it, a clean one is kept where all
    do.
    """
    if not evil or not clean:
        raise ValueError(f"check {id_!r} needs both an evil and a clean corpus")

    def score(evidence: Evidence) -> float:
        def accepted(rounds: int) -> list[bool]:
            outcomes = evidence.run(program, [*evil, *clean] * rounds)
            return [not o.timed_out and accepts(o) for o in outcomes]

        answers = repeated(accepted, len(evil) + len(clean))
        rejected = sum(not any(seen) for seen in answers[: len(evil)])
        kept = sum(all(seen) for seen in answers[len(evil) :])
        # A program that never runs accepts nothing: it must not earn the evil half.
        return max(0.0, fraction(rejected, len(evil)) + fraction(kept, len(clean)) - 1.0)

    return Check(id_, "adversarial_corpus", score, weight)


def prints(stdout: bytes, wanted: bytes) -> bool:
    """Return whether an output is the wanted one: CRLF counts as LF, white space at the end not."""
    said, right = stdout.rstrip(), wanted.rstrip()
    return said == right or said.replace(b"\r\n", b"\n") == right


def fuzz_equivalence(
    id_: str,
    program: Program,
    *,
    cases: Sequence[Case],
    expected: Sequence[bytes],
    weight: float = 1.0,
    timeout: float = 5.0,
) -> Check:
    """Return a check: the share of hidden inputs with the expected output, above chance.

    Chance is the share that the best constant answer gets; it earns 0.  With at most `FEW`
    different answers, every case runs in several rounds (`repeats.py`).
    """
    if len(cases) != len(expected) or not cases:
        raise ValueError(f"check {id_!r}: {len(cases)} cases, {len(expected)} expected outputs")
    wanted = [e.rstrip() for e in expected]
    chance = max(wanted.count(w) for w in set(wanted)) / len(wanted)
    if chance >= 1.0:
        raise ValueError(f"check {id_!r}: every expected output is the same")

    def score(evidence: Evidence) -> float:
        def right(rounds: int) -> list[bool]:
            outcomes = evidence.run(program, [*cases] * rounds, timeout=timeout)
            return [
                not o.timed_out and o.exit_code == 0 and prints(o.stdout, w)
                for o, w in zip(outcomes, wanted * rounds, strict=True)
            ]

        if len(set(wanted)) > FEW:
            hits = sum(right(1))
        else:
            hits = sum(all(seen) for seen in repeated(right, len(cases)))
        return max(0.0, (fraction(hits, len(wanted)) - chance) / (1.0 - chance))

    return Check(id_, "fuzz_equivalence", score, weight)


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange and what its reply must satisfy."""

    exchange: Exchange
    expect: Callable[[Reply], bool] | None = None
    """None for a step that only prepares the next ones."""
    weight: float = 1.0


def multi_protocol(
    id_: str,
    start: str,
    turns: Sequence[Turn],
    *,
    roots: tuple[str, ...] = ("/app",),
    weight: float = 1.0,
) -> Check:
    """Return a check: the weighted share of turns that a started service answers rightly."""
    total = sum(t.weight for t in turns if t.expect)
    if not total:
        raise ValueError(f"check {id_!r} expects nothing")

    def score(evidence: Evidence) -> float:
        replies = evidence.talk(start, [t.exchange for t in turns], roots=roots)
        return (
            sum(
                turn.weight
                for turn, reply in zip(turns, replies, strict=True)
                if turn.expect and not reply.error and turn.expect(reply)
            )
            / total
        )

    return Check(id_, "multi_protocol", score, weight)
