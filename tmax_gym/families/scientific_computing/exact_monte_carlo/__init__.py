"""SCI-03 exact Monte Carlo: a simulation whose generator and draw order are prescribed.

The program is run on hidden seeds and lengths; one wrong draw anywhere and everything after it
differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate
from tmax_gym.families.contract import Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.scientific_computing.exact_monte_carlo.model import Model, render, simulate
from tmax_gym.families.shared import sources as _sources
from tmax_gym.families.shared import tricks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

CONSTANTS = ((1_664_525, 1_013_904_223), (22_695_477, 1), (1_103_515_245, 12_345))
"""Multiplier and increment of well-known generators modulo 2^32."""
TICKS = 200


@dataclass(frozen=True, kw_only=True)
class Simulation(World):
    """The decided facts."""

    model: Model
    programs: _sources.Sources
    runs: str
    answer: str
    seed: str
    seed_shell: str
    result: str
    cases: tuple[tuple[bytes, bytes], ...]


class ExactMonteCarlo(Family[Simulation]):
    """Simulate a queue with arrivals, service, breakdowns and losses, draw by draw."""

    id = "SCI-03"
    slug = "exact-monte-carlo"
    domain = "scientific_computing"
    skill = "Algorithmic"
    primitives = (
        "Monte Carlo simulation",
        "Reproducible computation pipelines",
        "Scientific code regression testing",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("python", "c", "bash", "cpp", "go", "rust", "multi")
    tools = ("bash", "python3")
    consumes = {"seed": Port("scalar", 2, 9_999)}  # noqa: RUF012
    produces = {"result": Port("secret")}  # noqa: RUF012

    def world(self, ctx: Context) -> Simulation:
        """Return a model, a sample of runs, and hidden runs."""
        model = _model(ctx)
        seed = ctx.take("seed", lambda r: r.integer(2, 9_999))
        runs, answer = ctx.path("runs.txt"), ctx.path("result.txt")
        rng = ctx.rng.fork("runs")
        sample = "".join(f"{rng.integer(1, 10**6)} {rng.integer(20, 90)}\n" for _ in range(3))
        cases = tuple(_case(model, ctx.rng.fork("case", n), n) for n in range(ctx.knob(10, 24)))
        programs = _sources.sources(ctx, "simulate")
        result = simulate(model, seed.number, TICKS)
        joined = f"the four hyphen-joined numbers of {answer} (as in `9-8-7-6`)"
        return Simulation(
            nodes=(text(runs, sample),),
            outputs=(*(program.path for program in programs), answer),
            model=model,
            programs=programs,
            runs=runs,
            answer=answer,
            seed=seed.phrase,
            seed_shell=seed.shell,
            result=result,
            cases=cases,
            produces={
                "result": ctx.stored(
                    "secret", result.replace(" ", "-"), joined, read=f"tr ' ' - < {answer}"
                )
            },
        )

    def oracle(self, ctx: Context, world: Simulation) -> tuple[str, ...]:
        """Return the program in the task's language and the run that is asked for."""
        return (
            *_sources.written(world.programs, lambda language: render(world.model, language)),
            *(f"{program.call} < {world.runs}" for program in world.programs),
            f"echo {world.seed_shell} {TICKS} | {world.programs[-1].call} > {world.answer}",
        )

    def checks(self, ctx: Context, world: Simulation) -> tuple[Check | Gate, ...]:
        """Return the hidden runs and the one result."""
        return (
            exact.value("result", world.answer, world.result, weight=1.0),
            *_sources.equivalence("runs", world.programs, world.cases, weight=3.0, roots=("/app",)),
        )

    def say(self, ctx: Context, world: Simulation) -> tuple[Clause, ...]:
        """Return the model, rule by rule, and the interface."""
        clauses = (*_say_goal(ctx, world), *_say_model(world.model))
        return (*clauses, *_sources.say(world.programs))

    def mutants(self, ctx: Context, world: Simulation) -> tuple[Attempt, ...]:
        """Return one subtle deviation at a time."""
        model = world.model
        wrong = {
            "low bits": (">> 16", "& 65535"),
            "losses too late": (f"queue > {model.capacity}", f"queue > {model.capacity + 1}"),
            "service too eager": (f"< {model.service}", f"<= {model.service}"),
        }
        return tuple(Attempt(name, _slipped(world, slip)) for name, slip in wrong.items())

    def exploits(self, ctx: Context, world: Simulation) -> tuple[Attempt, ...]:
        """Return programs that say one thing, and that echo."""
        zeros = tuple(
            write_file(program.path, tricks.prints(program.language, ["0 0 0 0"]))
            for program in world.programs
        )
        echo = tuple(
            write_file(program.path, tricks.copies(program.language)) for program in world.programs
        )
        return (
            Attempt("zeros", (*zeros, f"echo 0 0 0 0 > {world.answer}")),
            Attempt("echo", echo),
        )


