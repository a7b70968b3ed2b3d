"""DBG-03 seeded fault: a vendored library answers wrongly; the report shows only symptoms.

The library's docstrings describe the right behaviour; one to four of its lines are wrong.  The
score is the share of right answers for hidden inputs that the faulty library gets wrong; the others
must stay right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks.check import Case, Check, Evidence, Gate, Program, fraction, prints, unchanged
from tmax_gym.families import products
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.debugging.seeded_fault.faults import LIBRARIES
from tmax_gym.families.debugging.seeded_fault.library import TOOL, Fault, Library
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHOWN, GUARDED, CALM = 8, 2, 4
"""Hidden scripts for an injected fault, for each other one, and of those that are right now.

With at most four of nine faults injected, every one is in over 15 % of the scripts.
"""
TRIES = 60
"""Draws after which a fault counts as hidden; scripts show theirs every second time or so."""
SETS = 20
"""Draws of faults until none hides another."""


@dataclass(frozen=True, kw_only=True)
class Vendored(World):
    """The decided facts."""

    library: Library
    injected: tuple[Fault, ...]
    module: str
    tool: str
    issue: str
    examples: tuple[str, ...]
    """A shortest script for every fault, as the report shows it."""
    wrong: tuple[str, ...]
    """Hidden scripts that the faulty library answers wrongly."""
    right: tuple[str, ...]
    """Hidden scripts that it answers rightly."""


class _Masked(ValueError):
    """A fault that shows in no script while the others are there."""


class SeededFault(Family[Vendored]):
    """Find and repair wrong lines from what a user saw."""

    id = "DBG-03"
    slug = "seeded-fault"
    domain = "debugging"
    skill = "Debugging"
    primitives = (
        "Existing codebase comprehension and reading",
        "Delta debugging and test minimization",
        "Boundary condition and off-by-one repair",
        "Intermediate state tracing",
    )
    fixtures = ("vendored_package",)
    verifiers = ("fuzz_equivalence",)
    languages = ("python",)
    tools = ("bash", "python3", "sed")
    followed_by = {  # noqa: RUF012
        "batch-run": ("tool", "The scripts that got wrong answers have to be run again."),
        "command-wrapper": ("tool", "Users want a command that they can call from anywhere."),
        "make-target": ("tool", "The answers should be renewed whenever a script changes."),
        "patch-file": ("repair", "The authors of the library want to see our repair as a patch."),
        "git-commit": ("repair", "Changes of vendored code have to be on record."),
    }

    def world(self, ctx: Context) -> Vendored:
        """Return a faulty library, a tool that uses it and a report."""
        for attempt in range(SETS):
            try:
                return _vendored(ctx, ctx.rng.fork("fault", *([attempt] if attempt else [])))
            except _Masked:
                continue  # one fault hides another: draw other faults
        raise ValueError(f"no {ctx.knob(1, 4)} faults that all show, in {SETS} draws")

    def oracle(self, ctx: Context, world: Vendored) -> tuple[str, ...]:
        """Return a look around and one edit for each fault."""
        edits = _edits(world, world.library.source())
        trial = write_file("/tmp/shown.txt", world.examples[0])
        return (
            f"cat {world.issue}",
            f"cat {world.module}",
            *edits,
            f"{trial}\npython3 {world.tool} < /tmp/shown.txt; rm /tmp/shown.txt",
        )

    def alternative(self, ctx: Context, world: Vendored) -> tuple[str, ...] | None:
        """Return the module written anew."""
        return (write_file(world.module, world.library.source()),)

    def checks(self, ctx: Context, world: Vendored) -> tuple[Check | Gate, ...]:
        """Return the hidden scripts; tool and report stay."""
        keep = [node for node in world.nodes if node.path != world.module]
        return (unchanged("tool and report", keep), _differential(world))

    def products(self, ctx: Context, world: Vendored) -> Mapping[str, products.Product]:
        """Return the tool with the repaired library, and the library itself."""
        library = world.library

        def case(rng: Rng) -> products.Case:
            script = library.script(rng, rng.choice(library.faults))
            return products.Case(script.encode(), library.answers(script).encode())

        folder, _, name = world.module.rpartition("/")
        before = {name: library.source(*world.injected).encode()}
        run = f"python3 {world.tool}"
        return {
            "tool": products.Program(world.module, run, case, "scripts of commands"),
            "repair": products.Edits(folder, before, "library"),
        }

    def say(self, ctx: Context, world: Vendored) -> tuple[Obligation, ...]:
        """Return where the report is, what may change, and what says what is right."""
        return (
            Obligation(
                "goal",
                f"Our vendored library `{world.module}` gives wrong answers. `{world.issue}` shows "
                f"what users have noticed. Find the causes in the library and repair them.",
                "goal",
            ),
            Obligation(
                "tool",
                f"`{world.tool}` uses the library: it reads commands from standard input, one on "
                f"each line, and prints one line for each of them.",
                "input",
            ),
            Obligation(
                "truth",
                "The docstrings of the library are right. Wherever the code differs from its "
                "docstring, the code is wrong.",
                "rule",
                ("docstring",),
            ),
            Obligation("keep", f"Do not change `{world.tool}` or `{world.issue}`.", "limit"),
            Obligation(
                "unseen",
                f"We will run `{world.tool}` on other commands than those in the report. Whatever "
                f"is answered rightly now must stay right: if any such answer goes wrong, the "
                f"repair counts for nothing.",
                "grading",
            ),
        )

    def mutants(self, ctx: Context, world: Vendored) -> tuple[Attempt, ...]:
        """Return repairs that forget a fault, and repairs that break something else."""
        library, injected = world.library, world.injected
        rest = [fault for fault in library.faults if fault not in injected]
        wrong = {f"breaks: {fault.right}": (fault,) for fault in rest[:3]}
        if len(injected) > 1:
            wrong |= {f"leaves: {fault.right}": (fault,) for fault in injected}
        return tuple(
            Attempt(name, _edits(world, library.source(*left))) for name, left in wrong.items()
        )

    def exploits(self, ctx: Context, world: Vendored) -> tuple[Attempt, ...]:
        """Return a library that prints the shown answers, and a changed tool."""
        known = "".join(world.library.answers(script) for script in world.examples)
        parrot = (
            f"KNOWN = iter({known.splitlines()!r})\n\n\nclass Session:\n"
            "    def run(self, *words):\n        return next(KNOWN, 'ok')\n"
        )
        return (
            Attempt("by heart", (write_file(world.module, parrot),)),
            Attempt(
                "another tool",
                (f"cp {world.module} {world.tool}", f"echo 'print(1)' >> {world.tool}"),
            ),
        )


def _vendored(ctx: Context, rng: Rng) -> Vendored:
    """Return a faulty library, a tool that uses it and a report, or raise `_Masked`."""
    library = rng.choice(LIBRARIES)
    injected = tuple(rng.sample(library.faults, ctx.knob(1, 4)))
    examples = tuple(
        _shortest(library, _hitting(library, rng.fork("shown", i), fault, injected), injected, i)
        for i, fault in enumerate(injected)
    )
    wrong, right = _hidden(library, rng.fork("hidden"), injected)
    name = library.name
    module, tool = ctx.path("vendor", name, f"{name}.py"), ctx.path("tool.py")
    issue = ctx.path(f"issue_{rng.integer(11, 480)}.md")
    report = _report(ctx, library, injected, examples)
    return Vendored(
        nodes=(
            text(tool, TOOL.replace("NAME", name)),
            text(module, library.source(*injected)),
            prose(issue, report),
        ),
        outputs=(module,),
        library=library,
        injected=injected,
        module=module,
        tool=tool,
        issue=issue,
        examples=examples,
        wrong=wrong,
        right=right,
    )


def _hitting(library: Library, rng: Rng, fault: Fault, injected: tuple[Fault, ...]) -> str:
    """Return a script that a fault spoils, alone and with the others."""
    for attempt in range(TRIES):
        script = library.script(rng.fork(attempt), fault)
        good = library.answers(script)
        if library.answers(script, fault) != good != library.answers(script, *injected):
            return script
    raise _Masked(f"{library.name}: no script shows {fault.wrong!r} in {TRIES} draws")


def _shortest(library: Library, script: str, injected: tuple[Fault, ...], index: int) -> str:
    """Return a script without the lines that its fault does not need."""
    lines = script.splitlines(keepends=True)
    for spot in reversed(range(len(lines))):
        fewer = "".join(lines[:spot] + lines[spot + 1 :])
        good = library.answers(fewer)
        alone, together = (injected[index],), injected
        if library.answers(fewer, *alone) != good != library.answers(fewer, *together):
            del lines[spot]
    return "".join(lines)


def _hidden(
    library: Library, rng: Rng, injected: tuple[Fault, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return hidden scripts: those that are answered wrongly now, and the others."""
    drawn: list[str] = []
    for i, fault in enumerate(library.faults):
        if fault in injected:
            own = [_hitting(library, rng.fork(i, n), fault, injected) for n in range(SHOWN)]
        else:
            own = [_hitting(library, rng.fork(i, n), fault, (fault,)) for n in range(GUARDED)]
        drawn += own
    faulty = {s for s in drawn if library.answers(s) != library.answers(s, *injected)}
    calm = [s for s in drawn if s not in faulty]
    for attempt in range(TRIES):
        if len(calm) >= CALM:
            break
        stream = rng.fork("calm", attempt)
        script = library.script(stream, stream.choice(library.faults))
        if library.answers(script) == library.answers(script, *injected):
            calm.append(script)
    return tuple(s for s in drawn if s in faulty), tuple(calm)


