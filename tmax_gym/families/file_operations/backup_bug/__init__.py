"""FIL-17 backup bug: a vendored backup planner that decides wrongly, with its manual beside it.

The manual describes the right behaviour.  The more difficult the task, the more mistakes are in
the two modules; each affects other lines of an inventory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shlex import quote

from tmax_gym.checks.check import Case, Check, Evidence, Gate, Program, fraction, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.file_operations.backup_bug.actions import plan
from tmax_gym.families.file_operations.backup_bug.faults import FAULTS, Fault, entry, plain_line
from tmax_gym.families.products import Edits, Product
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

MAIN = program_text(__package__, "main.py")
MANUAL = """\
# keepsafe

An inventory line is `path|old|new`. Each side is `kind,mode,size,mtime,target` (kind f, d or l;
mode in octal), or `-` if there is no entry. The output line is `action object mode blocks`.

## Patterns (file `exclude`)

A path that matches a pattern is excluded. If several patterns match, the last one decides.

- `*x`: the last component of the path ends in `x`
- `x/`: a directory above the entry is named `x`; the name of the entry itself does not count
- `/x`: the path is `x` or lies below `x`
- `x`: the last component of the path is `x`
- `!p`: a path that matches the pattern p is included again
- for an excluded path: action `skip`, mode `-`, 0 blocks

## Actions (the first that applies)

- `drop`: no new side; `add`: no old side; `replace`: the kind differs
- links: `relink` if the target differs, else `keep`
- files: `copy` if size or mtime differs, in either direction
- `chmod` if the mode differs, else `keep`

## The other columns

- object: the path, with every `=` doubled and then every `/` replaced by `=.`
- mode: the mode of the new side as four octal digits, including the set-ID and sticky bits; `-` if
  there is no new side
- blocks: for `add`, `copy` and `replace`, if the new side is a file, its size in blocks of 1024
  bytes, rounded up; else 0
