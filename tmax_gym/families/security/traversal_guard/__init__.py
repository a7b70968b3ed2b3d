"""SEC-02 traversal guard: a program that refuses upload names which escape their root.

The rules are few; the corpus is not: encodings in layers, both separators, and harmless names that
look suspicious.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from tmax_gym.checks.check import Case, Check, Gate, Outcome, adversarial_corpus, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.security.traversal_guard.guards import MISTAKES, SOURCE
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause


@dataclass(frozen=True, kw_only=True)
class Guard(World):
    """The decided facts."""

    program: sources.Source
    sample: str
    evil: tuple[bytes, ...]
    clean: tuple[bytes, ...]


class TraversalGuard(Family[Guard]):
    """Decide whether a name stays below the upload root."""

    id = "SEC-02"
    slug = "traversal-guard"
    domain = "security"
    skill = "Web Security"
    primitives = (
        "Exploit crafting and payload delivery",
        "Injection and XSS vulnerability analysis",
        "Payload encoding and decoding",
        "Pattern matching for intrusion detection",
    )
    fixtures = ("text_only",)
    verifiers = ("adversarial_corpus",)
    languages = ("python", "bash", "c", "cpp", "go", "rust")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Guard:
        """Return a log of past names without a verdict, and hidden names of both kinds."""
        rng = ctx.rng.fork("names")
        layers, count = ctx.knob(1, 3), ctx.knob(2, 8)
        evil = _evil(ctx, rng.fork("evil"), layers=layers, count=count)
        clean = _clean(ctx, rng.fork("clean"), count=count)
        seen = [*_evil(ctx, rng.fork("seen"), layers=layers, count=1)[:4]]
        seen += _clean(ctx, rng.fork("seen"), count=1)[:4]
        sample = ctx.path("uploads_seen.txt")
        body = b"\n".join(rng.fork("order").shuffled(seen)).decode() + "\n"
        (program,) = sources.sources(ctx, "guard")
        return Guard(
            nodes=(text(sample, body),),
            outputs=(program.path,),
            program=program,
            sample=sample,
            evil=evil,
            clean=clean,
        )

    def oracle(self, ctx: Context, world: Guard) -> tuple[str, ...]:
        """Return the program in the task's language, after a look at the names."""
        source = SOURCE[ctx.language].lstrip()
        return (f"cat {world.sample}", *sources.written((world.program,), lambda _: source))

    def checks(self, ctx: Context, world: Guard) -> tuple[Check | Gate, ...]:
        """Return the two-sided corpus."""
        return (
            unchanged("sample", world.nodes),
            adversarial_corpus(
                "names",
                world.program.program("/app"),
                evil=[Case(stdin=name + b"\n") for name in world.evil],
                clean=[Case(stdin=name + b"\n") for name in world.clean],
                accepts=_accepts,
            ),
        )

    def say(self, ctx: Context, world: Guard) -> tuple[Clause, ...]:
        """Return the interface and every rule."""
        return (_say_goal(world), *_say_rules(world), *sources.say((world.program,)))

    def mutants(self, ctx: Context, world: Guard) -> tuple[Attempt, ...]:
        """Return one forgotten rule at a time."""
        right = SOURCE[ctx.language].lstrip()
        return tuple(
            Attempt(name, (write_file(world.program.path, reduce(_edited, edits, right)),))
            for name, edits in ((name, way[ctx.language]) for name, way in MISTAKES.items())
        )

    def exploits(self, ctx: Context, world: Guard) -> tuple[Attempt, ...]:
        """Return the two programs that decide without looking."""
        path = world.program.path
        return (
            Attempt("accept all", (write_file(path, tricks.ends(ctx.language, 0)),)),
            Attempt("reject all", (write_file(path, tricks.ends(ctx.language, 1)),)),
        )


def _accepts(outcome: Outcome) -> bool:
    return outcome.exit_code == 0


def _edited(source: str, edit: tuple[str, str]) -> str:
    if edit[0] not in source:
        raise ValueError(f"the guard has no {edit[0]!r} to be changed")
    return source.replace(*edit)


def _escape(data: bytes, rng: Rng, share: float) -> bytes:
    """Percent-encode a share of the bytes; percent signs always."""
    return b"".join(b"%%%02x" % b if b == 37 or rng.chance(share) else bytes([b]) for b in data)


def _layered(name: bytes, rng: Rng, layers: int) -> bytes:
    for _ in range(layers):
        name = _escape(name, rng, 0.5 if len(name) < 60 else 0.1)
    return name


