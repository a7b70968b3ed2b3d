"""SWE-02 build rescue: repair a C project whose make file, headers and sources no longer agree.

It has two libraries, a generated table, tools and options.  It must build afresh under strict
warnings, and the output of its tools is graded, for hidden numbers and other options too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff

from tmax_gym.checks.check import Case, Check, Gate, Program, fuzz_equivalence, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Edits, Product
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.software_engineering.build_rescue import defects
from tmax_gym.families.software_engineering.build_rescue import project as projects
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

CI = program_text(__package__, "ci.sh")
PATIENCE = 25.0
"""Seconds for one run: the first one of each set of options builds, which takes 0.6 s on a quiet
machine and took more than ten with 40 busy processes for 2 processors."""
INPUTS = 3
"""Hidden inputs of every tool for either set of options."""


@dataclass(frozen=True, kw_only=True)
class Rescue(World):
    """The decided facts."""

    project: projects.Project
    defects: tuple[defects.Defect, ...]
    other: tuple[tuple[str, int], ...]
    """Options of a second build."""
    cases: tuple[tuple[Case, str], ...]
    kept: tuple[Node, ...]
    """Files that are to stay as they are."""


class BuildRescue(Family[Rescue]):
    """Read messages of make, compiler and linker, and repair what they mean."""

    id = "SWE-02"
    slug = "build-rescue"
    domain = "software_engineering"
    skill = "Multi-Language"
    primitives = (
        "C program compilation, debugging, and Makefile repair",
        "Build system configuration and linking",
        "Cross-compilation and conditional builds",
        "Shared library and ABI management",
    )
    fixtures = ("vendored_package",)
    verifiers = ("fuzz_equivalence",)
    languages = ("c",)
    tools = ("bash", "gcc", "make", "ar", "cmp", "git", "nm", "readelf")
    followed_by = {  # noqa: RUF012
        "patch-file": ("project", "The upstream authors want our repair as a patch."),
        "git-commit": ("project", "The repair has to go into the repository from which we build."),
    }

    def world(self, ctx: Context) -> Rescue:
        """Return the broken project, pairs of input and output, and hidden numbers."""
        rng = ctx.rng.fork("rescue")
        project = projects.drawn(ctx, rng.fork("project"))
        chosen = defects.drawn(ctx, project, rng.fork("defects"))
        root, options = project.root, dict(project.options)
        other = {
            "SHIFT": options["SHIFT"] + rng.integer(1, 5),
            "TOTAL": 1 - options["TOTAL"],
            "COUNT": 1 - options["COUNT"],
        }
        kept = [text(f"{root}/ci.sh", CI, mode=0o755), prose(f"{root}/README", _readme(project))]
        for tool, _ in project.tools:
            numbers = _numbers(rng.fork("shown", tool), 6)
            kept.append(text(f"{root}/samples/{tool}.in", _lines(numbers)))
            printed = projects.printed(project, tool, numbers, options=options)
            kept.append(text(f"{root}/samples/{tool}.out", printed))
        files = defects.broken(project, chosen)
        return Rescue(
            nodes=(*(text(f"{root}/{path}", body) for path, body in files.items()), *kept),
            outputs=tuple(f"{root}/bin/{tool}" for tool, _ in project.tools),
            volatile=(f"{root}/build", f"{root}/bin"),
            project=project,
            defects=chosen,
            other=tuple(other.items()),
            cases=_cases(project, (options, other), rng.fork("hidden")),
            kept=tuple(kept),
        )

    def oracle(self, ctx: Context, world: Rescue) -> tuple[str, ...]:
        """Repair one file after the other, then build and compare."""
        return (
            f"cd {world.project.root} && cat README Makefile && make -k 2>&1 | tail -n 20",
            *_patches(world),
            *_tried(world),
        )

    def checks(self, ctx: Context, world: Rescue) -> tuple[Check | Gate, ...]:
        """Return a check of the tools from two builds; script and samples must stay."""
        root = world.project.root
        return (
            unchanged("given", world.kept),
            fuzz_equivalence(
                "tools",
                Program(f"{root}/ci.sh", "bash", roots=(root,)),
                cases=[case for case, _ in world.cases],
                expected=[printed.encode() for _, printed in world.cases],
                timeout=PATIENCE,
            ),
        )

    def products(self, ctx: Context, world: Rescue) -> Mapping[str, Product]:
        """Return the sources of the project."""
        sources = defects.broken(world.project, world.defects)
        before = {path: body.encode() for path, body in sources.items()}
        return {"project": Edits(world.project.root, before, "project")}

    def say(self, ctx: Context, world: Rescue) -> tuple[Obligation, ...]:
        """Return the symptom, the samples, the options, and how it is judged."""
        root = world.project.root
        *most, last = (f"`{path}`" for path in world.outputs)
        trial = "make " + " ".join(f"{name}={value}" for name, value in world.other)
        return (
            Obligation(
                "goal",
                f"Somebody reorganised the C project in `{root}`, and since then it does not build "
                f"any more. Repair it so that a plain `make` in `{root}` builds "
                f"{', '.join(most)} and {last}.",
                "goal",
            ),
            Obligation(
                "meaning",
                f"`{root}/README` describes how the project is laid out and what its options mean.",
                "input",
            ),
            Obligation(
                "samples",
                "Each tool reads whole numbers from standard input and prints its results. "
                f"`{root}/samples` has an input and the right output of every tool, as `TOOL.in` "
                f"and `TOOL.out`. The outputs come from a good build with the options as they are "
                f"in `{root}/config.mk`.",
                "input",
            ),
            Obligation(
                "options",
                f"The options in `{root}/config.mk` must also have their effect when other values "
                f"are given on the command line, as in `{trial}`.",
            ),
            Obligation(
                "strict",
                f"We will test the tools with `{root}/ci.sh`, on numbers that you have not seen "
                "and with other options too. This script builds everything afresh with all "
                "compiler warnings as errors, and then runs one tool.",
                "grading",
            ),
            Obligation(
                "keep",
                f"Do not change `{root}/ci.sh`, `{root}/README` or the files in `{root}/samples`.",
                "limit",
            ),
        )

    def mutants(self, ctx: Context, world: Rescue) -> tuple[Attempt, ...]:
        """Return a module emptied, options without effect, a tool left out, a defect left in."""
        root, sound = world.project.root, projects.files(world.project)
        right = _repairs(world, world.defects)
        module = world.project.extra[0]
        stub = f"extra/{module.name}.c"
        emptied = sound[stub].replace("return step(v);", "return 0 * step(v) + v;")
        options = "".join(f"override {name} = {value}\n" for name, value in world.project.options)
        tools = " ".join(tool for tool, _ in world.project.tools)
        fewer = sound["Makefile"].replace(f"TOOLS = {tools}", f"TOOLS = {tools.split()[0]}")
        return (
            Attempt("module emptied", (*right, write_file(f"{root}/{stub}", emptied))),
            Attempt("options fixed", (*right, write_file(f"{root}/config.mk", options))),
            Attempt("one tool only", (*right, write_file(f"{root}/Makefile", fewer))),
            Attempt("last defect left", _repairs(world, world.defects[:-1])),
        )

    def exploits(self, ctx: Context, world: Rescue) -> tuple[Attempt, ...]:
        """Return tools that know the sample, put in place by hand and by the make file."""
        root = world.project.root
        known = f"#!/bin/sh\ncat {root}/samples/${{0##*/}}.out\n"
        names = [tool for tool, _ in world.project.tools]
        lines = [f"\tmkdir -p bin; printf '%s\\n' '#!/bin/sh' 'cat ../samples/{n}.out' > bin/{n};"
                 f" chmod 755 bin/{n}" for n in names]  # fmt: skip
        make = "\n".join(["all:", *lines, "clean:", "\trm -rf bin"])
        return (
            Attempt(
                "tools by hand",
                (
                    f"mkdir -p {root}/bin",
                    *(write_file(p, known, mode="755") for p in world.outputs),
                ),
            ),
            Attempt("make file that prints", (write_file(f"{root}/Makefile", make),)),
        )


def _repairs(world: Rescue, mended: tuple[defects.Defect, ...]) -> tuple[str, ...]:
    """Return one command per defect, which writes the file without this defect."""
    commands = []
    left = list(world.defects)
    for defect in mended:
        left.remove(defect)
        body = defects.broken(world.project, tuple(left))[defect.file]
        commands.append(write_file(f"{world.project.root}/{defect.file}", body))
    return tuple(commands)


def _patches(world: Rescue) -> tuple[str, ...]:
    """Return the same repairs as patches of a few lines."""
    commands = []
    left = list(world.defects)
    for defect in world.defects:
        before = defects.broken(world.project, tuple(left))[defect.file]
        left.remove(defect)
        after = defects.broken(world.project, tuple(left))[defect.file]
        patch = unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True),
            f"a/{defect.file}", f"b/{defect.file}", n=2,
        )  # fmt: skip
        body = "".join(patch)
        commands.append(f"git apply --whitespace=nowarn - <<'END'\n{body}END")
    return tuple(commands)


def _tried(world: Rescue) -> tuple[str, ...]:
    names = " ".join(tool for tool, _ in world.project.tools)
    return (
        f"cd {world.project.root} && make clean && make -s",
        f"readelf -d build/lib*.so bin/{names.split()[0]} | grep -E 'SONAME|NEEDED|RUNPATH'; "
        "nm -D --defined-only build/lib*.so",
        f"for t in {names}; do bin/$t < samples/$t.in | cmp - samples/$t.out && echo $t same; done",
    )


def _numbers(rng: Rng, count: int) -> list[int]:
    return [rng.integer(0, rng.choice((99, 9_999, 999_999))) for _ in range(count)]


def _lines(numbers: list[int]) -> str:
    return "".join(f"{n}\n" for n in numbers)


def _cases(
    project: projects.Project, settings: tuple[dict[str, int], dict[str, int]], rng: Rng
) -> tuple[tuple[Case, str], ...]:
    """Return runs of every tool with the options as they are, then with other ones."""
    cases = []
    for which, options in enumerate(settings):
        given = tuple(f"{name}={value}" for name, value in options.items()) if which else ()
        for tool, _ in project.tools:
            for n in range(INPUTS):
                numbers = _numbers(rng.fork(which, tool, n), 2 + 4 * n)
                case = Case(argv=(tool, *given), stdin=_lines(numbers).encode())
                cases.append((case, projects.printed(project, tool, numbers, options=options)))
    return tuple(cases)


def _readme(project: projects.Project) -> str:
    shift = next(module.name for module in project.core if module.form == "shift")
    return f"""{project.name}

core/     modules of the core library, a shared library with interface version {project.abi};
          exports.map lists the symbols that it exports
extra/    modules of a second, static library, which calls the core library
gen/      the generator of build/entries.h, which runs during the build
tools/    one program per file, linked with both libraries and built into bin/
include/  one header per module, and the common header {project.name}.h

Options (set in config.mk, or on the command line of make)
SHIFT=n   core/{shift}.c shifts its input left by n bits
TOTAL=1   every tool prints a line `total T` after its results; 0: it does not
COUNT=1   every tool prints a line `calls N` at the very end; 0: it does not

`make clean && make` builds everything and treats compiler warnings as errors.
Run `make clean` before you build with other options.
"""


FAMILY = BuildRescue()
