"""SWE-21 unsound service: an inherited program with faults typical of its language.

In C and C++ it overruns buffers, uses freed memory and leaks.  In Go it deadlocks, has races and
leaves goroutines behind.  In Rust it does not pass the borrow checker, or a clone loses a change.
The strictest build must answer unseen batches; C and C++ run under the sanitizers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import ClassVar

from tmax_gym.axes import Language
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    Program,
    fraction,
    prints,
    unchanged,
)
from tmax_gym.families import products as produced
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Edits, Product
from tmax_gym.families.shared import tricks
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.software_engineering.unsound_service import go, instruction, services
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged
from tmax_gym.world import toolchains

SIZES = ((3,), (5, 1), (8, 2), (13,), (11, 4, 1), (17, 6), (3, 21), (26, 9, 5))
"""Rows of each batch of each hidden input."""
SHOWN = (9, 2, 12)
"""Rows of each batch of the sample."""
DISTINCT = 6
"""The hidden inputs must have at least this many different answers."""
DRAWS = 60
"""Services that are drawn until every step shows in the answers."""
MEMORY: tuple[str, ...] = (
    "C/C++ memory safety and undefined behaviour repair",
    "Memory debugging and profiling",
)
_CHECK = program_text(__package__, "check.sh")
_KINDS = """\
kinds=address,undefined
# The address sanitizer reserves terabytes; where that is forbidden, half a check is left.
[ "$(ulimit -v)" = unlimited ] || kinds=undefined\
"""
_RUN = {
    "memory": """\
export MALLOC_PERTURB_=90
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=66:allocator_may_return_null=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 LSAN_OPTIONS=exitcode=66
# The sanitizers of gcc 12 and a kernel that scatters addresses widely do not get along.
calm=$(setarch -R echo setarch -R 2> /dev/null || true)
exec $calm "$made\"""",
    "plain": 'exec "$made"',
}


@dataclass(frozen=True, kw_only=True)
class Unsound(World):
    """The decided facts."""

    service: services.Service
    faults: tuple[services.Fault, ...]
    program: str
    check: str
    sample: str
    answers: str
    inputs: tuple[services.Batches, ...]


