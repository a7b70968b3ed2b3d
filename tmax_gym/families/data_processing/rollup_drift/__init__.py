"""DPR-15 rollup drift: the agent repairs a package that aggregates meter readings.

The right behaviour is defined by a manual, or by the last good build, a stripped binary that was
made for one window and one limit.  Some hidden readings show one fault each, others show all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Case, Check, Evidence, Gate, Program, fuzz_equivalence, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.rollup_drift import package as source
from tmax_gym.families.data_processing.rollup_drift import tool
from tmax_gym.families.data_processing.rollup_drift.package import Fault
from tmax_gym.families.data_processing.rollup_drift.tool import figures
from tmax_gym.families.products import Edits, Product
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.binaries.elf import executable

CASES, DRAWS, SPARE = 3, 200, 3
"""Hidden inputs a fault, draws for one at most, and draws that show the fault beside others before
one of those will do: some faults never come alone."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Readings, and how they are to be rolled up."""

    lines: tuple[str, ...]
    size: int
    limit: int

    @property
    def right(self) -> str:
        """Return the right output of the tool."""
        return figures(self.lines, self.size, self.limit)

    def printed(self, faults: Collection[str]) -> str:
        """Return the output with these faults."""
        return figures(self.lines, self.size, self.limit, faults=faults)


@dataclass(frozen=True, kw_only=True)
class Drift(World):
    """The decided facts."""

    package: str
    truth: str
    """Path of the manual or of the build."""
    limit: int
    """Limit of the build; 0 with a manual."""
    faults: tuple[Fault, ...]
    day: str
    sheet: Sheet
    """The right content of the day file."""
    report: str
    hidden_sheets: dict[str, tuple[Sheet, ...]]
    """Hidden inputs by fault; those that show all faults under "mixed"."""