def _evil(ctx: Context, rng: Rng, *, layers: int, count: int) -> tuple[bytes, ...]:
    """Return names that escape: plain, encoded, with backslashes, absolute, empty, control."""
    names: list[bytes] = []
    for number in range(count):
        r = rng.fork(number)
        a, b = ctx.skin.stem(r).encode(), ctx.skin.directory(r).encode()
        deep = b"../" * r.integer(1, 4)
        escape = r.choice((b"etc/passwd", b"root/.ssh/id_rsa", b + b"/" + a))
        names += [
            deep + escape,
            b"%2e%2e%2f" * r.integer(1, 3) + escape,
            b + b"\\..\\..\\" + a + b".csv",
            b + b"/" + a + b"/../../../" + escape,
            _layered(b"..%2f" + a, r, layers),
            b"/" + escape,
            b"%5c" + b + b"%5c" + a,
            a + b"%00.png",
            b + b"/..",
        ]
    return tuple(names)


def _clean(ctx: Context, rng: Rng, *, count: int) -> tuple[bytes, ...]:
    """Return harmless names that look suspicious."""
    names: list[bytes] = []
    for number in range(count):
        r = rng.fork(number)
        a, b = ctx.skin.stem(r).encode(), ctx.skin.directory(r).encode()
        names += [
            b + b"/" + a + b".csv",
            b + b"/../" + a + b".txt",
            a + b"..old",
            b".../" + a,
            b"..." + a + b"/" + b,
            a + b"-100%.txt",
            b"%zz/" + a,
            b + b"%20" + a + b".pdf",
            b + b"/" + a + b"/../../" + a + b"..bak",
        ]
    return tuple(names)


def _say_goal(world: Guard) -> Clause:
    kind = "script" if world.program.language == "bash" else "program"
    return Clause(
        "goal",
        (
            "Write {kind} at {program} that {decides|finds out} whether {a "
            "client's|an uploaded} file name {stays|remains} below the upload root.",
            "{Somebody is|People are} walking out of our upload root with "
            "{crafted|doctored} names. {Put|Place} a check, {kind}, at {program}.",
            "We need a guard for upload names: {kind}, at {program}, {which|that} "
            "{keeps|holds} them below the upload root.",
            "{program} should become {kind} that {tells|separates} harmless upload "
            "names from those that {leave|break out of} the upload root.",
            "{Uploads|Files that clients send} must not {land|end up} outside the "
            "upload root: {judge|check} their names with {kind}, {program}.",
            "{Does|Will} a {client's|given} file name {lead|climb} out of the upload "
            "root? {kind}, {program}, is {to|meant to} {answer|decide} that.",
        ),
        facts={"program": world.program.path, "kind": f"a {world.program.name} {kind}"},
        role="goal",
        brief="Write {kind}, {program}, that refuses names which leave the upload root.",
    )