"""
_SWAP = (
    "python3 -c 'import sys; f, a, b = sys.argv[1:]; t = open(f).read(); "
    'open(f, "w").write(t.replace(a, b))\''
)


@dataclass(frozen=True, kw_only=True)
class Broken(World):
    """The decided facts."""

    program: str
    package: str
    manual: str
    faults: tuple[Fault, ...]
    lines: tuple[tuple[str, str], ...]
    """Hidden lines, each with the name of the mistake that shows on it, or ""."""
    patterns: tuple[str, ...]
    given: tuple[Node, ...]


class BackupBug(Family[Broken]):
    """Compare the modules with the manual and repair what differs."""

    id = "FIL-17"
    slug = "backup-bug"
    domain = "file_operations"
    skill = "Archives"
    primitives = (
        "Incremental and differential backups",
        "File watching and change detection",
        "Metadata-based file search",
        "Configuration file interpretation",
    )
    fixtures = ("vendored_package",)
    verifiers = ("fuzz_equivalence",)
    languages = ("python", "any")
    tools = ("bash", "python3", "diff")
    followed_by = {  # noqa: RUF012
        "patch-file": ("package", "The other sites run the same copy and want a patch."),
        "git-commit": ("package", "The repair has to go into the repository of the planner."),
    }

    def world(self, ctx: Context) -> Broken:
        """Return the package with mistakes, its manual and an example."""
        rng = ctx.rng.fork("package")
        faults = tuple(rng.sample(FAULTS, ctx.knob(1, len(FAULTS))))
        package = ctx.path("keepsafe")
        modules = [(f"{package}/{name}.py", _module(name)) for name in ("entries", "actions")]
        for fault in faults:
            modules = [(path, body.replace(fault.right, fault.wrong)) for path, body in modules]
        patterns = _patterns(ctx, rng)
        shown = [line for _, line in _lines(ctx, rng.fork("shown"), patterns, faults=faults[:1])]
        given = (
            text(ctx.path("plan.py"), MAIN),
            text(f"{package}/__init__.py", ""),
            prose(ctx.path("MANUAL.md"), MANUAL),
            text(ctx.path("exclude"), "\n".join(patterns) + "\n"),
            text(ctx.path("example.in"), "\n".join(shown) + "\n"),
            text(ctx.path("example.out"), "\n".join(plan(x, patterns) for x in shown) + "\n"),
        )
        return Broken(
            nodes=(*given, *(text(path, body) for path, body in modules)),
            outputs=(package,),
            program=ctx.path("plan.py"),
            package=package,
            manual=ctx.path("MANUAL.md"),
            faults=faults,
            lines=(
                *_lines(ctx, rng.fork("hidden"), patterns, faults=faults),
                *_same(ctx, rng.fork("same")),
            ),
            patterns=tuple(patterns),
            given=given,
        )

    def oracle(self, ctx: Context, world: Broken) -> tuple[str, ...]:
        """Return a look at the manual and the modules, and one repair for each mistake."""
        example = f"python3 {world.program} < {ctx.path('example.in')}"
        return (
            f"cat {world.manual} {ctx.path('exclude')}; cat {world.package}/*.py",
            f"{example} | diff - {ctx.path('example.out')}",
            *_repairs(world, skip=""),
        )

    def checks(self, ctx: Context, world: Broken) -> tuple[Check | Gate, ...]:
        """Return a comparison of hidden lines; manual, patterns and entry point stay."""
        program = Program(world.program, "python", roots=(ctx.home,))
        lines = [line for _, line in world.lines]
        wanted = [plan(line, list(world.patterns)) for line in lines]
        case = Case(stdin="\n".join(lines).encode() + b"\n")

        def score(evidence: Evidence) -> float:
            (outcome,) = evidence.run(program, [case])
            printed = outcome.stdout.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
            if outcome.timed_out or outcome.exit_code or len(printed) != len(wanted) + 1:
                return 0.0
            right = [a == b for a, b in zip(printed, wanted, strict=False)]
            hit = [ok for ok, (fault, _) in zip(right, world.lines, strict=True) if fault]
            rest = [ok for ok, (fault, _) in zip(right, world.lines, strict=True) if not fault]
            return fraction(sum(hit), len(hit)) * fraction(sum(rest), len(rest))

        return (unchanged("given", world.given), Check("plans", "fuzz_equivalence", score))

    def products(self, ctx: Context, world: Broken) -> Mapping[str, Product]:
        """Return the modules that are repaired in place."""
        before = {
            node.path.removeprefix(f"{world.package}/"): node.data
            for node in world.nodes
            if node.path.startswith(f"{world.package}/") and node.data is not None
        }
        return {"package": Edits(world.package, before, "package")}

    def say(self, ctx: Context, world: Broken) -> tuple[Obligation, ...]:
        """Return the symptom, where the rules are and what must stay."""
        example, right, exclude = (
            ctx.path(name) for name in ("example.in", "example.out", "exclude")
        )
        return (
            Obligation(
                "goal",
                f"Our backup planner in `{world.package}` makes wrong decisions. `{world.manual}` "
                f"says how it should work, and the code differs from it in one or more places. "
                f"Find all these mistakes and correct the modules.",
                "goal",
            ),
            Obligation(
                "run",
                f"`{world.program}` runs the planner as a filter: it reads inventory lines from "
                f"standard input, takes the patterns from `{exclude}`, and prints one line of the "
                f"plan for each. As an example, `{right}` is the right output for `{example}`. "
                f"The example need not show every mistake.",
                "input",
            ),
            Obligation(
                "keep",
                f"Change only the modules in `{world.package}`. `{world.program}`, "
                f"`{world.manual}`, `{exclude}`, `{example}` and `{right}` must stay as they are.",
                "limit",
            ),
            Obligation(
                "judged",
                "We will run the program on another inventory with the same patterns and compare "
                "its output line by line with the right plan, so lines that come out right now "
                "must stay right.",
                "grading",
                keys=("another inventory", "other inventor", "hidden", "unseen", "not seen"),
            ),
        )

    def mutants(self, ctx: Context, world: Broken) -> tuple[Attempt, ...]:
        """Return one mistake left at a time, and a repair that goes too far."""
        left = [
            Attempt(f"{fault.name} left", _repairs(world, skip=fault.name))
            for fault in world.faults[:3]
        ]
        actions, done = f"{world.package}/actions.py", _repairs(world, skip="")
        return (
            *left,
            Attempt("all copied", (*done, f'sed -i \'s/return "keep"/return "copy"/\' {actions}')),
            Attempt(
                "patterns off",
                (*done, f"sed -i 's/out = False/return False/' {world.package}/entries.py"),
            ),
        )

    def exploits(self, ctx: Context, world: Broken) -> tuple[Attempt, ...]:
        """Return a planner without rules, and the example's answer for everything."""
        copy = f"print(open({ctx.path('example.out')!r}).read(), end='')"
        fixed = f"def plan(line, patterns):\n    return 'keep {world.package} 0644 0'\n"
        return (
            Attempt("example", (f"echo {quote(copy)} > {world.package}/actions.py",)),
            Attempt("constant", (f"printf {quote(fixed)} > {world.package}/actions.py",)),
        )


