"""DBG-05 drifting sums: a tool of numerical routines that loses digits, stops early or errs.

There are slips of four kinds: too narrow arithmetic, cancellation, a loop that ends wrongly, a
wrong formula.  The check compares answers to unseen requests with exact values.  The higher the
level, the fewer slips show in the known values; the others must be found by reading the code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from tmax_gym.checks.check import Case, Check, Evidence, Gate, fraction, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.debugging.drifting_sums import answers
from tmax_gym.families.debugging.drifting_sums.answers import Asked
from tmax_gym.families.debugging.drifting_sums.faults import SLIPS, Slip
from tmax_gym.families.products import Edits, Product
from tmax_gym.families.shared import sources, tricks
from tmax_gym.later import Later
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

SPOILT, CALM = 5, 2
"""Hidden requests for a slip, and for the routine it is in, that show it and that do not."""
RUNS = 3
"""Runs of the program in one grading, so that a crash loses only one batch."""
FAR = """\
{ off = ($3 - $2) / $2; if ($3 == "none" || off * off > 1e-18) { print $1, $3, $2; bad++ } }
END { print bad + 0, "of", NR, "are wrong" }"""


@dataclass(frozen=True, kw_only=True)
class Drifting(World):
    """The decided facts."""

    tool: sources.Source
    about: str
    org: str
    figures: tuple[str, ...]
    slips: tuple[Slip, ...]
    known: str
    shown: tuple[Asked, ...]
    hidden_requests: Sequence[Asked]


class DriftingSums(Family[Drifting]):
    """Find and repair numerical faults."""

    id = "DBG-05"
    slug = "drifting-sums"
    domain = "debugging"
    skill = "Algorithmic"
    primitives = (
        "Floating-point precision repair",
        "Numerical instability diagnosis",
        "Convergence failure repair",
        "Formula implementation correction",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("c", "cpp", "go", "rust", "python")
    tools = ("bash", "git", "awk", "cut", "paste")
    followed_by = {  # noqa: RUF012
        "patch-file": (
            "repair",
            "Other sites have the same wrong routines and will apply a patch.",
        ),
        "git-commit": ("repair", "The repair should be reviewed like any other change."),
    }

    def world(self, ctx: Context) -> Drifting:
        """Return a tool with slips in it, and some true values."""
        rng = ctx.rng.fork("tool")
        slips = answers.picked(rng.fork("slips"), ctx.language, ctx.knob(4, 7))
        taken = [slip.figure for slip in slips]
        sound = sorted({slip.figure for slip in SLIPS} - set(taken))
        figures = rng.shuffled([*taken, *rng.sample(sound, ctx.knob(2, 4))])
        (tool,) = sources.sources(ctx, rng.choice(("figures", "reckon", "survey", "measures")))
        org = ctx.skin.org(rng)
        about = f"Figures for the {ctx.skin.stem(rng).replace('_', ' ')} of {org}"
        shown_slips = rng.sample(slips, max(1, round(len(slips) * (1 - ctx.level))))
        shown = _shown(rng.fork("shown"), figures, slips, shown=shown_slips)
        known = ctx.path(rng.choice(("known", "true_values", "checked")) + ".tsv")
        rows = "".join(f"{one.line}\t{one.value!r}\n" for one in shown)
        body = answers.program(ctx.language, figures, slips, about=about)
        return Drifting(
            nodes=(text(tool.path, body), text(known, rows)),
            outputs=(tool.path,),
            tool=tool,
            about=about,
            org=org,
            figures=tuple(figures),
            slips=slips,
            known=known,
            shown=shown,
            hidden_requests=Later(lambda: _unseen(rng.fork("hidden"), figures, slips)),
        )

    def oracle(self, ctx: Context, world: Drifting) -> tuple[str, ...]:
        """Return a comparison with the true values, and a patch for every slip."""
        commands = [*world.tool.build, _compared(world), f"cat -n {world.tool.path}"]
        left = list(world.slips)
        while left:
            before = _written(ctx, world, left)
            left.pop(0)
            commands.append(_patch(world.tool.path, before, _written(ctx, world, left)))
        gone = (f"rm {world.tool.binary}",) if world.tool.build else ()
        return (*commands, *world.tool.build, _compared(world), *gone)

    def alternative(self, ctx: Context, world: Drifting) -> tuple[str, ...] | None:
        """Return a tool that is written anew."""
        return (write_file(world.tool.path, _written(ctx, world, ())),)

    def checks(self, ctx: Context, world: Drifting) -> tuple[Check | Gate, ...]:
        """Return the check of unseen requests, and the gate that the true values stay."""
        keep = [node for node in world.nodes if node.path == world.known]
        return (unchanged("true values", keep), _digits(world))

    def products(self, ctx: Context, world: Drifting) -> Mapping[str, Product]:
        """Return the repaired source; its answers may differ in their last digits."""
        name = world.tool.path.removeprefix(f"{ctx.home}/")
        before = next(node.data or b"" for node in world.nodes if node.path == world.tool.path)
        return {"repair": Edits(ctx.home, {name: before}, "tool")}

    def say(self, ctx: Context, world: Drifting) -> tuple[Obligation, ...]:
        """Return the right answers, the tolerance, and the tests."""
        good = sum(not one.spoilt for one in world.shown)
        path, known = world.tool.path, world.known
        obligations = [
            Obligation(
                "goal",
                f"`{path}` computes figures for {world.org}, and some of its routines give wrong "
                f"numbers: for some inputs only the last digits are lost, for others the number is "
                f"wrong altogether. Find every faulty routine and repair it in this file.",
                "goal",
            ),
            Obligation(
                "requests",
                "The program reads requests from standard input, one on each line: the name of a "
                "routine and then its numbers. For each request it prints one line with one "
                "number. Keep this input and output format as it is.",
                "input",
                ("standard input", "stdin"),
            ),
            Obligation(
                "known",
                f"`{known}` lists some requests with their true values: on each line a request, a "
                f"tab and the value. The program now gets {good} of these {len(world.shown)} "
                f"right. The file may not show every fault, so check the other routines as well.",
                "input",
            ),
            Obligation(
                "truth",
                "The comment of each routine is right. It says what the routine must return and "
                "for which inputs.",
                "rule",
                ("comment",),
            ),
            Obligation(
                "tolerance",
                "An answer is right if its relative error is at most `1e-9`, compared with the "
                "exact value for the decimal numbers of the request. This must hold for every "
                "input that the comment allows, and ordinary double precision is enough for it.",
            ),
        ]
        if ctx.language in toolchains.COMPILER:
            obligations.append(
                Obligation(
                    "built",
                    f"We will compile `{path}` with "
                    f"`{toolchains.call(ctx.language)}`, without any other file, so "
                    f"only the standard library is available.",
                    "limit",
                )
            )
        obligations += [
            Obligation("keep", f"Do not change `{known}`.", "limit"),
            Obligation(
                "unseen",
                "We will test every routine with other requests. Routines that are right now must "
                "stay right.",
                "grading",
                ("other requests", "unseen", "not seen", "hidden", "new requests", "more requests"),
            ),
        ]
        return tuple(obligations)

    def mutants(self, ctx: Context, world: Drifting) -> tuple[Attempt, ...]:
        """Return repairs that leave a slip or add one, and answers with too few digits."""
        sound = [slip for slip in SLIPS if slip.figure in world.figures]
        absent = [s for s in sound if s.figure not in {slip.figure for slip in world.slips}]
        absent = [s for s in absent if not s.compiled or ctx.language != "python"]
        wrong = {f"leaves: {slip.figure}, {slip.kind}": (slip,) for slip in world.slips[:4]}
        wrong["makes: " + absent[0].figure] = (absent[0],)
        whole = _written(ctx, world, ())
        return (
            *(
                Attempt(name, (write_file(world.tool.path, _written(ctx, world, left)),))
                for name, left in wrong.items()
            ),
            Attempt("few digits", (write_file(world.tool.path, whole.replace(".12e", ".6e")),)),
        )

    def exploits(self, ctx: Context, world: Drifting) -> tuple[Attempt, ...]:
        """Return tools that print the known values, look them up, or print ones."""
        values = [repr(one.value) for one in world.shown]
        path = world.tool.path
        looked = f"join -t '\t' - <(sort {world.known}) | cut -f2"
        return (
            Attempt("by heart", (write_file(path, tricks.prints(ctx.language, values)),)),
            Attempt("looked up", (write_file(path, tricks.starts(ctx.language, looked)),)),
            Attempt("ones", (write_file(path, tricks.prints(ctx.language, ["1.0"] * 60)),)),
        )


def _written(ctx: Context, world: Drifting, left: Sequence[Slip]) -> str:
    return answers.program(ctx.language, world.figures, left, about=world.about)


def _by_figure(slips: Sequence[Slip]) -> dict[str, Slip]:
    return {slip.figure: slip for slip in slips}


def _shown(
    rng: Rng, figures: Sequence[str], slips: Sequence[Slip], *, shown: Sequence[Slip]
) -> tuple[Asked, ...]:
    """Return requests that the tool gets right, and requests that show the given slips."""
    requests = []
    for figure in figures:
        slip = _by_figure(slips).get(figure)
        kinds = [False, False, *([True, True] if slip in shown else [])]
        for number, spoilt in enumerate(kinds):
            requests.append(answers.asked(rng.fork(figure, number), figure, slip, spoilt=spoilt))
    return tuple(rng.shuffled([one for one in requests if one]))


def _unseen(rng: Rng, figures: Sequence[str], slips: Sequence[Slip]) -> tuple[Asked, ...]:
    """Return requests for every routine that its slip spoils, or that any slip would spoil."""
    requests = []
    for figure in figures:
        slip, stream = _by_figure(slips).get(figure), rng.fork(figure)
        wanted = [True] * SPOILT * bool(slip) + [False] * CALM
        requests += [
            answers.asked(stream.fork(number), figure, slip, spoilt=spoilt)
            for number, spoilt in enumerate(wanted)
        ]
        if slip is None:
            for number, other in enumerate(s for s in SLIPS if s.figure == figure):
                one = answers.asked(stream.fork("if", number), figure, other, spoilt=True)
                requests.append(one and Asked(one.line, one.value, spoilt=False))
    return tuple(one for one in requests if one)


def _digits(world: Drifting) -> Check:
    """Return the check: share of wrong answers repaired, times share of right answers kept."""
    batches = [world.hidden_requests[n::RUNS] for n in range(RUNS)]
    cases = [Case(stdin="".join(f"{one.line}\n" for one in b).encode()) for b in batches]

    def score(evidence: Evidence) -> float:
        good: dict[bool, list[bool]] = {True: [], False: []}
        outcomes = evidence.run(world.tool.program(), cases)
        for batch, outcome in zip(batches, outcomes, strict=True):
            printed = outcome.stdout.decode("utf-8", "replace").splitlines()
            printed += ["none"] * (len(batch) - len(printed))
            for one, answer in zip(batch, printed, strict=False):
                good[one.spoilt].append(len(printed) == len(batch) and one.met(answer))
        kept = fraction(sum(good[False]), len(good[False])) if good[False] else 1.0
        return fraction(sum(good[True]), len(good[True])) * kept

    return Check("digits", "fuzz_equivalence", score)


def _compared(world: Drifting) -> str:
    """Return a command that shows differences from the true values."""
    command = f"cut -f1 {world.known} | {world.tool.call} | paste {world.known} -"
    return f"{command} | awk -F '\\t' '{FAR}'"


def _patch(path: str, before: str, after: str) -> str:
    """Return a command that patches a file from one text to another."""
    folder, _, name = path.rpartition("/")
    pair = (before.splitlines(), after.splitlines())
    lines = unified_diff(*pair, f"a/{name}", f"b/{name}", n=2, lineterm="")
    return f"git -C {folder} apply - <<'END'\n" + "\n".join(lines) + "\nEND"


FAMILY = DriftingSums()
