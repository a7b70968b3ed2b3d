"""Checks that several families share: a table under either verifier kind, answers by the line.

Covers row F1 as a metric, and programs that answer many questions in one run, so that a few
starts of an interpreter test hundreds of inputs.  Does not cover what is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import (
    Case,
    Check,
    Evidence,
    Outcome,
    Program,
    Reply,
    Turn,
    fraction,
    metric_threshold,
    shuffled,
)
from tmax_gym.checks.repeats import repeated
from tmax_gym.families.contract import Context

Rows = Sequence[Sequence[object]]


def table(
    ctx: Context, id_: str, path: str, *, header: Sequence[str], rows: Rows, weight: float = 1.0
) -> Check:
    """Return a check of a CSV table: its rows exactly, or their F1 where a metric is asked for."""
    if ctx.verifier != "metric_threshold":
        return exact.rows(id_, path, rows, header=header, weight=weight)
    wanted = Counter(tuple(str(cell) for cell in row) for row in rows)

    def measure(evidence: Evidence) -> float:
        rows = exact.read_table(evidence, path, header)
        seen = Counter(tolerance.alike(rows, list(wanted)))
        hits = sum((seen & wanted).values())
        return fraction(2 * hits, seen.total() + wanted.total())

    return metric_threshold(id_, measure, base=0.0, threshold=1.0, weight=weight)


def answers(
    id_: str,
    program: Program,
    cases: Sequence[Case],
    *,
    expected: Sequence[Sequence[str]],
    weight: float = 1.0,
) -> Check:
    """Return a fuzz check over lines: the share that is right, above the best constant line."""
    wanted = [line for part in expected for line in part]
    chance = max(wanted.count(line) for line in set(wanted)) / len(wanted)
    if chance >= 1.0:
        raise ValueError(f"check {id_!r}: every expected line is the same")

    def score(evidence: Evidence) -> float:
        hits = total = 0
        for outcome, part in zip(evidence.run(program, cases), expected, strict=True):
            printed = _said(outcome).rstrip("\n").split("\n")
            dead = outcome.timed_out or outcome.exit_code != 0
            total += max(len(part), len(printed))
            pairs = zip_longest(printed, part)
            hits += 0 if dead else sum(a is not None and a == b for a, b in pairs)
        return max(0.0, (fraction(hits, total) - chance) / (1.0 - chance))

    return Check(id_, "fuzz_equivalence", score, weight)


def verdicts(
    id_: str,
    program: Program,
    cases: Sequence[Case],
    *,
    wanted: Sequence[Sequence[bool]],
    words: tuple[str, str],
    weight: float = 1.0,
) -> Check:
    """Return a two-sided check over lines, each of which is one of two words (good, bad).

    True positive rate + true negative rate - 1: a constant answer earns nothing.  Every case
    runs in several rounds, and a line counts where all of them say it.
    """
    good, bad = (sum(part.count(kind) for part in wanted) for kind in (True, False))
    if not good or not bad:
        raise ValueError(f"check {id_!r} needs both good and bad inputs")

    def score(evidence: Evidence) -> float:
        def told(rounds: int) -> list[tuple[str, ...]]:
            outcomes = evidence.run(program, [*cases] * rounds)
            dead = [outcome.timed_out or outcome.exit_code != 0 for outcome in outcomes]
            lines = [tuple(_said(outcome).split("\n")) for outcome in outcomes]
            return [() if gone else lines_ for gone, lines_ in zip(dead, lines, strict=True)]

        kept = refused = 0
        every = repeated(told, len(cases), answers_each=max(1, (good + bad) // len(cases)))
        for answers, part in zip(every, wanted, strict=True):
            if min(map(len, answers)) < len(part):
                continue
            for fine, *lines in zip(part, *answers, strict=False):
                kept += fine and set(lines) == {words[0]}
                refused += not fine and set(lines) == {words[1]}
        return max(0.0, fraction(kept, good) + fraction(refused, bad) - 1.0)

    return Check(id_, "adversarial_corpus", score, weight)


def by_line(evidence: Evidence, program: Program, lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return a program's answers to each line, in two runs with the lines in drawn orders.

    Nothing where a run fails or does not give one line for each line: an answer that depends on
    the place of a line, and not on its content, differs between the runs.
    """
    orders = [shuffled(range(len(lines))) for _ in range(2)]
    cases = [Case(stdin="".join(f"{lines[n]}\n" for n in order).encode()) for order in orders]
    answers: list[tuple[str, ...]] = [() for _ in lines]
    for order, outcome in zip(orders, evidence.run(program, cases), strict=True):
        printed = _said(outcome).splitlines()
        if outcome.timed_out or outcome.exit_code or len(printed) != len(lines):
            return []
        for number, answer in zip(order, printed, strict=True):
            answers[number] += (answer,)
    return [(first, second) for first, second in answers]


def conversation(
    id_: str,
    start: str,
    groups: Sequence[Sequence[Turn]],
    *,
    roots: tuple[str, ...] = ("/app",),
    weight: float = 1.0,
) -> Check:
    """Return a protocol check over groups of turns: a group counts where all of it is right.

    With a positive answer in each group, a service that says the same to everybody earns nothing.
    """

    def score(evidence: Evidence) -> float:
        turns = [turn for group in groups for turn in group]
        replies = iter(evidence.talk(start, [turn.exchange for turn in turns], roots=roots))
        done = 0
        for group in groups:
            done += all([_heard(turn, next(replies)) for turn in group])
        return fraction(done, len(groups))

    return Check(id_, "multi_protocol", score, weight)


def _said(outcome: Outcome) -> str:
    return outcome.stdout.decode("utf-8", "replace").replace("\r\n", "\n")


def _heard(turn: Turn, reply: Reply) -> bool:
    return not reply.error and (turn.expect is None or turn.expect(reply))
