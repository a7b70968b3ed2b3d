"""The edit sheets of the log-stitcher family, in a small macro language.

Covers seven commands in variants that differ by task, macros that are run plainly or on a
condition, and the stitched lines that come out.  Text is edited by character, not by byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tmax_gym.families.file_operations.log_stitcher.records import LEVELS, Source
from tmax_gym.rng import Rng

COMMANDS = ("replace", "cut", "mask", "drop", "tag", "limit", "skip")
JOINERS = (" | ", " // ", " ; ", " <> ")
_WORD = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True)
class Plan:
    """The meaning of the commands in one task."""

    commands: tuple[str, ...]
    joiner: str
    everywhere: bool
    """Whether `replace` takes every occurrence, or the first alone."""
    ends: bool
    """Whether `cut` takes its two marks away as well."""
    spared: int
    """Last digits of a run that `mask` leaves."""
    cover: str
    """The character that `mask` writes for a digit."""
    front: bool
    """Whether `tag` writes at the front."""
    more: str
    """The mark that `limit` appends to a shortened text."""
    by_level: bool
    """Whether a macro may be run `for` a level."""


def plan(rng: Rng, *, commands: int, by_level: bool) -> Plan:
    """Return the meaning of the commands of a task."""
    return Plan(
        commands=tuple(sorted(rng.sample(COMMANDS, commands))),
        joiner=rng.choice(JOINERS),
        everywhere=rng.chance(0.5),
        ends=rng.chance(0.5),
        spared=rng.choice((0, 2)),
        cover=rng.choice("#*x"),
        front=rng.chance(0.5),
        more=rng.choice(("…", "...", "~")),
        by_level=by_level,
    )


def drawn(plan: Plan, rng: Rng, phrases: Sequence[str], *, macros: int) -> str:
    """Return a sheet that has each command of the plan, most of them in macros."""
    wanted = rng.shuffled(plan.commands)
    lines, calls = ["# applied to each text, from top to bottom"], list[str]()
    shares = [wanted[n::macros] for n in range(macros)]
    names = rng.sample(("tidy", "veil", "brief", "sort_out", "shorten", "mark"), macros)
    for number, (name, share) in enumerate(zip(names, shares, strict=True)):
        lines.append(f"macro {name}")
        lines += [f"  {_command(rng.fork(name, c), c, phrases)}" for c in share]
        if number and rng.chance(0.4):
            # A macro that runs another one: that one is then run only from here.
            lines.append(f"  {calls.pop()}")
        lines.append("end")
        calls.append(_call(rng.fork("call", number), name, phrases, by_level=plan.by_level))
    loose = [_command(rng.fork("loose", c), c, phrases) for c in rng.sample(wanted, 1)]
    return "\n".join((*lines, *rng.shuffled([*calls, *loose]))) + "\n"


def _call(rng: Rng, name: str, phrases: Sequence[str], *, by_level: bool) -> str:
    if by_level and rng.chance(0.4):
        return f"run {name} for {rng.choice(LEVELS)}"
    condition = rng.choice(("unit", "id=", "retry", "at ", rng.choice(phrases)))
    return rng.choice((f"run {name}", f'run {name} when "{condition}"'))


def _command(rng: Rng, command: str, phrases: Sequence[str]) -> str:
    word = rng.choice(phrases)
    return {
        "replace": rng.choice((
            f'replace "{word}" "{rng.choice(("fault", "alarm", "see desk", "stopped"))}"',
            f'replace "unit " "{rng.choice(("u", "nr ", "№"))}"',
            'replace "e" "ë"',
        )),
        "cut": rng.choice(('cut "(" ")"', 'cut "id" " "', 'cut "at " ":"')),
        "mask": f'mask "{rng.choice(("id=", "id=", "unit ", "retry "))}"',
        "drop": f'drop "{rng.choice(("heartbeat", word, "retry 4"))}"',
        "tag": rng.choice((
            f'tag "{word}" "{rng.choice(("desk 2", "ÄRGER", "要確認"))}"',
            f'tag "retry" "{rng.choice(("again", "ÅPEN", "再試行"))}"',
            f'tag "id=" "{rng.choice(("numbered", "№"))}"',
        )),
        "limit": f"limit {rng.integer(18, 48)}",
        "skip": f'skip "{rng.choice(("at ", "#", "cause:", "unit"))}"',
    }[command]  # fmt: skip


Step = tuple[str, ...]


class Sheet:
    """A sheet that has been read."""

    def __init__(self, plan: Plan, sheet: str) -> None:
        self.made = plan
        self.top: list[Step] = []
        self.macros: dict[str, list[Step]] = {}
        into = self.top
        for line in sheet.splitlines():
            words = tuple(a or b for a, b in _WORD.findall(line))
            if not words or line.startswith("#"):
                continue
            if words[0] == "macro":
                into = self.macros.setdefault(words[1], [])
            elif words[0] == "end":
                into = self.top
            else:
                into.append(words)

    def edited(self, text: str, level: str) -> str | None:
        """Return a text after all edits, None where it has been dropped."""
        return self._applied(self.top, text, level)

    def _applied(self, steps: Sequence[Step], text: str, level: str) -> str | None:
        now: str | None = text
        for step in steps:
            if now is None:
                return None
            if step[0] != "run":
                now = _edit(self.made, step, now)
            elif len(step) < 4 or (step[3] in now if step[2] == "when" else step[3] == level):
                now = self._applied(self.macros[step[1]], now, level)
        return now


def _edit(plan: Plan, step: Step, text: str) -> str | None:
    name, first = step[0], step[1]
    if name == "replace":
        return text.replace(first, step[2], -1 if plan.everywhere else 1)
    if name == "cut":
        return "".join(_uncut(plan, text, first, step[2]))
    if name == "mask":
        return re.sub(f"(?<={re.escape(first)})[0-9]+", lambda m: _masked(plan, m[0]), text)
    if name == "drop":
        return None if first in text else text
    if name == "tag" and first in text:
        return f"[{step[2]}] {text}" if plan.front else f"{text} [{step[2]}]"
    if name == "limit" and len(text) > int(first):
        return text[: int(first)] + plan.more
    if name == "skip":
        return plan.joiner.join(p for p in text.split(plan.joiner) if not p.startswith(first))
    return text


def _masked(plan: Plan, digits: str) -> str:
    hidden = max(0, len(digits) - plan.spared)
    return plan.cover * hidden + digits[hidden:]


def _uncut(plan: Plan, text: str, start: str, stop: str) -> Iterator[str]:
    while True:
        before, opened, rest = text.partition(start)
        _, closed, after = rest.partition(stop)
        if not opened or not closed:
            yield text
            return
        yield before if plan.ends else before + start + stop
        text = after


def stitched(plan: Plan, sheet: str, sources: Sequence[Source]) -> list[str]:
    """Return the lines of all sources, edited, in order of time."""
    read = Sheet(plan, sheet)
    records = []
    for source in sources:
        stem = source.name.partition(".")[0]
        for record in source.records:
            text = read.edited(plan.joiner.join(record.pieces), record.level)
            if text is not None:
                records.append((record.stamp, f"{record.stamp}\t{stem}\t{record.level}\t{text}"))
    return [line for _, line in sorted(records, key=lambda pair: pair[0])]
