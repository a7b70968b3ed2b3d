"""SEC-05 serial keygen: a stripped licence checker, for which a generator must be written.

The checker folds the account into a number and compares it with the serial.  The machine code
shows how to compute the number; a guess is right once in many millions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Case, Product, Program, Table
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.programs import program as ir
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.languages import render
from tmax_gym.world.programs.mutants import mutants
from tmax_gym.world.programs.program import Const, If, Op, Put, Register, Repeat, Set, Test, Var

TOP = 99_999_989
"""Serials are below it; a prime."""
HEADER = ("account", "serial")
NOTE = """\
{product}

Licence checker. Reads lines of the form

    <account> <serial>

from standard input and answers each with `ok` or `bad`. An account is a word of lower-case
letters, a serial a decimal number without leading zeros; every account has exactly one below
{top}. The vendor is {vendor}, which no longer answers; its generator was never ours.
"""


@dataclass(frozen=True, kw_only=True)
class Licences(World):
    """The decided facts."""

    tool: str
    note: str
    issued: str
    customers: str
    """"" below the level from which on a register is asked for."""
    register: str
    generators: sources.Sources
    program: ir.Program
    """The generator."""
    accounts: tuple[str, ...]
    cases: tuple[tuple[bytes, bytes], ...]


class SerialKeygen(Family[Licences]):
    """Read how a checker works out a serial, and work it out."""

    id = "SEC-05"
    slug = "serial-keygen"
    domain = "security"
    skill = "Algorithmic"
    primitives = (
        "Reverse engineering and disassembly",
        "Binary format and ELF analysis",
        "Token generation and validation",
        "Cryptographic hashing and checksum verification",
    )
    fixtures = ("stripped_binary",)
    verifiers = ("fuzz_equivalence",)
    languages = ("python", "c", "bash", "cpp", "go", "rust", "multi")
    tools = ("bash", "objdump", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": ("generator", "Every branch has sent a list of accounts that need a serial."),
        "command-wrapper": ("generator", "Support wants to issue serials by one command."),
        "sqlite-load": ("register", "Support looks licences up in a database."),
        "lookup-join": (
            "register",
            "The licences have to be assigned to the offices of the accounts.",
        ),
    }

    def world(self, ctx: Context) -> Licences:
        """Return the checker, a note on it, and some licences."""
        rng = ctx.rng.fork("licences")
        parts = _folding(rng.fork("fold"), 1 + round(4 * ctx.level))
        generator = _generator(parts)
        name = ctx.skin.stem(rng).replace("_", "-") + "-licence"
        people = ctx.skin.people(rng.fork("people"), 60)
        accounts = list(dict.fromkeys(ctx.skin.login(p) for p in people))
        known, current = accounts[:3], accounts[3 : 3 + ctx.knob(3, 12)]
        hidden = accounts[3 + len(current) :]
        tool, note, issued = ctx.path("bin", name), ctx.path("LICENCE.txt"), ctx.path("issued.txt")
        customers = ctx.path("customers.txt") if ctx.level >= 0.25 else ""
        note_text = NOTE.format(product=name, top=TOP, vendor=ctx.skin.org(rng))
        rows = "".join(f"{a} {_serial(generator, a)}\n" for a in known)
        nodes = [
            Node(tool, data=executable(_checker(parts)), mode=0o755),
            text(note, note_text),
            text(issued, rows),
        ]
        if customers:
            nodes.append(text(customers, "\n".join(current) + "\n"))
        generators = sources.sources(ctx, "keygen")
        register = ctx.path("register.csv") if customers else ""
        return Licences(
            nodes=tuple(nodes),
            outputs=(*(g.path for g in generators), *((register,) if register else ())),
            hidden=tuple(_serial(generator, a) for a in current if len(_serial(generator, a)) >= 7),
            tool=tool,
            note=note,
            issued=issued,
            customers=customers,
            register=register,
            generators=generators,
            program=generator,
            accounts=tuple(current),
            cases=_cases(generator, rng.fork("hidden"), hidden),
        )

    def oracle(self, ctx: Context, world: Licences) -> tuple[str, ...]:
        """Return the generator in the task's language, tried on the checker."""
        look = f"cat {world.note} {world.issued}; {world.tool} < {world.issued}"
        listing = f"objdump -d {world.tool} | head -n 80"
        return (look, listing, *_written(world, lambda language: render(world.program, language)))

    def checks(self, ctx: Context, world: Licences) -> tuple[Check | Gate, ...]:
        """Return hidden accounts and, where it is asked for, the register."""
        checks: list[Check | Gate] = [
            unchanged("checker", world.nodes),
            *sources.equivalence("serials", world.generators, world.cases, weight=2.0),
        ]
        if world.register:
            rows = [(a, _serial(world.program, a)) for a in world.accounts]
            checks.append(exact.rows("register", world.register, rows, header=HEADER))
        return tuple(checks)

    def products(self, ctx: Context, world: Licences) -> Mapping[str, Product]:
        """Return the generator (the compiled one where there are two) and the register."""
        source = world.generators[0]

        def case(rng: Rng) -> Case:
            people = ctx.skin.people(rng, rng.integer(3, 9))
            accounts = dict.fromkeys(ctx.skin.login(name) for name in people)
            stdin = "".join(f"{account}\n" for account in accounts).encode()
            return Case(stdin, run(world.program, stdin))

        found: dict[str, Product] = {
            "generator": Program(
                source.path,
                " ".join(toolchains.start(source.language, source.path, "{out}")),
                case,
                "lists of accounts",
                " ".join(toolchains.build(source.language, source.path, "{out}")),
            )
        }
        if world.register:
            rows = tuple((a, _serial(world.program, a)) for a in world.accounts)
            found["register"] = Table(world.register, HEADER, rows, "licences")
        return found

    def say(self, ctx: Context, world: Licences) -> tuple[Obligation, ...]:
        """Return what the generator does, and the register."""
        first = world.generators[0]
        obligations = [
            Obligation(
                "situation",
                f"We have a licence checker, `{world.tool}`, from a vendor that no longer exists. "
                f"It is a stripped binary, and nobody can issue new licences for it. A few old "
                f"licences that it accepts are in `{world.issued}`.",
                "situation",
            ),
            Obligation(
                "goal",
                f"Find out how the checker computes serials, and write a generator in "
                f"{first.name}, `{first.path}`, that computes the serial of any account.",
                "goal",
            ),
            Obligation(
                "interface",
                f"The generator reads accounts from standard input, one per line, and prints the "
                f"serial of each account on a line of its own, in the same order and with nothing "
                f"else. `{world.note}` says what accounts and serials are.",
                "input",
            ),
        ]
        obligations += sources.languages(world.generators)
        if world.register:
            obligations.append(
                Obligation(
                    "register",
                    f"Also write the serials of the accounts in `{world.customers}` to "
                    f"`{world.register}`, a CSV file with the header `{','.join(HEADER)}` and one "
                    f"line per account, in the order of `{world.customers}`.",
                    "output",
                )
            )
        return (
            *obligations,
            Obligation(
                "keep",
                "Do not change the checker or any other given file.",
                "limit",
                keys=("not change", "n't change", "unchanged", "as they are", "untouched", "patch"),
            ),
            Obligation(
                "own",
                "The generator will be run alone, on accounts that are in no file here, so it can "
                "neither start the checker nor read it.",
                "grading",
                keys=("alone", "by itself", "on its own", "without the checker", "unseen"),
            ),
        )

    def mutants(self, ctx: Context, world: Licences) -> tuple[Attempt, ...]:
        """Return generators with a slip each, and one that knows the issued licences."""
        wrong = mutants(world.program, ctx.rng.fork("mutants"), 4)
        caught = [w for w in wrong if any(run(w, i) != o for i, o in world.cases)]
        attempts = [
            Attempt(f"slip {n}", _written(world, _wrong(world, w)))
            for n, w in enumerate(caught, start=1)
        ]
        known = tuple(f"cp {world.issued} {g.path}" for g in world.generators)
        return (*attempts, Attempt("known licences", known))

    def exploits(self, ctx: Context, world: Licences) -> tuple[Attempt, ...]:
        """Return the accounts passed off as serials, a constant, and the checker itself."""
        generators = world.generators
        one = tuple(write_file(g.path, tricks.prints(g.language, ["1"])) for g in generators)
        return (
            Attempt(
                "echo", tuple(write_file(g.path, tricks.copies(g.language)) for g in generators)
            ),
            Attempt("always one", one),
            Attempt("checker", tuple(f"cp {world.tool} {g.path}" for g in generators)),
        )


