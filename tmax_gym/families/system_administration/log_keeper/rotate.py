"""Rotation of the log-keeper family: rules, their model, a script that applies them, slips.

Covers sizes, ages, numbers, compression, patterns and totals, as far as a task asks for them,
and days on which a directory of logs is tried.  Does not cover supervision.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tmax_gym.families.contract import Context
from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng
from tmax_gym.world.deflate import gzip

FEATURES = ("age", "gzip", "delay", "total", "pattern")
"""Optional features of rules; `delay` needs `gzip`."""
HOUR = 3600
MARK = ".rotate.state"
QUIET = 40
"""Bytes that are written to a log whose size does not matter."""
Logs = dict[str, bytes]
"""Name in the directory to content; names that end in .gz have it uncompressed."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a configuration."""

    pattern: str
    size: int = 0
    """Bytes; 0 if there is no rule about the size."""
    age: int = 0
    """Hours; 0 if there is no rule about the age."""
    keep: int = 3
    gzip: bool = False
    delay: bool = False
    total: int = 0

    @property
    def line(self) -> str:
        """Return its line in the configuration."""
        words = [self.pattern]
        words += [f"size={self.size}"] if self.size else []
        words += [f"age={self.age}"] if self.age else []
        words += [f"keep={self.keep}"]
        words += ["gzip"] if self.gzip else []
        words += ["delay"] if self.delay else []
        words += [f"total={self.total}"] if self.total else []
        return " ".join(words)

    def names(self, logs: Mapping[str, bytes]) -> list[str]:
        """Return the logs that it is about."""
        if "*" not in self.pattern:
            return [self.pattern] if self.pattern in logs else []
        head, _, tail = self.pattern.partition("*")
        return sorted(n for n in logs if n.startswith(head) and n.endswith(tail))


@dataclass(frozen=True, slots=True)
class Day:
    """One run: the files before it, and the files required after it."""

    now: int
    before: Logs
    """Whole contents of logs, as applications wrote them."""
    after: Logs
    told: tuple[str, ...]
    """Logs that were rotated."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A configuration, and runs one after the other in one directory."""

    rules: tuple[Rule, ...]
    days: tuple[Day, ...]

    @property
    def config(self) -> str:
        """Return the configuration file."""
        return "# log, rules\n" + "".join(f"{rule.line}\n" for rule in self.rules)


@dataclass(slots=True)
class _Shelf:
    """A directory of logs, and the state of the script."""

    logs: Logs = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)

    def run(self, rules: Sequence[Rule], now: int) -> tuple[str, ...]:
        """Apply the rules once; return which logs were rotated."""
        return tuple(
            name for rule in rules for name in rule.names(self.logs) if self._one(rule, name, now)
        )

    def _one(self, rule: Rule, name: str, now: int) -> bool:
        body = self.logs[name]
        due = bool(rule.size) and len(body) >= rule.size
        if rule.age:
            due |= now - self.seen.setdefault(name, now) >= rule.age * HOUR
        if not due or not body:
            return False
        numbers = {int(n): path for path in self.logs if (n := _number(path, name))}
        for number in sorted(numbers, reverse=True):
            content = self.logs.pop(numbers[number])
            if number < rule.keep:
                packed = rule.gzip and (number + 1 > 1 or not rule.delay)
                self.logs[f"{name}.{number + 1}{'.gz' if packed else ''}"] = content
        packed = rule.gzip and not rule.delay
        self.logs[f"{name}.1{'.gz' if packed else ''}"] = body
        self.logs[name] = b""
        if rule.age:
            self.seen[name] = now
        if rule.total:
            self._trim(rule, name)
        return True

    def _trim(self, rule: Rule, name: str) -> None:
        """Remove the oldest until the rest fits."""
        numbers = {int(n): path for path in self.logs if (n := _number(path, name))}
        for number in sorted(numbers, reverse=True):
            if sum(len(self.logs[path]) for path in numbers.values()) <= rule.total:
                return
            self.logs.pop(numbers.pop(number))


