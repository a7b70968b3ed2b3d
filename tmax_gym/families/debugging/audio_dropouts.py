"""DBG-14 audio dropouts: a recorder stalls, and the recording holds one value for a while.

A stall is a run of equal samples, silent or not; honest pauses are much longer and count for
nothing.  The list is judged row by row, or by how well it covers the lost samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym import exact
from tmax_gym.algebra import Attempt, Context, Family, Port, World, write_file
from tmax_gym.checks import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families import _delivered
from tmax_gym.files import Node
from tmax_gym.words.clauses import Clause
from tmax_gym.world.rng import Rng
from tmax_gym.world.wav import Voice, glide, silence, wav

LEAST, MOST = 12, 400
"""Samples of a stall; an honest pause is longer."""
VOICE = Voice()
Stalls = tuple[tuple[int, int, str], ...]
TABLES = ("stalls", "dropouts", "holes", "gaps", "clicks")
REPORTS = ("figures", "summary", "totals", "stats", "ticket")
HEADER = ("start", "length", "kind")
FIND = """\
import struct, wave
with wave.open(TAPE) as tape:
    data = tape.readframes(tape.getnframes())
samples = struct.unpack(f"<{len(data) // 2}h", data)
print("start,length,kind")
start = 0
for at in range(1, len(samples) + 1):
    if at == len(samples) or samples[at] != samples[start]:
        if LEAST <= at - start <= MOST:
            print(f"{start},{at - start}," + ("stuck" if samples[start] else "silent"))
        start = at