def _repairs(world: Broken, *, skip: str) -> tuple[str, ...]:
    """Return one command for each mistake but the skipped one."""
    return tuple(
        f"{_SWAP} {world.package}/{fault.module}.py {quote(fault.wrong)} {quote(fault.right)}"
        for fault in world.faults
        if fault.name != skip
    )


def _lines(
    ctx: Context, rng: Rng, patterns: Sequence[str], *, faults: Sequence[Fault]
) -> list[tuple[str, str]]:
    """Return (name of the mistake that shows or "", line): some of every kind, shuffled."""
    lines = []
    for fault in faults:
        for number in range(4):
            r = rng.fork("fault", fault.name, number)
            lines.append((fault.name, fault.line(r, _path(ctx, r), patterns)))
    for number in range(18):
        r = rng.fork("plain", number)
        path = _path(ctx, r)
        if number % 4 == 3:  # left out by a pattern, in three ways
            tail, folder, top = patterns[0][1:], patterns[1], patterns[2][1:]
            path = (f"{path}{tail}", f"{folder}{path}", f"{top}/{path}")[number // 4 % 3]
        lines.append(("", plain_line(r, path)))
    return rng.fork("order").shuffled(lines)


def _same(ctx: Context, rng: Rng) -> Iterator[tuple[str, str]]:
    """Yield lines of paths that did not change: the drawn ones may hold none."""
    for number in range(3):
        r = rng.fork(number)
        state = entry(size=r.integer(1, 90) * 1024, mtime=r.integer(4000, 9000))
        yield "", f"{_path(ctx, r)}|{state}|{state}"


def _path(ctx: Context, rng: Rng) -> str:
    return f"{ctx.skin.directory(rng)}/{ctx.skin.stem(rng)}_{rng.secret(4)}"


def _patterns(ctx: Context, rng: Rng) -> list[str]:
    """Return patterns of every kind; the order matters to `faults` of `faults`."""
    stem = f"{ctx.skin.stem(rng)}.{rng.choice(('lock', 'pid', 'swp'))}"
    top = f"/{rng.choice(('build', 'mnt', 'spool'))}"
    folder = f"{rng.choice(('cache', 'trash', 'thumbs'))}/"
    return [f"*.{rng.choice(('tmp', 'bak', 'part'))}", folder, top, stem, f"!{top[1:]}-list"]


@cache
def _module(name: str) -> str:
    """Return the text of a module of the package."""
    body = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    body = body.replace(f"{__name__}.", "keepsafe.")
    head, _, rest = body.partition("\n\nThis module")
    return f'{head}"""\n{rest.partition(chr(34) * 3)[2]}' if rest else body


FAMILY = BackupBug()