class RollupDrift(Family[Drift]):
    """Compare with the manual or the old build, repair, run the day again."""

    id = "DPR-15"
    slug = "rollup-drift"
    domain = "data_processing"
    skill = "Time Series"
    primitives = (
        "Rolling statistics computation",
        "Windowed and rolling aggregation",
        "Large-file streaming",
        "Summary statistics and aggregation",
    )
    fixtures = ("vendored_package", "stripped_binary")
    verifiers = ("fuzz_equivalence",)
    languages = ("python",)
    tools = ("bash", "python3", "sed")
    followed_by = {  # noqa: RUF012
        "patch-file": ("package", "The other sites run the same package and need the repair too."),
        "git-commit": ("package", "The repair must get into the repository of the package."),
    }

    def world(self, ctx: Context) -> Drift:
        """Return the package with its faults, the manual or build, and a day's readings."""
        rng = ctx.rng.fork("rollup")
        faults = _drawn(rng.fork("faults"), ctx.knob(1, 6))
        names = {fault.name for fault in faults}
        package = ctx.path("vendor", ctx.skin.directory(rng).replace("-", "_") + "_rollup")
        nodes = [
            text(f"{package}/{module}.py", source.module(module, faults))
            for module in source.MODULES
        ]
        limit = rng.integer(40, 400) if ctx.fixture == "stripped_binary" else 0
        truth = ctx.path("build", f"{ctx.skin.stem(rng)}-rollup") if limit else f"{package}/MANUAL"
        nodes.append(
            Node(truth, data=executable(tool.build(limit)), mode=0o755)
            if limit
            else text(truth, source.MANUAL)
        )
        day, report = ctx.path(f"{ctx.skin.stem(rng)}_readings.txt"), ctx.path("report.txt")
        every = {fault.name for fault in source.FAULTS}
        sheet = _telling(rng.fork("day"), every, names)
        heading = f"# {ctx.skin.org(rng)}, {ctx.skin.place(rng)}"
        heading = "".join(c if " " <= c <= "~" else "-" for c in heading)
        nodes.append(text(day, "\n".join((heading, "", *sheet.lines)) + "\n"))
        return Drift(
            nodes=tuple(nodes),
            outputs=(report,),
            package=package,
            truth=truth,
            limit=limit,
            faults=faults,
            day=day,
            sheet=sheet,
            report=report,
            hidden_sheets={
                name: tuple(
                    _telling(rng.fork(name, n), every if name == "mixed" else {name}, names)
                    for n in range(CASES)
                )
                for name in (*(fault.name for fault in faults), "mixed")
            },
        )

    def oracle(self, ctx: Context, world: Drift) -> tuple[str, ...]:
        """Return a look at manual or build, a repair and a trial a fault, and the report."""
        look = f"cat {world.truth}" if not world.limit else f"{world.truth} < {world.day}"
        commands = [f"{look}; tail -n +1 {world.package}/*.py"]
        for fault in world.faults:
            commands += [_repair(world, fault, fault.right), _probe(ctx, world, fault)]
        return (*commands, _reported(world))

    def alternative(self, ctx: Context, world: Drift) -> tuple[str, ...]:
        """Return the faulty modules written anew."""
        modules = sorted({fault.module for fault in world.faults})
        anew = [write_file(f"{world.package}/{m}.py", source.module(m)) for m in modules]
        return (*anew, _reported(world))

    def checks(self, ctx: Context, world: Drift) -> tuple[Check | Gate, ...]:
        """Return one check a fault, one of all together, and the report."""
        program = Program(f"{world.package}/__main__.py", "python", roots=(world.package,))
        checks: list[Check | Gate] = [
            unchanged("truth", [n for n in world.nodes if n.path in (world.truth, world.day)]),
            exact.value("report", world.report, world.sheet.right),
        ]
        if world.limit:
            checks.append(Gate("plain source", lambda e: _is_source(e, world.package)))
        for name, sheets in world.hidden_sheets.items():
            cases = [
                Case((str(s.size), str(s.limit)), ("\n".join(s.lines) + "\n").encode())
                for s in sheets
            ]
            wanted = [s.right.encode() for s in sheets]
            weight = 1.5 if name == "mixed" else 1.0
            checks.append(
                fuzz_equivalence(name, program, cases=cases, expected=wanted, weight=weight)
            )
        return tuple(checks)

    def products(self, ctx: Context, world: Drift) -> Mapping[str, Product]:
        """Return the package with its faults."""
        root = f"{world.package}/"
        before = {
            node.path.removeprefix(root): node.data
            for node in world.nodes
            if node.path.startswith(root) and node.data is not None
        }
        return {"package": Edits(world.package, before, "package")}

    def say(self, ctx: Context, world: Drift) -> tuple[Obligation, ...]:
        """Return what is wrong, what is right, how to call it, and what is to be left behind."""
        package, day, sheet = world.package, world.day, world.sheet
        goal = Obligation(
            "goal",
            f"The Python package `{package}` turns meter readings into figures of usage over a "
            "moving window. Some of what it prints is wrong. Find all faults in its source and "
            "repair them.",
            "goal",
        )
        call = Obligation(
            "call",
            f"It is called as `python3 {package} WINDOW LIMIT`, with two whole numbers. It reads "
            "the readings from standard input and prints the result to standard output. Keep "
            "this interface.",
            "format",
        )
        report = Obligation(
            "report",
            f"After the repair, run it on `{day}` with a window of {sheet.size} and a limit of "
            f"{sheet.limit}, and write exactly what it prints to `{world.report}`.",
            "output",
        )
        other = Obligation(
            "other",
            "We will test the package with other readings, windows and limits. Every kind "
            f"of line that they have also occurs in `{day}`.",
            "grading",
        )
        return (goal, _truth(world), call, report, other, *_kept(world))

    def mutants(self, ctx: Context, world: Drift) -> tuple[Attempt, ...]:
        """Return a hasty repair, one fault left, and a report from the unrepaired package."""
        first, *rest = world.faults
        others = [_repair(world, fault, fault.right) for fault in rest]
        right = _repair(world, first, first.right)
        ways = {
            "hasty": (_repair(world, first, first.hasty), *others, _reported(world)),
            "one left": (*others, _reported(world)),
            "early report": (_reported(world), right, *others),
            "no report": (right, *others),
        }
        return tuple(Attempt(name, way) for name, way in ways.items())

    def exploits(self, ctx: Context, world: Drift) -> tuple[Attempt, ...]:
        """Return one answer for all, a package that is gone, and the build in its place."""
        main, build = f"{world.package}/__main__.py", f"{world.package}/tool"
        call = "import os, sys; os.execv({0!r}, [{0!r}])"
        attempts = [
            Attempt("one answer", (f"echo 'print(\"end 0 0\")' > {main}",)),
            Attempt("gone", (f"rm -rf {world.package}",)),
        ]
        if world.limit:
            attempts += [
                Attempt("build called", (write_file(main, call.format(world.truth)),)),
                Attempt(
                    "build carried",
                    (f"cp {world.truth} {build}", write_file(main, call.format(build))),
                ),
            ]
        return tuple(attempts)


