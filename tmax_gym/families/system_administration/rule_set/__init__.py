"""SYS-09 rule set: a packet filter from a policy in words; the first rule that matches decides.

Below `SHORT` one service is opened.  Above, statements with exceptions, port ranges and
neighbouring zones are turned into rules.  The filter is tried with flows that are just allowed and
flows that are just not allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, fraction, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.system_administration.rule_set import instruction
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
MOST = 200
"""Rules that a set may have."""
PREAMBLE = """\
What may pass
=============
Everything that is not allowed here is dropped. Each statement allows one direction only. The
statements are independent: an exception limits only the statement in which it stands. A range of
ports includes both ends.

"""
"""The head of the policy."""
Flow = tuple[int, int, str, int]
"""(source address, destination address, protocol, port)."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of the policy."""

    source: str
    target: str
    protocol: str
    ports: tuple[int, int]
    barred: str = ""
    """A part of the source that is excepted."""

    def rules(self, *, barred: bool = True) -> list[str]:
        """Return the lines of the filter."""
        low, high = self.ports
        shown = str(low) if low == high else f"{low}-{high}"
        tail = f"{self.target} {self.protocol} {shown}"
        first = [f"deny {self.barred} {tail}"] if self.barred and barred else []
        return [*first, f"allow {self.source} {tail}"]


@dataclass(frozen=True, kw_only=True)
class Filter(World):
    """The decided facts."""

    rules: str
    zones: str
    policy: str
    statements: tuple[Statement, ...]
    clean: tuple[Flow, ...]
    evil: tuple[Flow, ...]
    told: str = ""


