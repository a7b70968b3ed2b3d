"""DSC-15 intake gate: a program that tells plausible records from corrupted ones.

A data dictionary says what is checked.  Labelled examples decide some of the checks, as the
dictionary explains exactly, and there are more of these at a higher level.  Below `SHORT` there is
only a list of lines instead.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tmax_gym.checks.check import Case, Check, Gate, Outcome, Program, adversarial_corpus, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_science.intake_gate import plausible
from tmax_gym.families.data_science.intake_gate.rendering import BASH, LEARNED, MISTAKES, PYTHON
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
"""The level below which a list of lines decides."""
KIND = {"python": "a Python program", "bash": "a Bash script"}
SUFFIX = {"python": "py", "bash": "sh"}


@dataclass(frozen=True, kw_only=True)
class Intake(World):
    """The decided facts."""

    program: str
    evil: tuple[str, ...]
    """Hidden records to reject, as they come on standard input."""
    clean: tuple[str, ...]
    dictionary: str = ""
    history: str = ""
    listed: str = ""
    """The path of the list in a short task."""
    blocked: bool = False
    """Whether the list of a short task holds what is rejected."""


class IntakeGate(Family[Intake]):
    """Learn from a dictionary and examples what a record must look like, and enforce it."""

    id = "DSC-15"
    slug = "intake-gate"
    domain = "data_science"
    skill = "Testing"
    primitives = (
        "Data schema enforcement",
        "Missing value and outlier handling",
        "Tokenization and dataset preparation",
    )
    fixtures = ("text_only",)
    verifiers = ("adversarial_corpus",)
    languages = ("python", "bash")
    tools = ("bash", "jq", "python3")

    def world(self, ctx: Context) -> Intake:
        """Return a dictionary, a history, and hidden records that only just pass or fail."""
        target = ctx.path(f"gate.{SUFFIX[ctx.language]}")
        if ctx.level < SHORT:
            return _short(ctx, target)
        rng = ctx.rng.fork("intake")
        truth = plausible.truth(ctx.skin, rng.fork("truth"), _options(ctx, rng.fork("options")))
        rules = ("structure", "picture", "listed", "range", *sorted(truth.options))
        evil = [
            plausible.shown(plausible.corrupted(truth, r, rule, turn=turn), r)
            for rule in rules
            for turn in range(6 if rule == "structure" else 3)
            for r in (rng.fork("evil", rule, turn),)
        ]
        clean = [
            plausible.shown(plausible.honest(truth, r, turn), r)
            for turn in range(16)
            for r in (rng.fork("clean", turn),)
        ]
        dictionary, history = ctx.path("dictionary.json"), ctx.path("history.jsonl")
        title = f"{ctx.skin.thing(rng.fork('title')).singular} records"
        return Intake(
            nodes=(
                text(dictionary, plausible.dictionary(truth, title)),
                _history(ctx, truth, rules, history),
            ),
            outputs=(target,),
            program=target,
            evil=(*evil, clean[0][:-1], "[]"),
            clean=tuple(clean),
            dictionary=dictionary,
            history=history,
        )

    def oracle(self, ctx: Context, world: Intake) -> tuple[str, ...]:
        """Return the program after a look at both files, or a search below `SHORT`."""
        if world.listed:
            command = _searcher(ctx, world, "-qxF")
            if ctx.rng.fork("way").chance(0.5):
                command = command.replace(f"> {world.program}", f"> /tmp/gate; {_put(world)}")
            return (command,)
        return (
            f"cat {world.dictionary}; head -n 4 {world.history}; wc -l {world.history}",
            write_file(world.program, _program(ctx, world)),
        )

    def alternative(self, ctx: Context, world: Intake) -> tuple[str, ...] | None:
        """Return a script that starts a Python program, if the language is Bash."""
        if world.listed or ctx.language != "bash":
            return None
        inner = ctx.path("gate_check.py")
        return (
            write_file(inner, _placed(PYTHON, world)),
            write_file(world.program, f"exec python3 {inner}"),
        )

    def checks(self, ctx: Context, world: Intake) -> tuple[Check | Gate, ...]:
        """Return a check with records to accept and records to reject."""
        corpus = adversarial_corpus(
            "records",
            Program(world.program, ctx.language),
            evil=[Case(stdin=record.encode() + b"\n") for record in world.evil],
            clean=[Case(stdin=record.encode() + b"\n") for record in world.clean],
            accepts=_accepts,
        )
        return (unchanged("knowledge", world.nodes), corpus)

    def say(self, ctx: Context, world: Intake) -> tuple[Obligation, ...]:
        """Return the interface of the program, and where its rules are."""
        kind = KIND[ctx.language]
        return _say_short(kind, world) if world.listed else _say(kind, world)

    def mutants(self, ctx: Context, world: Intake) -> tuple[Attempt, ...]:
        """Return programs with mistakes or without the examples, or careless searches."""
        if world.listed:
            wrong = {"any part of a line": "-qF", "any case": "-qxiF", "any beginning": "-q"}
            return tuple(
                Attempt(name, (_searcher(ctx, world, flags),)) for name, flags in wrong.items()
            )
        right = _program(ctx, world)
        mistakes = {
            name: right.replace(old, new) for name, (old, new) in MISTAKES[ctx.language].items()
        }
        mistakes["dictionary alone"] = right
        for old, new in LEARNED[ctx.language]:
            mistakes["dictionary alone"] = mistakes["dictionary alone"].replace(old, new)
        return tuple(
            Attempt(name, (write_file(world.program, body),)) for name, body in mistakes.items()
        )

    def exploits(self, ctx: Context, world: Intake) -> tuple[Attempt, ...]:
        """Return programs that ignore their input, and one that knows only the examples."""
        python = ctx.language == "python"
        known = world.listed or world.history
        bodies = {
            "accept all": "import sys; sys.exit(0)" if python else "exit 0",
            "reject all": "import sys; sys.exit(1)" if python else "exit 1",
        }
        if not world.listed:
            bodies["seen before"] = (
                f"import sys\nsys.exit(sys.stdin.read().strip() not in open({known!r}).read())"
                if python
                else f'grep -qF -- "$(cat)" {known}'
            )
        return tuple(
            Attempt(name, (write_file(world.program, body),)) for name, body in bodies.items()
        )


def _say(kind: str, world: Intake) -> tuple[Obligation, ...]:
    return (
        Obligation(
            "goal",
            f"Corrupted records keep getting into our data. Write {kind}, `{world.program}`, that "
            "accepts a record if it is plausible and rejects it otherwise.",
            "goal",
        ),
        Obligation(
            "dictionary",
            f"`{world.dictionary}` says what makes a record plausible: which fields it has, how "
            "each field is checked, and how fields are related. It also has notes on how to read "
            "all this.",
            "input",
        ),
        Obligation(
            "history",
            f"`{world.history}` has earlier records, one on each line, each with the right "
            "verdict. Some checks in the dictionary depend on them.",
            "input",
        ),
        Obligation(
            "interface",
            "Each run of the program gets one record as JSON on standard input. Its exit status is "
            "0 if it accepts the record and 1 if it rejects it. Input that is not JSON is "
            "rejected.",
            "format",
        ),
        Obligation(
            "keep",
            "Leave both files unchanged and where they are. The program may read them whenever it "
            "runs.",
            "limit",
            (
                "unchanged",
                "as they are",
                "do not change",
                "don't change",
                "don't touch",
                "in place",
            ),
        ),
        Obligation(
            "unseen",
            "We will test the program with plausible and corrupted records that you have not seen.",
            "grading",
            ("not seen", "unseen", "other records", "hidden", "new records", "never seen"),
        ),
    )


def _say_short(kind: str, world: Intake) -> tuple[Obligation, ...]:
    listed, other = ("rejects", "accepts") if world.blocked else ("accepts", "rejects")
    status, back = (1, 0) if world.blocked else (0, 1)
    return (
        Obligation(
            "goal",
            f"Write {kind}, `{world.program}`, that reads one line from standard input and looks "
            f"it up in the list `{world.listed}`.",
            "goal",
        ),
        Obligation(
            "verdict",
            "If the line is exactly a line of the list, with the same upper and lower case, the "
            f"program {listed} it with exit status {status}. Otherwise it {other} it with exit "
            f"status {back}.",
        ),
        Obligation(
            "keep",
            "Leave the list unchanged and where it is. The program may read it whenever it runs.",
            "limit",
            ("unchanged", "as it is", "do not change", "don't change", "don't touch", "in place"),
        ),
        Obligation(
            "unseen",
            "We will test the program with many lines, some of which are only similar to lines of "
            "the list.",
            "grading",
            ("test", "try", "similar", "check"),
        ),
    )


def _put(world: Intake) -> str:
    return f"install -m 755 /tmp/gate {world.program}; rm /tmp/gate"


def _accepts(outcome: Outcome) -> bool:
    return outcome.exit_code == 0


def _placed(body: str, world: Intake) -> str:
    return body.replace("@dictionary", world.dictionary).replace("@history", world.history)


def _program(ctx: Context, world: Intake) -> str:
    return _placed(PYTHON if ctx.language == "python" else BASH, world)


def _options(ctx: Context, rng: Rng) -> frozenset[str]:
    """Return the checks that examples decide, from one to all six."""
    chosen = set(rng.sample(plausible.OPTIONS, ctx.knob(1, 6)))
    return frozenset(chosen | ({"observed"} if "pair" in chosen else set()))


def _history(ctx: Context, truth: plausible.Truth, rules: tuple[str, ...], path: str) -> Node:
    """Return labelled records in a random order."""
    rng = ctx.rng.fork("history")
    records: list[tuple[object, str]] = [
        (plausible.honest(truth, rng.fork("good", turn), turn), "accepted")
        for turn in range(ctx.knob(48, 160))
    ]
    records += [
        (plausible.corrupted(truth, rng.fork("bad", rule, turn), rule, turn=turn), "rejected")
        for rule in rules
        for turn in range(3)
    ]
    lines = [
        f'{{"record": {plausible.shown(record, rng)}, "verdict": {json.dumps(verdict)}}}\n'
        for record, verdict in rng.shuffled(records)
    ]
    return text(path, "".join(lines))


def _short(ctx: Context, target: str) -> Intake:
    """Return a task in which a list decides."""
    rng = ctx.rng.fork("short")
    blocked = rng.chance(0.5)
    listed = ctx.path("blocked.txt" if blocked else "known.txt")
    known = sorted({ctx.skin.code(rng.fork("known", n)) for n in range(24)})
    other = [code for n in range(40) if (code := ctx.skin.code(rng.fork("other", n))) not in known]
    # A careless search finds these, too: parts of lines, and lines in another case.
    near = [f(code) for code in known[::3] for f in (lambda c: c[:-1], str.lower, lambda c: c[1:])]
    unlisted = [line for line in (*near, *other[:6]) if line not in known]
    chosen = rng.sample(known, 14)
    return Intake(
        nodes=(text(listed, "\n".join(rng.shuffled(known)) + "\n"),),
        outputs=(target,),
        program=target,
        evil=tuple(chosen if blocked else unlisted),
        clean=tuple(unlisted if blocked else chosen),
        listed=listed,
        blocked=blocked,
    )


def _searcher(ctx: Context, world: Intake, flags: str) -> str:
    """Return the command that writes the program of a short task; `-qxF` is right."""
    if ctx.language == "bash":
        sign = "! " if world.blocked else ""
        body = f'{sign}grep {flags} -- "$(cat)" {world.listed}'
    else:
        lines = f'open("{world.listed}").read().splitlines()'
        test = {
            "-qxF": f"r in {lines}",
            "-qF": f"any(r in line for line in {lines})",
            "-qxiF": f"r.lower() in [line.lower() for line in {lines}]",
            "-q": f"any(line.startswith(r) for line in {lines})",
        }[flags]
        sign = "" if world.blocked else "not "
        body = f"import sys; r = sys.stdin.read().strip(); sys.exit({sign}({test}))"
    return f"printf '%s\\n' '{body}' > {world.program}"


FAMILY = IntakeGate()