def _slipped(world: Simulation, slip: tuple[str, str]) -> tuple[str, ...]:
    """Return the commands that write the programs, the last of them with a slip."""
    last = world.programs[-1].language
    sources = {program: render(world.model, program.language) for program in world.programs}
    return tuple(
        write_file(program.path, source.replace(*slip) if program.language == last else source)
        for program, source in sources.items()
    )


def _model(ctx: Context) -> Model:
    rng = ctx.rng.fork("model")
    multiplier, increment = rng.choice(CONSTANTS)
    arrival = rng.integer(45, 70)
    return Model(
        multiplier=multiplier,
        increment=increment,
        arrival=arrival,
        batch=rng.integer(2, 3) if ctx.level >= 0.3 else 1,
        service=min(arrival + rng.integer(5, 20), 88),
        capacity=rng.integer(3, 6),
        failure=rng.integer(3, 9) if ctx.level >= 0.5 else 0,
        repair=rng.integer(2, 5),
    )


def _case(model: Model, rng: Rng, number: int) -> tuple[bytes, bytes]:
    """Return a hidden input, longer with its number, and the expected output."""
    runs = [(rng.integer(0, 2**32 - 1), rng.integer(30, 60 + 6 * number)) for _ in range(3)]
    stdin = "".join(f"{seed} {ticks}\n" for seed, ticks in runs)
    out = "".join(simulate(model, seed, ticks) + "\n" for seed, ticks in runs)
    return stdin.encode(), out.encode()


def _say_goal(ctx: Context, world: Simulation) -> tuple[Clause, ...]:
    first = world.programs[0]
    thing = ctx.skin.thing(ctx.rng.fork("thing")).plural
    return (
        Clause(
            "goal",
            (
                f"{{Write|Implement}} the queue model {{below|described here}} in "
                f"{{language}}, as {{program}}; {{results|its results}} must agree to the "
                f"last draw. The queue {{holds|is one of}} {thing}.",
                f"We simulate a queue of {thing} and {{have to|must}} reproduce "
                f"{{every|each}} draw. {{Put|Save}} the {{language}} program {{at|as}} "
                f"{{program}}.",
                f"{{Re-implement|Rewrite}} our queue simulation ({thing}) in {{language}} "
                f"at {{program}}, {{bit for bit|draw by draw}}.",
                f"{{program}} should be a {{language}} program that runs the model "
                f"{{described here|below}}, {thing} {{in|waiting in}} a queue, exactly.",
                f"{{How long|How many}} {thing} {{wait|queue up}} is {{found|settled}} by "
                f"simulation: {{write|code}} the model in {{language}}, {{program}}, so "
                f"that {{every|each}} draw {{agrees|is the same}}.",
                f"The {{model|simulation}} of {thing} in a queue needs a {{language}} "
                f"{{version|program}}, {{program}}, that {{repeats|matches}} it to the "
                "last draw.",
            ),
            facts={"language": first.name, "program": first.path},
            role="goal",
            brief="Write the queue simulation in {language}, {program}.",
        ),
        Clause(
            "interface",
            (
                "{Each|Every} input line holds {pair}; for each {print|write} {out} on a "
                "line, separated by single {spaces|blanks}. {runs} is a sample input.",
                "{The program|It} reads lines of {pair} from standard input ({runs} has "
                "a few) and answers each with {out}, separated by single {spaces|blanks}.",
                "{On|From} standard input come lines with {pair} (see {runs}); "
                "{each|every one} is {answered|followed} by a line {out}, {a single "
                "space|one space} {between|separating} {two|the} numbers.",
                "{Given|For} {pair} on {a line|each line} of standard input, {as|like "
                "those} in {runs}, {print|output} {out}, one line {per|for each} input "
                "line, single {spaces|blanks} {in between|between numbers}.",
                "{out}, {with|and} single {spaces|blanks} between, is {printed|what to "
                "print} for {every|each} line of standard input, {which holds|made of} "
                "{pair}; {runs} {shows|has} some.",
                "{Lines|Input lines} {such as|like} those of {runs}, {with|each of} "
                "{pair}, {go in|arrive on standard input}; {out}, {space|blank} "
                "separated, {come out|is the line to print}, one {each|for each}.",
            ),
            facts={
                "pair": "a seed and a number of ticks",
                "out": "`served lost queue peak`",
                "runs": world.runs,
            },
            role="format",
        ),
        Clause(
            "answer",
            (
                "Also {write|put} the output line for seed {seed} and {ticks} ticks into {answer}.",
                "In addition {answer} should hold the {output|} line for {ticks} ticks "
                "from seed {seed}.",
                "{Save|Leave} {what|the line that} the program {prints|answers} {for|to} "
                "seed {seed} and {ticks} ticks {in|as} {answer}.",
                "{answer} {holds|gets} the {answer|output} {to|for} one run: {ticks} "
                "ticks {from|of} seed {seed}.",
                "{Run it once|Let it run} {with|from} seed {seed} {for|over} {ticks} "
                "ticks and {keep|store} the line {in|as} {answer}.",
                "{One|A} run is {wanted|needed} {right away|now}: seed {seed}, {ticks} "
                "ticks, {its line|the line printed} {into|to} {answer}.",
            ),
            facts={"seed": world.seed, "ticks": str(TICKS), "answer": world.answer},
            role="output",
        ),
    )


