"""SEC-04 token auditor: a vendored token library that lets forged tokens through.

Its docstring is the policy, and one to five of its lines accept too much.  Graded are hidden
tokens: forged ones must be refused, and valid ones still accepted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Evidence, Gate, fraction, unchanged
from tmax_gym.checks.check import Program as Tried
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Case, Edits, Product, Program
from tmax_gym.families.security.token_auditor import flaws as tokens
from tmax_gym.families.security.token_auditor.flaws import FLAWS, TOOL, Flaw
from tmax_gym.families.shared import marks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

EVIL, GUARDS, SOUND = 4, 2, 10
"""Hidden tokens for a flaw that is there, for one that is not, and sound ones."""


@dataclass(frozen=True, kw_only=True)
class Vendored(World):
    """The decided facts."""

    flaws: tuple[Flaw, ...]
    module: str
    tool: str
    seen: str
    batch: str
    """"" below the level from which on a batch has to be judged."""
    verdicts: str
    keys: tokens.Keys
    batch_lines: tuple[str, ...]
    evil: tuple[str, ...]
    """Hidden lines that are accepted now and must not be."""
    guards: tuple[str, ...]
    """Hidden lines that are refused now and must go on being refused."""
    sound: tuple[str, ...]


class TokenAuditor(Family[Vendored]):
    """Make a token check as strict as its own documentation."""

    id = "SEC-04"
    slug = "token-auditor"
    domain = "security"
    skill = "Testing"
    primitives = (
        "CWE identification and code auditing",
        "Token generation and validation",
        "Authentication flow testing",
        "HTTP header and cookie inspection",
    )
    fixtures = ("vendored_package",)
    verifiers = ("adversarial_corpus", "fuzz_equivalence")
    languages = ("python",)
    tools = ("bash", "python3", "sed")
    followed_by = {  # noqa: RUF012
        "patch-file": ("library", "The maker of the library wants our corrections as a patch."),
        "git-commit": ("library", "The repaired library goes into our own repository."),
        "batch-run": ("tool", "All tokens of the last weeks must be checked again."),
    }

    def world(self, ctx: Context) -> Vendored:
        """Return a library with flaws, the keys, and tokens that got through."""
        rng = ctx.rng.fork("tokens")
        flaws = tuple(rng.sample(FLAWS, ctx.knob(1, 5)))
        keys = _keys(rng.fork("keys"))

        def made(kind: str, *name: str | int) -> str:
            return tokens.line(rng.fork(kind, *name), keys, names=_names(ctx), kind=kind)

        kinds = [flaw.kind for flaw in flaws]
        others = [flaw.kind for flaw in FLAWS if flaw not in flaws] + ["forged", "form"]
        shown = [made(kind, "shown") for kind in kinds if ctx.level < 0.9 or kind != kinds[-1]]
        batch = [made(k, "batch", n) for n in range(ctx.knob(2, 5)) for k in (*kinds, *others[:3])]
        batch += [made("sound", "batch", n) for n in range(6)]
        asked = ctx.level >= 0.35
        module = ctx.path("vendor", "tokens", "tokens.py")
        tool, seen, batch_file, verdicts = _files(ctx, rng.fork("files"))
        nodes = [
            text(tool, TOOL),
            text(module, tokens.source(flaws)),
            text(ctx.path("keys.json"), json.dumps(keys, indent=1) + "\n"),
            text(seen, "\n".join(shown) + "\n"),
        ]
        lines = tuple(rng.fork("order").shuffled(batch)) if asked else ()
        if asked:
            nodes.append(text(batch_file, "\n".join(lines) + "\n"))
        return Vendored(
            nodes=tuple(nodes),
            outputs=(module, verdicts) if asked else (module,),
            flaws=flaws,
            module=module,
            tool=tool,
            seen=seen,
            batch=batch_file if asked else "",
            verdicts=verdicts if asked else "",
            keys=keys,
            batch_lines=lines,
            evil=tuple(made(k, "evil", n) for k in kinds for n in range(EVIL)),
            guards=tuple(made(k, "guard", n) for k in others for n in range(GUARDS)),
            sound=tuple(made("sound", "hidden", n) for n in range(SOUND)),
        )

    def oracle(self, ctx: Context, world: Vendored) -> tuple[str, ...]:
        """Return one edit a flaw, and the batch judged anew."""
        # A token is three parts in the alphabet of URLs, without padding: its claims are shown.
        claims = ctx.rng.fork("way").choice(
            ("", "tr '_-' '/+' | base64 -d 2> /dev/null", "basenc --base64url -d 2> /dev/null")
        )
        shown = f"; head -n 1 {world.seen} | cut -d. -f2 | {claims}; echo" if claims else ""
        look = (f"cat {world.module}", f"python3 {world.tool} < {world.seen}{shown}")
        return (*look, *self._repaired(world, tokens.source()), f"python3 {world.tool} < "
                f"{world.seen} | sort | uniq -c")  # fmt: skip

    def _repaired(self, world: Vendored, wanted: str) -> tuple[str, ...]:
        judged = f"python3 {world.tool} < {world.batch} > {world.verdicts}"
        return (*_edits(world, wanted), *((judged,) if world.batch else ()))

    def alternative(self, ctx: Context, world: Vendored) -> tuple[str, ...] | None:
        """Return the module written anew."""
        judged = f"python3 {world.tool} < {world.batch} > {world.verdicts}"
        return (write_file(world.module, tokens.source()), *((judged,) if world.batch else ()))

    def checks(self, ctx: Context, world: Vendored) -> tuple[Check | Gate, ...]:
        """Return the hidden tokens, and the batch."""
        keep = unchanged("tool", [n for n in world.nodes if n.path != world.module])
        checks: list[Check | Gate] = [keep]
        if ctx.verifier == "adversarial_corpus":
            checks.append(_corpus(world))
        else:
            checks.append(_differential(world))
        if world.batch:
            right = [tokens.verdict(one, world.keys) for one in world.batch_lines]
            before = [tokens.verdict(one, world.keys, world.flaws) for one in world.batch_lines]
            checks.append(exact.lines("batch", world.verdicts, right, initial=before))
        return tuple(checks)

    def products(self, ctx: Context, world: Vendored) -> Mapping[str, Product]:
        """Return the repaired library, and the tool that uses it."""
        root, _, name = world.module.rpartition("/")
        kinds = ("sound", "sound", "forged", "form", *(flaw.kind for flaw in FLAWS))

        def case(rng: Rng) -> Case:
            lines = [
                tokens.line(rng.fork(n), world.keys, names=_names(ctx), kind=rng.choice(kinds))
                for n in range(rng.integer(4, 12))
            ]
            told = (tokens.verdict(one, world.keys) for one in lines)
            return Case("".join(f"{one}\n" for one in lines).encode(),
                        "".join(f"{one}\n" for one in told).encode())  # fmt: skip

        return {
            "library": Edits(root, {name: tokens.source(world.flaws).encode()}, "token library"),
            "tool": Program(world.tool, f"python3 {world.tool}", case, "lists of tokens"),
        }

    def say(self, ctx: Context, world: Vendored) -> tuple[Obligation, ...]:
        """Return the symptom, the rules, and the lines to judge."""
        obligations = [
            Obligation(
                "goal",
                f"The library `{world.module}`, which checks access tokens, accepts tokens that it "
                f"should refuse. Find all such mistakes in it and correct them.",
                "goal",
            ),
            Obligation(
                "seen",
                f"`{world.seen}` has examples of tokens that it accepts by mistake, but perhaps "
                f"not for every mistake.",
                "input",
            ),
            Obligation(
                "tool",
                f"`{world.tool}` uses the library: it reads lines with a time, an audience and a "
                f"token from standard input and prints the verdict on each token.",
                "input",
            ),
            Obligation(
                "truth",
                "The docstrings in the library are right. They say which tokens are refused, and "
                "for which reason if there are several; every other token must be accepted.",
                keys=("docstring", "documentation", "documented"),
            ),
        ]
        if world.batch:
            obligations.append(
                Obligation(
                    "batch",
                    f"After the repair, run the tool on `{world.batch}` and write what it prints, "
                    f"one verdict per line in the same order, to `{world.verdicts}`.",
                    "output",
                )
            )
        return (
            *obligations,
            Obligation(
                "keep",
                "Change nothing but the library: the tool, the keys and the other given files must "
                "stay as they are.",
                "limit",
                keys=("not change", "n't change", "unchanged", "as they are", "untouched"),
            ),
            Obligation(
                "judged",
                "We will run the tool on tokens that you have not seen. Those that break a rule "
                "must be refused for the documented reason, and valid ones must still be accepted.",
                "grading",
                keys=("unseen", "not seen", "n't seen", "hidden", "other tokens"),
            ),
        )

    def mutants(self, ctx: Context, world: Vendored) -> tuple[Attempt, ...]:
        """Return repairs that forget a flaw, and repairs that open another one."""
        rest = [flaw for flaw in FLAWS if flaw not in world.flaws]
        wrong = {f"opens: {flaw.kind}": (flaw,) for flaw in rest[:3]}
        if len(world.flaws) > 1:
            wrong |= {f"leaves: {flaw.kind}": (flaw,) for flaw in world.flaws[:2]}
        return tuple(
            Attempt(name, self._repaired(world, tokens.source(left)))
            for name, left in wrong.items()
        )

    def exploits(self, ctx: Context, world: Vendored) -> tuple[Attempt, ...]:
        """Return a library that refuses everything, one that accepts everything, and a tool."""
        bodies = {"refuse all": '"reject form"', "accept all": '"accept"'}
        return (
            *(
                Attempt(
                    name, (write_file(world.module, f"def verify(*_):\n    return {verdict}\n"),)
                )
                for name, verdict in bodies.items()
            ),
            Attempt("another tool", (f"echo 'print(\"accept\")' > {world.tool}",)),
        )


def _files(ctx: Context, rng: Rng) -> tuple[str, ...]:
    """Return the paths of the tool, what was accepted, the batch and the verdicts."""
    named = (
        rng.choice(("tool", "judge", "verdict", "check_tokens", "gate")) + ".py",
        rng.choice(("accepted", "let_in", "pentest", "slipped", "found")) + ".txt",
        rng.choice(("batch", "last_week", "queue", "pending")) + ".txt",
        rng.choice(("verdicts", "judged", "decisions", "result")) + ".txt",
    )
    return tuple(ctx.path(name) for name in named)


def _names(ctx: Context) -> tuple[str, ...]:
    """Return the audiences of tokens."""
    return tuple(sorted(set(ctx.skin.directories)))[:6]


def _keys(rng: Rng) -> tokens.Keys:
    """Return keys by their ids, the first ones revoked."""
    return {f"k{n}": {"secret": rng.secret(20), "revoked": n < 3} for n in range(1, 6)}


def _corpus(world: Vendored) -> Check:
    """Return the two-sided check: refused that should be, accepted that should be."""
    lines = (*world.evil, *world.sound, *world.guards)

    def score(evidence: Evidence) -> float:
        pairs = marks.by_line(evidence, Tried(world.tool, "python"), lines)
        accepted = [[word == "accept" for word in pair] for pair in pairs]
        if not accepted or any(map(any, accepted[len(world.evil) + len(world.sound) :])):
            return 0.0
        evil, sound = accepted[: len(world.evil)], accepted[len(world.evil) :][: len(world.sound)]
        refused = fraction(len(evil) - sum(map(any, evil)), len(evil))
        return max(0.0, refused + fraction(sum(map(all, sound)), len(sound)) - 1.0)

    return Check("tokens", "adversarial_corpus", score, 2.0)


def _differential(world: Vendored) -> Check:
    """Return the check: share of wrong verdicts mended, nothing where a right one changed."""
    lines = (*world.evil, *world.sound, *world.guards)
    wanted = [tokens.verdict(one, world.keys) for one in lines]

    def score(evidence: Evidence) -> float:
        pairs = marks.by_line(evidence, Tried(world.tool, "python"), lines)
        good = [pair == (w, w) for pair, w in zip(pairs, wanted, strict=bool(pairs))]
        rest = good[len(world.evil) :]
        return fraction(sum(good[: len(world.evil)]), len(world.evil)) * (bool(rest) and all(rest))

    return Check("verdicts", "fuzz_equivalence", score, 2.0)


def _edits(world: Vendored, wanted: str) -> tuple[str, ...]:
    """Return one sed command for every line that differs from a wanted module."""
    lines = tokens.source(world.flaws).splitlines()
    commands = []
    for number, (old, new) in enumerate(zip(lines, wanted.splitlines(), strict=True), start=1):
        if old != new:
            body = re.sub(r"([\\&|])", r"\\\1", new).replace("'", "'\\''")
            commands.append(f"sed -i '{number}s|.*|{body}|' {world.module}")
    return tuple(commands)


FAMILY = TokenAuditor()
