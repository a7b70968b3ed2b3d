"""The words of a command: how it is called, what its options do, and how it fails."""

from __future__ import annotations

from collections.abc import Iterator

from tmax_gym.families.follow_ups.command_wrapper.plan import Change, Command
from tmax_gym.families.products import Program
from tmax_gym.families.shared import program_runs
from tmax_gym.texts.obligations import Obligation

CHANGES: dict[Change, str] = {
    "number": "puts its number, a colon and a blank before each output line, as in `1: text`",
    "reverse": "puts the lines of the output in reverse order",
    "sort": "sorts the lines of the output in byte order",
    "first": "keeps only the first `COUNT` lines of the output",
    "last": "keeps only the last `COUNT` lines of the output",
}


def say(program: Program, command: Command, home: str) -> Iterator[Obligation]:
    """Yield the goal, the options, the mistakes, and how the script is tested."""
    yield Obligation(
        "goal",
        f"Write an executable bash script `{command.script}` that is called as "
        f"`{command.name} [OPTION]... FILE`. It runs {program_runs.called(program)} with `FILE` "
        "on standard input, prints what the program prints, and ends with its exit status.",
        "goal",
    )
    yield from program_runs.compiled(
        program,
        f"Compile it with @; the binary `BINARY` may be any file in `{home}`.",
    )
    yield from _options(command)
    yield from _mistakes(command)
    yield Obligation(
        "paths",
        "Paths may be relative to the current directory and may contain blanks.",
        "input",
        ("blank", "space"),
    )
    yield Obligation(
        "copy",
        "We will test with other inputs, in a copy of `/app` on another machine, under the same "
        "path.",
        "grading",
    )


def _options(command: Command) -> Iterator[Obligation]:
    flag = f"-{command.letter}"
    count = " COUNT" if command.counted else ""
    yield Obligation("change", f"`{flag}{count}` {CHANGES[command.change]}.")
    if command.output:
        yield Obligation(
            "output",
            f"`-{command.output} OUTPUT` writes to the file `OUTPUT` instead of standard output. "
            f"It can be combined with `{flag}`, in any order.",
        )
    if command.quiet:
        alone = f" It is never given together with `-{command.output}`." if command.output else ""
        yield Obligation(
            "quiet",
            f"`-{command.quiet}` silences standard output; the exit status stays unchanged.{alone}",
        )
    if command.dash:
        yield Obligation("dash", "If `FILE` is `-`, the program gets the script's standard input.")


def _mistakes(command: Command) -> Iterator[Obligation]:
    yield Obligation(
        "missing",
        "If `FILE` does not exist or is not a regular file, the exit status is "
        f"{command.missing}, and the message contains `FILE`.",
    )
    yield Obligation(
        "usage",
        "If there is an unknown option, no `FILE` or more than one, the exit status is "
        f"{command.usage}.",
    )
    if command.exists:
        yield Obligation(
            "exists", f"If `OUTPUT` exists already, the exit status is {command.exists}."
        )
    kept = ", and does not create or change `OUTPUT`" if command.output else ""
    yield Obligation(
        "messages",
        f"After such a mistake the script prints only a message, on standard error{kept}.",
        "rule",
        ("standard error", "stderr"),
    )