def _say_model(model: Model) -> tuple[Clause, ...]:
    batch = f"`r % 100 < {model.arrival}`, " + (
        f"draw again, and `1 + r % {model.batch}` of them join the queue"
        if model.batch > 1
        else "one joins the queue"
    )
    order = (
        "arrivals, losses, breakdowns, service, peak"
        if model.failure
        else ("arrivals, losses, service, peak")
    )
    clauses = [
        Clause(
            "generator",
            (
                "The generator {starts|begins} at the seed and goes {step} modulo "
                "{modulus} at every draw; the drawn number r is the {new|next} state "
                "shifted right by {shift} bits.",
                "A draw replaces the state ({at first|initially} the seed) by {step} "
                "modulo {modulus} and {yields|gives} r, the new state shifted right by "
                "{shift} bits.",
                "{To draw|Drawing} {is|means}: {step} modulo {modulus}, {then|and} r "
                "{is|as} {that|the new state} shifted right by {shift} bits; the first "
                "state is the seed.",
                "{Start|Begin} with the seed as {state|the state}. {Each|Every} draw "
                "{sets|computes} {step} modulo {modulus}; {its|the} result r is {the "
                "new|that} state {shifted|moved} right by {shift} bits.",
                "r {comes|is drawn} from a {generator|congruence}: {step} modulo "
                "{modulus}, {starting|beginning} from the seed, {and then|of which} the "
                "new state shifted right by {shift} bits{ is r|}.",
                "{The state|Its state} is the seed {first|to begin with}, then {step} "
                "{taken|,} modulo {modulus} at {each|every} draw, and r {equals|is} the "
                "{fresh|new} state shifted {right by {shift} bits|by {shift} bits to the "
                "right}.",
            ),
            facts={
                "step": f"`x = {model.multiplier} * x + {model.increment}`",
                "modulus": "2^32",
                "shift": "16",
            },
        ),
        Clause(
            "order",
            (
                "Within a tick the order is: {order}.",
                "{Each|Every} tick does, in this order: {order}.",
                "{A|One} tick {goes through|consists of} {order}, {one after the "
                "other|in that order}.",
                "{order}: that is {one|a} tick{, in order|}.",
                "{In|During} {each|every} tick {come|happen}, in {this|exactly this} "
                "order, {order}.",
                "{The order of things|What happens} {in|within} a tick{:| is} {order}.",
            ),
            facts={"order": order},
        ),
        Clause(
            "arrivals",
            (
                "Arrivals: draw r; if {rule}.",
                "Arrivals {begin|start} with a draw r: if {rule}.",
                "Arrivals {take|need} {one draw|a draw} r {first|to start}: if {rule}.",
                "Arrivals: {get|take} r {by a|from one} draw, {and|then} if {rule}.",
                "{For|As to} arrivals, draw r {once|first}; if {rule}.",
                "{Whether|If} anybody arrives is {up to|decided by} a draw r: if {rule}.",
            ),
            facts={"rule": batch},
            bullet=True,
        ),
        *_say_outflow(model),
    ]
    if model.failure:
        clauses.append(_say_failure(model))
    return tuple(clauses)


