"""SEC-04 token auditor: a vendored token library that lets forged tokens through.

Its docstring is the policy, and one to five of its lines are too kind.  Graded are tokens that
nobody has seen: what should be refused, what must go on being accepted.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from tmax_gym import exact
from tmax_gym.algebra import Attempt, Context, Family, World, write_file
from tmax_gym.checks import Case, Check, Evidence, Gate, Program, fraction, unchanged
from tmax_gym.families.security import _token_flaws as tokens
from tmax_gym.families.security._token_flaws import FLAWS, TOOL, Flaw
from tmax_gym.files import text
from tmax_gym.words.clauses import Clause
from tmax_gym.world.rng import Rng

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

    def world(self, ctx: Context) -> Vendored:
        """Return a library with flaws, the keys, and tokens that got through."""
        rng = ctx.rng.fork("tokens")
        flaws = tuple(rng.sample(FLAWS, ctx.knob(1, 5)))
        keys = _keys(rng.fork("keys"))
        names = tuple(sorted(set(ctx.skin.directories)))[:6]

        def made(kind: str, *name: str | int) -> str:
            return tokens.line(rng.fork(kind, *name), keys, names=names, kind=kind)

        kinds = [flaw.kind for flaw in flaws]
        others = [flaw.kind for flaw in FLAWS if flaw not in flaws] + ["forged", "form"]
        shown = [made(kind, "shown") for kind in kinds if ctx.level < 0.9 or kind != kinds[-1]]
        batch = [made(k, "batch", n) for n in range(ctx.knob(2, 5)) for k in (*kinds, *others[:3])]
        batch += [made("sound", "batch", n) for n in range(6)]
        asked = ctx.level >= 0.35
        module = ctx.path("vendor", "tokens", "tokens.py")
        tool, seen, batch_file, said = _files(ctx, rng.fork("files"))
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
            outputs=(module, said) if asked else (module,),
            flaws=flaws,
            module=module,
            tool=tool,
            seen=seen,
            batch=batch_file if asked else "",
            verdicts=said if asked else "",
            keys=keys,
            batch_lines=lines,
            evil=tuple(made(k, "evil", n) for k in kinds for n in range(EVIL)),
            guards=tuple(made(k, "guard", n) for k in others for n in range(GUARDS)),
            sound=tuple(made("sound", "hidden", n) for n in range(SOUND)),
        )

    def oracle(self, ctx: Context, world: Vendored) -> tuple[str, ...]:
        """Return one edit a flaw, and the batch judged anew."""
        look = (f"cat {world.module}", f"python3 {world.tool} < {world.seen}")
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
        made: list[Check | Gate] = [keep]
        if ctx.verifier == "adversarial_corpus":
            made.append(_corpus(world))
        else:
            made.append(_differential(world))
        if world.batch:
            right = [tokens.verdict(one, world.keys) for one in world.batch_lines]
            before = [tokens.verdict(one, world.keys, world.flaws) for one in world.batch_lines]
            made.append(exact.lines("batch", world.verdicts, right, initial=before))
        return tuple(made)

    def say(self, ctx: Context, world: Vendored) -> tuple[Clause, ...]:
        """Return what went wrong, what is right, and what has to be judged."""
        return (_goal(world), _truth(world), *_batch(world))

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
                Attempt(name, (write_file(world.module, f"def verify(*_):\n    return {said}\n"),))
                for name, said in bodies.items()
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


def _keys(rng: Rng) -> tokens.Keys:
    """Return keys by their ids, the first ones revoked."""
    return {f"k{n}": {"secret": rng.secret(20), "revoked": n < 3} for n in range(1, 6)}


def _judged(evidence: Evidence, world: Vendored, lines: tuple[str, ...]) -> list[str]:
    """Return what the tool prints for lines, one verdict each, or nothing."""
    stdin = ("\n".join(lines) + "\n").encode()
    (outcome,) = evidence.run(Program(world.tool, "python"), [Case(stdin=stdin)])
    found = outcome.stdout.decode("utf-8", "replace").splitlines()
    return found if outcome.exit_code == 0 and len(found) == len(lines) else []


def _corpus(world: Vendored) -> Check:
    """Return the two-sided check: refused that should be, accepted that should be."""
    lines = (*world.evil, *world.sound, *world.guards)

    def score(evidence: Evidence) -> float:
        yes = [said == "accept" for said in _judged(evidence, world, lines)]
        if not yes or any(yes[len(world.evil) + len(world.sound) :]):
            return 0.0
        evil, sound = yes[: len(world.evil)], yes[len(world.evil) :][: len(world.sound)]
        refused = fraction(len(evil) - sum(evil), len(evil))
        return max(0.0, refused + fraction(sum(sound), len(sound)) - 1.0)

    return Check("tokens", "adversarial_corpus", score, 2.0)


def _differential(world: Vendored) -> Check:
    """Return the check: share of wrong verdicts mended, nothing where a right one changed."""
    lines = (*world.evil, *world.sound, *world.guards)
    wanted = [tokens.verdict(one, world.keys) for one in lines]

    def score(evidence: Evidence) -> float:
        found = _judged(evidence, world, lines)
        good = [a == b for a, b in zip(found, wanted, strict=bool(found))]
        rest = good[len(world.evil) :]
        return fraction(sum(good[: len(world.evil)]), len(world.evil)) * (bool(rest) and all(rest))

    return Check("verdicts", "fuzz_equivalence", score, 2.0)


def _edits(world: Vendored, wanted: str) -> tuple[str, ...]:
    """Return one sed command for every line that differs from a wanted module."""
    found = tokens.source(world.flaws).splitlines()
    commands = []
    for number, (old, new) in enumerate(zip(found, wanted.splitlines(), strict=True), start=1):
        if old != new:
            body = re.sub(r"([\\&|])", r"\\\1", new).replace("'", "'\\''")
            commands.append(f"sed -i '{number}s|.*|{body}|' {world.module}")
    return tuple(commands)


def _goal(world: Vendored) -> Clause:
    return Clause(
        "goal",
        (
            "{Tokens|Access tokens} in {seen} were accepted {and|although they} should have been "
            "refused: {close|mend} every {hole|gap} {of this sort|like these} in {module}.",
            "{Audit|Review} {module}, {our|the} vendored token check. {seen} {shows|lists} tokens "
            "that it {let|has let} through {against|in spite of} its own rules; {harden|fix} it.",
            "{module} is too {kind|trusting}. {Make|Render} it as strict as it {claims|promises} "
            "to be; {examples|samples} of what slipped {through|past it} are in {seen}.",
            "{An attacker|A tester} got in {with|by} the tokens of {seen}. Find {out why|the "
            "reason} in {module} and {repair|correct} the library.",
            "{Which lines|What} of {module} let the tokens in {seen} pass? {Correct|Change} "
            "{them|those} so that {forgeries|such tokens} are {refused|turned away}.",
            "The {penetration test|audit} {left|gave} us {seen}, tokens which {module} accepts "
            "{wrongly|by mistake}. {Put that right|Repair the library}.",
        ),
        facts={"module": world.module, "seen": world.seen},
        role="goal",
        brief="Make {module} refuse what it should; {seen} holds tokens it accepts wrongly.",
    )


def _truth(world: Vendored) -> Clause:
    return Clause(
        "truth",
        (
            "{Its docstrings are|The documentation in it is} the policy{, word for word|}. "
            "{tool} {runs|applies} the check to lines {of|with} time, audience and token; {it "
            "and|together with} the keys {it|} {stay|remain} as they are.",
            "{Go by|Trust} the docstrings, {all of them|every word}: other tokens than {these|the "
            "shown ones} will be tried through {tool}, which like the keys {must not|may not} "
            "change.",
            "{What is right|The truth} stands in the docstrings. {Sound|Honest} tokens must {pass|"
            "be accepted} as before, {bad|false} ones get the documented reason; {tool} and the "
            "keys {stay|are not yours to change}.",
            "{tool} prints a verdict {per|a} line, and we {compare|check} it on {unseen|further} "
            "tokens {with|against} the docstrings; {leave|keep} tool and keys {alone|as they are}.",
            "The {docstrings|rules in the docstrings} {hold|apply}, in their order. {Try|Test} "
            "with {tool} (time, audience and token a line), which {stays|is kept} unchanged "
            "{like|along with} the keys.",
            "{Every|Each} token will be {judged|measured} by the docstrings, {seen|shown} or not, "
            "through {tool}. {Neither it nor|Not even it, or} the keys {are|get} changed, only "
            "the library.",
        ),
        facts={"tool": world.tool},
        role="constraint",
        brief="The docstrings are the policy; {tool} and the keys stay as they are.",
    )


def _batch(world: Vendored) -> tuple[Clause, ...]:
    if not world.batch:
        return ()
    return (
        Clause(
            "batch",
            (
                "{Then|Afterwards} judge {batch} {again|anew} and {write|put} the verdicts, a line "
                "each, {in|into} {verdicts}.",
                "{With|Using} the repaired library, {run|send} {batch} through the tool; {its "
                "output|what it prints} belongs in {verdicts}.",
                "{verdicts} {should|has to} hold the right verdict on every line of {batch}, in "
                "{its|their} order.",
                "Last week's tokens are in {batch}: {leave|store} {their|the} correct verdicts, "
                "line for line, {in|as} {verdicts}.",
                "{For|As} the record, {verdicts} {gets|takes} what the tool says {now|after the "
                "repair} about {each|every} line of {batch}.",
                "{We also need|There should be} {verdicts}, {with|containing} the verdict that "
                "{each|every} line of {batch} {deserves|ought to have had}.",
            ),
            facts={"batch": world.batch, "verdicts": world.verdicts},
            role="output",
            brief="Write the right verdicts on {batch} to {verdicts}.",
        ),
    )


FAMILY = TokenAuditor()
