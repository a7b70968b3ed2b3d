"""SEC-11 edge filter: rules for an edge in front of an application that trusts everybody.

The policy names what must be refused, and harmless requests look similar.  The verifier starts the
whole stack and talks to it: refusing all and refusing nothing both earn 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks.check import Check, Evidence, Exchange, Gate, fraction, shuffled, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Edits, Product
from tmax_gym.families.security.edge_filter import stack
from tmax_gym.families.security.edge_filter.stack import THREATS, Threat
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

WAYS = {"timeout": "timeout 30 ", "setsid": "setsid ", "nohup": "nohup "}
"""How the stack may be started for a trial, beside a plain start."""


@dataclass(frozen=True, kw_only=True)
class Stack(World):
    """The decided facts."""

    policy: str
    manual: str
    rules: str
    start: str
    port: int
    desk: str
    threats: tuple[Threat, ...]
    evil: tuple[Exchange, ...]
    clean: tuple[Exchange, ...]


class EdgeFilter(Family[Stack]):
    """Turn a policy into rules that refuse what it names and nothing else."""

    id = "SEC-11"
    slug = "edge-filter"
    domain = "security"
    skill = "Web Security"
    primitives = (
        "Content security policy enforcement",
        "Firewall and network policy configuration",
        "Injection and XSS vulnerability analysis",
        "HTTP header and cookie inspection",
    )
    fixtures = ("multi_service_compose",)
    verifiers = ("multi_protocol",)
    languages = ("any", "bash")
    tools = ("bash", "curl", "jq", "pgrep", "python3", "setsid", "ss")
    followed_by = {  # noqa: RUF012
        "patch-file": ("edge", "The second edge gets the new rules as a patch."),
        "git-commit": ("edge", "Changes of the edge are kept under version control."),
    }

    def world(self, ctx: Context) -> Stack:
        """Return the stack, its manual, the policy, and an empty list of rules."""
        rng = ctx.rng.fork("edge")
        threats = tuple(rng.sample(THREATS, ctx.knob(1, len(THREATS))))
        port, desk = rng.integer(8100, 8800), rng.secret(10)
        rules, start = ctx.path("edge", "rules.json"), ctx.path("start.sh")
        policy, manual = _documents(ctx, rng.fork("files"))
        name = ctx.skin.stem(rng)

        def filled(template: str) -> str:
            known = {"home": ctx.home, "port": port, "upstream": port + 900, "rules": rules,
                     "name": name, "desk": desk}  # fmt: skip
            for key, value in known.items():
                template = template.replace(f"@{key}", str(value))
            return template

        refused = "".join(f"- {filled(t.policy)}\n" for t in threats)
        evil = [e for t in threats for e in t.evil]
        clean = [c for t in threats for c in t.clean]
        return Stack(
            nodes=(
                text(ctx.path("upstream.py"), filled(stack.UPSTREAM)),
                text(ctx.path("edge", "edge.py"), filled(stack.EDGE)),
                text(start, filled(stack.START), mode=0o755),
                text(manual, stack.MANUAL),
                text(policy, f"# What the edge refuses\n\n{refused}\nEverything else passes.\n"),
                text(rules, "[]\n"),
            ),
            outputs=(rules,),
            policy=policy,
            manual=manual,
            rules=rules,
            start=start,
            port=port,
            desk=desk,
            threats=threats,
            evil=tuple(_asked(filled(e), ctx, rng.fork("e", n), port) for n, e in enumerate(evil)),
            clean=tuple(
                _asked(filled(c), ctx, rng.fork("c", n), port) for n, c in enumerate(clean)
            ),
        )

    def oracle(self, ctx: Context, world: Stack) -> tuple[str, ...]:
        """Return one rule after the other, then a trial of the whole stack."""
        way = ctx.rng.fork("way").choice(("plain", "timeout", "setsid", "nohup"))
        added = [_added(world, threat.rule, way) for threat in world.threats]
        stack = f"{'' if way == 'plain' else WAYS[way]}bash {world.start} > /dev/null 2>&1 &"
        listening = "sleep 0.4" if way == "plain" else "sleep 0.4; ss -ltn"
        stop = "pkill -f edge.py; pkill -f upstream.py"
        if way != "plain":
            stop = "pgrep -f edge.py | xargs -r kill; pgrep -f upstream.py | xargs -r kill"
        trial = f"curl -s -o /dev/null -w '%{{http_code}}\\n' 127.0.0.1:{world.port}"
        return (
            f"cat {world.policy} {world.manual}",
            *added,
            f"{stack} {listening}; {trial}/",
            f"{trial}/{ctx.skin.stems[0]}; {trial}/{ctx.skin.stems[1]}/1",
            f"jq length {world.rules}; {stop}; true",
        )

    def alternative(self, ctx: Context, world: Stack) -> tuple[str, ...] | None:
        """Return the same rules in one file, last ones first."""
        rules = ",\n".join(_filled(world, t.rule) for t in reversed(world.threats))
        return (write_file(world.rules, f"[{rules}]"),)

    def checks(self, ctx: Context, world: Stack) -> tuple[Check | Gate, ...]:
        """Return the two-sided conversation; the stack itself stays."""
        keep = [node for node in world.nodes if node.path != world.rules]

        def score(evidence: Evidence) -> float:
            asked = shuffled((*world.evil, *world.clean) * 2)
            replies = evidence.talk(world.start, asked, roots=(ctx.home,))
            got: dict[Exchange, list[int]] = {}
            for exchange, reply in zip(asked, replies, strict=True):
                got.setdefault(exchange, []).append(0 if reply.error else reply.status)
            refused = sum(set(got[one]) == {403} for one in world.evil)
            kept = sum(set(got[one]) == {200} for one in world.clean)
            rates = fraction(refused, len(world.evil)) + fraction(kept, len(world.clean))
            return max(0.0, rates - 1.0)

        return (unchanged("stack", keep), Check("requests", "multi_protocol", score))

    def products(self, ctx: Context, world: Stack) -> Mapping[str, Product]:
        """Return the edge's directory, in which the rules are edited."""
        root = ctx.path("edge")
        before = {
            n.path.removeprefix(f"{root}/"): n.data or b""
            for n in world.nodes
            if n.path.startswith(f"{root}/")
        }
        return {"edge": Edits(root, before, "edge")}

    def say(self, ctx: Context, world: Stack) -> tuple[Obligation, ...]:
        """Return the policy, the rule language, and what stays."""
        return (
            Obligation(
                "situation",
                f"Our edge stands in front of an application that trusts every request. So far it "
                f"lets everything through, because its list of rules, `{world.rules}`, is empty.",
                "situation",
            ),
            Obligation(
                "goal",
                f"Write the rules so that the edge refuses every request that `{world.policy}` "
                f"describes, and no others.",
                "goal",
            ),
            Obligation(
                "language",
                f"`{world.manual}` explains how rules are written.",
                "input",
            ),
            Obligation(
                "start",
                f"`{world.start}` starts the application and the edge, which then listens on port "
                f"{world.port} of 127.0.0.1.",
                "input",
            ),
            Obligation(
                "keep",
                "Do not change any other file.",
                "limit",
                keys=("other file", "only the rules", "nothing else", "everything else", "only"),
            ),
            Obligation(
                "judged",
                "We will start the edge with your rules and send requests that you have not seen, "
                "some of them forbidden and others harmless but similar. Refusing a harmless "
                "request counts as much as letting a forbidden one through.",
                "grading",
                keys=("unseen", "not seen", "n't seen", "hidden", "other requests", "harmless"),
            ),
        )

    def mutants(self, ctx: Context, world: Stack) -> tuple[Attempt, ...]:
        """Return a rule too narrow, a rule too broad, and a rule forgotten."""
        right = [threat.rule for threat in world.threats]
        first = world.threats[0]
        wrong = {
            f"narrow: {first.name}": [first.narrow, *right[1:]],
            f"broad: {first.name}": [first.broad, *right[1:]],
            f"forgotten: {first.name}": right[1:],
            "all narrow": [threat.narrow for threat in world.threats],
        }
        return tuple(
            Attempt(
                name,
                (write_file(world.rules, f"[{', '.join(_filled(world, r) for r in rules)}]"),),
            )
            for name, rules in wrong.items()
        )

    def exploits(self, ctx: Context, world: Stack) -> tuple[Attempt, ...]:
        """Return an edge that refuses everything, one that is off, and another start."""
        everything = '[{"part": "path", "pattern": ""}]'
        return (
            Attempt("refuse all", (write_file(world.rules, everything),)),
            Attempt("pass all", (write_file(world.rules, "[]"),)),
            Attempt("no stack", (write_file(world.start, "exit 0"),)),
        )


