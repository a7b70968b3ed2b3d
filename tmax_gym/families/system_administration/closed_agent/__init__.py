"""SYS-19 closed agent: a stripped monitoring agent that refuses settings without the right seal.

The binary reports for every line whether it accepts it, so guesses can be tested.  No file
describes the seal.  More difficult tasks have more settings, and seals with more parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, fraction, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.program import BYTE, Emit, If, Program, Put, Register, Stmt, Var
from tmax_gym.world.programs.sugar import ex, is_, let, odd, op, within

OK, BAD = "accepted", "refused"


@dataclass(frozen=True, kw_only=True)
class Agent(World):
    """The decided facts."""

    binary: str
    wanted: str
    config: str
    program: Program
    modulus: int
    settings: tuple[str, ...]


class ClosedAgent(Family[Agent]):
    """Ask the binary about every candidate, and keep what it accepts."""

    id = "SYS-19"
    slug = "closed-agent"
    domain = "system_administration"
    skill = "Process/Service"
    primitives = (
        "Service lifecycle management (systemd, init)",
        "System config file management",
        "Process monitoring and control",
        "Task automation scripting",
    )
    fixtures = ("stripped_binary",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "seq", "grep", "python3")
    followed_by = {  # noqa: RUF012
        "export-diff": ("sealed", "We want to see what differs from what the agents run today."),
        "json-feed": ("sealed", "The inventory team imports all agent settings as JSON."),
        "sqlite-load": ("sealed", "We want to look up the sealed settings of all agents."),
    }

    def world(self, ctx: Context) -> Agent:
        """Return the agent and the settings that it should run with."""
        rng = ctx.rng.fork("agent")
        modulus = rng.integer(150, 200 + ctx.knob(0, 700))
        program = _agent(rng.fork("program"), modulus, depth=ctx.knob(0, 3))
        name = ctx.skin.stem(rng).replace("_", "-")
        binary, wanted = ctx.path("bin", f"{name}-agent"), ctx.path("settings.txt")
        config = ctx.path("agent.conf")
        settings = _settings(ctx, rng.fork("settings"), ctx.knob(1, 12))
        return Agent(
            nodes=(
                Node(binary, data=executable(program), mode=0o755),
                text(wanted, "\n".join(settings) + "\n"),
            ),
            outputs=(config,),
            binary=binary,
            wanted=wanted,
            config=config,
            program=program,
            modulus=modulus,
            settings=settings,
        )

    def oracle(self, ctx: Context, world: Agent) -> tuple[str, ...]:
        """Return one search for each setting."""
        return (
            f"uname -m; size {world.binary}; ldd {world.binary}; cat {world.wanted}; "
            f"head -n 1 {world.wanted} | sed 's/$/;7/' | {world.binary}",
            *_seals(world, range(len(world.settings))),
            f"{world.binary} < {world.config}",
        )

    def alternative(self, ctx: Context, world: Agent) -> tuple[str, ...] | None:
        """Return the same search in Python, all settings at once."""
        program = (
            "import subprocess\n"
            f"out = open({world.config!r}, 'w')\n"
            f"for line in open({world.wanted!r}).read().split('\\n')[:-1]:\n"
            f"    tries = [f'{{line}};{{n}}' for n in range({world.modulus})]\n"
            f"    said = subprocess.run([{world.binary!r}], input='\\n'.join(tries) + '\\n',\n"
            "                          text=True, stdout=subprocess.PIPE).stdout.split('\\n')\n"
            f"    print(tries[said.index({OK!r})], file=out)\n"
        )
        return (write_file("/tmp/seal.py", program), "python3 /tmp/seal.py")

    def checks(self, ctx: Context, world: Agent) -> tuple[Check | Gate, ...]:
        """Return the share of settings that are in their place and have a valid seal."""

        def score(evidence: Evidence) -> float:
            lines = exact.read_text(evidence, world.config).rstrip("\n").split("\n")
            if len(lines) > len(world.settings):
                raise BadOutput(f"{world.config} has {len(lines)} lines")
            hits = 0
            for line, setting in zip(lines, world.settings, strict=False):
                message, _, seal = line.rstrip().rpartition(";")
                if message == setting and seal.isdigit() and len(seal) < 6:
                    hits += run(world.program, f"{message};{seal}\n".encode()) == f"{OK}\n".encode()
            return fraction(hits, len(world.settings))

        return (unchanged("given", world.nodes), Check("sealed", "exact_text", score))

    def products(self, ctx: Context, world: Agent) -> Mapping[str, Product]:
        """Return the settings and their seals, unless there are too few."""
        if len(world.settings) < 3:
            return {}
        # The same program, except that it prints the seal that it expects.
        told = replace(
            world.program, close=(world.program.close[0], Emit(Var("answer")), Put("\n"))
        )
        lines = "".join(f"{setting};0\n" for setting in world.settings)
        seals = run(told, lines.encode()).decode().split()
        rows = tuple(zip(world.settings, seals, strict=True))
        columns = ("setting", "seal")
        return {
            "sealed": Table(
                world.config, columns, rows, "sealed settings", separator=";", header=False
            )
        }

    def say(self, ctx: Context, world: Agent) -> tuple[Obligation, ...]:
        """Return the behaviour of the agent, and the goal."""
        return (
            Obligation(
                "goal",
                f"Our monitoring agent `{world.binary}` accepts a setting only with the right "
                f"seal. Find the seal of every setting in `{world.wanted}`, and write the sealed "
                f"settings to `{world.config}`, in the same order.",
                "goal",
            ),
            Obligation(
                "ask",
                "The agent reads sealed settings from standard input and prints one line for each "
                "of them, `accepted` or `refused`. Nobody knows how the seal is computed, and "
                "there is no documentation.",
                "input",
            ),
            Obligation(
                "form",
                f"A sealed setting is one line `key=value;seal`: the setting exactly as it is in "
                f"`{world.wanted}`, a semicolon, and the seal. The seal is a whole number that is "
                f"at least 0 and less than {world.modulus}.",
                "format",
            ),
            Obligation("keep", f"Do not change `{world.binary}` or `{world.wanted}`.", "limit"),
        )

    def mutants(self, ctx: Context, world: Agent) -> tuple[Attempt, ...]:
        """Return seals that are off, of another setting, or left out."""
        every = range(len(world.settings))
        right = _seals(world, every)
        off = f"awk -F';' -v OFS=';' '{{ $2 = ($2 + 1) % {world.modulus} }} 1' {world.config}"
        return (
            Attempt("off by one", (*right, f"{off} > /tmp/off; mv /tmp/off {world.config}")),
            Attempt("last left out", _seals(world, every[:-1]) or (f": > {world.config}",)),
            Attempt("blank before", (*right, f"sed -i '1s/;/; /' {world.config}")),
            Attempt("other value", (*right, f"sed -i '$s/=/=0/' {world.config}")),
        )

    def exploits(self, ctx: Context, world: Agent) -> tuple[Attempt, ...]:
        """Return settings without seals, and the answers of the agent."""
        return (
            Attempt("no seals", (f"cp {world.wanted} {world.config}",)),
            Attempt("answers", (f"sed 's/.*/{OK}/' {world.wanted} > {world.config}",)),
        )


def _seals(world: Agent, which: range) -> tuple[str, ...]:
    """Return one command for each setting: it tries every candidate and keeps the right one."""
    candidates = f"seq -f '@;%.0f' 0 {world.modulus - 1} > /tmp/try"
    pick = f"$({world.binary} < /tmp/try | grep -nx {OK} | head -n 1 | cut -d: -f1)"
    return tuple(
        f"{candidates.replace('@', world.settings[n])}; sed -n {pick}p /tmp/try >> {world.config}"
        for n in which
    )


def _settings(ctx: Context, rng: Rng, count: int) -> tuple[str, ...]:
    keys = [slugged(m.name) for m in ctx.skin.measures] + list(ctx.skin.columns)
    chosen = rng.sample(sorted({slugged(k) for k in keys}), count)
    return tuple(f"{key}={rng.integer(2, 4000)}" for key in chosen)


def _agent(rng: Rng, modulus: int, *, depth: int) -> Program:
    """Return the agent, which compares a sum over the setting with the seal."""
    mixed = op(op("sum", "*", odd(rng, 31, 4001)), "+", BYTE)
    if depth >= 1:
        mixed = op(mixed, "^", op("sum", ">>", rng.integer(9, 17)))
    if depth >= 2:
        mixed = op(mixed, "+", op("place", "*", odd(rng, 100, 9999)))
    first: list[Stmt] = [let("sum", mixed), let("place", op("place", "+", 1))]
    digit = If(
        within("0", "9"),
        (let("seal", op(op("seal", "*", 10), "+", op(BYTE, "-", 48))),),
        (let("seal", modulus + 9),),
    )
    step = If(
        is_(BYTE, "==", ord(";")),
        (let("after", 1), let("seal", 0)),
        (If(is_("after", "==", 1), (digit,), tuple(first)),),
    )
    final = op("sum", "^", op("sum", ">>", 15)) if depth >= 3 else ex("sum")
    close = (
        let("answer", op(final, "%", modulus)),
        If(is_("answer", "==", "seal"), (Put(f"{OK}\n"),), (Put(f"{BAD}\n"),)),
    )
    registers = (
        Register("sum", rng.integer(1000, 1 << 30), True),
        Register("place", 0, True),
        Register("after", 0, True),
        Register("seal", modulus + 9, True),
        Register("answer", 0, True),
    )
    return Program("agent", "line", registers, (step,), close, alphabet="abcdefgh=;0123456789")


FAMILY = ClosedAgent()