class RuleSet(Family[Filter]):
    """Allow exactly what the policy says, with exceptions before the rules that they limit."""

    id = "SYS-09"
    slug = "rule-set"
    domain = "system_administration"
    skill = "Network"
    primitives = (
        "Firewall rules and port forwarding",
        "Network interface and routing configuration",
        "Connectivity diagnostics",
        "System config file management",
    )
    fixtures = ("text_only",)
    verifiers = ("adversarial_corpus",)
    languages = ("any", "bash")
    tools = ("bash", "cat")

    def world(self, ctx: Context) -> Filter:
        """Return zones and a policy."""
        rng = ctx.rng.fork("net")
        count = 1 if ctx.level < SHORT else ctx.knob(2, 12)
        names = rng.sample(sorted(set(ctx.skin.directories)), 6)
        base, start = rng.integer(0, 250), rng.integer(1, 200)
        nets = {name: f"10.{base}.{start + n}.0/24" for n, name in enumerate(names)}
        named = list(nets)
        statements, lines = [], []
        for number in range(count):
            r = rng.fork("statement", number)
            statement, line = _statement(r, named, nets, number=number, short=ctx.level < SHORT)
            statements.append(statement)
            lines.append(line)
        clean, evil = _flows(rng.fork("flows"), statements)
        zones, policy, rules = ctx.path("zones"), ctx.path("POLICY"), ctx.path("filter.rules")
        only = statements[0]
        nodes = (
            text(zones, "".join(f"{name} {net}\n" for name, net in nets.items())),
            *(() if ctx.level < SHORT else (prose(policy, PREAMBLE + "".join(lines)),)),
        )
        description = f"{only.protocol} port {only.ports[0]} of {only.target.partition('/')[0]}"
        return Filter(
            nodes=nodes,
            outputs=(rules,),
            rules=rules,
            zones=zones,
            policy=policy,
            statements=tuple(statements),
            clean=clean,
            evil=evil,
            told=f"{description} from {lines[0].split()[1]}" if ctx.level < SHORT else "",
        )

    def oracle(self, ctx: Context, world: Filter) -> tuple[str, ...]:
        """Return one command for each rule."""
        look = world.zones if ctx.level < SHORT else f"{world.zones} {world.policy}"
        rules = [rule for s in world.statements for rule in s.rules()]
        if ctx.rng.fork("way").chance(0.5):
            return (
                f"cat {look}",
                ": > /tmp/draft",
                *(f"echo '{rule}' >> /tmp/draft" for rule in rules),
                f"install -m 644 /tmp/draft {world.rules}; rm /tmp/draft",
            )
        return (
            f"cat {look}",
            f": > {world.rules}",
            *(f"echo '{rule}' >> {world.rules}" for rule in rules),
            f"cat {world.rules}",
        )

    def checks(self, ctx: Context, world: Filter) -> tuple[Check | Gate, ...]:
        """Return the rate of flows that are rightly passed and rightly dropped."""

        def score(evidence: Evidence) -> float:
            rules = [_parsed(line) for line in _told(evidence, world.rules)]
            kept = sum(_passes(rules, flow) for flow in world.clean)
            stopped = sum(not _passes(rules, flow) for flow in world.evil)
            return max(
                0.0, fraction(kept, len(world.clean)) + fraction(stopped, len(world.evil)) - 1
            )

        return (unchanged("given", world.nodes), Check("flows", "adversarial_corpus", score))

    def say(self, ctx: Context, world: Filter) -> tuple[Obligation, ...]:
        """Return the goal, and the form of a rule."""
        form = instruction.form(_shown(world), MOST)
        if ctx.level >= SHORT:
            goal = instruction.whole(world.rules, world.policy, world.zones)
            return (goal, *form, instruction.judged())
        only = world.statements[0]
        goal = instruction.short(
            world.rules,
            world.zones,
            zone=world.told.rpartition(" from ")[2],
            address=only.target.partition("/")[0],
            protocol=only.protocol,
            port=only.ports[0],
        )
        return (goal, *form)

    def mutants(self, ctx: Context, world: Filter) -> tuple[Attempt, ...]:
        """Return rules that are too wide, too narrow, or in the wrong order."""
        rules = [rule for s in world.statements for rule in s.rules()]
        allowed = [rule for s in world.statements for rule in s.rules(barred=False)]
        other = {"tcp": "udp", "udp": "tcp"}
        first = allowed[0].split()
        wrong = {
            "any protocol": [r.replace(" tcp ", " any ").replace(" udp ", " any ") for r in rules],
            "wide sources": [r.replace(".0/24 ", ".0/16 ", 1) for r in allowed],
            "first left out": [r for r in rules if r != allowed[0]],
            "one protocol wrong": [
                " ".join((*first[:3], other[first[3]], first[4])) if r == allowed[0] else r
                for r in rules
            ],
        }
        if allowed != rules:
            wrong["no exceptions"] = allowed
            wrong["exceptions last"] = allowed + [r for r in rules if r.startswith("deny")]
        return tuple(
            Attempt(name, (_written(world, statements),)) for name, statements in wrong.items()
        )

    def exploits(self, ctx: Context, world: Filter) -> tuple[Attempt, ...]:
        """Return filters that allow everything, drop everything, or have the zones as rules."""
        return (
            Attempt("open", (_written(world, ["allow any any any any"]),)),
            Attempt("closed", (_written(world, ["deny any any any any"]),)),
            Attempt("zones", (f"cp {world.zones} {world.rules}",)),
        )


def _shown(world: Filter) -> str:
    """Return a network of the zones, the last one listed."""
    return (world.nodes[0].data or b"").decode().split()[-1]


def _written(world: Filter, rules: Sequence[str]) -> str:
    return f"printf '%s\\n' {' '.join(repr(rule) for rule in rules)} > {world.rules}"


