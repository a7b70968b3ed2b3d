"""The words of a batch: what is run, where the outputs go, and what the summary says."""

from __future__ import annotations

from collections.abc import Iterator

from tmax_gym.families.follow_ups.batch_run.plan import Batch
from tmax_gym.families.products import Program
from tmax_gym.families.shared import program_runs
from tmax_gym.families.shared.columns import listed
from tmax_gym.texts.obligations import Obligation

DIGESTS = {"sha256": "SHA-256", "sha1": "SHA-1", "md5": "MD5"}


def say(program: Program, batch: Batch) -> Iterator[Obligation]:
    """Yield the goal, the inputs, the outputs and the summary."""
    yield Obligation("goal", _goal(program, batch), "goal")
    yield from program_runs.compiled(
        program,
        f"Compile `{program.source}` with @ first; it is up to you where you put the binary "
        "`BINARY`.",
    )
    yield Obligation(
        "feed",
        "Each run gets one of these files on standard input.",
        "input",
        ("standard input", "stdin"),
    )
    yield _inputs(batch)
    if batch.blanks:
        yield Obligation("blanks", "Some file names contain blanks.", "input", ("blank", "space"))
    yield from _outputs(batch)
    yield _cells(batch)
    if program_runs.failing([job.case for job in batch.jobs]):
        yield Obligation(
            "statuses",
            "An exit status other than 0 is a result like any other and no reason to stop.",
            "rule",
            ("exit status", "exit code"),
        )
    kept = f"`{batch.inbox}`" + (f" and `{batch.order}`" if batch.order else "")
    yield Obligation("keep", f"Do not change anything in {kept}.", "limit")


def _goal(program: Program, batch: Batch) -> str:
    what = f"every file that `{batch.order}` names"
    if not batch.order:
        what = f"every file `*.{batch.ending}` in `{batch.inbox}`"
    if batch.nested and not batch.order:
        what += " and its subdirectories"
    return (
        f"Run {program_runs.called(program)} on {what}, and store what it prints in "
        f"`{batch.results}`."
    )


def _inputs(batch: Batch) -> Obligation:
    if batch.order:
        return Obligation(
            "inputs",
            f"Each line of `{batch.order}` is the path of one file relative to `{batch.inbox}`; "
            "other files there are not to be run.",
            "input",
        )
    return Obligation(
        "inputs",
        f"Files whose names end in any other way, such as `.{batch.ending}.bak`, are not to be "
        "run.",
        "input",
    )


def _outputs(batch: Batch) -> Iterator[Obligation]:
    name = f"PATH.{batch.ending}" if batch.nested else f"NAME.{batch.ending}"
    target = f"`{batch.results}/{batch.target(name)}`"
    inside = "; `PATH` may begin with a subdirectory" if batch.nested else ""
    yield Obligation(
        "outputs",
        f"What the program prints for `{batch.inbox}/{name}` goes to {target}{inside}. There are "
        f"no other files in `{batch.results}`.",
        "output",
    )
    order = f"in the order of `{batch.order}`" if batch.order else "sorted by `file` in byte order"
    yield Obligation(
        "summary",
        f"Also write `{batch.summary}`, {_form(batch)} It has one row for each run, {order}.",
        "output",
    )


def _form(batch: Batch) -> str:
    """Return the end of a sentence that says how the cells of the summary are separated."""
    if batch.separator == "\t":
        return f"with tabs between the cells and a header of the names {listed(batch.columns)}."
    header = f"the header `{batch.separator.join(batch.columns)}`."
    return f"{'a CSV file' if batch.separator == ',' else 'semicolon-separated,'} with {header}"


def _cells(batch: Batch) -> Obligation:
    meanings = {
        "status": "`status` is the exit status of the run",
        "lines": "`lines` is the number of lines of the output",
        "bytes": "`bytes` is the size of the output in bytes",
    }
    cells = [f"`file` is the path of the input relative to `{batch.inbox}`"]
    for column in batch.columns[1:]:
        digest = f"`{column}` is the {DIGESTS.get(column)} of the output in lower-case hex"
        cells.append(meanings.get(column, digest))
    return Obligation("cells", f"{', '.join(cells[:-1])} and {cells[-1]}.", "format")