def _differential(world: Vendored) -> Check:
    """Return the check: share of wrong scripts repaired, or 0 if a right one broke."""
    scripts = (*world.wrong, *world.right)
    cases = [Case(stdin=script.encode()) for script in scripts]
    expected = [world.library.answers(script).encode() for script in scripts]
    mended = len(world.wrong)

    def score(evidence: Evidence) -> float:
        outcomes = evidence.run(Program(world.tool, "python"), cases)
        good = [
            not o.timed_out and o.exit_code == 0 and prints(o.stdout, e)
            for o, e in zip(outcomes, expected, strict=True)
        ]
        return fraction(sum(good[:mended]), mended) if all(good[mended:]) else 0.0

    return Check("answers", "fuzz_equivalence", score)


def _edits(world: Vendored, wanted: str) -> tuple[str, ...]:
    """Return one sed command for every line that differs from a wanted module."""
    lines = world.library.source(*world.injected).splitlines()
    commands = []
    for number, (old, new) in enumerate(zip(lines, wanted.splitlines(), strict=True), start=1):
        if old != new:
            body = re.sub(r"([\\&|])", r"\\\1", new).replace("'", "'\\''")
            commands.append(f"sed -i '{number}s|.*|{body}|' {world.module}")
    return tuple(commands)


def _report(
    ctx: Context, library: Library, injected: tuple[Fault, ...], examples: tuple[str, ...]
) -> str:
    """Return the issue: complaints in users' words, commands and answers."""
    rng = ctx.rng.fork("report")
    thing = ctx.skin.thing(rng).plural
    parts = [
        f"# Wrong answers from the {library.name} tool",
        f"{ctx.skin.person(rng)}, {ctx.skin.org(rng)}: we use it for {thing}. "
        "Each example is a fresh run of the tool.",
    ]
    for number, (fault, script) in enumerate(zip(injected, examples, strict=True), start=1):
        got, want = library.answers(script, *injected), library.answers(script)
        rows = zip(script.splitlines(), got.splitlines(), want.splitlines(), strict=True)
        shown = [
            f"    {command}  ->  {a}" + ("" if a == b else f"    (should be: {b})")
            for command, a, b in rows
        ]
        parts += [f"## {number}. {fault.symptom.capitalize()}", "\n".join(shown)]
    return "\n\n".join(parts) + "\n"


FAMILY = SeededFault()