def _say_outflow(model: Model) -> tuple[Clause, ...]:
    return (
        Clause(
            "losses",
            (
                "Losses: {what|whatever} exceeds {capacity} in the queue is lost and counted.",
                "Losses: the queue is cut {to|down to} {capacity}; those cut off count as lost.",
                "Losses: {no more than|at most} {capacity} stay in the queue, {the "
                "rest|those beyond} {leaves|go} and {counts|count} as lost.",
                "{As to|For} losses: {a queue|one} longer than {capacity} {is "
                "shortened|shrinks} to {that|it}, {everyone|all} removed {being|counting "
                "as} lost.",
                "Losses {are|mean} those {beyond|over} {capacity} in the queue: "
                "{remove|take} them {out|away} and count them{ as lost|, as lost}.",
                "Losses: {the queue|it} {holds|keeps} {capacity}; {any|all} more "
                "{is|are} {lost|dropped} and {counted|added to the lost}.",
            ),
            facts={"capacity": str(model.capacity)},
            bullet=True,
        ),
        Clause(
            "service",
            (
                "Service: draw r, even when the queue is empty; if {rule} and the queue "
                "is not empty, one leaves and {counts|is counted} as served.",
                "Service: one draw r in any case; {with|given} {rule} and somebody "
                "waiting, one is served and leaves.",
                "Service {always|in any case} {draws|takes a draw} r; {only|just} if "
                "{rule} and {somebody|someone} {waits|is in the queue} {does one "
                "leave|one leaves}, served.",
                "{For|As to} service, draw r {whether|no matter if} {anybody waits|the "
                "queue is empty} {or not|}: {rule} and a queue {that is not|not} empty "
                "{make|let} one {leave|go}, counted as served.",
                "Service: {always|never fail to} draw r. {Where|If} {rule} holds and the "
                "queue {has somebody|is not empty}, {take one out|one leaves it} and "
                "{count it|counts} as served.",
                "Service: {a|one} draw r, {queue empty or not|even for an empty queue}, "
                "{and|then} one {fewer|less} {waiting|in the queue} and one more served "
                "if {rule} and {there is one|it is not empty}.",
            ),
            facts={"rule": f"`r % 100 < {model.service}`"},
            bullet=True,
        ),
        Clause(
            "peak",
            (
                "Peak: the longest queue {seen|met} at this point of {any|a} tick; it "
                "{starts|begins} at {zero}.",
                "Peak: {keep|remember} the largest queue length {seen|met} {here|at this "
                "point}, from {zero}.",
                "Peak {is|means} the {greatest|largest} length {of the queue|the queue "
                "had} {here|at this point of a tick}, {starting|beginning} {from|at} "
                "{zero}.",
                "Peak: {at this point|here} {compare|hold} the queue's length "
                "{with|against} the {record|largest} so far, {initially|at first} "
                "{zero}{, and keep the larger|; the larger one stays}.",
                "{For|As} peak {note|record} {how long|the length} the queue is {now|at "
                "this point}, if {that|it} is {longer|more} than {ever|at any tick} "
                "before; {zero} {to begin with|at the start}.",
                "Peak: {update|raise} the {maximum|largest} queue length, {zero} "
                "{before|ahead of} the first tick, {with|to} {that|the one} of {now|this "
                "point}{ if it is longer|, if longer}.",
            ),
            facts={"zero": "0"},
            bullet=True,
        ),
    )


def _say_failure(model: Model) -> Clause:
    return Clause(
        "breakdowns",
        (
            "Breakdowns: while the server is down, its remaining time {drops|falls} "
            "by one and service is skipped, both without a draw; {otherwise|when up} "
            "draw r, and if {rule} it goes down for {repair} ticks, starting with "
            "the next one (this tick's service still happens).",
            "Breakdowns: a server that is down {counts|brings} its remaining ticks "
            "down by one and skips service, {drawing nothing|without a draw}. If it "
            "is up, draw r; with {rule} it will be down for the {repair} ticks after "
            "this one, and this tick's service {takes place|still happens}.",
            "Breakdowns {need|take} a draw r only {while|when} the server is up: "
            "{rule} {means|says} {down|it is down} for the {next|following} {repair} "
            "ticks, {not|but not} for {this one's service|service in this one}. "
            "{Down|While down}, it {loses|uses up} one remaining tick, service is "
            "skipped and nothing {is drawn|drawn}.",
            "{As to|For} breakdowns, {a|the} server that is up draws r and, "
            "{if|given} {rule}, {is|stays} down {during|for} the {repair} ticks that "
            "{come next|follow}, still serving in this one; one that is down draws "
            "{nothing|no number}, {serves|and serves} nobody and has one tick "
            "{less|fewer} {to go|left}.",
        ),
        facts={"rule": f"`r % 100 < {model.failure}`", "repair": str(model.repair)},
        bullet=True,
    )


FAMILY = ExactMonteCarlo()
