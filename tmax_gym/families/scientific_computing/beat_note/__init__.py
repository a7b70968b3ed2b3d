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
from tmax_gym.texts.clauses import Clause

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
    "lower": "the {frequency|pitch} of the {lower|deeper} {tone|of the two|one}",
    "upper": "the {frequency|pitch} of the {upper|higher} {tone|of the two|one}",
    "beat": "the beat rate, {the|that is the|i.e. the} {difference|distance} {of|between} {the two|"
    "both|the two frequencies}",
    "steady": "the {frequency|pitch} of the {steady|constant} {tone|one}",
    "start": "the {frequency|pitch} of the {drifting|moving} tone {at the very beginning|at time 0|"
    "when the recording starts}",
    "drift": "the {change {of|in} the {drifting|moving} tone's frequency|slope of the {drifting|"
    "moving} tone} {per|every|each} second, {negative|below zero|with a minus} if it falls",
    "crossing": "the time {from the beginning|since the start|after the start} {at which|when} "
    "{both|the two} frequencies {are {equal|the same}|meet|coincide}",
}


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

    def say(self, ctx: Context, world: Recording) -> tuple[Clause, ...]:
        """Return the recording, what disturbs it, and the quantities."""
        return (_goal(world), *_noise(world), _format(world), *_asked(world))

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

    The first two are frequencies out of hundreds of hertz; the others lie in ranges narrow
    enough to be guessed and count only where these two are roughly right.
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


GOAL = (
    "{source} {is|holds|contains} a recording of {a|one} steady tone and {second}: {measure|"
    "determine|analyse} {both|the two} and {write|put|save} the {figures|results} {to|into} "
    "{target}.",
    "{Measure|Analyse|Take} {the|} two tones in {source}, a steady {tone|one} and {second}, and "
    "{leave|put|write} {the result|what you find|the figures} in {target}.",
    "Two {oscillators|sources} were {recorded|taken down|taped} {together|at once} in {source}, a "
    "steady {tone|one} and {second}. We need {their numbers|the figures|the quantities} in "
    "{target}.",
    "In {source} two tones {sound|run|are heard} {together|at the same time}, a steady {one|tone} "
    "and {second}; {establish|work out|find} {the quantities|what is asked} and {save|store} them "
    "{as|in} {target}.",
    "{There is|We have} a steady tone {in|on} {source}{,|} and {second}. {Get|Derive|Determine} "
    "the {quantities|figures} {of both|of the two} {for|and put them in} {target}.",
    "{Somebody|Someone} {recorded|taped} {a|one} steady tone {together with|and} {second} "
    "({source}). {Report|Write} {the|all} {figures|quantities} in {target}.",
)
SECOND = {
    True: "{a second one|another} that {drifts|moves} {evenly|at an even rate}",
    False: "{another steady one|a second steady one|one more that is steady}",
}
GOAL_BRIEFS = (
    "{Measure|Analyse} the steady tone and {second} in {source}; write {target}.",
    "{source}: a steady tone and {second}; {figures|results} {to|into} {target}.",
)


def _goal(world: Recording) -> Clause:
    second = SECOND[world.tones.moving]
    return Clause(
        "goal",
        tuple(frame.replace("{second}", second) for frame in GOAL),
        facts={"source": world.source, "target": world.target},
        role="goal",
        brief=tuple(frame.replace("{second}", second) for frame in GOAL_BRIEFS),
    )


def _noise(world: Recording) -> tuple[Clause, ...]:
    if not world.hum:
        return ()
    return (
        Clause(
            "hum",
            (
                "There is {some hiss|noise} as well, and {mains hum|a hum from the mains} at "
                "{hum}; {neither of them|neither} matters.",
                "{Ignore|Disregard} the hiss and the mains hum at {hum}.",
                "{Hiss|Noise} and {mains hum|a hum} of {hum} {lie|run} {underneath|below "
                "both tones}: {pass over|ignore} both.",
                "{At|Around} {hum} you will {see|find} {mains hum|the mains}, and {hiss|noise} "
                "everywhere; {neither is|they are not} {meant|asked for}.",
                "{Do not mistake|Never take} the mains hum ({hum}) {or|nor} the hiss for "
                "{a tone|one of the tones}.",
                "{Recorded along|Also on it} are hiss and, at {hum}, {mains hum|the mains}, "
                "{neither of interest|both irrelevant}.",
            ),
            facts={"hum": f"{recording.HUM} Hz"},
            role="input",
        ),
    )


def _format(world: Recording) -> Clause:
    return Clause(
        "format",
        (
            "{Write|Report} {one|a single} JSON object of numbers with {these keys|the keys} "
            "{names}.",
            "The {result|report} is one JSON object; {its keys are|it has the keys} {names}, all "
            "of them numbers.",
            "{names} {are|make up} the keys of {one|a} JSON object {of|whose values are} numbers.",
            "{Put|Collect} {names} in {one|a} JSON object, {each|every one} a number.",
            "{As|In} JSON: {one|a single} object {holding|with} {names}, {all|only} numbers.",
            "{A|One} JSON object {with|of} the keys {names} is {expected|wanted}, {values "
            "being|with} {plain numbers|numbers}.",
        ),
        facts={"names": ", ".join(f"`{name}`" for name in world.asked)},
        role="format",
    )


def _asked(world: Recording) -> tuple[Clause, ...]:
    return tuple(
        Clause(
            name,
            (
                f"{{key}} is {MEANING[name]}, {{within|to within|with an error of at "
                f"most}} {{tolerance}}.",
                f"{{key}}: {MEANING[name]}; {{an error|a deviation}} of up to "
                f"{{tolerance}} is {{fine|acceptable}}.",
                f"{{Give|Write}} {{key}}, {MEANING[name]}, to {{within|}} "
                f"{{tolerance}}{{| or better}}.",
                f"{{Report|Put}} {{as|under}} {{key}} {MEANING[name]}, {{right|exact}} to "
                f"{{tolerance}}.",
                f"{{Under|As}} {{key}} {{we want|comes}} {MEANING[name]}; {{tolerance}} "
                f"{{either way|up or down}} {{is|counts as}} right.",
                f"{{key}} {{stands for|means}} {MEANING[name]}, and {{may be|is right if}} "
                f"off by {{up to|no more than}} {{tolerance}}.",
            ),
            facts={
                "key": f"`{name}`",
                "tolerance": f"{TOLERANCE[name][0]} {TOLERANCE[name][1]}",
            },
            role="format",
            bullet=True,
        )
        for name in world.asked
    )


FAMILY = BeatNote()