class UnsoundService(Family[Unsound]):
    """Find and repair faults, whether the compiler reports them or not."""

    id = "SWE-21"
    slug = "unsound-service"
    domain = "software_engineering"
    skill = "Multi-Language"
    primitives = (
        "Structured data parsing and transformation",
        "Custom data structure design",
    )
    primitives_in: ClassVar[Mapping[Language, tuple[str, ...]]] = {
        "c": MEMORY,
        "cpp": MEMORY,
        "go": ("Go concurrency patterns (goroutines, channels)",),
        "rust": ("Rust ownership and borrow checker debugging",),
    }
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    # C and C++ train the same skills; in this order each other language has 15 tasks and more.
    languages = ("c", "go", "cpp", "rust", "go", "rust", "cpp")
    tools = ("bash", "diff", "git", "setarch")
    followed_by = {  # noqa: RUF012
        "batch-run": ("service", "Batches have piled up while the service was broken."),
        "command-wrapper": ("service", "The night shift wants a command that is safe to call."),
        "patch-file": ("repair", "Another site still runs the faulty version and needs a patch."),
        "git-commit": ("repair", "The repair should be reviewed like any other change."),
    }

    def world(self, ctx: Context) -> Unsound:
        """Return a service with faults in it, its check, and a sample with the answer."""
        rng = ctx.rng.fork("service")
        names = _names(ctx, rng.fork("names"))
        inputs = tuple(_batches(rng.fork("hidden", n), names, one) for n, one in enumerate(SIZES))
        service = _service(ctx, rng, inputs)
        faults = services.faults(rng.fork("faults"), service, ctx.knob(2, 6))
        stem = rng.choice(("settle", "nightly", "collate", "roster", "intake", "rounds", "docket"))
        program = ctx.path(f"{stem}.{toolchains.SUFFIX[ctx.language]}")
        check = ctx.path("check.sh")
        sample, answers = ctx.path("samples", "batches.txt"), ctx.path("samples", "answers.txt")
        shown = _batches(rng.fork("sample"), names, SHOWN)
        return Unsound(
            nodes=(
                text(program, service.source(faults)),
                text(check, _script(ctx.language, program), mode=0o755),
                text(sample, _stdin(shown)),
                text(answers, service.answer(shown)),
            ),
            outputs=(program,),
            service=service,
            faults=faults,
            program=program,
            check=check,
            sample=sample,
            answers=answers,
            inputs=inputs,
        )

    def oracle(self, ctx: Context, world: Unsound) -> tuple[str, ...]:
        """Return a look at the reports, one patch for each fault, and a trial on the sample."""
        trial = f"{world.check} < {world.sample}"
        commands = [f"cat -n {world.program}", f"{trial} 2>&1 | tail -n 25"]
        left = list(world.faults)
        while left:
            before = world.service.source(left)
            left = left[:-1] if len(left) > 1 else []
            commands.append(_patch(world.program, before, world.service.source(left)))
        return (
            *commands,
            f"{trial} | diff - {world.answers} && echo same",
            f"rm -f {_made(world.program)}",
        )

    def checks(self, ctx: Context, world: Unsound) -> tuple[Check | Gate, ...]:
        """Return a check on hidden batches with the strict build, and gates for what must stay."""
        keep = [node for node in world.nodes if node.path != world.program]
        gates = [unchanged("check and samples", keep)]
        if ctx.language == "go":
            gates.append(_holds(world.program, go.DESK))
        cases = [Case(stdin=_stdin(one).encode()) for one in world.inputs]
        wanted = [world.service.answer(one).encode() for one in world.inputs]
        program = Program(world.check, "bash", roots=(world.check, world.program))

        inherited = next(node.data for node in world.nodes if node.path == world.program)

        def score(evidence: Evidence) -> float:
            if evidence.read(world.program) == inherited:
                return 0.0  # nothing was done, and nothing need be built to say so
            todo = [Case(argv=("build",)), *cases]
            built, *runs = evidence.run(program, todo, timeout=20.0, chained=1)
            if built.exit_code:
                raise BadOutput(f"{world.program} does not build under {world.check}")
            right = [
                not one.timed_out and one.exit_code == 0 and prints(one.stdout, out)
                for one, out in zip(runs, wanted, strict=True)
            ]
            return fraction(sum(right), len(right))

        return (*gates, Check("answers", "fuzz_equivalence", score))

    def products(self, ctx: Context, world: Unsound) -> Mapping[str, Product]:
        """Return the service, which is a filter, and its source as an edited file."""
        names = _names(ctx, ctx.rng.fork("service").fork("names"))

        def case(rng: Rng) -> produced.Case:
            batches = _batches(rng.fork("batches"), names, rng.choice(SIZES))
            return produced.Case(_stdin(batches).encode(), world.service.answer(batches).encode())

        build = toolchains.build(ctx.language, world.program, "{out}")
        run = toolchains.start(ctx.language, world.program, "{out}")
        folder, _, name = world.program.rpartition("/")
        before = {name: next(n.data or b"" for n in world.nodes if n.path == world.program)}
        return {
            "service": produced.Program(
                world.program, " ".join(run), case, "files of batches", " ".join(build)
            ),
            "repair": Edits(folder, before, "service"),
        }

    def say(self, ctx: Context, world: Unsound) -> tuple[Obligation, ...]:
        """Return the repair, how it is judged, and what must stay."""
        return instruction.obligations(
            ctx.language,
            program=world.program,
            check=world.check,
            sample=world.sample,
            answers=world.answers,
        )

    def mutants(self, ctx: Context, world: Unsound) -> tuple[Attempt, ...]:
        """Return repairs that leave a fault, and services that lack a step."""
        service = world.service
        attempts = [
            Attempt(f"leaves {one.step or 'frame'}", (_written(world, service.source((one,))),))
            for one in world.faults[:2]
        ]
        for at, call in list(enumerate(service.calls))[-2:]:
            fewer = replace(service, calls=(*service.calls[:at], *service.calls[at + 1 :]))
            attempts.append(Attempt(f"without {call.step}", (_written(world, fewer.source()),)))
        return tuple(attempts)

    def exploits(self, ctx: Context, world: Unsound) -> tuple[Attempt, ...]:
        """Return programs that print the sample's answer or their input, and a false check."""
        known = {node.path: (node.data or b"").decode() for node in world.nodes}
        lines = known[world.answers].splitlines()
        tame = f"#!/bin/bash\ncat {world.answers}\n"
        return (
            Attempt("by heart", (_written(world, tricks.prints(ctx.language, lines)),)),
            Attempt("echo", (_written(world, tricks.copies(ctx.language)),)),
            Attempt("tame check", (write_file(world.check, tame),)),
        )


