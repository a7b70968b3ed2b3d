"""SYS-21 blink codes: faults that machines report by a lamp or a beeper, looked up in a manual.

The source is a film of lamps, or a recording of a beeper for every machine.  Below `SHORT` there is
one machine, and its code is wanted.  Above, the codes become a table of faults and measures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.programs import program_sections
from tmax_gym.families.shared.readers import FILM, SOUND
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.media import wav
from tmax_gym.world.media.avi import avi
from tmax_gym.world.media.raster import Raster

SHORT = 0.2
LONG, BRIEF, BREAK, REST = 4, 1, 2, 7
"""Frames (or ticks of a recording) of a long and a short sign, between signs, between codes."""
RATE, TICK = 2000, 100
PITCH = 8
"""Pixels from lamp to lamp."""

HEADER = ("unit", "code", "fault", "measure")
FAULTS = (
    "memory bank A",
    "memory bank B",
    "left fan",
    "right fan",
    "supply 1",
    "supply 2",
    "board battery",
    "boot disk",
    "cache module",
    "riser card",
    "clock source",
    "network card",
    "intake too hot",
    "case open",
)
MEASURES = ("replace now", "reseat", "order a spare", "call the vendor", "watch", "power cycle")

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
    """Time the signs, count them, and look the codes up."""

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
    followed_by = {  # noqa: RUF012
        "group-report": ("faults", "We want to know how often each measure is needed."),
        "export-diff": ("faults", "We want to see what has changed since the last round."),
        "split-delivery": ("faults", "Each measure is carried out by a different team."),
        "lookup-join": ("faults", "Every measure must be assigned to somebody on duty."),
    }

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
        )

    def oracle(self, ctx: Context, world: Rack) -> tuple[str, ...]:
        """Return a reader, and one look-up for each machine."""
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

    def products(self, ctx: Context, world: Rack) -> Mapping[str, Product]:
        """Return the table of faults."""
        if ctx.level < SHORT:
            return {}
        rows = tuple(tuple(str(cell) for cell in row) for row in world.rows)
        return {"faults": Table(world.target, HEADER, rows, "faults")}

    def say(self, ctx: Context, world: Rack) -> tuple[Obligation, ...]:
        """Return where to look, how a code is made and what is wanted."""
        film = ctx.fixture == "video"
        if ctx.level < SHORT:
            return (*_say_one(world, film=film), _say_signs(film=film))
        return (*_say_rack(world, film=film), _say_signs(film=film), *_say_table(world, film=film))

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


def _say_one(world: Rack, *, film: bool) -> tuple[Obligation, ...]:
    """Return the task of one machine."""
    source = world.nodes[0].path
    signal = "blinking its fault lamp" if film else "beeping"
    goal = Obligation(
        "goal",
        f"A machine reports a fault by {signal}, and we have a {'film' if film else 'recording'} "
        f"of it, `{source}`. Read the fault code from it and write the code to `{world.target}`, "
        f"with nothing else in that file. Do not change `{source}`.",
        "goal",
    )
    if not film:
        return (goal,)
    where = Obligation(
        "where",
        "The lamp is at the pixel `x=4, y=4`, and it is lit when its gray value is above 128. The "
        "small line beside it shows disk activity and means nothing here.",
        "input",
    )
    return (goal, where)


def _say_rack(world: Rack, *, film: bool) -> tuple[Obligation, ...]:
    """Return the task of a whole rack, and where each machine is."""
    source = world.source.replace("/*.wav", "")
    if film:
        seen = f"The film `{source}` shows their fault lamps"
        sentence = (
            "The lamp of unit n is at the pixel `x=4, y=8n-4`, where units are counted from 1 at "
            "the top. It is lit when its gray value is above 128. The small lines beside the lamps "
            "show disk activity and mean nothing here."
        )
    else:
        seen = f"In `{source}` there is a recording of the beeper of each unit"
        sentence = (
            "Each recording is named after its unit, as in `01.wav` for unit 1. It holds the beeps "
            "of this unit only."
        )
    return (
        Obligation(
            "goal",
            f"The machines of a rack, called units here, report faults by "
            f"{'blinking' if film else 'beeping'}. {seen}, and `{world.manual}` says what each "
            f"fault code means. Write a list of the faults to `{world.target}`.",
            "goal",
        ),
        Obligation("where", sentence, "input"),
    )


def _say_signs(*, film: bool) -> Obligation:
    """Return how a code is shown."""
    if film:
        sign, long, short, rest = "flash", f"{LONG} frames", f"{BRIEF} frame", "6 dark frames"
    else:
        sign, long, short, rest = "beep", "200 ms", "50 ms", "300 ms of silence"
    signs = "flashes" if film else "beeps"
    return Obligation(
        "signs",
        f"A code is written as `<long>-<short>`: the number of long {signs} and then the number of "
        f"short {signs}. A long {sign} lasts {long} and a short {sign} lasts {short}. A code is "
        f"repeated again and again, with at least {rest} between two repetitions. The first one "
        f"may lack its beginning, so read a code that is complete.",
    )


def _say_table(world: Rack, *, film: bool) -> tuple[Obligation, ...]:
    """Return the form of the table, and what stays as it is."""
    source = f"`{world.source}`" if film else "the recordings"
    return (
        Obligation(
            "table",
            f"`{world.target}` is a CSV file with the header `{','.join(HEADER)}` and one line for "
            f"each unit that reports a code, sorted by unit. `unit` is its number without leading "
            f"zeros, and `fault` and `measure` are those that `{world.manual}` gives for the "
            f"code. Leave out units that report nothing.",
            "format",
        ),
        Obligation("keep", f"Do not change {source} or `{world.manual}`.", "limit"),
    )


FAMILY = BlinkCodes()
