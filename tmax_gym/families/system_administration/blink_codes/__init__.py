"""SYS-21 blink codes: faults that machines report by a lamp or a beeper, looked up in a manual.

A film of lamps, or a recording of a beeper for every machine.  Below `SHORT` there is one
machine, and its code is wanted; above, codes become a table of faults and measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Artifact, Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.shared import delivered
from tmax_gym.families.shared.programs import program_sections
from tmax_gym.families.shared.readers import FILM, SOUND
from tmax_gym.families.system_administration.blink_codes import words
from tmax_gym.families.system_administration.blink_codes.words import FAULTS, HEADER, MEASURES
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.media import wav
from tmax_gym.world.media.avi import avi
from tmax_gym.world.media.raster import Raster

SHORT = 0.2
LONG, BRIEF, BREAK, REST = 4, 1, 2, 7
"""Frames (or ticks of a recording) of a long and a short sign, between signs, between codes."""
RATE, TICK = 2000, 100
PITCH = 8
"""Pixels from lamp to lamp."""

READ = program_sections(__package__, "read.py")


@dataclass(frozen=True, kw_only=True)
class Rack(World):
    """The decided facts."""

    source: str
    target: str
    manual: str
    codes: tuple[tuple[int, int], ...]
    """(long, short) of every machine; (0, 0) for one that reports nothing."""
    rows: tuple[tuple[object, ...], ...] = ()


class BlinkCodes(Family[Rack]):
    """Time the signs, count them, look them up."""

    id = "SYS-21"
    slug = "blink-codes"
    domain = "system_administration"
    skill = "Deployment"
    primitives = (
        "Health check and monitoring setup",
        "Disk quota and storage monitoring",
        "Text processing pipelines (awk, sed, grep)",
        "Task automation scripting",
    )
    fixtures = ("video", "audio")
    verifiers = ("exact_text",)
    languages = ("any", "python")
    tools = ("bash", "python3", "grep")
    produces = {"codes": Port("secret")}  # noqa: RUF012

    def world(self, ctx: Context) -> Rack:
        """Return a film or recordings, and a manual."""
        rng = ctx.rng.fork("rack")
        count = 1 if ctx.level < SHORT else ctx.knob(2, 10)
        known = rng.sample([(a, b) for a in range(1, 4) for b in range(1, 5)], 12)
        codes = [rng.choice(known) for _ in range(count)]
        if count > 2:
            codes[rng.integer(0, count - 1)] = (0, 0)
        signs = [_signs(rng.fork("unit", n), code) for n, code in enumerate(codes)]
        film = ctx.fixture == "video"
        if film:
            source = ctx.path("panel.avi")
            nodes = [Node(source, data=avi(_film(rng, signs)))]
        else:
            source = ctx.path("beeps", "*.wav")
            nodes = [
                Node(ctx.path("beeps", f"{n + 1:02d}.wav"), data=_recording(rng.fork(n), sign))
                for n, sign in enumerate(signs)
            ]
        faults = rng.sample(FAULTS, len(known))
        measures = [rng.choice(MEASURES) for _ in known]
        meanings = dict(zip(known, zip(faults, measures, strict=True), strict=True))
        manual = ctx.path("codes.csv")
        lines = [f"{a}-{b},{f},{m}" for (a, b), (f, m) in sorted(meanings.items())]
        rows = [
            (n, f"{c[0]}-{c[1]}", *meanings[c]) for n, c in enumerate(codes, start=1) if c != (0, 0)
        ]
        short = ctx.level < SHORT
        target = ctx.path("code.txt" if short else "faults.csv")
        if not short:
            nodes.append(text(manual, "code,fault,measure\n" + "\n".join(lines) + "\n"))
        return Rack(
            nodes=tuple(nodes),
            outputs=(target,),
            source=source,
            target=target,
            manual=manual,
            codes=tuple(codes),
            rows=tuple(rows),
            produces={"codes": _codes(ctx, target, rows)},
        )

    def oracle(self, ctx: Context, world: Rack) -> tuple[str, ...]:
        """Return a reader, and a look-up a machine."""
        write = write_file("/tmp/read.py", _program(ctx, world))
        if ctx.level < SHORT:
            run = f"python3 /tmp/read.py | cut -d' ' -f2 > {world.target}"
            return (f"ls -l {world.source}", write, f"{run}; cat {world.target}")
        units = [row[0] for row in world.rows]
        return (
            f"head -n 3 {world.manual}",
            write,
            "python3 /tmp/read.py | tee /tmp/codes",
            f"echo {','.join(HEADER)} > {world.target}",
            *(
                f"c=$(grep '^{unit} ' /tmp/codes | cut -d' ' -f2); "
                f"grep ^$c, {world.manual} | sed 's/^/{unit},/' >> {world.target}"
                for unit in units
            ),
            f"rm /tmp/codes; wc -l {world.target}",
        )

    def alternative(self, ctx: Context, world: Rack) -> tuple[str, ...] | None:
        """Return a join instead of look-ups."""
        if ctx.level < SHORT:
            return None
        return _joined(world, _program(ctx, world))

    def checks(self, ctx: Context, world: Rack) -> tuple[Check | Gate, ...]:
        """Return the code, or the table."""
        keep = unchanged("given", world.nodes)
        if ctx.level < SHORT:
            ((long, short),) = world.codes
            return (keep, exact.value("code", world.target, f"{long}-{short}"))
        return (keep, exact.rows("faults", world.target, world.rows, header=HEADER))

    def say(self, ctx: Context, world: Rack) -> tuple[Clause, ...]:
        """Return where to look, how a code is made and what is wanted."""
        film, source = ctx.fixture == "video", world.source.replace("/*.wav", "")
        signs = words.signs(film=film)
        if ctx.level < SHORT:
            return (words.short(source, world.target, film=film), signs)
        goal = words.goal(source, world.manual, world.target, film=film)
        return (goal, signs, *words.table(film=film))

    def mutants(self, ctx: Context, world: Rack) -> tuple[Attempt, ...]:
        """Return signs that are confused or counted twice."""
        program = _program(ctx, world)
        wrong = {
            "swapped": program.replace('f"{long}-{short}"', 'f"{short}-{long + 9}"'),
            "all counted": program.replace("            break", "            pass"),
            "short ones too long": program.replace("n >= 3", "n >= 1").replace("n < 3", "n < 1"),
        }
        if ctx.level >= SHORT:
            return tuple(Attempt(n, _joined(world, body)) for n, body in wrong.items())
        run = f"python3 /tmp/read.py | cut -d' ' -f2 > {world.target}"
        return tuple(Attempt(n, (write_file("/tmp/read.py", b), run)) for n, b in wrong.items())

    def exploits(self, ctx: Context, world: Rack) -> tuple[Attempt, ...]:
        """Return an empty table, and the manual as the answer."""
        manual = f"(echo {','.join(HEADER)}; sed 's/^/1,/' {world.manual} | tail -n +2 | head -n 0)"
        return (
            Attempt("bare header", (f"echo {','.join(HEADER)} > {world.target}",)),
            Attempt("nothing found", (f"{manual} > {world.target}",)),
        )


def _codes(ctx: Context, target: str, rows: delivered.Rows) -> Artifact:
    """Return the code, or the codes of all machines that report one."""
    if ctx.level < SHORT:
        return delivered.content(ctx, target, rows[0][1])
    return delivered.column(ctx, target, "code", header=HEADER, rows=rows)


def _joined(world: Rack, program: str) -> tuple[str, ...]:
    rule = (
        'NR == FNR { told[$1] = $0; next } { split($0, p, " ") } '
        'p[2] in told { print p[1] "," told[p[2]] }'
    )
    return (
        write_file("/tmp/read.py", program),
        f"(echo {','.join(HEADER)}; python3 /tmp/read.py | awk -F, '{rule}' {world.manual} -) "
        f"> {world.target}",
    )


def _program(ctx: Context, world: Rack) -> str:
    media, signs = (FILM, "lamps") if ctx.fixture == "video" else (SOUND, "beeps")
    return f"SOURCE = {world.source!r}\n{media}{READ['code']}{READ[signs]}"


def _signs(rng: Rng, code: tuple[int, int]) -> list[bool]:
    """Return on and off by ticks: the end of a code, two whole ones, the start of another."""
    if code == (0, 0):
        return [False] * 60
    once: list[bool] = []
    for length in [LONG] * code[0] + [BRIEF] * code[1]:
        once += [True] * length + [False] * BREAK
    once += [False] * (REST - BREAK + rng.integer(0, 2))
    return [*once[-rng.integer(8, 10) :], *once, *once]


def _film(rng: Rng, signs: Sequence[Sequence[bool]]) -> list[Raster]:
    back = rng.integer(8, 40)
    frames = []
    for tick in range(max(map(len, signs))):
        frame = Raster(16, PITCH * len(signs), background=back)
        for unit, sign in enumerate(signs):
            lit = tick < len(sign) and sign[tick]
            frame.rect(2, PITCH * unit + 2, size=(5, 5), colour=230 if lit else 60)
            frame.rect(10, PITCH * unit + 3, size=(4, 1), colour=200 if tick % 3 else 90)
        frames.append(frame)
    return frames


def _recording(rng: Rng, sign: Sequence[bool]) -> bytes:
    """Return beeps; a tick lasts 50 ms."""
    voice, pitch = wav.Voice(rate=RATE, level=rng.integer(400, 700)), rng.integer(380, 620)
    beep = {n: wav.tone(voice, (pitch,), 50 * n) for n in (BRIEF, LONG)}
    out: list[int] = []
    tick = 0
    while tick < len(sign):
        length = 1
        while tick + length < len(sign) and sign[tick + length] == sign[tick]:
            length += 1
        sounded = sign[tick] and length in beep
        out += beep[length] if sounded else wav.silence(voice, 50 * length)
        tick += length
    return wav.wav(voice, out)


FAMILY = BlinkCodes()
