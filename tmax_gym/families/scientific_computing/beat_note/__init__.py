"""SCI-13 beat note: two tones in a recording; frequencies, beat or drift, and where they meet.

Below `DRIFTS` both tones are steady; from `CROSSES` on they meet somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.scientific_computing.beat_note import recording
from tmax_gym.nodes import Node
from tmax_gym.texts.obligations import Obligation

DRIFTS, CROSSES = 0.3, 0.6
TOLERANCE = {
    "lower": (0.1, "Hz"),
    "upper": (0.1, "Hz"),
    "beat": (0.15, "Hz"),
    "steady": (0.3, "Hz"),
    "start": (1.0, "Hz"),
    "drift": (0.3, "Hz/s"),
    "crossing": (0.06, "s"),
}
"""Error up to which a quantity counts as measured; three times what the reference needs."""
COARSE = 6.0
"""An error of this many tolerances earns nothing: one wide spectrum is as bad."""
MEANING = {
    "lower": "the frequency of the lower tone",
    "upper": "the frequency of the higher tone",
    "beat": "the beat rate, that is the difference between the two frequencies",
    "steady": "the frequency of the steady tone",
    "start": "the frequency of the drifting tone at the beginning of the recording",
    "drift": "the change of the drifting tone's frequency per second, negative if it falls",
    "crossing": "the time from the beginning of the recording to the point where both tones have "
    "the same frequency",
}
UNITS = {"Hz": "hertz", "Hz/s": "hertz per second", "s": "seconds"}


@dataclass(frozen=True, kw_only=True)
class Recording(World):
    """The decided facts."""

    source: str
    target: str
    tones: recording.Tones
    asked: tuple[str, ...]
    hum: bool


class BeatNote(Family[Recording]):
    """A steady tone and a second one beside it."""

    id = "SCI-13"
    slug = "beat-note"
    domain = "scientific_computing"
    skill = "Mathematical"
    primitives = (
        "Fourier transforms and spectral analysis",
        "Spectroscopy and signal data processing",
        "Curve fitting and regression",
    )
    fixtures = ("audio",)
    verifiers = ("metric_threshold",)
    languages = ("any", "python")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Recording:
        """Return a recording."""
        rng = ctx.rng.fork("tones")
        ms = 200 * ctx.knob(25, 40)
        crossing = ctx.level >= CROSSES
        tones = recording.steady_pair(rng, ms)
        asked: tuple[str, ...] = ("lower", "upper", "beat")
        if ctx.level >= DRIFTS:
            tones = recording.moving_pair(rng, ms, crossing=crossing)
            asked = ("steady", "start", "drift", *(("crossing",) if crossing else ()))
        hiss = ctx.knob(0, 140)
        hum = ctx.knob(0, 200) if crossing else 0
        body = recording.sound(
            tones, rng.fork("hiss"), second=ctx.knob(300, 170), hiss=hiss, hum=hum
        )
        source, target = ctx.path(f"{ctx.skin.stem(rng)}.wav"), ctx.path("tones.json")
        return Recording(
            nodes=(Node(source, data=body),),
            outputs=(target,),
            source=source,
            target=target,
            tones=tones,
            asked=asked,
            hum=hum > 0,
        )

    def oracle(self, ctx: Context, world: Recording) -> tuple[str, ...]:
        """Return short spectra and a straight line, in Python."""
        return (f"file {world.source}", *_run(_program(world)), f"cat {world.target}")

    def alternative(self, ctx: Context, world: Recording) -> tuple[str, ...] | None:
        """Return the same from phases."""
        return _run(_program(world, phase=True))

    def checks(self, ctx: Context, world: Recording) -> tuple[Check | Gate, ...]:
        """Return a ramp for every quantity, from a coarse guess to the tolerance."""
        checks: list[Check | Gate] = [unchanged("recording", world.nodes)]
        for name in world.asked:
            tolerance = TOLERANCE[name][0]
            checks.append(
                metric_threshold(
                    name,
                    lambda e, n=name: _error(e, world, n),  # type: ignore[misc]
                    base=COARSE * tolerance,
                    threshold=tolerance,
                )
            )
        return tuple(checks)

    def say(self, ctx: Context, world: Recording) -> tuple[Obligation, ...]:
        """Return the recording, what disturbs it, and the quantities."""
        tones = "two steady tones that sound at the same time"
        if world.tones.moving:
            tones = (
                "a steady tone and, at the same time, a second tone whose frequency drifts at an "
                "even rate"
            )
        noise = Obligation(
            "hum",
            f"The recording also contains some hiss and a mains hum at {recording.HUM} Hz. Ignore "
            f"both.",
            "input",
        )
        return (
            Obligation(
                "goal",
                f"`{world.source}` is a recording of {tones}. Measure both tones and write the "
                f"results to `{world.target}`.",
                "goal",
            ),
            *([noise] if world.hum else []),
            Obligation(
                "format",
                f"`{world.target}` is a JSON object in which every value is a number. It has "
                f"these keys:",
                "format",
            ),
            *(_quantity(name) for name in world.asked),
            Obligation("keep", f"Leave `{world.source}` as it is.", "limit"),
        )

    def mutants(self, ctx: Context, world: Recording) -> tuple[Attempt, ...]:
        """Return exchanged tones, a wrong rate, whole decahertz, a quantity forgotten."""
        program = _program(world)
        first, second = world.asked[:2]
        finish = "json.dump("
        wrong = {
            "exchanged": f"found[{first!r}], found[{second!r}] = "
            f"found[{second!r}], found[{first!r}]\n",
            "rate of 8000": "found = {k: v * 4 for k, v in found.items()}\n",
            "coarse": "found = {k: round(v, -1) + 5 for k, v in found.items()}\n",
            "forgotten": f"found[{world.asked[2]!r}] = 0.0\n",
        }
        return tuple(
            Attempt(name, _run(program.replace(finish, line + finish)))
            for name, line in wrong.items()
        )

    def exploits(self, ctx: Context, world: Recording) -> tuple[Attempt, ...]:
        """Return plain guesses and numbers that are none."""
        middle = {"crossing": str(world.tones.ms / 2000), "drift": "10", "beat": "10"}
        guess = ", ".join(f'"{n}": {middle.get(n, "440")}' for n in world.asked)
        nan = ", ".join(f'"{n}": NaN' for n in world.asked)
        huge = ", ".join(f'"{n}": 1e999' for n in world.asked)
        true = ", ".join(f'"{n}": true' for n in world.asked)
        return tuple(
            Attempt(name, (f"echo '{{{body}}}' > {world.target}",))
            for name, body in (("guess", guess), ("nan", nan), ("huge", huge), ("true", true))
        )


def _program(world: Recording, *, phase: bool = False) -> str:
    names: dict[str, object] = {
        "SOURCE": world.source,
        "TARGET": world.target,
        "ASKED": world.asked,
    }
    return recording.program(world.tones, names=names, phase=phase)


def _run(program: str) -> tuple[str, ...]:
    return (write_file("/tmp/tones.py", program), "python3 /tmp/tones.py; rm /tmp/tones.py")


def _error(evidence: Evidence, world: Recording, name: str) -> float:
    """Return how far a reported quantity is off.

    The first two are frequencies of hundreds of hertz.  The others lie in narrow ranges and could
    be guessed, so they count only if the first two are roughly right.
    """
    report = exact.read_json(evidence, world.target)
    if not isinstance(report, dict):
        raise BadOutput(f"{world.target} holds no JSON object")

    def off(key: str) -> float:
        value = report.get(key)
        if not tolerance.is_number(value):
            raise BadOutput(f"{world.target} has no finite number {key!r}")
        return abs(value - world.tones.truth[key])

    anchors = world.asked[:2]
    if name not in anchors and any(off(a) > COARSE * TOLERANCE[a][0] for a in anchors):
        raise BadOutput(f"{name!r} stands without its frequencies")
    return off(name)


def _quantity(name: str) -> Obligation:
    """Return the meaning, the unit and the tolerance of a quantity."""
    tolerance, unit = TOLERANCE[name]
    return Obligation(
        name,
        f"`{name}` is {MEANING[name]}, in {UNITS[unit]}; an error of up to {tolerance} {unit} is "
        f"accepted.",
    )


FAMILY = BeatNote()