Parts = tuple[tuple[Register, ...], tuple[ir.Stmt, ...], tuple[ir.Stmt, ...]]


def _folding(rng: Rng, depth: int) -> Parts:
    """Return registers, what happens at a letter, and what happens at the end of an account."""
    seal, place = Var("seal"), Var("place")
    factor = Const(rng.integer(15, 4000) * 2 + 1)
    step: list[ir.Stmt] = [Set("seal", Op("+", Op("*", seal, factor), Var(ir.BYTE)))]
    close: list[ir.Stmt] = []
    registers = [Register("seal", rng.bits(28), per_line=True)]
    if depth >= 2:
        step.append(Set("seal", Op("^", seal, Op(">>", seal, Const(rng.integer(7, 19))))))
    if depth >= 3:
        registers.append(Register("place", rng.integer(1, 9), per_line=True))
        step.append(Set("place", Op("+", place, Const(rng.integer(1, 3) * 2))))
        step.append(Set("seal", Op("+", seal, Op("*", place, Var(ir.BYTE)))))
    if depth >= 4:
        turned = Op("rol", seal, Const(rng.integer(3, 13)))
        close.append(
            Repeat(rng.integer(3, 7), (Set("seal", Op("+", turned, Const(rng.bits(30)))),))
        )
    if depth >= 5:
        odd = Test("==", Op("%", seal, Const(rng.choice((3, 5, 7)))), Const(0))
        close.append(If(odd, (Set("seal", Op("^", seal, Const(rng.bits(31)))),)))
    close.append(Set("seal", Op("%", seal, Const(TOP))))
    return tuple(registers), tuple(step), tuple(close)