def _statement(
    rng: Rng, named: Sequence[str], nets: dict[str, str], *, number: int, short: bool
) -> tuple[Statement, str]:
    """Return a statement and its line of the policy."""
    source, target = rng.sample(named, 2)
    low = rng.integer(1024, 9000) + 10 * number
    wide = 0 if short or number % 3 else rng.integer(3, 9)
    protocol = rng.choice(("tcp", "udp"))
    host = nets[target].replace(".0/24", f".{rng.integer(5, 250)}/32")
    whole = not short and number % 4 == 1
    barred = ""
    if not short and number % 2 == 0:
        barred = nets[source].replace(".0/24", rng.choice((".64/26", ".128/25", ".16/28")))
    where = f"any host of {target}" if whole else f"{host.partition('/')[0]} in {target}"
    ports = f"port {low}" if not wide else f"ports {low} to {low + wide}"
    line = f"- {source} may reach {where} over {protocol} on {ports}"
    line += f", except from {barred}\n" if barred else "\n"
    statement = Statement(
        nets[source], nets[target] if whole else host, protocol, (low, low + wide), barred
    )
    return statement, line


def _flows(rng: Rng, statements: Sequence[Statement]) -> tuple[tuple[Flow, ...], tuple[Flow, ...]]:
    """Return flows that the policy lets through, and flows that it does not."""
    rules = [_parsed(rule) for s in statements for rule in s.rules()]
    clean: list[Flow] = []
    evil: list[Flow] = []
    for number, s in enumerate(statements):
        r = rng.fork(number)
        low, high = s.ports
        for port in (low, high, r.integer(low, high)):
            for _ in range(8):
                flow = (_inside(r, s.source), _inside(r, s.target), s.protocol, port)
                if _passes(rules, flow):
                    clean.append(flow)
                    break
        source, target = clean[-1][0], clean[-1][1]
        near = [
            (source, target, s.protocol, low - 1),
            (source, target, s.protocol, high + 1),
            (source, target, "udp" if s.protocol == "tcp" else "tcp", low),
            (source + 256 * r.choice((-1, 1, 7)), target, s.protocol, low),
            (source, target + (300 if s.target.endswith("/24") else 1), s.protocol, high),
            (target, source, s.protocol, low),
        ]
        if s.barred:
            near += [(_inside(r, s.barred), target, s.protocol, p) for p in (low, high, low)]
        evil += [flow for flow in near if not _passes(rules, flow)]
    return tuple(clean), tuple(evil)


def _range(net: str) -> tuple[int, int]:
    """Return the first and the last address of a network, or of everything."""
    if net == "any":
        return 0, (1 << 32) - 1
    address, _, bits = net.partition("/")
    parts = [int(part) for part in address.split(".")]
    if len(parts) != 4 or any(not 0 <= p <= 255 for p in parts):
        raise ValueError(net)
    size = 1 << (32 - int(bits or "32"))
    start = int.from_bytes(bytes(parts), "big") // size * size
    return start, start + size - 1


def _inside(rng: Rng, net: str) -> int:
    low, high = _range(net)
    return low if low == high else rng.integer(low + 1, high - 1)


Parsed = tuple[bool, tuple[int, int], tuple[int, int], str, tuple[int, int]]


def _parsed(line: str) -> Parsed:
    """Return a rule.  Raises `BadOutput`."""
    try:
        verdict, source, target, protocol, ports = line.split()
        low, _, high = ports.partition("-")
        spread = (0, 65535) if ports == "any" else (int(low), int(high or low))
        if verdict not in ("allow", "deny") or protocol not in ("tcp", "udp", "any"):
            raise ValueError(line)
        return verdict == "allow", _range(source), _range(target), protocol, spread
    except ValueError as error:
        raise BadOutput(f"{line!r} is no rule") from error


def _told(evidence: Evidence, path: str) -> list[str]:
    lines = [line.partition("#")[0].strip() for line in exact.read_text(evidence, path).split("\n")]
    rules = [line for line in lines if line]
    if len(rules) > MOST:
        raise BadOutput(f"{path} has {len(rules)} rules, more than {MOST}")
    return rules


def _passes(rules: Sequence[Parsed], flow: Flow) -> bool:
    source, target, protocol, port = flow
    for allow, sources, targets, kind, ports in rules:
        if (
            sources[0] <= source <= sources[1]
            and targets[0] <= target <= targets[1]
            and kind in ("any", protocol)
            and ports[0] <= port <= ports[1]
        ):
            return allow
    return False


FAMILY = RuleSet()