def _documents(ctx: Context, rng: Rng) -> tuple[str, str]:
    """Return the paths of policy and manual."""
    policy = rng.choice(("policy", "refused", "forbidden", "house_rules", "threats"))
    manual = rng.choice(("MANUAL", "README", "RULES", "HOWTO", "FORMAT"))
    return ctx.path(f"{policy}.md"), ctx.path("edge", f"{manual}.md")


def _filled(world: Stack, rule: str) -> str:
    return rule.replace("@desk", world.desk)


def _added(world: Stack, rule: str, way: str) -> str:
    """Return a command that appends one rule."""
    back = f"cp /tmp/rules.json {world.rules}"
    if way != "plain":
        back = f"install -m 644 /tmp/rules.json {world.rules}"
    return (
        f"jq '. + [{_filled(world, rule)}]' {world.rules} > /tmp/rules.json && "
        f"{back}; rm /tmp/rules.json"
    )


def _asked(row: str, ctx: Context, rng: Rng, port: int) -> Exchange:
    """Return the request that a row describes."""
    while "@" in row:
        row = row.replace("@", ctx.skin.stem(rng), 1)
    method, target, *header = row.split(" ", 2)
    name, _, value = header[0].partition(": ") if header else ("", "", "")
    return Exchange(
        row,
        "http",
        port=port,
        method=method,
        target=target,
        headers=((name, value),) if name else (),
        send=b"a=1" if method == "POST" else b"",
    )


FAMILY = EdgeFilter()