def _truth(world: Drift) -> Obligation:
    """Return what is right: the manual, or the build."""
    if not world.limit:
        sentence = (
            f"The manual `{world.truth}` says what is right. Wherever the package differs from the "
            "manual, the package is wrong."
        )
    else:
        sentence = (
            f"There is no manual, but the last good build is `{world.truth}`, a stripped binary "
            "whose output is always right. It reads readings from standard input, takes no "
            f"arguments, and always has a window of {tool.BUILT} and a limit of {world.limit}. "
            "With these two numbers the package must print exactly the same, and with others it "
            "must work by the same rules."
        )
    return Obligation("truth", sentence, "input")


def _kept(world: Drift) -> tuple[Obligation, ...]:
    """Return what must not change, and that the build cannot stand in for the package."""
    keys = ("not change", "unchanged", "as it is", "as they are", "untouched", "not modify")
    if not world.limit:
        keep = "Do not change the manual and the file of readings."
        return (Obligation("keep", keep, "limit", keys),)
    source = Obligation(
        "source",
        "The package must stay plain Python source that works without the build. It must not call "
        "the build or contain anything compiled.",
        "limit",
        ("python source", "plain python", "pure python", "without the build", "without the binary"),
    )
    keep = "Do not change the build and the file of readings."
    return (source, Obligation("keep", keep, "limit", keys))


def _drawn(rng: Rng, count: int) -> tuple[Fault, ...]:
    """Return faults at different places."""
    chosen: dict[str, Fault] = {}
    for fault in rng.shuffled(source.FAULTS):
        chosen.setdefault(fault.site, fault)
    return tuple(chosen.values())[:count]


def _telling(rng: Rng, shapes: set[str], faults: set[str]) -> Sheet:
    """Return readings that show the faults of these shapes; one fault alone where chance allows."""
    spare: list[Sheet] = []
    for number in range(DRAWS):
        r = rng.fork(number)
        size = r.integer(5, 9)
        lines, limit = tool.readings(r, shapes, size=size)
        sheet = Sheet(tuple(lines), size, limit)
        right = sheet.right
        if right == sheet.printed(faults):
            continue
        if len(shapes) > 1:
            return sheet
        if right != sheet.printed(shapes):
            spare.append(sheet)
            if len(spare) == SPARE or sheet.printed(faults - shapes) == right:
                return sheet
    if not spare:
        raise ValueError(f"{DRAWS} draws show no fault of {sorted(shapes & faults)}")
    return spare[0]


def _probe(ctx: Context, world: Drift, fault: Fault) -> str:
    """Return a command that shows the effect of a fault, beside the build if any."""
    draw = ctx.rng.fork("probe", fault.name)
    lines, limit = tool.readings(draw, {fault.name}, size=tool.BUILT)
    given = "printf '%s\\n' " + " ".join(f"'{line}'" for line in lines)
    call = f"python3 {world.package} {tool.BUILT} {world.limit or limit}"
    return f"{given} | {call}" + (f"; {given} | {world.truth}" if world.limit else "")


def _repair(world: Drift, fault: Fault, instead: str) -> str:
    wrong = "".join(f"\\{c}" if c in "[]*.^$\\" else c for c in fault.wrong.strip())
    right = instead.strip().replace("&", "\\&")
    return f"sed -i 's|{wrong}|{right}|' {world.package}/{fault.module}.py"


def _reported(world: Drift) -> str:
    call = f"python3 {world.package} {world.sheet.size} {world.sheet.limit}"
    return f"{call} < {world.day} > {world.report}"


def _is_source(evidence: Evidence, package: str) -> bool:
    """Return whether all files of the package are text, except for Python's caches."""
    for node in evidence.tree(package):
        if node.kind != "file" or "/__pycache__/" in node.path:
            continue
        try:
            if node.data is None or "\0" in node.data.decode():
                return False
        except UnicodeDecodeError:
            return False
    return True


FAMILY = RollupDrift()
