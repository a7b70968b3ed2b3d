"""Checks and gates, the evidence that they judge, and the five kinds of verifiers.

Checks are functions of evidence; `grading/verifier.py` collects the evidence, and `tolerance.py`
says which differences between files do not count, the same for all families.

A check scores progress in [0, 1]; doing nothing scores 0.  A gate is a condition that holds at the
start, for example that inputs are unchanged: it multiplies the reward and earns nothing itself.

A program is graded for its answers to inputs, so it must have no other way to tell cases apart.
Cases run in a random order for every grading, each in the same environment.  If there are only a
few different answers, every case runs in several rounds and counts only if all are right, so that
guesses by a counter, a clock or a process id earn nothing (`repeats.py`).
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
"""With so few different answers a guess is often right, so that cases run several times."""


def shuffled(items: Iterable[T]) -> list[T]:
    """Return the items in an unpredictable order, a new one for every grading."""
    return sorted(items, key=lambda _: secrets.randbits(64))


class BadOutput(Exception):
    """The agent's output is absent, of the wrong kind, or unreadable: the check scores 0."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of the agent that the verifier runs in a separate sandbox."""

    path: str
    """Path of the source or script, for example `/app/guard.py`."""
    language: Language
    """`any` runs the file itself, by its shebang or as a binary."""
    roots: tuple[str, ...] = ("/app",)
    """Directories of the agent that are copied with it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a program."""

    argv: tuple[str, ...] = ()
    stdin: bytes = b""
    nodes: tuple[Node, ...] = ()
    """Files that are written before this run, by absolute path."""
    collect: tuple[str, ...] = ()
    """Files whose content is read afterwards, by absolute path."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a case."""

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
    """The answer of the service."""

    status: int = 0
    """HTTP status; 0 for other protocols, or without an answer."""
    headers: tuple[tuple[str, str], ...] = ()
    """Names in lower case."""
    body: bytes = b""
    error: str = ""
    """Why there is no answer; "" if there is one."""


class Evidence(Protocol):
    """The state after an episode, for checks: files to read, and programs to run."""

    def node(self, path: str) -> Node:
        """Return one entry; raise `BadOutput` if it is absent."""

    def read(self, path: str, *, limit: int = 8 << 20) -> bytes:
        """Return the content of a regular file, or of the one that a link below `/app` leads to.

        Raises `BadOutput` otherwise.
        """

    def tree(self, root: str) -> tuple[Node, ...]:
        """Return everything at and below `root`, sorted by path; empty if it is absent.

        If `root` is a link, it is followed; links below it are not.
        """

    def run(
        self,
        program: Program,
        cases: Sequence[Case],
        *,
        timeout: float = 5.0,
        chained: int = 0,
    ) -> tuple[Outcome, ...]:
        """Run a program once for every case, unprivileged, in a separate sandbox.

        The first `chained` cases run first, in this order, and each sees the files of those before
        it.  All others run in a random order, and see only the files of the chained ones.
        Outcomes are in the order of `cases`.

        Raises `BadOutput` if the program is absent or does not compile.
        """

    def talk(
        self, start: str, script: Sequence[Exchange], *, roots: tuple[str, ...] = ("/app",)
    ) -> tuple[Reply, ...]:
        """Start a service by its script, unprivileged, and exchange messages with it."""


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
    """A condition without which the reward is 0."""

    id: str
    holds: Callable[[Evidence], bool]


def unchanged(id_: str, nodes: Sequence[Node]) -> Gate:
    """Return a gate that these input files are unchanged."""
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
    (`repeats.py`): an evil one counts as rejected if no run accepts it, a clean one as kept if all
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
    """Return whether an output is right, up to CRLF for LF and white space at the end."""
    printed, right = stdout.rstrip(), wanted.rstrip()
    return printed == right or printed.replace(b"\r\n", b"\n") == right


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

    Chance is the score of the best constant answer, which earns 0.  With at most `FEW`
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
    """One exchange, and a condition for its reply."""

    exchange: Exchange
    expect: Callable[[Reply], bool] | None = None
    """None for an exchange that only prepares the next ones."""
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