def _generator(parts: Parts) -> ir.Program:
    registers, step, close = parts
    return ir.Program(
        kind="keygen",
        unit="line",
        registers=registers,
        step=step,
        close=(*close, ir.Emit(Var("seal")), Put("\n")),
        alphabet="abcdefghijklmnopqrstuvwxyz",
    )


def _checker(parts: Parts) -> ir.Program:
    registers, step, close = parts
    given, side, byte = Var("given"), Var("side"), Var(ir.BYTE)
    digit = Set("given", Op("+", Op("*", given, Const(10)), Op("-", byte, Const(48))))
    space = Test("==", byte, Const(32))
    return ir.Program(
        kind="checker",
        unit="line",
        registers=(*registers, Register("given", per_line=True), Register("side", per_line=True)),
        step=(
            If(
                Test("==", side, Const(0)),
                (If(space, (Set("side", Const(1)),), step),),
                (digit,),
            ),
        ),
        close=(*close, If(Test("==", Var("seal"), given), (Put("ok\n"),), (Put("bad\n"),))),
        alphabet="abcdefghijklmnopqrstuvwxyz 0123456789",
    )


def _serial(program: ir.Program, account: str) -> str:
    return run(program, f"{account}\n".encode()).decode().strip()


def _cases(program: ir.Program, rng: Rng, accounts: list[str]) -> tuple[tuple[bytes, bytes], ...]:
    """Return hidden accounts, some to a case, with their serials."""
    cases = []
    for number in range(10):
        chosen = rng.fork(number).sample(accounts, 1 + number % 4)
        stdin = ("\n".join(chosen) + "\n").encode()
        cases.append((stdin, run(program, stdin)))
    return tuple(cases)


def _written(world: Licences, writer: sources.Writer) -> tuple[str, ...]:
    """Return the commands that write generators, try them, and use the last one."""
    steps: list[str] = []
    for generator in world.generators:
        steps += sources.written((generator,), writer)
        wanted = f"<(cut -d' ' -f2 {world.issued})"
        steps.append(f"cut -d' ' -f1 {world.issued} | {generator.call} | diff - {wanted}")
    if world.register:
        steps += [
            f"{world.generators[-1].call} < {world.customers} > /tmp/serials",
            f"paste -d' ' {world.customers} /tmp/serials | {world.tool} | sort | uniq -c",
            f"echo {','.join(HEADER)} > {world.register}",
            f"paste -d, {world.customers} /tmp/serials >> {world.register}",
        ]
    clean = "rm -f /tmp/serials /tmp/keygen"
    return (*steps, clean)


def _wrong(world: Licences, program: ir.Program) -> sources.Writer:
    return sources.last_wrong(
        world.generators,
        lambda language: render(world.program, language),
        lambda language: render(program, language),
    )


FAMILY = SerialKeygen()
