"""DSC-08 frozen model: a compiled scorer without source and data is to be written as a program.

The copy runs on hidden rows, in a sandbox without the tool.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    metric_threshold,
    unchanged,
)
from tmax_gym.families import products
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_science.frozen_model import forest
from tmax_gym.families.products import Product
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.programs.languages import render

SCORED, SPLITS = ("id", "label", "points"), ("feature", "value")
FEW = 12
"""Rows in one input of the product."""
SIZE = 24_000
"""The largest number of bytes of a source; the code of the binary as text would need more."""
_BLOB = re.compile(rb"[A-Za-z0-9+/=]{200,}|(?:\\x[0-9a-fA-F]{2}){64,}")


@dataclass(frozen=True, kw_only=True)
class Frozen(World):
    """The decided facts."""

    tool: str
    batch: str
    scored: str
    splits: str
    """"" below the level at which they are asked for."""
    copies: sources.Sources
    model: forest.Forest
    rows: tuple[forest.Row, ...]
    unseen: tuple[tuple[forest.Row, ...], ...]


class FrozenModel(Family[Frozen]):
    """Score a batch with a model in machine code, list its splits, and write it as a program."""

    id = "DSC-08"
    slug = "frozen-model"
    domain = "data_science"
    skill = "Algorithmic"
    primitives = (
        "Model architecture reconstruction and inference",
        "Model output validation",
        "Classification and regression",
        "Numerical accuracy testing",
    )
    fixtures = ("stripped_binary",)
    verifiers = ("fuzz_equivalence", "metric_threshold")
    languages = ("python", "c", "bash", "cpp", "go", "rust", "multi")
    tools = ("bash", "awk", "cmp", "python3")
    followed_by = {  # noqa: RUF012
        "group-report": ("scored", "The auditors ask how many rows got each label."),
        "split-delivery": ("scored", "Each label is handled by a different team."),
        "lookup-join": ("splits", "The auditors have a list of the features that they allow."),
        "batch-run": ("model", "Several branches have sent batches that must be scored."),
        "make-target": ("model", "Scores should be computed anew only for new batches."),
    }

    def world(self, ctx: Context) -> Frozen:
        """Return the scorer, a batch, and unseen rows."""
        rng = ctx.rng.fork("model")
        plain = forest.usable([m.column for m in ctx.skin.measures])
        features = rng.sample(plain, min(len(plain), ctx.knob(2, 5)))
        model = forest.drawn(
            features, rng.fork("trees"), trees=ctx.knob(1, 7), depth=ctx.knob(2, 3)
        )
        rows = model.rows(rng.fork("batch"), ctx.knob(12, 60))
        batch = ctx.path(f"{ctx.skin.stem(rng)}.csv")
        body = ",".join(("id", *features)) + "\n"
        body += "".join(f"{n},{','.join(map(str, r))}\n" for n, r in enumerate(rows, start=1))
        splits = ctx.path("splits.csv") if ctx.level >= 0.25 else ""
        copies = sources.sources(ctx, "model")
        tool = Node(ctx.path("bin", "score"), data=executable(model.program()), mode=0o755)
        outputs = (ctx.path("scored.csv"), *((splits,) if splits else ()))
        return Frozen(
            nodes=(tool, text(batch, body)),
            outputs=(*outputs, *(copy.path for copy in copies)),
            tool=tool.path,
            batch=batch,
            scored=outputs[0],
            splits=splits,
            copies=copies,
            model=model,
            rows=tuple(rows),
            unseen=tuple(tuple(model.rows(rng.fork("unseen", n), 24)) for n in range(8)),
        )

    def oracle(self, ctx: Context, world: Frozen) -> tuple[str, ...]:
        """Return the scores, the splits, and the copies, which are compared with the tool."""
        lines = f"tail -n +2 {world.batch} | cut -d, -f2- | tr , ' '"
        return (
            f"head -n 3 {world.batch}; file {world.tool}",
            *_scored(world),
            f"objdump -d -M intel {world.tool} | grep -A1 'cmp' | head -n 40",
            *_listed(world, world.model),
            *sources.written(
                world.copies, lambda language: render(world.model.program(), language)
            ),
            *(
                f"{lines} | {copy.call} | cmp - <({lines} | {world.tool}) && rm -f {copy.binary}"
                for copy in world.copies
            ),
        )

    def checks(self, ctx: Context, world: Frozen) -> tuple[Check | Gate, ...]:
        """Return checks of the scores, of the splits, and of the copies on unseen rows."""
        checks: list[Check | Gate] = [
            unchanged("inputs", world.nodes),
            Gate("own work", lambda e: all(_own_work(e, copy) for copy in world.copies)),
            exact.rows("scored", world.scored, _scores(world), header=SCORED),
        ]
        if world.splits:
            rows = world.model.splits()
            checks.append(exact.rows("splits", world.splits, rows, header=SPLITS))
        if ctx.verifier == "metric_threshold":
            return (*checks, *(_agreeing(world, copy) for copy in world.copies))
        cases = [(_lines(rows), world.model.output(rows).encode()) for rows in world.unseen]
        return (*checks, *sources.equivalence("model", world.copies, cases, weight=3.0))

    def products(self, ctx: Context, world: Frozen) -> Mapping[str, Product]:
        """Return the scores, the splits, and a copy unless it may differ now and then."""
        scored = tuple(tuple(map(str, row)) for row in _scores(world))
        made: dict[str, Product] = {"scored": products.Table(world.scored, SCORED, scored, "rows")}
        splits = tuple((name, str(value)) for name, value in world.model.splits())
        if world.splits and len(splits) > 2:
            made["splits"] = products.Table(world.splits, SPLITS, splits, "thresholds")
        if ctx.verifier != "metric_threshold":
            made["model"] = _program(world)
        return made

    def say(self, ctx: Context, world: Frozen) -> tuple[Obligation, ...]:
        """Return the scorer, the batch, and what the copy must do."""
        first, *others = world.copies
        one = "Each source" if others else "The source"
        obligations = [
            Obligation(
                "goal",
                f"The binary `{world.tool}` is a scoring model. Its source code and the data "
                f"behind it are lost. Write the same model in {first.name}, as `{first.path}`.",
                "goal",
            ),
            *(
                Obligation(
                    "twin",
                    f"Write it in {other.name} as well, as `{other.path}`. Everything here applies "
                    "to both.",
                    "goal",
                )
                for other in others
            ),
            Obligation(
                "model",
                "As far as we know, the model is a sum of small decision trees. Each node of a "
                "tree compares one feature with a constant, and each leaf gives some points. The "
                "total of the points decides which label a row gets.",
                "input",
                ("tree", "leaf", "leaves", "nodes"),
            ),
            Obligation(
                "feed",
                "The binary reads rows from standard input. Each line has the features "
                f"`{' '.join(world.model.features)}` as whole numbers, in this order and separated "
                "by spaces. For each line it prints the label, a space and the points. Your "
                "program must read and print the same.",
                "format",
            ),
            Obligation(
                "scored",
                f"Also use the binary to score `{world.batch}`, and write the result to "
                f"`{world.scored}`, a CSV file with the header `{','.join(SCORED)}` and one line "
                "for each row, in the same order.",
                "output",
            ),
        ]
        if world.splits:
            obligations.append(
                Obligation(
                    "splits",
                    f"List all thresholds of the model in `{world.splits}`, a CSV file with the "
                    f"header `{','.join(SPLITS)}`. It has one line for each feature and value with "
                    "which this feature is compared in some tree, each pair only once, sorted by "
                    "feature and then by value as a number.",
                    "output",
                )
            )
        return (
            *obligations,
            Obligation(
                "own",
                f"{one} must be readable: at most {SIZE} bytes, and no part of the binary "
                "in it, not even in an encoded form. Otherwise nothing counts.",
                "limit",
            ),
            *_built(world.copies),
            Obligation(
                "keep",
                f"Leave the binary and `{world.batch}` unchanged.",
                "limit",
            ),
            Obligation(
                "unseen",
                "We will run what you write on rows that you have not seen, on a machine without "
                "the binary.",
                "grading",
                ("not seen", "unseen", "other rows", "hidden", "new rows", "without the binary"),
            ),
        )

    def mutants(self, ctx: Context, world: Frozen) -> tuple[Attempt, ...]:
        """Return models with the mistakes of a hasty reader."""
        return tuple(
            Attempt(
                name,
                (
                    *_scored(world),
                    *_listed(world, world.model),
                    *(write_file(c.path, _wrong(world, wrong)(c.language)) for c in world.copies),
                ),
            )
            for name, wrong in forest.mistakes(world.model).items()
            if sum(map(len, world.unseen)) * 0.95 > _same(world, wrong)
        )

    def exploits(self, ctx: Context, world: Frozen) -> tuple[Attempt, ...]:
        """Return a wrapper of the tool, the tool as a source, and a header without rows."""
        wrappers = tuple(
            write_file(copy.path, tricks.starts(copy.language, f"exec {world.tool}"))
            for copy in world.copies
        )
        return (
            Attempt("wrapper", wrappers),
            Attempt("tool as source", tuple(f"cp {world.tool} {c.path}" for c in world.copies)),
            Attempt("headers", (f"echo id,label,points > {world.scored}",)),
        )


def _scores(world: Frozen) -> list[tuple[object, ...]]:
    """Return the right rows for the batch."""
    return [(n, *world.model.line(row).split()) for n, row in enumerate(world.rows, start=1)]


def _program(world: Frozen) -> products.Program:
    """Return the last copy, which is a script if there are two."""
    copy = world.copies[-1]

    def case(rng: Rng) -> products.Case:
        rows = tuple(world.model.rows(rng.fork("rows"), FEW))
        return products.Case(_lines(rows), world.model.output(rows).encode())

    run = " ".join(toolchains.start(copy.language, copy.path, "{out}"))
    build = " ".join(toolchains.build(copy.language, copy.path, "{out}"))
    return products.Program(copy.path, run, case, "batches of rows", build)


def _built(copies: sources.Sources) -> tuple[Obligation, ...]:
    """Return how each copy is compiled."""
    return tuple(
        Obligation(
            f"built in {copy.language}",
            f"We compile `{copy.path}` with `{toolchains.call(copy.language)}`, "
            "without any other file and without a network, so use only the standard library.",
            "limit",
        )
        for copy in copies
        if copy.build
    )


def _wrong(world: Frozen, model: forest.Forest) -> sources.Writer:
    return sources.last_wrong(
        world.copies,
        lambda language: render(world.model.program(), language),
        lambda language: render(model.program(), language),
    )


def _lines(rows: tuple[forest.Row, ...]) -> bytes:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()


def _scored(world: Frozen) -> tuple[str, ...]:
    """Return the commands that score the batch with the tool."""
    return (
        f"tail -n +2 {world.batch} | cut -d, -f2- | tr , ' ' | {world.tool} > /tmp/points",
        f"(echo id,label,points; tail -n +2 {world.batch} | cut -d, -f1 | "
        f"paste -d, - <(tr ' ' , < /tmp/points)) > {world.scored}",
        "rm /tmp/points",
    )


def _listed(world: Frozen, model: forest.Forest) -> tuple[str, ...]:
    if not world.splits:
        return ()
    rows = "".join(f"{name},{value}\n" for name, value in model.splits())
    return (write_file(world.splits, f"feature,value\n{rows}"),)


def _same(world: Frozen, other: forest.Forest) -> int:
    rows = [row for rows in world.unseen for row in rows]
    return sum(other.line(row) == world.model.line(row) for row in rows)


def _own_work(evidence: Evidence, copy: sources.Source) -> bool:
    """Return whether a copy is absent, or a source without the binary in it."""
    try:
        source = evidence.read(copy.path)
    except BadOutput:
        return True
    return len(source) <= SIZE and b"\0" not in source and not _BLOB.search(source)


def _agreeing(world: Frozen, copy: sources.Source) -> Check:
    return metric_threshold(
        "model" if copy == world.copies[0] else f"model in {copy.language}",
        lambda evidence: _agreement(evidence, copy, world),
        base=0.5,
        threshold=0.99,
        weight=3.0 / len(world.copies),
    )


def _agreement(evidence: Evidence, copy: sources.Source, world: Frozen) -> float:
    """Return the share of unseen rows with the right label; wrong points count half."""
    outcomes = evidence.run(copy.program(), [Case(stdin=_lines(rows)) for rows in world.unseen])
    hits = total = 0.0
    for rows, outcome in zip(world.unseen, outcomes, strict=True):
        total += len(rows)
        printed = outcome.stdout.decode("utf-8", "replace").splitlines()
        if outcome.timed_out or outcome.exit_code or len(printed) != len(rows):
            continue
        for row, line in zip(rows, printed, strict=True):
            label, _, points = world.model.line(row).partition(" ")
            words_said = line.split()
            if words_said[:1] == [label]:
                hits += 1.0 if words_said[1:] == [points] else 0.5
    return hits / total


FAMILY = FrozenModel()