def _service(ctx: Context, rng: Rng, inputs: Sequence[services.Batches]) -> services.Service:
    """Return a service whose every step shows."""
    for attempt in range(DRAWS):
        service = services.drawn(rng.fork("draw", attempt), ctx.language, ctx.knob(3, 6))
        if _shows(service, inputs):
            return service
    raise ValueError(f"{DRAWS} services all had an idle step")


def _shows(service: services.Service, inputs: Sequence[services.Batches]) -> bool:
    right = [service.answer(one) for one in inputs]
    if len(set(right)) < DISTINCT:
        return False
    for at in range(len(service.calls)):
        fewer = replace(service, calls=(*service.calls[:at], *service.calls[at + 1 :]))
        if sum(a == fewer.answer(one) for a, one in zip(right, inputs, strict=True)) > 3:
            return False
    return True


def _names(ctx: Context, rng: Rng) -> list[str]:
    """Return names of different lengths."""
    plain = sorted({slugged(place)[:24].strip("_") for place in ctx.skin.places})
    picked = rng.sample(plain, 5)
    return [*picked, picked[0].title()]


def _batches(rng: Rng, names: Sequence[str], sizes: Sequence[int]) -> services.Batches:
    return tuple(
        tuple((rng.choice(names), rng.integer(-250, 900)) for _ in range(size)) for size in sizes
    )


def _stdin(batches: services.Batches) -> str:
    return "".join(
        "".join(f"{name} {value}\n" for name, value in batch) + "end\n" for batch in batches
    )


def _made(program: str) -> str:
    """Return where the check puts what it builds."""
    return f"/tmp/{program.rpartition('/')[2].partition('.')[0]}.strict"


def _script(language: Language, program: str) -> str:
    """Return the script that builds and runs a program, for the agent and for the grader."""
    name = program.rpartition("/")[2]
    memory = language in ("c", "cpp")
    parts = {
        "@kinds\n": f"{_KINDS}\n" if memory else "",
        "@run": _RUN["memory" if memory else "plain"],
        "@strict": services.KITS[language].strict.replace("address,undefined", "$kinds"),
        "/tmp/@stem.strict": _made(program),
        "@name": name,
    }
    script = _CHECK
    for mark, part in parts.items():
        script = script.replace(mark, part)
    return script


def _patch(path: str, old: str, new: str) -> str:
    """Return a command that applies a patch in the file's own directory."""
    folder, _, name = path.rpartition("/")
    body = "".join(
        unified_diff(old.splitlines(True), new.splitlines(True), f"a/{name}", f"b/{name}", n=2)
    )
    return f"git -C {folder} apply --whitespace=nowarn - <<'END'\n{body}END"


def _written(world: Unsound, source: str) -> str:
    return write_file(world.program, source)


def _holds(path: str, part: str) -> Gate:
    """Return a gate that a file contains this text."""

    def holds(evidence: Evidence) -> bool:
        try:
            return part.encode() in evidence.read(path)
        except BadOutput:
            return False

    return Gate("desk", holds)


FAMILY = UnsoundService()
