"""How the script is tried: on inputs, with every option, and with every mistake of a caller.

All runs begin in the directory `/tmp`.  A script that only fails, or does not run the program,
earns nothing, as everything counts in proportion to the right outputs without options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tmax_gym.checks.check import Case, Evidence, Outcome, Program, fraction, prints
from tmax_gym.families.follow_ups.command_wrapper.plan import EACH, PLAIN, Command, Trial
from tmax_gym.nodes import Node

BASH = Program("/usr/bin/bash", "any")
START = 'exec "$0" "$@" 2> /tmp/messages'
"""Starts the script, whose path is the first argument, and keeps its messages."""
PATIENCE = 10.0
HERE = "/tmp"
MESSAGES = f"{HERE}/messages"
TARGET = "the result.txt"
UNKNOWN = "-z"
"""An option that no script has."""
OLD = b"this was here before\n"
OPTIONS_COUNT = 0.6
"""How much of the score needs options and mistakes to be right."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the script, and what must come of it."""

    group: str
    case: Case
    right: Callable[[Outcome], bool]


def score(evidence: Evidence, command: Command) -> float:
    """Return the share of right outputs, less what is wrong with options and mistakes."""
    evidence.read(command.script)
    runs = (*_plain(command), *_options(command), *_mistakes(command))
    outcomes = evidence.run(BASH, [run.case for run in runs], timeout=PATIENCE)
    groups: dict[str, list[bool]] = {}
    for run, outcome in zip(runs, outcomes, strict=True):
        groups.setdefault(run.group, []).append(not outcome.timed_out and run.right(outcome))
    plain = groups.pop("plain")
    others = sum(fraction(sum(marks), len(marks)) for marks in groups.values()) / len(groups)
    return fraction(sum(plain), len(plain)) * (1.0 - OPTIONS_COUNT * (1.0 - others))


def changed(command: Command, printed: bytes) -> bytes:
    """Return an output as the option for its lines shows it."""
    lines = printed.removesuffix(b"\n").split(b"\n")
    match command.change:
        case "number":
            lines = [b"%d: %s" % (number, line) for number, line in enumerate(lines, start=1)]
        case "reverse":
            lines.reverse()
        case "sort":
            lines.sort()
        case "first":
            lines = lines[: command.count]
        case "last":
            lines = lines[-command.count :]
    return b"\n".join(lines) + b"\n"


def _call(command: Command, *words: str, stdin: bytes = b"", files: tuple[Node, ...] = ()) -> Case:
    collect = (MESSAGES, f"{HERE}/{TARGET}")
    return Case(("-c", START, command.script, *words), stdin, files, collect)


def _given(*trials: Trial) -> tuple[Node, ...]:
    return tuple(Node(f"{HERE}/{one.name}", data=one.case.stdin) for one in trials)


def _shows(trial: Trial, text: bytes) -> Callable[[Outcome], bool]:
    """Return whether a run prints a text and ends like the program."""
    return lambda outcome: outcome.exit_code == trial.case.status and prints(outcome.stdout, text)


def _writes(trial: Trial, text: bytes) -> Callable[[Outcome], bool]:
    """Return whether a run writes a text to its target, prints nothing and ends as it should."""

    def right(outcome: Outcome) -> bool:
        target = dict(outcome.files).get(f"{HERE}/{TARGET}")
        return target is not None and prints(target, text) and _shows(trial, b"")(outcome)

    return right


def _plain(command: Command) -> Iterator[Run]:
    for trial in command.trials[:PLAIN]:
        case = _call(command, trial.name, files=_given(trial))
        yield Run("plain", case, _shows(trial, trial.case.stdout))


def _change(command: Command) -> tuple[str, ...]:
    """Return the option for the lines as words of a call."""
    flag = f"-{command.letter}"
    return (flag, str(command.count)) if command.counted else (flag,)


def _options(command: Command) -> Iterator[Run]:
    left = iter(command.trials[PLAIN:])
    for _ in range(EACH):
        trial = next(left)
        case = _call(command, *_change(command), trial.name, files=_given(trial))
        yield Run("change", case, _shows(trial, changed(command, trial.case.stdout)))
        if command.dash:
            trial = next(left)
            case = _call(command, "-", stdin=trial.case.stdin)
            yield Run("standard input", case, _shows(trial, trial.case.stdout))
        if command.quiet:
            trial = next(left)
            case = _call(command, f"-{command.quiet}", trial.name, files=_given(trial))
            yield Run("quiet", case, _shows(trial, b""))
    if not command.output:
        return
    flag, trial = f"-{command.output}", next(left)
    case = _call(command, flag, TARGET, trial.name, files=_given(trial))
    yield Run("output", case, _writes(trial, trial.case.stdout))
    trial = next(left)
    text = changed(command, trial.case.stdout)
    for words in ((flag, TARGET, *_change(command)), (*_change(command), flag, TARGET)):
        case = _call(command, *words, trial.name, files=_given(trial))
        yield Run("together", case, _writes(trial, text))


def _fails(status: int, part: str = "", target: bytes | None = None) -> Callable[[Outcome], bool]:
    """Return whether a run ends with a status and a message, and leaves the target alone."""

    def right(outcome: Outcome) -> bool:
        files = dict(outcome.files)
        message = files.get(MESSAGES, b"").strip()
        return (
            outcome.exit_code == status
            and not outcome.stdout
            and bool(message)
            and part.encode() in message
            and files.get(f"{HERE}/{TARGET}") == target
        )

    return right


def _mistakes(command: Command) -> Iterator[Run]:
    first, second, *_ = command.trials
    files = _given(first, second)
    absent = f"{first.name}.gone"
    right = _fails(command.missing, absent)
    yield Run("missing", _call(command, absent), right)
    yield Run("missing", _call(command, HERE, files=files), _fails(command.missing, HERE))
    if command.output:
        words: tuple[str, ...] = (f"-{command.output}", TARGET, absent)
        yield Run("missing", _call(command, *words, files=files), right)
    usage = _fails(command.usage)
    for words in ((), (first.name, second.name), (UNKNOWN, first.name)):
        yield Run("usage", _call(command, *words, files=files), usage)
    if command.exists:
        old = Node(f"{HERE}/{TARGET}", data=OLD)
        words = (f"-{command.output}", TARGET, first.name)
        case = _call(command, *words, files=(*files, old))
        yield Run("exists", case, _fails(command.exists, "", OLD))