def _number(path: str, name: str) -> str:
    """Return the number of a rotated log, "" for another file."""
    rest = path.removeprefix(f"{name}.").removesuffix(".gz") if path.startswith(f"{name}.") else ""
    return rest if rest.isdigit() else ""


def chosen(ctx: Context, rng: Rng) -> tuple[str, ...]:
    """Return the features that a task has."""
    drawn = rng.sample([f for f in FEATURES if f != "delay"], ctx.knob(1, 4))
    if "gzip" in drawn and ctx.level >= 0.4:
        drawn.append("delay")
    return tuple(feature for feature in FEATURES if feature in drawn)


def told(features: Sequence[str]) -> str:
    """Return the manual's text on rotation."""
    apart = ", never together with `gzip`" if "gzip" in features else ""
    points = {
        "": "`size=BYTES`: Rotate the log if it has at least this many bytes.",
        "age": "`age=HOURS`: Rotate the log if its last rotation was at least this many hours ago. "
        "When a run sees a log for the first time, the log counts as rotated at that time. If a "
        "log has both `size` and `age`, one of the two is enough. What has to be remembered "
        f"between runs goes into `{MARK}` in DIR, in any form.",
        "keep": "`keep=N`: The latest rotated log has the number 1. After a rotation, remove all "
        "rotated logs of this log whose number is above N. N can be larger than 9.",
        "gzip": "`gzip`: Compress rotated logs. Their names then have `.gz` after the number.",
        "delay": "`delay`, always together with `gzip`: Do not compress number 1. It is compressed "
        "when it becomes number 2.",
        "total": f"`total=BYTES`{apart}: After a rotation, all rotated logs of this log together "
        "must not have more than this many bytes. Remove the oldest ones first, and even the "
        "latest one if necessary.",
        "pattern": "A name can have one `*` before its `.log`, for any characters. The line then "
        "applies to every log in DIR that matches at that moment, each by itself.",
    }
    asked = ["", *(f for f in ("age",) if f in features), "keep"]
    asked += [f for f in ("gzip", "delay", "total", "pattern") if f in features]
    return "".join(f"- {points[name]}\n" for name in asked)


_AGE = """\
        if [ -n "$age" ]; then
            last=$(awk -v name="$log" '$1 == name { print $2 }' "$state")
            [ -n "$last" ] || echo "$log $now" >> "$state"
            (( now - ${last:-$now} >= age * 3600 )) && due=yes
        fi
"""
_MARK = """\
        [ -n "$age" ] && sed -i "s/^$log .*/$log $now/" "$state"
"""
_PACK = """\
        if [ -n "$gzip" ]; then
            [ -n "$delay" ] && plain=2 || plain=1
            [ -f "$log.$plain" ] && gzip -n "$log.$plain"
        fi
"""
_TRIM = """\
        while [ -n "$total" ] && (( $(cat "$log".[0-9]* | wc -c) > total )); do
            rm "$(ls "$log".[0-9]* | sort -V | tail -n 1)"
        done
"""
_SCRIPT = program_text(__package__, "rotate.sh")


def script(features: Sequence[str]) -> str:
    """Return the script, with what these features need."""
    parts = {
        "@MARK@": MARK,
        "@AGE@": _AGE if "age" in features else "",
        "@STAMP@": _MARK if "age" in features else "",
        "@PACK@": _PACK if "gzip" in features else "",
        "@TRIM@": _TRIM if "total" in features else "",
    }
    text = _SCRIPT
    for mark, part in parts.items():
        text = text.replace(mark, part)
    return text