"""
FIGURES = {
    "count": "tail -n +2 {table} | wc -l",
    "lost_ms": "awk -F, 'NR > 1 {{ n += $2 }} END {{ print int(n * 1000 / 8000) }}' {table}",
    "longest": "tail -n +2 {table} | sort -t, -k2,2nr -k1,1n | head -n 1 | cut -d, -f1",
    "silent": "grep -c ',silent$' {table}",
}
SAID = {
    "count": ("`count` (number of stalls)", "`count`, how many there are", "their number, `count`"),
    "lost_ms": (
        "`lost_ms` (all stalls together in milliseconds, rounded down)",
        "`lost_ms`, the whole loss in full milliseconds",
        "what they sum to as `lost_ms`, milliseconds rounded down",
    ),
    "longest": (
        "`longest` (start of the longest one, of equal ones the first)",
        "`longest`, where the longest begins (the earliest such)",
        "the first sample of the longest (first of a tie) as `longest`",
    ),
    "silent": (
        "`silent` (number of silent ones)",
        "`silent`, how many are silent",
        "the count of silent ones, `silent`",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Tape(World):
    """The decided facts."""

    tape: str
    table: str
    figures: str
    """"" below the level from which on figures are asked for."""
    total: int
    """Samples of the recording."""
    stalls: Stalls
    answers: dict[str, int]


class AudioDropouts(Family[Tape]):
    """Find where a recording stands still."""

    id = "DBG-14"
    slug = "audio-dropouts"
    domain = "debugging"
    skill = "Mathematical"
    primitives = (
        "Statistical anomaly investigation",
        "Corrupted input handling and recovery",
        "Intermediate state tracing",
        "Precision loss tracking",
    )
    fixtures = ("audio",)
    verifiers = ("exact_text", "metric_threshold")
    languages = ("any", "bash")
    tools = ("bash", "awk", "jq", "python3")
    produces = {"longest": Port("secret")}  # noqa: RUF012

    def world(self, ctx: Context) -> Tape:
        """Return a recording with stalls in it."""
        rng = ctx.rng.fork("tape")
        samples, found = _recorded(ctx, rng)
        name = ctx.skin.stem(rng)
        file = rng.fork("files")
        tape, table = ctx.path(f"{name}.wav"), ctx.path(file.choice(TABLES) + ".csv")
        asked = [n for n, level in zip(FIGURES, (0.25, 0.25, 0.45, 0.65), strict=True)
                 if level <= ctx.level]  # fmt: skip
        figures = ctx.path(file.choice(REPORTS) + ".json") if asked else ""
        longest = min(found, key=lambda stall: (-stall[1], stall[0]))
        answers = {
            "count": len(found),
            "lost_ms": sum(length for _, length, _ in found) * 1000 // VOICE.rate,
            "longest": longest[0],
            "silent": sum(kind == "silent" for *_, kind in found),
        }
        start = (
            _delivered.entry(ctx, figures, "longest", value=longest[0])
            if "longest" in asked
            else _delivered.last(ctx, table, "start", header=HEADER, rows=found)
        )
        return Tape(
            nodes=(Node(tape, data=wav(VOICE, samples)),),
            outputs=(table, figures) if figures else (table,),
            tape=tape,
            table=table,
            figures=figures,
            total=len(samples),
            stalls=found,
            answers={name: answers[name] for name in asked},
            produces={"longest": start},
        )

    def oracle(self, ctx: Context, world: Tape) -> tuple[str, ...]:
        """Return a scan for equal samples, then the figures from its table."""
        names: dict[str, object] = {"TAPE": world.tape, "LEAST": LEAST, "MOST": MOST}
        head = "".join(f"{name} = {value!r}\n" for name, value in names.items())
        steps = [
            f"file {world.tape}; xxd {world.tape} | head -n 4",
            write_file("/tmp/stalls.py", head + FIND),
            f"python3 /tmp/stalls.py > {world.table}; cat {world.table}",
            "rm /tmp/stalls.py",
        ]
        for number, name in enumerate(world.answers):
            start = f"echo '{{}}' > {world.figures}; " if not number else ""
            found = FIGURES[name].format(table=world.table)
            steps.append(
                f"{start}value=$({found}); jq --argjson v $value '.{name} = $v' {world.figures} "
                f"> /tmp/f.json; mv /tmp/f.json {world.figures}"
            )
        return tuple(steps)

    def checks(self, ctx: Context, world: Tape) -> tuple[Check | Gate, ...]:
        """Return the table, by rows or by samples, and the figures."""
        table = exact.rows("stalls", world.table, world.stalls, header=HEADER, weight=2.0)
        if ctx.verifier == "metric_threshold":
            whole = sum(length for _, length, _ in world.stalls) / world.total
            table = metric_threshold(
                "samples", lambda e: _overlap(e, world), base=whole, threshold=0.98, weight=2.0
            )
        made: list[Check | Gate] = [unchanged("recording", world.nodes), table]
        if world.figures:
            made.append(exact.fields("figures", world.figures, dict(world.answers)))
        return tuple(made)

    def say(self, ctx: Context, world: Tape) -> tuple[Clause, ...]:
        """Return what a stall is, and the two outputs."""
        said = (_goal(world), _criterion(), _table(world))
        return (*said, _figures(world, ctx.rng.fork("said"))) if world.figures else said

    def mutants(self, ctx: Context, world: Tape) -> tuple[Attempt, ...]:
        """Return positions in milliseconds, stalls that are silent alone, and half a list."""
        wrong = {
            "milliseconds": [(s // 8, max(1, n // 8), k) for s, n, k in world.stalls],
            "every other one": list(world.stalls[::2]),
            "shifted": [(s + 700, n, k) for s, n, k in world.stalls],
        }
        return tuple(
            Attempt(name, (write_file(world.table, _rows(rows)),)) for name, rows in wrong.items()
        )

    def exploits(self, ctx: Context, world: Tape) -> tuple[Attempt, ...]:
        """Return the whole recording as one stall, and a bare header."""
        head = ",".join(HEADER)
        return (
            Attempt("everything", (f"(echo {head}; echo 0,{world.total},stuck) > {world.table}",)),
            Attempt("header", (f"echo {head} > {world.table}",)),
        )


def _recorded(ctx: Context, rng: Rng) -> tuple[list[int], Stalls]:
    """Return a recording with two stalls at least, and its stalls."""
    for attempt in range(20):
        samples = _sound(rng.fork(attempt), ctx.knob(3, 7), ctx.knob(3, 9), stuck=ctx.level >= 0.3)
        found = _stalls(samples)
        if len(found) > 1:
            return samples, found
    raise ValueError("no recording with two stalls in 20 draws")


def _sound(rng: Rng, parts: int, stalls: int, *, stuck: bool) -> list[int]:
    """Return sweeps with honest pauses between them, and stalls in the sweeps."""
    out: list[int] = []
    for number in range(parts):
        ends = (rng.integer(250, 900) * 1000, rng.integer(250, 900) * 1000)
        out += glide(VOICE, ends, rng.integer(180, 240))
        if number % 2:
            out += silence(VOICE, rng.integer(70, 110))
    spots = rng.sample(range(1, len(out) // 900), min(stalls, len(out) // 900 - 1))
    for spot in sorted(spots):
        at, length = spot * 900 + rng.integer(0, 300), rng.integer(LEAST + 8, MOST - 60)
        value = out[at] if stuck and rng.chance(0.5) else 0
        # Inside an honest pause nothing would show: there the recorder did not stall.
        if all(any(out[n : n + LEAST]) for n in (at - LEAST, at, at + length)):
            out[at : at + length] = [value] * length
    return out


def _stalls(samples: Sequence[int]) -> Stalls:
    """Return (start, length, kind) of every run that the criterion names."""
    found, start = [], 0
    for at in range(1, len(samples) + 1):
        if at == len(samples) or samples[at] != samples[start]:
            if LEAST <= at - start <= MOST:
                found.append((start, at - start, "stuck" if samples[start] else "silent"))
            start = at
    return tuple(found)


def _overlap(evidence: Evidence, world: Tape) -> float:
    """Return the samples in both lists, as a share of those in either."""
    rows = exact.read_rows(evidence, world.table)
    if not rows or tuple(rows[0]) != HEADER:
        raise BadOutput(f"{world.table} does not begin with {','.join(HEADER)}")
    said: set[int] = set()
    try:
        for start, length, _ in rows[1:500]:
            first = max(0, int(start))
            said.update(range(first, min(world.total, first + max(0, int(length)))))
    except ValueError as error:
        raise BadOutput(f"{world.table} holds a row that is no stall: {error}") from error
    lost = {n for start, length, _ in world.stalls for n in range(start, start + length)}
    return len(said & lost) / len(said | lost)


def _rows(rows: Sequence[tuple[int, int, str]]) -> str:
    return "".join(f"{','.join(map(str, row))}\n" for row in (HEADER, *rows))


def _goal(world: Tape) -> Clause:
    return Clause(
        "goal",
        (
            "{Listen to|Analyse} {tape}: {the|our} recorder stalled {now and then|several times} "
            "and {kept|went on} writing one value. {List|Find} the stalls in {table}.",
            "{tape} has {holes|gaps} in it. {Find|Locate} all of them and {write|put} them {into|"
            "in} {table}.",
            "While {tape} was {made|recorded} the {driver|recorder} {hung|froze} repeatedly; "
            "{table} should {say|tell} where.",
            "{Somebody|A listener} hears clicks in {tape}. {They|These} are stalls of the "
            "recorder, and {we need|please make} a list of them: {table}.",
            "{To|In order to} debug the recorder {we need|we want} {table}, {a|the} list of its "
            "stalls in {tape}.",
            "{Which|What} parts of {tape} are {real|sound}, and which are a stalled recorder? "
            "{Collect|Gather} the latter in {table}.",
        ),
        facts={"tape": world.tape, "table": world.table},
        role="goal",
        brief="List the stalls of the recorder in {tape}: {table}.",
    )


def _criterion() -> Clause:
    facts = {"least": str(LEAST), "most": str(MOST)}
    return Clause(
        "criterion",
        (
            "A stall is {a longest possible|an unbroken} run of equal samples, at least {least} "
            "and at most {most} of them; longer ones are {honest|true} pauses.",
            "{Count|Take} {as|for} a stall any {maximal|complete} run of {least} to {most} equal "
            "samples{. Anything longer is a pause|, for whatever is longer is a pause}.",
            "{Equal|Identical} samples in a row, no fewer than {least} {and|yet} no more than "
            "{most}, are {a|one} stall{; pauses are longer|, whereas pauses are longer}.",
            "When {least} or more samples {in a row|running} are {equal|the same}, the recorder "
            "{hung|stalled}, unless {there are|it is} more than {most}: {that is|then it is} a "
            "pause.",
            "Runs of one {and the same|single} value {between|from} {least} {and|up to} {most} "
            "samples {long|in length} are stalls; {shorter ones are chance|below that it is "
            "chance}, longer ones {silence|pauses}.",
            "{We call|It is called} a stall if the value {does not|fails to} change for {least} "
            "samples or {more|longer}, {up to|with} {most} {at the outside|as the limit}.",
        ),
        facts=facts,
        brief="A stall is a maximal run of {least} to {most} equal samples.",
    )


def _table(world: Tape) -> Clause:
    return Clause(
        "table",
        (
            "{Its header is|Use the header} {header}: {number|index} of the first sample (from 0), "
            "samples, and {silent} where {their|the} value is 0, {else|otherwise} {stuck}; rows "
            "{by start|in order}.",
            "{Begin|Start} it with {header}. {Then|After that} comes a row {per|for each} stall in "
            "order: first sample, {counted|numbered} from 0; how many; {silent} (zeros) or "
            "{stuck}.",
            "Columns are {header}, {where|and} sample 0 is the first {of all|one}; the kind is "
            "{silent} for zeros and {stuck} for {any other|another} value. {Sort|Order} by start.",
            "{Under|Below} {header} {give|write} where {each|every} stall begins (sample numbers "
            "from 0), {how long it is|its length} in samples{,|} and {stuck}, or {silent} if it "
            "is made of zeros.",
            "It {has|needs} the first line {header}. {Positions|Starts} and lengths are in "
            "samples, {the file begins|beginning} with 0; zeros are {silent}, {the rest|other "
            "values} {stuck}; keep the order of time.",
            "{Format|Layout}: {header}, then one stall a {line|row} as it {comes|follows} in time. "
            "{Samples|Positions} count from 0, and {a|any} stall of zeros is {silent}, any other "
            "{stuck}.",
        ),
        facts={"header": f"`{','.join(HEADER)}`", "silent": "`silent`", "stuck": "`stuck`"},
        role="format",
        brief="Header {header}, in samples from 0, kind {silent} (zeros) or {stuck}.",
    )


def _figures(world: Tape, rng: Rng) -> Clause:
    asked = ", ".join(rng.choice(SAID[name]) for name in rng.shuffled(list(world.answers)))
    return Clause(
        "figures",
        (
            "{Add|Also make} {figures}, {one|a} JSON object with {asked}.",
            "{Sum up|Summarise} {the list|it} in {figures}, as JSON: {asked}.",
            "{figures} {gets|holds} what management asks for, as a JSON object: {asked}.",
            "{Numbers|Some numbers} for the ticket go {to|into} {figures} (JSON): {asked}.",
            "{From|Out of} the list {derive|compute} {figures}, an object of JSON with {asked}.",
            "{Besides|In addition}, JSON in {figures} {says|states} {asked}.",
        ),
        facts={"figures": world.figures, "asked": asked},
        role="output",
        brief="Write {figures}: JSON with {asked}.",
    )


FAMILY = AudioDropouts()
