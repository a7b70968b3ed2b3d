"""DBG-14 audio dropouts: a recorder stalls, and the recording holds one value for a while.

A stall is a run of equal samples, silent or not; real pauses are much longer and do not count.
The list is judged row by row, or by how well it covers the lost samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.media.wav import Voice, glide, silence, wav

HEADER = ("start", "length", "kind")
LEAST, MOST = 12, 400
"""Samples of a stall; a real pause is longer."""
VOICE = Voice()
Stalls = tuple[tuple[int, int, str], ...]
TABLES = ("stalls", "dropouts", "holes", "gaps", "clicks")
REPORTS = ("figures", "summary", "totals", "stats", "ticket")
FIND = program_text(__package__, "find.py")
FIGURES = {
    "count": "tail -n +2 {table} | wc -l",
    "lost_ms": "awk -F, 'NR > 1 {{ n += $2 }} END {{ print int(n * 1000 / 8000) }}' {table}",
    "longest": "tail -n +2 {table} | sort -t, -k2,2nr -k1,1n | head -n 1 | cut -d, -f1",
    "silent": "grep -c ',silent$' {table}",
}


FIGURE_TEXTS = {
    "count": "the number of stalls",
    "lost_ms": "the length of all stalls together in milliseconds, rounded down",
    "longest": "the `start` of the longest stall (the first one if several are equally long)",
    "silent": "the number of silent stalls",
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
    followed_by = {  # noqa: RUF012
        "group-report": ("stalls", "The maker of the recorder asks for the stalls by kind."),
        "export-diff": ("stalls", "We want to know whether the new firmware made it worse."),
        "lookup-join": ("stalls", "Each kind of stall has somebody who looks after it."),
    }

    def world(self, ctx: Context) -> Tape:
        """Return a recording with stalls in it."""
        rng = ctx.rng.fork("tape")
        samples, stalls = _recorded(ctx, rng)
        name = ctx.skin.stem(rng)
        file = rng.fork("files")
        tape, table = ctx.path(f"{name}.wav"), ctx.path(file.choice(TABLES) + ".csv")
        asked = [n for n, level in zip(FIGURES, (0.25, 0.25, 0.45, 0.65), strict=True)
                 if level <= ctx.level]  # fmt: skip
        figures = ctx.path(file.choice(REPORTS) + ".json") if asked else ""
        longest = min(stalls, key=lambda stall: (-stall[1], stall[0]))
        answers = {
            "count": len(stalls),
            "lost_ms": sum(length for _, length, _ in stalls) * 1000 // VOICE.rate,
            "longest": longest[0],
            "silent": sum(kind == "silent" for *_, kind in stalls),
        }
        return Tape(
            nodes=(Node(tape, data=wav(VOICE, samples)),),
            outputs=(table, figures) if figures else (table,),
            tape=tape,
            table=table,
            figures=figures,
            total=len(samples),
            stalls=stalls,
            answers={name: answers[name] for name in asked},
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
            figure = FIGURES[name].format(table=world.table)
            steps.append(
                f"{start}value=$({figure}); jq --argjson v $value '.{name} = $v' {world.figures} "
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
        checks: list[Check | Gate] = [unchanged("recording", world.nodes), table]
        if world.figures:
            checks.append(exact.fields("figures", world.figures, dict(world.answers)))
        return tuple(checks)

    def products(self, ctx: Context, world: Tape) -> Mapping[str, Product]:
        """Return the list of stalls, unless nearly right positions are right as well."""
        if ctx.verifier == "metric_threshold":
            return {}
        rows = tuple((str(start), str(length), kind) for start, length, kind in world.stalls)
        return {"stalls": Table(world.table, HEADER, rows, "stalls")}

    def say(self, ctx: Context, world: Tape) -> tuple[Obligation, ...]:
        """Return the meaning of a stall, and the two outputs."""
        obligations = [
            Obligation(
                "goal",
                f"Our recorder stalls now and then, and while it does the recording holds a single "
                f"value. Find all stalls in the recording `{world.tape}` and list them in "
                f"`{world.table}`.",
                "goal",
            ),
            Obligation(
                "stall",
                f"A stall is an unbroken run of equal samples that is as long as possible and has "
                f"at least {LEAST} and at most {MOST} samples. A longer run is a real pause and "
                f"does not count.",
            ),
            Obligation(
                "table",
                f"`{world.table}` is a CSV file with the header `{','.join(HEADER)}`, sorted by "
                f"`start`. `start` is the number of the first sample of the stall, counted from 0, "
                f"`length` is the number of samples, and `kind` is `silent` if the samples are 0 "
                f"and `stuck` if they have any other value.",
                "format",
            ),
        ]
        if world.figures:
            figures = "; ".join(f"`{name}` is {FIGURE_TEXTS[name]}" for name in world.answers)
            obligations.append(
                Obligation(
                    "figures",
                    f"Also write `{world.figures}`, a JSON object of integers: {figures}.",
                    "output",
                )
            )
        return tuple(obligations)

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
        stalls = _stalls(samples)
        if len(stalls) > 1:
            return samples, stalls
    raise ValueError("no recording with two stalls in 20 draws")


def _sound(rng: Rng, parts: int, stalls: int, *, stuck: bool) -> list[int]:
    """Return sweeps with real pauses between them, and stalls in the sweeps."""
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
    stalls, start = [], 0
    for at in range(1, len(samples) + 1):
        if at == len(samples) or samples[at] != samples[start]:
            if LEAST <= at - start <= MOST:
                stalls.append((start, at - start, "stuck" if samples[start] else "silent"))
            start = at
    return tuple(stalls)


def _overlap(evidence: Evidence, world: Tape) -> float:
    """Return the samples in both lists, as a share of those in either."""
    rows = exact.read_table(evidence, world.table, HEADER)[:499]
    reported: set[int] = set()
    for row in rows:
        if len(row) != len(HEADER):
            raise BadOutput(f"{world.table} holds a row that is no stall: {row}")
        first, length = max(0, tolerance.integer(row[0])), max(0, tolerance.integer(row[1]))
        reported.update(range(first, min(world.total, first + length)))
    lost = {n for start, length, _ in world.stalls for n in range(start, start + length)}
    return len(reported & lost) / len(reported | lost)


def _rows(rows: Sequence[tuple[int, int, str]]) -> str:
    return "".join(f"{','.join(map(str, row))}\n" for row in (HEADER, *rows))


FAMILY = AudioDropouts()