def _say_rules(world: Guard) -> tuple[Clause, ...]:
    return (
        Clause(
            "interface",
            (
                "{The program|It} reads one name from standard input (a final newline "
                "does not belong to it) and {exits|ends} with {yes} to accept, {no} to "
                "reject.",
                "The name {arrives|comes} on standard input, {followed by a newline|with "
                "a newline behind it}; exit status {yes} accepts it, {no} rejects it.",
                "{One|A single} name {per run|a run}, on standard input, {less|without} "
                "the newline at its end; {answer|reply} by exit status: {yes} "
                "{accepts|to accept}, {no} {rejects|to reject}.",
                "{Exit|End} with {yes} for a name {to accept|that is fine} and {no} for "
                "{one to reject|any other}; it {is|comes} on standard input, {and "
                "a|where the} {last|final} newline is {not part of it|no part of it}.",
                "{Standard input|What comes on standard input} is the name, {up to|but "
                "for} a final newline; status {yes} {means|stands for} accepted, {no} "
                "rejected.",
                "{Accept|Let pass} with exit status {yes}, reject with {no}: the name "
                "{stands|is} on standard input, its {closing|final} newline {aside|not "
                "counted}.",
            ),
            facts={"yes": "0", "no": "1"},
            role="format",
        ),
        Clause(
            "decode",
            (
                "Percent-decode until nothing changes any more ({hex} is two hex digits "
                "of either case; {anything else|whatever else comes} after a percent "
                "sign {stands for itself|stays as it is}).",
                "Names may be percent-encoded ({hex}, hex digits of either case) "
                "{several times|more than once} over: decode {until there is nothing left "
                "to|whatever there is to} decode, and {leave|keep} a percent sign that "
                "{starts|begins} no such code "
                "alone.",
                "{First|To begin with}, {undo|decode} {hex}, where the two hex digits "
                "{are of either case|may be of either case}, again and again {until|as "
                "long as} {it makes no difference|anything changes}; {a|any} percent "
                "sign without two {of them|hex digits} is {itself|just that}.",
                "{A code is|Codes are} {hex} with hex digits {of either case|in upper or "
                "lower case}. {Replace|Decode} them {repeatedly|over and over}, until "
                "the name {no longer changes|stays the same}; {other|all other} percent "
                "signs are {left|kept}.",
                "{Decode|Resolve} {hex} (hex digits {in|of} either case) {and "
                "repeat|repeatedly}, since {encodings|codes} {may|can} be nested; "
                "{stop|be done} when {none is left|nothing changes}. A percent sign "
                "{followed by|before} anything else {is literal|means itself}.",
                "{Percent codes|The percent codes} {hex}, {two hex digits|hex digits} of "
                "either case, {are|get} decoded as {often|many times} as {it "
                "takes|needed} {for none|until none} {to be|is} left, {lone|other} "
                "percent signs {being kept|staying}.",
            ),
            facts={"hex": "`%XX`"},
            bullet=True,
        ),
        Clause(
            "separators",
            (
                "Slash and backslash both separate {segments|components}.",
                "A backslash separates components just as a slash does.",
                "{Components|Segments} {end|are divided} at {a slash|slashes} {or|and} "
                "{a backslash|backslashes} alike.",
                "{Treat|Take} {a backslash|backslashes} {like|as} {a slash|slashes}: "
                "{both|each} {divide|divides} components.",
                "{There are|We have} two separators, {slash and backslash|backslash and "
                "slash}{, of equal standing|, and they mean the same}.",
                "{As|For} {a separator|separators} {serves|we have} the slash{, and|;} "
                "so {does|is} the backslash.",
            ),
            bullet=True,
        ),
        Clause(
            "reject",
            (
                "After that reject names {with|that hold} a control character (below 32, "
                "or 127), names that {begin|start} with a separator, and names "
                "{which|that} at {any|some} point climb above the root.",
                "What then {starts|begins} with a separator, {contains|holds} a control "
                "character (below 32, or 127) or climbs above the root {anywhere|at any "
                "point} {along|on} the way is {rejected|refused}.",
                "{Reject|Refuse}, after decoding, {whatever|what} climbs above the root "
                "{at any point|anywhere}, {opens|begins} with a separator or "
                "{holds|contains} a character below 32 or {of 127|the character 127}.",
                "{The decoded name|Once decoded, a name} is {rejected|refused} if it has "
                "{a control character|control characters} (below 32, or 127), {if it|or} "
                "begins with a separator, {or if|or} {at some point it|it ever} "
                "{goes|climbs} above the root.",
                "Look at the {decoded name|name once decoded}: {a|any} control character "
                "(below 32, or 127), a separator {at the front|as its first character} "
                "or a {climb|step} above the root {at any point|anywhere on the way} is "
                "{enough|reason} to reject it.",
                "{Three things have|There are three reasons to have} a decoded name "
                "{rejected|refused}: a separator {in front|at the start}, a control "
                "character (below 32, or 127), {and|or} {climbing|a climb} above the "
                "root, {even for a moment|at any point}.",
            ),
            bullet=True,
        ),
        Clause(
            "empty",
            (
                "A name that {ends up|arrives} at the root {itself|and no deeper} is "
                "{rejected|refused} as well; "
                "empty components and single dots {do not count|change nothing}.",
                "Empty components and single dots {change|mean} nothing, and a name that "
                "{leads|points} to the root itself {is|names} no file: reject it.",
                "{Reject|Refuse} also what {leads|comes down} to the root {itself|and no "
                "further}; {single dots|a single dot} and empty components {are|count} "
                "as nothing.",
                "{Pass over|Skip} empty components and single dots; {where|if} the name "
                "{then|in the end} {is|means} {just|only} the root, {reject|refuse} it{ "
                "too|}.",
                "{The root itself|Just the root} is not {a file|a place for a file}, so "
                "a name that {ends|stops} there is rejected; components {that are "
                "empty|without anything in them} and single dots {have no effect|do "
                "nothing}.",
            ),
            bullet=True,
        ),
        Clause(
            "accept",
            (
                "{Everything else|All else} is accepted: dots inside a component are harmless.",
                "Accept {all other names|any other name}, however odd; `..` {is special|has a "
                "meaning} only as a {whole|complete} component.",
                "{Any|Every} other name {passes|is fine}, {since|as} {only|just} a "
                "component that is `..` {and nothing more|alone} {goes|leads} up.",
                "{All|The} others are {accepted|let in}; {dots|two dots} {within|inside} "
                "a longer component {mean|do} nothing.",
                "{Other names|The rest} {should be|are} accepted, {odd|strange} as they "
                "{may look|look}: {a component|one} has to be `..` {entirely|as a whole} "
                "to {climb|lead up}.",
            ),
            bullet=True,
        ),
        Clause(
            "sample",
            (
                "{sample} {lists|has} names that arrived {this|last} week, both sorts mixed.",
                "{A few|Some} names from the logs, good and bad, are in {sample}.",
                "{See|Look at} {sample} for {names|some} {of both kinds|good and bad} "
                "{from|out of} the logs.",
                "{For|To get} {an idea|an impression}: {sample} {holds|has} "
                "{real|logged} names, {good ones and bad ones|of either sort}.",
                "{Names|Good and bad names} {as|that} {they arrive|arrived} are "
                "{collected|to be found} in {sample}, {unsorted|all mixed up}.",
                "{This|Last} week's names, {the good and the bad|both sorts}, "
                "{stand|are} in {sample}.",
            ),
            facts={"sample": world.sample},
            role="input",
        ),
    )


FAMILY = TraversalGuard()