def slips(features: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return edits of the script: likely mistakes."""
    edits = {
        "more than the size": (">= size", "> size"),
        "order of letters": ("sort -rV", "sort -r"),
        "log not made anew": (': > "$log"', ":"),
        "one too many": ("number >= keep", "number > keep"),
    }
    if "age" in features:
        edits["age not remembered"] = ('sed -i "s/^$log .*/$log $now/" "$state"', ":")
    if "delay" in features:
        edits["no delay"] = ("plain=2 || plain=1", "plain=1 || plain=1")
    if "total" in features:
        edits["total ignored"] = ('[ -n "$total" ]', "false")
    return edits


def trial(ctx: Context, rng: Rng, features: Sequence[str]) -> Trial:
    """Return rules that try every feature, and days on which every log is due at least once."""
    stems = [s.replace("_", "-") for s in rng.fork("names").sample(sorted(set(ctx.skin.stems)), 7)]
    rules: list[Rule] = []
    shelf = _Shelf()
    for number in range(2 + ctx.knob(0, 3)):
        r = rng.fork("rule", number)
        rules.append(_rule(r, stems, features, number=number))
        _stock(r, shelf, rules[-1], stem=stems[number])
    now = 1_700_000_000 + rng.integer(0, 10**7)
    days: list[Day] = []
    for number in range(4):
        r = rng.fork("day", number)
        now += r.integer(14, 24) * HOUR if number else 0
        for rule in rules:
            _write(r, shelf, rule, first=number == 0, day=number)
        before = dict(shelf.logs)
        rotated = shelf.run(rules, now)
        days.append(Day(now, before, dict(shelf.logs), rotated))
    return Trial(tuple(rules), tuple(days))


def _rule(rng: Rng, stems: Sequence[str], features: Sequence[str], *, number: int) -> Rule:
    stem = stems[number]
    starred = "pattern" in features and number == 1
    packed = "gzip" in features and (number % 2 == 1 or ("total" not in features and number > 2))
    aged = "age" in features and number % 3 != 0
    size = 0 if aged and number % 2 else rng.integer(4, 20) * 10
    capped = "total" in features and not packed and number > 0
    return Rule(
        f"{stem}-*.log" if starred else f"{stem}.log",
        size=size,
        # Due on the third day, and not again on the fourth: days are 14 to 24 hours apart.
        age=rng.integer(25, 28) if aged else 0,
        keep=11 if number == 0 else rng.integer(3, 4) if capped else rng.integer(1, 4),
        gzip=packed,
        delay=packed and "delay" in features and number % 4 == 1,
        # Room for the latest, and for one of the others at most.
        total=(size or QUIET) + rng.integer(5, 30) if capped else 0,
    )


def _stock(rng: Rng, shelf: _Shelf, rule: Rule, *, stem: str) -> None:
    """Add logs of earlier days, numbered without a gap; some are more than may be kept."""
    names = [f"{stem}-{w}.log" for w in ("a", "b")] if "*" in rule.pattern else [f"{stem}.log"]
    for name in names:
        shelf.logs[name] = b""
        for number in range(1, rule.keep + (0 if rule.keep > 9 else rng.integer(1, 2))):
            packed = rule.gzip and (number > 1 or not rule.delay)
            shelf.logs[f"{name}.{number}{'.gz' if packed else ''}"] = _lines(rng, 20 + number)


def _write(rng: Rng, shelf: _Shelf, rule: Rule, *, first: bool, day: int) -> None:
    """Let applications write just enough, just too little, or nothing."""
    for place, name in enumerate(rule.names(shelf.logs)):
        body = shelf.logs[name]
        size = rule.size or QUIET
        # The first day meets the limit exactly, the second misses it, the third is quiet.
        kind = (day + place) % 3 if not first else 0
        want = (size, size - 1, 0)[kind]
        shelf.logs[name] = body + _lines(rng.fork(name), max(0, want - len(body)))


def _lines(rng: Rng, count: int) -> bytes:
    """Return this many bytes of a log, in lines."""
    body = rng.hex(count)
    ends = (n % 16 == 15 or n == count - 1 for n in range(count))
    return "".join("\n" if end else c for c, end in zip(body, ends, strict=True)).encode()


def plain(data: bytes) -> bytes:
    """Return the content of a compressed log; b"?" if it is not compressed."""
    try:
        return zlib.decompressobj(31).decompress(data, 1 << 20)
    except zlib.error:
        return b"?"


def stored(name: str, body: bytes) -> bytes:
    """Return a log as it is stored in a directory."""
    return gzip(body) if name.endswith(".gz") else body
