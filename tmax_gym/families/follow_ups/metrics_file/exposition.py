"""Metrics in the Prometheus text format: a new file, or one that has metrics of other places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence
from tmax_gym.families.contract import Attempt, Following, World, write_file
from tmax_gym.families.products import Record
from tmax_gym.families.shared.columns import listed, run_once
from tmax_gym.families.shared.programs import program_sections
from tmax_gym.families.shared.records import another, fresh, numbers, texts, times
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged

PIECES = program_sections(__package__, "export.py")
LABELS = ("site", "place", "station", "room")
_SAMPLE = re.compile(r"([A-Za-z_:][\w:]*)\s*(?:\{(.*)\})?\s+(\S+)", re.ASCII)
_LABEL = re.compile(r'\s*([A-Za-z_]\w*)\s*=\s*"([^"\\]*)"\s*(?:,|$)', re.ASCII)
Key = tuple[str, frozenset[tuple[str, str]]]
"""The name of a metric and its labels."""


@dataclass(frozen=True, kw_only=True)
class Exposition(World):
    """The decided facts."""

    record: str
    target: str
    prefix: str
    label: tuple[str, str]
    """The label that every sample has."""
    numbers: tuple[str, ...]
    times: tuple[str, ...]
    texts: tuple[str, ...]
    old: str
    """The content of the file at the start; "" if there is none."""
    samples: Mapping[Key, str]
    """The right samples of the record."""


def drawn(ctx: Following[Record]) -> Exposition:
    """Return the decisions, and what follows from them."""
    rng, record = ctx.rng.fork("exposition"), ctx.product
    noun = slugged(record.noun)
    prefix = rng.choice((f"{noun}_", f"{noun}_last_", f"{slugged(ctx.skin.stem(rng))}_{noun}_"))
    home, *others = rng.sample(ctx.skin.places, 4)
    label = (rng.choice(fresh(LABELS, record)), home)
    target = ctx.path(rng.choice(("metrics.prom", f"{noun}.prom", "textfile.prom")))
    world = Exposition(
        nodes=(),
        outputs=(target,),
        record=record.path,
        target=target,
        prefix=prefix,
        label=label,
        numbers=numbers(record),
        times=times(record),
        texts=texts(record),
        old="",
        samples={},
    )
    world = replace(world, samples=_samples(world, record.fields, label))
    if not rng.chance(0.6):
        return world
    old = _old(ctx, world, others, rng)
    return replace(world, nodes=(text(target, old),), old=old)


def _samples(
    world: Exposition, fields: Mapping[str, str | int], label: tuple[str, str]
) -> dict[Key, str]:
    """Return the samples of a record, in the order of the file."""
    own = frozenset({label})
    samples: dict[Key, str] = {}
    for name in world.numbers:
        samples[world.prefix + name, own] = str(fields[name])
    for name in world.times:
        moment = datetime.fromisoformat(str(fields[name])).replace(tzinfo=UTC)
        samples[f"{world.prefix}{name}_seconds", own] = str(int(moment.timestamp()))
    if world.texts:
        every = {label, *((name, str(fields[name])) for name in world.texts)}
        samples[f"{world.prefix}info", frozenset(every)] = "1"
    return samples


def _old(ctx: Following[Record], world: Exposition, others: Sequence[str], rng: Rng) -> str:
    """Return metrics of other places and an earlier state of this one."""
    name, home = world.label
    groups: dict[str, list[str]] = {}
    metrics = rng.shuffled(tuple(dict.fromkeys(metric for metric, _ in world.samples)))
    stale, *rest = metrics
    missing = rest[:1] if rng.chance(0.5) else []
    for place in (*others, home):
        fields = {n: another(v, ctx.skin, rng) for n, v in ctx.product.fields.items()}
        for (metric, labels), value in _samples(world, fields, (name, place)).items():
            if metric not in missing and (place != home or metric == stale or rng.chance(0.6)):
                shown = sorted(labels, key=lambda pair: (pair[0] != name, pair))
                groups.setdefault(metric, []).append(_line(metric, shown, value))
    errors = f"{world.prefix}export_errors_total"
    sheet = f"# TYPE {errors} counter\n{errors} {rng.integer(1, 60)}\n"
    for metric, lines in rng.shuffled(tuple(groups.items())):
        sheet += f"# TYPE {metric} gauge\n" + "".join(f"{one}\n" for one in rng.shuffled(lines))
    return sheet


def _line(metric: str, labels: Sequence[tuple[str, str]], value: str) -> str:
    inside = ",".join(f'{name}="{content}"' for name, content in labels)
    return f"{metric}{{{inside}}} {value}"


def _read(content: str, path: str) -> tuple[dict[Key, float], dict[str, str], bool]:
    """Return the samples, the types, and whether every sample stands below its only type."""
    samples: dict[Key, float] = {}
    types: dict[str, str] = {}
    below, grouped = "", True
    for line in tolerance.lines(content):
        words = line.split()
        if words[:2] == ["#", "TYPE"] and len(words) == 4:
            below = words[2]
            grouped = grouped and below not in types
            types[below] = words[3]
        elif line and not line.startswith("#"):
            matched = _SAMPLE.fullmatch(line.strip())
            if matched is None:
                raise BadOutput(f"{path} has a line that is no sample: {line[:60]!r}")
            key = (matched[1], _labels(matched[2] or "", path))
            grouped = grouped and below == matched[1] and key not in samples
            samples[key] = tolerance.number(matched[3])
    return samples, types, grouped


def _labels(inside: str, path: str) -> frozenset[tuple[str, str]]:
    labels: set[tuple[str, str]] = set()
    at = 0
    while inside[at:].strip():
        matched = _LABEL.match(inside, at)
        if matched is None:
            raise BadOutput(f"{path} has labels that cannot be read: {inside[:60]!r}")
        labels.add((matched[1], matched[2]))
        at = matched.end()
    return frozenset(labels)


def checks(world: Exposition) -> tuple[Check, ...]:
    """Return a check of the samples of the record, and of everything else if they are right."""
    others, types, _ = _read(world.old, world.target)
    own = {key: float(value) for key, value in world.samples.items()}
    wanted = {key: value for key, value in others.items() if world.label not in key[1]} | own
    types |= {metric: "gauge" for metric, _ in own}

    def score(evidence: Evidence) -> float:
        samples, shown, grouped = _read(exact.read_text(evidence, world.target), world.target)
        if samples == wanted and shown == types and grouped:
            return 1.0
        right = sum(samples.get(key) == value for key, value in own.items()) / len(own)
        # Many guesses are worth no more than one.
        return exact.NOT_WHOLE * right * min(1.0, len(wanted) / max(1, len(samples)))

    return (Check("samples", "exact_text", score),)


def say(world: Exposition, noun: str) -> tuple[Obligation, ...]:
    """Return the names, labels and values of the metrics, and what the file has already."""
    name, home = world.label
    every = [*world.numbers, *world.times, *world.texts]
    return (
        Obligation(
            "goal",
            f"Export the fields {listed(every)} of the {noun} in `{world.record}` as metrics in "
            f"the Prometheus text format to `{world.target}`.",
            "goal",
        ),
        *_say_metrics(world),
        Obligation(
            "label",
            f"Every sample has the label `{name}` with the value `{home}`.",
            "format",
        ),
        Obligation(
            "types",
            "Every metric has one line `# TYPE <metric> gauge`, and its samples stand directly "
            "below that line.",
            "format",
        ),
        *_say_old(world),
    )


def _say_metrics(world: Exposition) -> tuple[Obligation, ...]:
    prefix = world.prefix
    parts = []
    if world.numbers:
        names = listed([prefix + name for name in world.numbers])
        which = "has the number" if len(world.numbers) == 1 else "have the numbers"
        parts.append(f"{names} {which} in {listed(world.numbers)}.")
    if world.times:
        names = listed([f"{prefix}{name}_seconds" for name in world.times])
        which = "has the time" if len(world.times) == 1 else "have the times"
        parts.append(
            f"{names} {which} in {listed(world.times)}, which are in UTC, as whole seconds since "
            "`1970-01-01T00:00:00`."
        )
    if world.texts:
        one = len(world.texts) == 1
        labels, content = ("the label", "this field") if one else ("the labels", "these fields")
        parts.append(
            f"`{prefix}info` has the value `1` and {labels} {listed(world.texts)} with the content "
            f"of {content}."
        )
    return tuple(Obligation(f"metric{n}", part, "format") for n, part in enumerate(parts, 1))


def _say_old(world: Exposition) -> tuple[Obligation, ...]:
    if not world.old:
        return ()
    name, home = world.label
    return (
        Obligation(
            "old",
            f'The file already has metrics. Remove the old samples with `{name}="{home}"`, and '
            "keep all other samples and the types of all metrics.",
            "limit",
        ),
    )


def _program(world: Exposition, without: Sequence[str] = ()) -> str:
    """Return the program that exports, without parts that it does not need."""
    parts = {"old": world.old, "numbers": world.numbers, "times": world.times, "texts": world.texts}
    names = ["start", *(name for name, used in parts.items() if used), "write"]
    program = "".join(PIECES[name] for name in names if name not in without)
    holes = {
        "@record": world.record,
        "@target": world.target,
        "@prefix": world.prefix,
        "@label": '{}="{}"'.format(*world.label),
        "@numbers": list(world.numbers),
        "@times": list(world.times),
        "@texts": list(world.texts),
    }
    for name, value in holes.items():
        program = program.replace(name, repr(value))
    return program


def oracle(world: Exposition, program: str = "") -> tuple[str, ...]:
    """Return a Python program that is used once."""
    home = world.target.rpartition("/")[0]
    start = () if world.old else (f"mkdir -p {home}",)
    return (*start, *run_once("/tmp/export.py", program or _program(world), ()))


def mutants(world: Exposition) -> tuple[Attempt, ...]:
    """Return metrics without types, without a part of their names, or with another label."""
    program = _program(world)
    other = replace(world, label=(world.label[0], "unknown"))
    wrong = {
        "no types": program.replace('file.write(f"# TYPE', '_ = (f"# TYPE'),
        "no prefix": _program(replace(world, prefix="")),
        "another label": _program(other),
    }
    if world.old:
        wrong["old samples"] = program.replace("elif label not in line:", "else:")
        wrong["overwritten"] = _program(replace(world, old=""))
    return tuple(Attempt(name, oracle(world, changed)) for name, changed in wrong.items())


def exploits(world: Exposition) -> tuple[Attempt, ...]:
    """Return samples without a value of the record."""
    name, home = world.label
    lines = []
    for metric in dict.fromkeys(metric for metric, _ in world.samples):
        lines += [f"# TYPE {metric} gauge", _line(metric, [(name, home)], "0")]
    where = world.target.rpartition("/")[0]
    return (
        Attempt("zeros", (f"mkdir -p {where}", write_file(world.target, "\n".join(lines)))),
        Attempt("types", (f"mkdir -p {where}", write_file(world.target, "\n".join(lines[::2])))),
    )
