"""DSC-15 intake gate: a program that tells plausible records from corrupted ones.

A data dictionary says what is checked; some checks are decided by labelled examples, exactly
as the dictionary explains.  More of them apply as the level rises.  Below `SHORT` there is a
bare list instead.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tmax_gym.checks.check import Case, Check, Gate, Outcome, Program, adversarial_corpus, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_science.intake_gate import plausible, words
from tmax_gym.families.data_science.intake_gate.rendering import BASH, LEARNED, MISTAKES, PYTHON
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

SHORT = 0.2
"""Level below which a list of known lines decides."""
KIND = {"python": "a Python program", "bash": "a Bash script"}
SUFFIX = {"python": "py", "bash": "sh"}


@dataclass(frozen=True, kw_only=True)
class Intake(World):
    """The decided facts."""

    program: str
    evil: tuple[str, ...]
    """Hidden records to be rejected, as they come on standard input."""
    clean: tuple[str, ...]
    dictionary: str = ""
    history: str = ""
    listed: str = ""
    """Path of the list of a short task."""
    blocked: bool = False
    """Short: the list holds what is rejected."""


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
        """Return a dictionary and a history, and hidden records that barely pass or fail."""
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
        """Return the program, after a look at both files; a search below `SHORT`."""
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
        """Return a script that hands over to Python where the language is Bash."""
        if world.listed or ctx.language != "bash":
            return None
        inner = ctx.path("gate_check.py")
        return (
            write_file(inner, _placed(PYTHON, world)),
            write_file(world.program, f"exec python3 {inner}"),
        )

    def checks(self, ctx: Context, world: Intake) -> tuple[Check | Gate, ...]:
        """Return the two-sided corpus."""
        corpus = adversarial_corpus(
            "records",
            Program(world.program, ctx.language),
            evil=[Case(stdin=record.encode() + b"\n") for record in world.evil],
            clean=[Case(stdin=record.encode() + b"\n") for record in world.clean],
            accepts=_accepts,
        )
        return (unchanged("knowledge", world.nodes), corpus)

    def say(self, ctx: Context, world: Intake) -> tuple[Clause, ...]:
        """Return the interface and where the knowledge is."""
        kind = KIND[ctx.language]
        if world.listed:
            return words.short(kind, world.program, world.listed, blocked=world.blocked)
        goal = words.goal(kind, world.program)
        return (goal, *words.rest(world.dictionary, world.history))

    def mutants(self, ctx: Context, world: Intake) -> tuple[Attempt, ...]:
        """Return programs with mistakes, one with the dictionary alone, and careless searches."""
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
        """Return programs that ignore their input, and one that only knows the examples."""
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


def _put(world: Intake) -> str:
    return f"install -m 755 /tmp/gate {world.program}; rm /tmp/gate"


def _accepts(outcome: Outcome) -> bool:
    return outcome.exit_code == 0


def _placed(body: str, world: Intake) -> str:
    return body.replace("@dictionary", world.dictionary).replace("@history", world.history)


def _program(ctx: Context, world: Intake) -> str:
    return _placed(PYTHON if ctx.language == "python" else BASH, world)


def _options(ctx: Context, rng: Rng) -> frozenset[str]:
    """Return the checks that examples decide: one, or up to all six."""
    chosen = set(rng.sample(plausible.OPTIONS, ctx.knob(1, 6)))
    return frozenset(chosen | ({"observed"} if "pair" in chosen else set()))


def _history(ctx: Context, truth: plausible.Truth, rules: tuple[str, ...], path: str) -> Node:
    """Return labelled records in random order."""
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
    """Return a task that a list decides."""
    rng = ctx.rng.fork("short")
    blocked = rng.chance(0.5)
    listed = ctx.path("blocked.txt" if blocked else "known.txt")
    known = sorted({ctx.skin.code(rng.fork("known", n)) for n in range(24)})
    other = [code for n in range(40) if (code := ctx.skin.code(rng.fork("other", n))) not in known]
    # What a careless search takes for listed: a part, another case, a beginning.
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
