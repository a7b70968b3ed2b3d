"""DPR-13 tone telemetry: the agent decodes records that were sent as two tones.

Below `SHORT` one word was sent.  Above, several recordings have numbered records; damaged records
are dropped, and repeats count once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.marks import table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.shared.readers import SOUND
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.media import wav

SHORT = 0.2
HEADER = ("number", "station", "value")
RATE, BAUD = 6000, 600
SPACE, MARK = 1200, 2400
CODING = (
    Obligation(
        "tones",
        f"A tone of {SPACE} Hz is a bit 0 and a tone of {MARK} Hz is a bit 1, at {BAUD} bits per "
        f"second. Between bytes the line is idle, which is also {MARK} Hz.",
        "input",
    ),
    Obligation(
        "bytes",
        "A byte is sent as a start bit 0, eight data bits with the lowest bit first, and a stop "
        "bit 1. The text is ASCII.",
        "input",
    ),
)
KEEP = Obligation(
    "keep",
    "Do not change any recording.",
    "limit",
    ("not change", "unchanged", "as it is", "as they are", "untouched", "not modify", "not edit"),
)

DECODE = program_text(__package__, "decode.py")
RECORDS = program_text(__package__, "records.py")


@dataclass(frozen=True, kw_only=True)
class Telemetry(World):
    """The decided facts."""

    target: str
    recordings: tuple[str, ...]
    word: str = ""
    rows: tuple[tuple[object, ...], ...] = ()


class ToneTelemetry(Family[Telemetry]):
    """Demodulate, frame, check, drop repeats, tabulate."""

    id = "DPR-13"
    slug = "tone-telemetry"
    domain = "data_processing"
    skill = "Mathematical"
    primitives = (
        "Feature extraction transforms",
        "Structured information extraction from text",
        "Character encoding handling",
        "Hash-based deduplication",
    )
    fixtures = ("audio",)
    verifiers = ("exact_text", "metric_threshold")
    languages = ("any", "python")
    tools = ("bash", "python3")
    followed_by = {  # noqa: RUF012
        "group-report": ("records", "We want to know how much each station has sent."),
        "lookup-join": ("records", "Each station stands somewhere, and there is a list of that."),
        "split-delivery": ("records", "The owner of each station gets only its own records."),
        "sqlite-load": ("records", "We keep the telemetry of all shifts in a database."),
        "export-diff": (
            "records",
            "Another receiver heard the same shift, and we want to compare.",
        ),
    }

    def world(self, ctx: Context) -> Telemetry:
        """Return recordings."""
        return _one_word(ctx) if ctx.level < SHORT else _shift(ctx)

    def oracle(self, ctx: Context, world: Telemetry) -> tuple[str, ...]:
        """Return a decoder, and one run a recording."""
        if ctx.level < SHORT:
            write = write_file("/tmp/decode.py", f"{_decoder()}print(text.strip())\n")
            run = f"python3 /tmp/decode.py {world.recordings[0]} | tee {world.target}"
            return (f"file {world.recordings[0]}", write, run)
        return (
            f"ls -l {ctx.path('air')}",
            write_file("/tmp/decode.py", _decoder() + RECORDS),
            f"echo {','.join(HEADER)} > {world.target}",
            *(f"python3 /tmp/decode.py {path} >> {world.target}" for path in world.recordings),
            f"wc -l {world.target}",
        )

    def checks(self, ctx: Context, world: Telemetry) -> tuple[Check | Gate, ...]:
        """Return the word or the table."""
        keep = unchanged("recordings", world.nodes)
        if ctx.level < SHORT:
            (word, path) = (world.word, world.target)
            right = exact.value("word", path, word)
            return (keep, Check("word", ctx.verifier, right.score))
        return (keep, table(ctx, "records", world.target, header=HEADER, rows=world.rows))

    def products(self, ctx: Context, world: Telemetry) -> Mapping[str, Product]:
        """Return the table of many recordings, unless its order does not count."""
        if ctx.level < SHORT or ctx.verifier == "metric_threshold":
            return {}
        rows = tuple(tuple(str(cell) for cell in row) for row in world.rows)
        return {"records": Table(world.target, HEADER, rows, "records")}

    def say(self, ctx: Context, world: Telemetry) -> tuple[Obligation, ...]:
        """Return the coding, the form of a record and the table."""
        target = world.target
        if ctx.level < SHORT:
            goal = Obligation(
                "goal",
                "A modem sent one word as tones. Decode the word from the recording "
                f"`{world.recordings[0]}` and write it to `{target}`.",
                "goal",
            )
            return (goal, *CODING, KEEP)
        return (
            Obligation(
                "goal",
                "A modem sent telemetry as tones. Decode all recordings (WAV files) in "
                f"`{ctx.path('air')}` and write their records to one table, `{target}`.",
                "goal",
            ),
            *CODING,
            Obligation(
                "record",
                "Every line of the decoded text is a record, `<number> <station> <value> <sum>`. "
                "`<sum>` is the sum of all bytes before it in the line, blanks included, modulo "
                "256, as two hex digits. Drop records whose `<sum>` is wrong.",
            ),
            Obligation(
                "repeats",
                "Some records were sent more than once. List each of them only once.",
                keys=("once", "duplicate", "repeat", "twice"),
            ),
            Obligation(
                "table",
                f"`{target}` is a CSV file with the header `{','.join(HEADER)}`, sorted by "
                "`number` from low to high. Write `number` and `value` without leading zeros.",
                "format",
            ),
            KEEP,
        )

    def mutants(self, ctx: Context, world: Telemetry) -> tuple[Attempt, ...]:
        """Return bits the wrong way round, a check left out, repeats kept."""
        if ctx.level < SHORT:
            programs = {
                "highest bit first": _decoder().replace("<< n", "<< (7 - n)"),
                "tones swapped": _decoder().replace("> power", "< power"),
                "late": _decoder().replace("(n + 1) * step", "(n + 2) * step"),
            }
            return tuple(
                Attempt(
                    name,
                    (
                        write_file("/tmp/decode.py", f"{body}print(ascii(text.strip()))\n"),
                        f"python3 /tmp/decode.py {world.recordings[0]} > {world.target}",
                    ),
                )
                for name, body in programs.items()
            )
        full = _decoder() + RECORDS
        wrong = {
            "no check": full.replace("sum(body.encode()) % 256 != int(parts[3], 16) or", ""),
            "repeats kept": full.replace("seen.add(parts[0])", "pass"),
            "first recording only": full,
            "stations in lower case": full.replace("parts[1], int", "parts[1].lower(), int"),
        }
        return tuple(
            Attempt(name, _run(world, body, world.recordings[: 1 if name[0] == "f" else None]))
            for name, body in wrong.items()
        )

    def exploits(self, ctx: Context, world: Telemetry) -> tuple[Attempt, ...]:
        """Return an empty table, and the sound as the answer."""
        return (
            Attempt("bare header", (f"echo {','.join(HEADER)} > {world.target}",)),
            Attempt("sound", (f"cp {world.recordings[0]} {world.target}",)),
        )

    def alternative(self, ctx: Context, world: Telemetry) -> tuple[str, ...] | None:
        """Return the same in one command."""
        if ctx.level < SHORT:
            return None
        return _run(world, _decoder() + RECORDS, world.recordings)


def _run(world: Telemetry, program: str, recordings: tuple[str, ...]) -> tuple[str, ...]:
    listed = " ".join(recordings)
    loop = f"for f in {listed}; do python3 /tmp/decode.py $f; done"
    return (
        write_file("/tmp/decode.py", program),
        f"(echo {','.join(HEADER)}; {loop}) > {world.target}",
    )


def _decoder() -> str:
    return f"BAUD, SPACE, MARK = {BAUD}, {SPACE}, {MARK}\n{SOUND}{DECODE}"


def _sent(text: str, rng: Rng) -> bytes:
    """Return a recording: idle tone, the bytes, idle tone."""
    voice = wav.Voice(rate=RATE, level=rng.integer(420, 800))
    bits = [1] * rng.integer(12, 40)
    for char in text:
        bits += wav.frames(char.encode()) + [1] * (rng.integer(2, 9) if char == "\n" else 0)
    return wav.wav(voice, wav.fsk(voice, [*bits, *[1] * 24], baud=BAUD, tones=(SPACE, MARK)))


def _one_word(ctx: Context) -> Telemetry:
    rng = ctx.rng.fork("word")
    source, target = ctx.path(f"{ctx.skin.stem(rng)}.wav"), ctx.path("word.txt")
    word = f"{rng.choice(ctx.skin.codes)}-{rng.secret(7).upper()}"
    return Telemetry(
        nodes=(Node(source, data=_sent(f"{word}\n", rng)),),
        outputs=(target,),
        hidden=(word,),
        target=target,
        recordings=(source,),
        word=word,
    )


def _shift(ctx: Context) -> Telemetry:
    rng = ctx.rng.fork("shift")
    stations = [f"{c}{rng.integer(1, 9)}" for c in rng.sample(sorted(set(ctx.skin.codes)), 3)]
    nodes, rows, number = [], list[tuple[object, ...]](), rng.integer(3, 60)
    for take in range(ctx.knob(1, 8)):
        r = rng.fork("take", take)
        text = ""
        for place in range(r.integer(2, 3)):
            number += r.integer(1, 3)
            station, value = r.choice(stations), r.integer(0, 9999)
            line = _record(number, station, value)
            text += line
            if (take + place) % 3 == 0:
                text += line
            if (take + place) % 2 == 0:  # damaged: right form, wrong sum
                text += _record(number + 500, station, value, off=r.integer(1, 200))
            rows.append((number, station, value))
        nodes.append(Node(ctx.path("air", f"{take + 1:02d}.wav"), data=_sent(text, r)))
    target = ctx.path("records.csv")
    return Telemetry(
        nodes=tuple(nodes),
        outputs=(target,),
        target=target,
        recordings=tuple(n.path for n in nodes),
        rows=tuple(rows),
    )


def _record(number: int, station: str, value: int, *, off: int = 0) -> str:
    body = f"{number:03d} {station} {value:04d} "
    return f"{body}{(sum(body.encode()) + off) % 256:02X}\n"


FAMILY = ToneTelemetry()
