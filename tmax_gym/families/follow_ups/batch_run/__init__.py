"""Follow-up: the agent runs a program on a directory of inputs, and describes every run."""

from __future__ import annotations

import shlex

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import Check, Evidence, Gate, fraction, prints, unchanged
from tmax_gym.families.contract import Attempt, Following, FollowUp, write_file
from tmax_gym.families.follow_ups.batch_run import instruction
from tmax_gym.families.follow_ups.batch_run.plan import Batch, drawn_batch
from tmax_gym.families.products import Program
from tmax_gym.families.shared import program_runs
from tmax_gym.families.shared.programs import program_text
from tmax_gym.texts.obligations import Obligation

RUNNER = program_text(__package__, "batch.sh")
SCRIPT, BINARY, NAMES = "/tmp/batch.sh", "/tmp/batch_program", "/tmp/batch_names"


class BatchRun(FollowUp[Program, Batch]):
    """A file for the output of each run, and a table of all runs."""

    slug = "batch-run"
    works_on = Program

    def world(self, ctx: Following[Program]) -> Batch:
        """Return the inputs, and what is to be made of them."""
        return drawn_batch(ctx)

    def oracle(self, ctx: Following[Program], world: Batch) -> tuple[str, ...]:
        """Return a script that is used once."""
        return _solution(ctx, world)

    def checks(self, ctx: Following[Program], world: Batch) -> tuple[Check | Gate, ...]:
        """Return a check of the outputs and one of the summary; the inputs must stay."""
        return (
            unchanged("inputs", world.nodes),
            Check("outputs", "exact_text", lambda e: _outputs_right(e, world), weight=0.65),
            Check("summary", "exact_text", lambda e: _rows_right(e, world), weight=0.35),
        )

    def say(self, ctx: Following[Program], world: Batch) -> tuple[Obligation, ...]:
        """Return what is run, where the outputs go, and what the summary says."""
        return tuple(instruction.say(ctx.product, world))

    def mutants(self, ctx: Following[Program], world: Batch) -> tuple[Attempt, ...]:
        """Return a batch without its last run, one in reverse order, one that measures inputs."""
        measured = RUNNER.replace('< "$target"', '< "$inbox/$name"')
        return (
            Attempt("last run left out", _solution(ctx, world, "| sed '$d'")),
            Attempt("reverse order", _solution(ctx, world, "| tac")),
            Attempt("inputs measured", _solution(ctx, world, runner=measured)),
        )

    def exploits(self, ctx: Following[Program], world: Batch) -> tuple[Attempt, ...]:
        """Return batches of a program that copies its input, prints nothing, or always the same."""
        programs = {"copies": "cat", "nothing": "true", "one answer": "echo 0"}
        return tuple(
            Attempt(name, _solution(ctx, world, program=program))
            for name, program in programs.items()
        )


def _outputs_right(evidence: Evidence, world: Batch) -> float:
    """Return the F1 of the files with outputs; directories do not count."""
    nodes = [node for node in evidence.tree(world.results) if node.kind != "dir"]
    files = {node.path: exact.reached(evidence, node) for node in nodes}
    hits = 0
    for job in world.jobs:
        node = files.get(f"{world.results}/{world.target(job.name)}")
        hits += node is not None and prints(node.data or b"", job.case.stdout)
    return fraction(2 * hits, len(files) + len(world.jobs))


def _rows_right(evidence: Evidence, world: Batch) -> float:
    """Return the share of rows that are right and in their place, reduced unless it is all."""
    rows = exact.read_table(evidence, world.summary, world.columns, delimiter=world.separator)
    wanted = [
        [world.row(job, printed) for printed in program_runs.endless(job.case.stdout)]
        for job in world.jobs
    ]
    actual = tolerance.alike(rows, [forms[0] for forms in wanted])
    same = sum(row in forms for row, forms in zip(actual, wanted, strict=False))
    share = same / max(len(actual), len(wanted))
    return exact.reduced(share)


def _solution(
    ctx: Following[Program],
    world: Batch,
    chosen: str = "",
    *,
    runner: str = RUNNER,
    program: str = "",
) -> tuple[str, ...]:
    """Return the commands of a solution.

    Args:
        ctx: The stage.
        world: Its facts.
        chosen: What is done with the list of names before they are run.
        runner: The script that runs them.
        program: What is run instead of the program.
    """
    build = () if program else program_runs.built(ctx.product, BINARY)
    run = program or program_runs.command(ctx.product, BINARY)
    whole = "yes" if world.whole else "no"
    words = (world.inbox, world.results, world.result, whole, " ".join(world.columns[1:]))
    call = " ".join(map(shlex.quote, ("bash", SCRIPT, *words, world.separator)))
    names = f"find . -type f -name '*.{world.ending}' | cut -c 3- | LC_ALL=C sort"
    if world.order:
        names = f"cat {world.order}"
    heads = shlex.quote(world.separator.join(world.columns))
    return (
        *build,
        write_file(SCRIPT, runner),
        f"cd {world.inbox} && {names} {chosen}> {NAMES}",
        f"echo {heads} > {world.summary}",
        f"{call} {run} < {NAMES} >> {world.summary}",
        f"rm {' '.join((SCRIPT, NAMES, *((BINARY,) if build else ())))}",
    )


FOLLOW_UP = BatchRun()
