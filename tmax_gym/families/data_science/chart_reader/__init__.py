"""DSC-10 chart reader: the bars of a chart are measured, because the table behind it is lost."""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_science.chart_reader import charts
from tmax_gym.nodes import Node
from tmax_gym.texts.obligations import Obligation

HEADER = ("group", "series", "value")
TOLERANCE = 0.01
"""The mean error of values that earns full marks, as a part of the axis; a pixel is as much."""
SLOPES = 0.03
"""The mean error of slopes that earns full marks, in tenths of the axis."""


@dataclass(frozen=True, kw_only=True)
class Scan(World):
    """The decided facts."""

    picture: str
    values: str
    summary: str
    chart: charts.Chart
    measure: str
    slopes: bool


class ChartReader(Family[Scan]):
    """Calibrate the axis, measure the bars, and summarise the values."""

    id = "DSC-10"
    slug = "chart-reader"
    domain = "data_science"
    skill = "Data Processing"
    primitives = (
        "Tabular data transformation and aggregation",
        "Feature engineering and selection",
        "Linear algebra for data analysis",
        "Numerical accuracy testing",
    )
    fixtures = ("image",)
    verifiers = ("metric_threshold", "exact_text")
    languages = ("any", "python")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Scan:
        """Return a chart as a picture."""
        rng = ctx.rng.fork("chart")
        chart = charts.drawn(
            rng.fork("bars"),
            groups=ctx.knob(4, 14),
            series=ctx.knob(1, 3),
            zero=ctx.level < 0.3,
            clutter=ctx.knob(0, 4),
        )
        measure = ctx.skin.measure(rng)
        picture = ctx.path(f"{ctx.skin.stem(rng)}.png")
        outputs = (ctx.path("values.csv"), ctx.path("summary.json"))
        return Scan(
            nodes=(Node(picture, data=chart.picture(rng.fork("specks"))),),
            outputs=outputs,
            picture=picture,
            values=outputs[0],
            summary=outputs[1],
            chart=chart,
            measure=measure.name,
            slopes=ctx.level >= 0.35,
        )

    def oracle(self, ctx: Context, world: Scan) -> tuple[str, ...]:
        """Return a program in Python that reads the picture."""
        return (
            f"file {world.picture}; xxd -l 64 {world.picture}",
            *_run(_program(world), remove=ctx.rng.fork("way").choice(("rm", "unlink"))),
            f"head -n 4 {world.values}; cat {world.summary}",
        )

    def checks(self, ctx: Context, world: Scan) -> tuple[Check | Gate, ...]:
        """Return checks of the values and the slopes by their errors, and of the summary."""
        chart = world.chart
        flat = [(g, s, v) for g, row in enumerate(chart.values, 1) for s, v in enumerate(row, 1)]
        tallest, shortest = (f(flat, key=lambda bar: bar[2]) for f in (max, min))
        wanted = {
            "tallest": list(tallest[:2]),
            "shortest": list(shortest[:2]),
            "groups": len(chart.values),
        }
        middle = sorted(bar[2] for bar in flat)[len(flat) // 2]
        base = sum(abs(bar[2] - middle) for bar in flat) / len(flat) / chart.spread
        heavy = 2.0 if ctx.verifier == "metric_threshold" else 0.9
        checks: list[Check | Gate] = [
            unchanged("picture", world.nodes),
            metric_threshold(
                "values",
                lambda e: _error(e, world),
                base=0.8 * base,
                threshold=TOLERANCE,
                weight=heavy,
            ),
            exact.fields("summary", world.summary, wanted),
        ]
        if world.slopes:
            checks.append(
                metric_threshold(
                    "slopes", lambda e: _slopes(e, world), base=0.3, threshold=SLOPES, weight=0.8
                )
            )
        return tuple(checks)

    def say(self, ctx: Context, world: Scan) -> tuple[Obligation, ...]:
        """Return the picture, its axis and series, and the forms of the results."""
        chart = world.chart
        obligations = [
            Obligation(
                "goal",
                f"All that is left of a table of {world.measure} values is the bar chart "
                f"`{world.picture}`. Measure the bars, write their values to `{world.values}`, and "
                f"write a summary to `{world.summary}`.",
                "goal",
            ),
            Obligation(
                "axis",
                f"The vertical axis is linear and has two ticks. The lower tick, where all bars "
                f"begin, is {chart.lo}, and the upper tick is {chart.hi}.",
                "input",
            ),
            Obligation(
                "series",
                "The bars stand in groups. Each group has one bar for each series, side by side: "
                "series 1 is the darkest, and every next series is lighter. Faint grid lines and "
                "specks, if there are any, are not data.",
                "input",
            ),
            Obligation(
                "values",
                f"`{world.values}` is a CSV file with the header `{','.join(HEADER)}` and one row "
                f"for each bar, from left to right. Groups and series are counted from 1. The mean "
                f"error of the values may be up to {100 * TOLERANCE:g} % of the length of the axis "
                f"between the ticks.",
                "format",
            ),
            Obligation(
                "summary",
                f"`{world.summary}` is a JSON object. `groups` is the number of groups. `tallest` "
                "and `shortest` say which bar is the highest and which is the lowest, each as a "
                "list of its group and its series.",
                "format",
            ),
        ]
        if world.slopes:
            obligations.append(
                Obligation(
                    "slopes",
                    "Also put `slopes` into the summary: a list with one number for each series, "
                    "in order. It is the slope of the least-squares line through the values of the "
                    "series, that is, by how much the line rises from one group to the next. The "
                    f"mean error of the slopes may be up to {100 * SLOPES / 10:g} % of the length "
                    "of the axis.",
                    "format",
                )
            )
        return (
            *obligations,
            Obligation("keep", "Leave the picture unchanged.", "limit", ("unchanged", "as it is")),
        )

    def mutants(self, ctx: Context, world: Scan) -> tuple[Attempt, ...]:
        """Return an axis that is too long, coarse values, bars from the top, numbers from 0."""
        right = _program(world)
        wrong = {
            "whole picture as axis": right.replace("/ (bottom - top)", "/ height"),
            "coarse": right.replace("* high /", "* (high // 16 * 16) /"),
            "from the top": right.replace("* high /", "* (bottom - top - high) /"),
            "from zero": right.replace("n // series + 1, s + 1", "n // series, s"),
        }
        return tuple(Attempt(name, _run(body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Scan) -> tuple[Attempt, ...]:
        """Return the middle value for every bar, cells that are no numbers, and slopes of 0."""
        middle = (world.chart.lo + world.chart.hi) / 2
        count = len(world.chart.values)
        bars = "".join(
            f"{g},{s},{middle}\n"
            for g in range(1, count + 1)
            for s in range(1, len(world.chart.values[0]) + 1)
        )
        head = ",".join(HEADER)
        return (
            Attempt("middle", (write_file(world.values, f"{head}\n{bars}"),)),
            Attempt("nan", (f"printf '{head}\\n1,1,nan\\n1,2,1e999\\n' > {world.values}",)),
            Attempt("slopes", (f"echo '{{\"slopes\": [0, 0, 0]}}' > {world.summary}",)),
        )


def _program(world: Scan) -> str:
    names: dict[str, object] = {
        "PICTURE": world.picture,
        "VALUES": world.values,
        "SUMMARY": world.summary,
        "SHADES": list(charts.SHADES),
        "LO": world.chart.lo,
        "HI": world.chart.hi,
        "SLOPES": world.slopes,
    }
    return "".join(f"{name} = {value!r}\n" for name, value in names.items()) + charts.READ


def _run(program: str, *, remove: str = "rm") -> tuple[str, ...]:
    run = f"python3 /tmp/chart.py; {remove} /tmp/chart.py"
    return (write_file("/tmp/chart.py", program), run)


def _read(evidence: Evidence, world: Scan) -> list[float]:
    """Return the reported values, all bars in order.  Raises `BadOutput`."""
    table = exact.read_table(evidence, world.values, HEADER)
    bars = [(g, s) for g, row in enumerate(world.chart.values, 1) for s in range(1, len(row) + 1)]
    if len(table) != len(bars) or any(len(row) != len(HEADER) for row in table):
        raise BadOutput(f"{world.values} is no table {','.join(HEADER)} of {len(bars)} bars")
    named = [(tolerance.integer(row[0]), tolerance.integer(row[1])) for row in table]
    values = [tolerance.number(row[2]) for row in table]
    if named != bars or not all(abs(v) < 1e9 for v in values):
        raise BadOutput(f"{world.values} does not list the bars in order with finite values")
    return values


def _error(evidence: Evidence, world: Scan) -> float:
    """Return the mean error of the values as a part of the axis."""
    truth = [value for row in world.chart.values for value in row]
    off = sum(abs(a - b) for a, b in zip(_read(evidence, world), truth, strict=True))
    return off / len(truth) / world.chart.spread


def _slopes(evidence: Evidence, world: Scan) -> float:
    """Return the mean error of the slopes, in tenths of the axis."""
    report = exact.read_json(evidence, world.summary)
    slopes = report.get("slopes") if isinstance(report, dict) else None
    series = len(world.chart.values[0])
    if not isinstance(slopes, list) or len(slopes) != series:
        raise BadOutput(f"{world.summary} has no list of {series} slopes")
    off = 0.0
    for number, slope in enumerate(slopes):
        if not tolerance.is_number(slope):
            raise BadOutput(f"{slope!r} is no slope")
        off += abs(slope - world.chart.slope(number))
    if _error(evidence, world) > 0.1:
        raise BadOutput("trends of values that were not read")
    return off / series / world.chart.spread * 10


FAMILY = ChartReader()
