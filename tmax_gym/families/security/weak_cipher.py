"""SEC-12 weak cipher: messages under home-made ciphers, each with a beginning that is known.

Repeated keys, affine bytes and a small generator all fall to known plaintext.  The score is the
share of bytes that were recovered, above what the known beginning alone gives.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.algebra import Attempt, Context, Family, Port, World, write_file
from tmax_gym.checks import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    Program,
    fuzz_equivalence,
    metric_threshold,
    unchanged,
)
from tmax_gym.families import _delivered
from tmax_gym.families.security._weak_solution import CIPHERS, NOTES, solve
from tmax_gym.files import Node, text
from tmax_gym.words.clauses import Clause
from tmax_gym.world.rng import Rng

HIDDEN = 2
"""Hidden messages a cipher for the tool that is left behind."""


@dataclass(frozen=True, kw_only=True)
class Intercepts(World):
    """The decided facts."""

    source: str
    target: str
    notes: str
    header: str
    tool: str
    """Path of the program that must be left behind; "" where none is asked for."""
    kinds: tuple[str, ...]
    plain: tuple[tuple[str, bytes], ...]
    """Path of each recovered message, and what it should hold."""
    second: tuple[tuple[str, bytes, bytes], ...] = ()
    """Hidden messages: cipher, sealed, plain."""


class WeakCipher(Family[Intercepts]):
    """Recover messages from the words with which all of them begin."""

    id = "SEC-12"
    slug = "weak-cipher"
    domain = "security"
    skill = "Algorithmic"
    primitives = (
        "Cryptanalysis (differential, linear)",
        "Encryption and decryption",
        "Password cracking and brute-force search",
        "Payload encoding and decoding",
    )
    fixtures = ("text_only",)
    verifiers = ("metric_threshold",)
    languages = ("any", "python")
    tools = ("bash", "python3", "xxd")
    produces = {"checksum": Port("secret")}  # noqa: RUF012

    def world(self, ctx: Context) -> Intercepts:
        """Return sealed messages and notes on how such messages are made."""
        rng = ctx.rng.fork("intercepts")
        kinds = ("xor", "affine", "lcg")[: 1 + (ctx.level >= 0.25) + (ctx.level >= 0.55)]
        header = f"{ctx.skin.org(rng)}, {ctx.skin.place(rng)}: message of "
        source, target = ctx.path("intercepts"), ctx.path("recovered")
        nodes, plain, keys = [], [], []
        for number in range(ctx.knob(1, 4) * len(kinds)):
            kind = kinds[number % len(kinds)]
            body, sealed, key = _message(ctx, rng.fork("m", number), header, kind)
            nodes.append(Node(f"{source}/{number + 1:02d}.{kind}", data=sealed))
            plain.append((f"{target}/{number + 1:02d}.txt", body))
            keys += [key] if kind == "xor" else []
        notes, tool = ctx.path("notes.md"), ctx.path("break.py")
        said = "# How they seal messages\n\n" + "".join(NOTES[kind] for kind in kinds)
        asked = ctx.language == "python"
        hidden = [(k, *_message(ctx, rng.fork("h", k, n), header, k)[:2])
                  for k in kinds for n in range(HIDDEN) if asked]  # fmt: skip
        return Intercepts(
            nodes=(text(notes, said), *nodes),
            outputs=(target, tool) if asked else (target,),
            hidden=tuple(keys),
            source=source,
            target=target,
            notes=notes,
            header=header.strip(),
            tool=tool if asked else "",
            kinds=kinds,
            plain=tuple(plain),
            second=tuple((k, sealed, body) for k, body, sealed in hidden),
            produces={"checksum": _delivered.digest(ctx, *plain[-1], shown=f"cat {plain[-1][0]}")},
        )

    def oracle(self, ctx: Context, world: Intercepts) -> tuple[str, ...]:
        """Return a known-plaintext attack, run for one cipher after the other."""
        return self._solved(ctx, world, solve(world.header))

    def _solved(
        self, ctx: Context, world: Intercepts, program: str, *, tail: str = ""
    ) -> tuple[str, ...]:
        tool = world.tool or "/tmp/break.py"
        runs = []
        for kind in world.kinds:
            done = f"{world.target}/$(basename $f .{kind}).txt"
            runs.append(
                f"for f in {world.source}/*.{kind}; do "
                f"python3 {tool} {kind} < $f{tail} > {done}; head -c 60 {done}; done"
            )
        return (
            f"cat {world.notes}; ls -l {world.source}; xxd {world.source}/01.xor | head -n 4",
            write_file(tool, program),
            f"mkdir -p {world.target}",
            *runs,
            *(() if world.tool else (f"rm {tool}",)),
        )

    def checks(self, ctx: Context, world: Intercepts) -> tuple[Check | Gate, ...]:
        """Return the share of recovered bytes, and the tool on other messages."""
        total = sum(len(body) for _, body in world.plain)
        known = sum(_alike(world.header.encode().ljust(len(b)), b) for _, b in world.plain)
        made: list[Check | Gate] = [
            unchanged("intercepts", world.nodes),
            metric_threshold(
                "bytes",
                lambda evidence: _share(evidence, world),
                base=known / total,
                threshold=1.0,
                weight=2.0,
            ),
        ]
        if world.tool:
            made.append(
                fuzz_equivalence(
                    "tool",
                    Program(world.tool, "python", roots=(world.tool,)),
                    cases=[Case(argv=(kind,), stdin=sealed) for kind, sealed, _ in world.second],
                    expected=[body for *_, body in world.second],
                )
            )
        return tuple(made)

    def say(self, ctx: Context, world: Intercepts) -> tuple[Clause, ...]:
        """Return what there is, what is known, and where the plain texts go."""
        return (_goal(world), _known(world), _naming(), *_tool(world))

    def mutants(self, ctx: Context, world: Intercepts) -> tuple[Attempt, ...]:
        """Return recovered texts cut short, folded to capitals, and a key that is too long."""
        right = solve(world.header)
        late = right.replace("stream[i % size]", "stream[i % (size + 1)]")
        return (
            Attempt("cut short", self._solved(ctx, world, right, tail=" | head -c 120")),
            Attempt("capitals", self._solved(ctx, world, right, tail=" | tr a-z A-Z")),
            Attempt("key too long", self._solved(ctx, world, late)),
        )

    def exploits(self, ctx: Context, world: Intercepts) -> tuple[Attempt, ...]:
        """Return the known beginning with blanks behind it, and the sealed messages."""
        blanks = f"printf '%-900s' '{world.header}'"
        each = f"for f in {world.source}/*; do n=$(basename $f); "
        return (
            Attempt(
                "known beginning",
                (f"mkdir -p {world.target}; {each}{blanks} > {world.target}/${{n%.*}}.txt; done",),
            ),
            Attempt(
                "as they came",
                (f"mkdir -p {world.target}; {each}cp $f {world.target}/${{n%.*}}.txt; done",),
            ),
        )


def _message(ctx: Context, rng: Rng, header: str, kind: str) -> tuple[bytes, bytes, str]:
    """Return a message, the same sealed, and its key."""
    skin, lines = ctx.skin, []
    for _ in range(rng.integer(3, 6)):
        lines.append(
            rng.choice(
                (
                    f"Move {skin.code(rng)} to {skin.place(rng)} before {skin.person(rng)} asks.",
                    f"After the {skin.event(rng)} we lost {rng.integer(2, 90)} "
                    f"{skin.thing(rng).plural}.",
                    f"{skin.person(rng)} must not hear of {skin.code(rng)}.",
                    f"Bring the {skin.thing(rng).singular} to {skin.place(rng)} at "
                    f"{rng.integer(1, 12)}.{rng.integer(10, 59)}.",
                )
            )
        )
    said = f"{header}{rng.integer(1, 28)} {rng.choice(('May', 'June', 'July'))}\n"
    body = (said + "\n".join(lines) + "\n").encode()
    key = rng.secret(6 + ctx.knob(0, 8)).encode()
    raw = key if kind == "xor" else rng.bytes(2)
    return body, CIPHERS[kind](body, raw), key.decode()


def _alike(found: bytes, wanted: bytes) -> int:
    return sum(a == b for a, b in zip(found, wanted, strict=False))


def _share(evidence: Evidence, world: Intercepts) -> float:
    """Return the share of bytes that are right, in their place; a missing file has none."""
    right = total = 0
    for path, body in world.plain:
        try:
            found = evidence.read(path, limit=1 << 16)
        except BadOutput:
            found = b""
        right += _alike(found, body)
        total += max(len(body), len(found))
    return right / total


def _goal(world: Intercepts) -> Clause:
    return Clause(
        "goal",
        (
            "{Break|Decrypt} the messages in {source} and {write|put} their plain texts {into|in} "
            "the directory {target}.",
            "{source} holds {intercepted|sealed} messages, and we have no {key|keys}. {Recover|Get "
            "back} what they say, {one|a} file each, {in|below} {target}.",
            "We {intercepted|caught} the files in {source}. {Read|Break} them: {target} should "
            "{contain|end up with} the plain text of {each|every one}.",
            "{Find out|Work out} what the messages below {source} say {without|although we lack} "
            "their keys, and {leave|store} the texts in {target}.",
            "{target} is to hold every message of {source} {in plain text|decrypted}; the keys "
            "{are lost|were never ours}, the ciphers {are weak|home-made}.",
            "Somebody {trusted|relied on} home-made ciphers: {crack|undo} what {is|lies} in "
            "{source}, {message by message|all of it}, {into|to} {target}.",
        ),
        facts={"source": world.source, "target": world.target},
        role="goal",
        brief="Decrypt the messages in {source} into {target}.",
    )


def _known(world: Intercepts) -> Clause:
    return Clause(
        "known",
        (
            "Every message {begins|starts} with {header}, and {notes} {explains|describes} the "
            "{ciphers|kinds of cipher}.",
            "{What helps|There is a crib}: all of them {open|begin} with {header}. The ciphers "
            "are {described|written down} in {notes}.",
            "{notes} {says|tells} how they are {sealed|encrypted}; {each|every one} {starts|opens} "
            "with the words {header}.",
            "{How|The way in which} they encrypt is in {notes}, and {we know that|as always,} the "
            "first words of a message are {header}.",
            "{Thanks to|From} an informer we have {notes} on their ciphers, and {know|are sure} of "
            "the opening words of {any|every} message: {header}.",
            "{A habit|One habit} of theirs {is to start|was to begin} each message with {header}; "
            "{more about|for} their ciphers {see|there is} {notes}.",
        ),
        facts={"notes": world.notes, "header": f"`{world.header}`"},
        role="input",
        brief="Every message begins with {header}; the ciphers are in {notes}.",
    )


def _naming() -> Clause:
    return Clause(
        "naming",
        (
            "{Keep|Use} the number of a message as its {name|file name}, with the suffix {suffix}, "
            "{byte for byte|and exactly the bytes} {as it was written|that were sealed}.",
            "{A plain text|The text} is named {like|after} its message, but {ends|with its name "
            "ending} in {suffix}; what counts is {the share|how many} of {its bytes|bytes} "
            "{is|are} right.",
            "{Swap|Replace} the suffix of a message {for|by} {suffix} to name its text, and "
            "{change|add} nothing {inside|to the bytes}: the score is {their share|the share of "
            "them} that agrees.",
            "{Names|File names} stay, except that the {ending|suffix} {becomes|turns into} "
            "{suffix}. {Each|Every} byte {in its place|at its position} counts.",
            "Give {every|each} text the number of its message and {suffix} as {ending|suffix}; "
            "it is {compared|checked} {byte by byte|one byte after the other}.",
            "{Message 01|The first message} {becomes|goes to} `01` plus {suffix}, and so on; "
            "{texts|they} are {compared|judged} byte by byte{, line ends included|}.",
        ),
        facts={"suffix": "`.txt`"},
        role="format",
        brief="Name each text like its message with the suffix {suffix}, byte for byte.",
    )


def _tool(world: Intercepts) -> tuple[Clause, ...]:
    if not world.tool:
        return ()
    return (
        Clause(
            "tool",
            (
                "{Leave|Keep} the {attack|program} as {tool} in Python: {called with|given} a "
                "suffix {without its dot|like those} as its argument, it {reads|takes} a message "
                "from standard input and {prints|writes} its text. Other messages {come|will "
                "follow}.",
                "{tool}, a Python program, must {do the same|work} for messages {to come|still to "
                "be caught}: sealed on standard input, the {cipher|suffix} as its argument, plain "
                "on standard output.",
                "More {of them|messages} will come, so {save|write} a Python program {tool} that "
                "{decrypts|breaks} standard input to standard output; its argument {names|is} the "
                "{cipher|suffix}, {such as|like} `xor`.",
                "For {next week's|tomorrow's} messages {we need|leave} {tool} (Python, the suffix "
                "as {argument|its argument}), which {turns|makes} a message on standard input "
                "{into|to} its text on standard output.",
                "{Hand over|Deliver} the attack {too|as well}: {tool} in Python takes {the name of "
                "a cipher|a suffix} as argument, {reads|and} one message from standard input and "
                "{prints|writes} the text.",
                "{The program|What does it} stays as {tool}. It is Python, {gets|takes} the suffix "
                "{of the message|of its input} as {an|its} argument, the message on standard "
                "input, and {answers with|prints} the text {alone|and nothing else}.",
            ),
            facts={"tool": world.tool},
            role="output",
            brief="Leave the attack as {tool} (Python; argument: the suffix; standard input to "
            "standard output).",
        ),
    )


FAMILY = WeakCipher()
