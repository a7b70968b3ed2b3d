"""SCI-10 grid archive: a classic NetCDF file, read from its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.scientific_computing.grid_archive import netcdf
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

HEADER = ("variable", "time", "cells", "mean")
TOLERANCE = 0.01
FILL = -32768


@dataclass(frozen=True, slots=True)
class Grid:
    """One packed variable: values by time, then cell; None where missing."""

    name: str
    raw: tuple[tuple[int | None, ...], ...]
    scale: Fraction
    offset: int

    def mean(self, time: int, area: tuple[int, ...]) -> tuple[int, Fraction]:
        """Return (cells present, weighted mean) of a time."""
        kept = [(v, w) for v, w in zip(self.raw[time], area, strict=True) if v is not None]
        total = Fraction(sum(v * w for v, w in kept), sum(w for _, w in kept))
        return len(kept), self.scale * total + self.offset

    def peak(self, wide: int) -> list[int]:
        """Return (time, row, column) of the largest value, the first of equal ones."""
        best = max(v for line in self.raw for v in line if v is not None)
        time = next(t for t, line in enumerate(self.raw) if best in line)
        cell = self.raw[time].index(best)
        return [time, cell // wide, cell % wide]


@dataclass(frozen=True, kw_only=True)
class Archive(World):
    """The decided facts."""

    source: str
    table: str
    summary: str
    grids: tuple[Grid, ...]
    area: tuple[int, ...]
    weighted: bool
    times: tuple[int, ...]
    wide: int


class GridArchive(Family[Archive]):
    """Header, offsets, packing, masks, weights."""

    id = "SCI-10"
    slug = "grid-archive"
    domain = "scientific_computing"
    skill = "Data Processing"
    primitives = (
        "Scientific data format I/O (NetCDF, HDF5, FITS)",
        "Multi-dimensional array manipulation",
        "Observational data reshaping",
        "Reference dataset comparison",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text", "metric_threshold")
    languages = ("any", "python")
    tools = ("bash", "jq", "python3")

    def world(self, ctx: Context) -> Archive:
        """Return a file with one or two packed variables."""
        rng = ctx.rng.fork("grids")
        high, wide, steps = ctx.knob(3, 8), ctx.knob(4, 11), ctx.knob(2, 12)
        names = rng.sample(sorted({m.column for m in ctx.skin.measures}), 2)
        names = names[: 2 if ctx.level >= 0.45 else 1]
        grids = tuple(
            _grid(name, rng.fork(name), steps, high * wide, gaps=ctx.level >= 0.15)
            for name in names
        )
        area = tuple(rng.integer(3, 40) for _ in range(high * wide))
        times = tuple(24 * (900 + n) + rng.integer(0, 5) for n in range(steps))
        source = ctx.path(f"{ctx.skin.stem(rng)}.nc")
        recorded = ctx.level >= 0.3
        body = _file(grids, area, times=times, shape=(high, wide), recorded=recorded)
        return Archive(
            nodes=(Node(source, data=body),),
            outputs=(ctx.path("means.csv"), ctx.path("summary.json")),
            source=source,
            table=ctx.path("means.csv"),
            summary=ctx.path("summary.json"),
            grids=grids,
            area=area,
            weighted=ctx.level >= 0.6,
            times=times,
            wide=wide,
        )

    def oracle(self, ctx: Context, world: Archive) -> tuple[str, ...]:
        """Return a reader in Python."""
        return (
            f"file {world.source}; xxd -l 160 {world.source}",
            *_run(_program(world)),
            f"head -n 4 {world.table}; cat {world.summary}",
        )

    def checks(self, ctx: Context, world: Archive) -> tuple[Check | Gate, ...]:
        """Return the means by variable, the counts, and the entries of the summary."""
        heavy = ctx.verifier == "metric_threshold"
        checks: list[Check | Gate] = [unchanged("archive", world.nodes)]
        for grid in world.grids:
            entry = {"missing": sum(line.count(None) for line in grid.raw)}
            wanted = entry | {"peak": grid.peak(world.wide)}
            checks += [
                metric_threshold(
                    f"means of {grid.name}",
                    lambda e, g=grid: _off(e, world, g),  # type: ignore[misc]
                    base=float(_spread(world, grid)),
                    threshold=TOLERANCE,
                    weight=2.0 if heavy else 1.0,
                ),
                Check(
                    f"summary of {grid.name}",
                    "exact_text",
                    lambda e, g=grid, w=wanted: _entry(e, world, g.name, w),  # type: ignore[misc]
                    1.0 if heavy else 2.0,
                ),
            ]
        return tuple(checks)

    def say(self, ctx: Context, world: Archive) -> tuple[Obligation, ...]:
        """Return the file, what its cells mean, and the forms of the results."""
        names = [f"`{grid.name}`" for grid in world.grids]
        times = "in the order of the times in the file"
        rows = f"one row for each time of {names[0]}, {times}"
        if len(names) > 1:
            rows = (
                f"one row for each variable and time: first all times of {names[0]} and then all "
                f"times of {names[1]}, {times}"
            )
        weights = (
            "The mean is weighted with the variable `area`, which holds the size of each cell."
            if world.weighted
            else "All these cells count the same, so don't weight the mean with `area`."
        )
        return (
            Obligation(
                "goal",
                f"`{world.source}` is a file in the classic NetCDF format with grids of "
                f"{' and '.join(names)}, one grid for each time, and there is no NetCDF library "
                f"on this machine. Read the file, write a table of means to `{world.table}`, and "
                f"write a summary to `{world.summary}`.",
                "goal",
            ),
            Obligation(
                "values",
                "A cell whose stored value is equal to the attribute `_FillValue` of its variable "
                "is missing. For all other cells, the real value is the stored value times "
                "`scale_factor` plus `add_offset`; these are attributes too.",
            ),
            Obligation(
                "table",
                f"`{world.table}` is a CSV file with the header `{','.join(HEADER)}` and {rows}.",
                "format",
            ),
            Obligation(
                "columns",
                f"`variable` is the name of the variable, `time` is the value of the variable "
                f"`time`, `cells` is the number of cells that are not missing at this time, and "
                f"`mean` is the mean of their real values. {weights} A mean may be off by "
                f"{TOLERANCE}.",
                "format",
            ),
            Obligation(
                "summary",
                f"`{world.summary}` is a JSON object with one entry for each variable, under its "
                f"name ({', '.join(names)}). The entry is an object: `missing` is the number of "
                f"missing cells at all times together, and `peak` is a list of the three indexes "
                f"of the largest value (time, row, column), each counted from 0.",
                "format",
            ),
            Obligation("keep", f"Leave `{world.source}` as it is.", "limit"),
        )

    def mutants(self, ctx: Context, world: Archive) -> tuple[Attempt, ...]:
        """Return packed values, the other byte order, no offset, rows for columns."""
        right = _program(world)
        wrong = {
            "still packed": right.replace("v * scale + offset", "v"),
            "little-endian": right.replace(
                'f">{count}{code}", data[start', 'f"<{count}{code}", data[start'
            ),
            "offset forgotten": right.replace("v * scale + offset", "v * scale"),
            "row for column": right.replace(
                "top % cells // wide, top % wide", "top % wide, top % cells // wide + 1"
            ),
        }
        return tuple(Attempt(name, _run(body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Archive) -> tuple[Attempt, ...]:
        """Return one mean for all, and numbers that are none."""
        rows = "".join(f"{g.name},{t},1,{g.offset}\n" for g in world.grids for t in world.times)
        entries = ", ".join(f'"{g.name}": {{"missing": 1, "peak": [0, 0, 0]}}' for g in world.grids)
        return (
            Attempt("header", (f"echo {','.join(HEADER)} > {world.table}",)),
            Attempt("offsets", (write_file(world.table, f"{','.join(HEADER)}\n{rows}"),)),
            Attempt("guess", (f"echo '{{{entries}}}' > {world.summary}",)),
        )


def _grid(name: str, rng: Rng, steps: int, cells: int, *, gaps: bool) -> Grid:
    raw = [
        [None if gaps and rng.chance(0.14) else rng.integer(-2000, 2000) for _ in range(cells)]
        for _ in range(steps)
    ]
    time, cell = rng.integer(0, steps - 1), rng.integer(1, cells - 1)
    raw[time][cell] = 2500
    raw[time][0] = raw[time][0] or 7
    scale = Fraction(1, rng.choice((4, 8, 16, 32)))
    return Grid(name, tuple(map(tuple, raw)), scale, rng.integer(40, 900))


def _file(
    grids: tuple[Grid, ...],
    area: tuple[int, ...],
    *,
    times: tuple[int, ...],
    shape: tuple[int, int],
    recorded: bool,
) -> bytes:
    """Return the file; `recorded` makes time the record dimension."""
    dims = [("time", 0 if recorded else len(times)), ("row", shape[0]), ("column", shape[1])]
    variables = [
        netcdf.Variable(
            grid.name,
            (0, 1, 2),
            netcdf.SHORT,
            tuple(FILL if v is None else v for line in grid.raw for v in line),
            (
                ("_FillValue", netcdf.SHORT, FILL),
                ("scale_factor", netcdf.FLOAT, float(grid.scale)),
                ("add_offset", netcdf.FLOAT, float(grid.offset)),
            ),
        )
        for grid in grids
    ]
    variables.insert(0, netcdf.Variable("area", (1, 2), netcdf.INT, tuple(area)))
    hours = (("units", 2, "hours since 1970-01-01"),)
    variables.insert(1, netcdf.Variable("time", (0,), netcdf.INT, tuple(times), hours))
    return netcdf.netcdf(
        dims, variables, records=len(times) if recorded else 0, title="daily grids"
    )


def _program(world: Archive) -> str:
    names: dict[str, object] = {
        "SOURCE": world.source,
        "TABLE": world.table,
        "SUMMARY": world.summary,
        "ASKED": [grid.name for grid in world.grids],
        "WEIGHTED": world.weighted,
    }
    return "".join(f"{name} = {value!r}\n" for name, value in names.items()) + netcdf.READ


def _run(program: str) -> tuple[str, ...]:
    return (write_file("/tmp/grid.py", program), "python3 /tmp/grid.py; rm /tmp/grid.py")


def _truth(world: Archive, grid: Grid) -> list[tuple[int, Fraction]]:
    area = world.area if world.weighted else (1,) * len(world.area)
    return [grid.mean(time, area) for time in range(len(world.times))]


def _spread(world: Archive, grid: Grid) -> Fraction:
    """Return how far the means lie from the offset, on average: what a guess is off."""
    means = [mean for _, mean in _truth(world, grid)]
    total = sum((abs(mean - grid.offset) for mean in means), Fraction(0))
    return max(total / len(means) * Fraction(3, 4), Fraction(1))


def _off(evidence: Evidence, world: Archive, grid: Grid) -> float:
    """Return the mean error of a variable's means; its rows must have the right counts."""
    table = exact.read_table(evidence, world.table, HEADER)
    count = len(world.grids) * len(world.times)
    if len(table) != count:
        raise BadOutput(f"{world.table} is no table {','.join(HEADER)} of {count} rows")
    mine = [row for row in table if row[0] == grid.name]
    total = 0.0
    truth = zip(_truth(world, grid), world.times, strict=True)
    try:
        for row, ((cells, mean), time) in zip(mine, truth, strict=True):
            if (tolerance.integer(row[1]), tolerance.integer(row[2])) != (time, cells):
                raise BadOutput(f"{row} has not the time {time} and its cells")
            total += abs(tolerance.number(row[3]) - float(mean))
    except (ValueError, IndexError) as error:
        raise BadOutput(f"{world.table} holds a row that is not as asked") from error
    return total / len(world.times)


def _entry(evidence: Evidence, world: Archive, name: str, wanted: dict[str, object]) -> float:
    """Return the share of right values in a variable's entry; a peak alone can be guessed."""
    report = exact.read_json(evidence, world.summary)
    entry = report.get(name) if isinstance(report, dict) else None
    if not isinstance(entry, dict) or not tolerance.same(entry.get("peak"), wanted["peak"]):
        raise BadOutput(f"{world.summary} has no entry {name!r} with the right peak")
    return 1.0 if tolerance.same(entry.get("missing"), wanted["missing"]) else 0.5


FAMILY = GridArchive()
