"""DPR-13 tone telemetry: records that were sent as two tones, with checksums and repeats.

Below `SHORT` one word was sent.  Above, several recordings hold numbered records; damaged ones
are dropped, repeats count once.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.data_processing.tone_telemetry import words
from tmax_gym.families.data_processing.tone_telemetry.words import HEADER
from tmax_gym.families.shared import delivered
from tmax_gym.families.shared.marks import table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.shared.readers import SOUND
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.media import wav

SHORT = 0.2
RATE, BAUD = 6000, 600
SPACE, MARK = 1200, 2400

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
    produces = {"sum": Port("secret")}  # noqa: RUF012

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

    def say(self, ctx: Context, world: Telemetry) -> tuple[Clause, ...]:
        """Return the coding, the form of a record and the table."""
        coding = words.coding(SPACE, MARK, baud=BAUD)
        if ctx.level < SHORT:
            return (words.word(world.recordings[0], world.target), coding)
        return (words.goal(ctx.path("air"), world.target), coding, *words.records())

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
        produces={"sum": delivered.content(ctx, target, word)},
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
        produces={"sum": delivered.total(ctx, target, "value", header=HEADER, rows=rows)},
    )


def _record(number: int, station: str, value: int, *, off: int = 0) -> str:
    body = f"{number:03d} {station} {value:04d} "
    return f"{body}{(sum(body.encode()) + off) % 256:02X}\n"


FAMILY = ToneTelemetry()
