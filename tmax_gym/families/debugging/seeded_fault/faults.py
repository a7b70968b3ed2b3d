"""The libraries of the seeded-fault family: their faults, and commands that exercise them."""

from __future__ import annotations

from tmax_gym.families.debugging.seeded_fault.library import Fault, Library
from tmax_gym.rng import Rng


def _span_command(rng: Rng, name: str) -> str:
    low = rng.integer(0, 30)
    if name in ("size", "longest"):
        return name
    if name in ("holds", "nearest", "rank", "nth"):
        return f"{name} {rng.integer(0, 12 if name == 'nth' else 32)}"
    return f"{name} {low} {low + rng.integer(1, 18 if name == 'gaps' else 8)}"


def _span_slots(rng: Rng) -> dict[str, object]:
    n, d = rng.integer(40, 70), rng.integer(2, 6)
    slots: dict[str, object] = {"n": n, "e": n + d, "x": n + 2 * d, "s": n + 3 * d + 1}
    long = rng.integer(25, 40)
    first = n + 70
    return slots | {
        "t": n + 4 * d + 1,
        "h": first,
        "i": first + long,
        "j": first + long + d,
        "k": first + 2 * long + d,
    }


def _release(rng: Rng) -> str:
    text = ".".join(str(rng.choice((0, 0, 1, 2, 9, 10))) for _ in range(3))
    if rng.chance(0.45):
        words = ("alpha", "beta", "rc", "2", "10", "x7")
        text += "-" + ".".join(rng.choice(words) for _ in range(rng.integer(1, 3)))
    return text + rng.choice(("", "", "", "+b1", "+b2"))


def _near(rng: Rng, text: str) -> str:
    """Return another release that shares much with one."""
    numbers, dash, pre = text.partition("+")[0].partition("-")
    if dash and rng.chance(0.6):
        return f"{numbers}-{pre}.{rng.choice(('1', '2', '10', 'rc'))}"
    if rng.chance(0.5):
        return numbers + rng.choice(("", "-2", "-10", "-rc", "+b3"))
    parts = numbers.split(".")
    spot = rng.integer(0, 2)
    parts[spot] = str(int(parts[spot]) + rng.integer(1, 2))
    return ".".join(parts)


def _release_command(rng: Rng, name: str) -> str:
    one = _release(rng)
    if name == "compare":
        return f"compare {one} {_near(rng, one) if rng.chance(0.8) else _release(rng)}"
    if name == "order":
        return f"order {one} {_near(rng, one)} {_near(rng, one)} {_release(rng)}"
    if name == "bump":
        return f"bump {rng.choice(('major', 'minor', 'patch'))} {one}"
    low = one.partition("+")[0].partition("-")[0]
    major = int(low.partition(".")[0])
    ranges = (f"^{low}", f"^{low}", f"~{low}", f">={low},<{major + 1}.0.0")
    wanted = rng.choice(ranges)
    if name == "matches":
        return f"matches {wanted} {_near(rng, low)}"
    return f"newest {wanted} {low} {_near(rng, low)} {_near(rng, low)} {_near(rng, one)}"


def _release_slots(rng: Rng) -> dict[str, object]:
    a, b, c = (rng.integer(1, 12) for _ in range(3))
    word = rng.choice(("alpha", "beta", "rc"))
    return {"a": a, "a1": a + 1, "b": b, "b1": b + 1, "c": c, "word": word}


def _shelf_slots(rng: Rng) -> dict[str, object]:
    keys = sorted(rng.sample("abcdefgh", 4))
    values = (f"{rng.choice('tuvwxyz')}{rng.integer(1, 9)}" for _ in range(2))
    return dict(zip("pqstvw", (*keys, *values), strict=True)) | {"d": rng.integer(2, 5)}


def _shelf_command(rng: Rng, name: str) -> str:
    key = rng.choice("abcde")
    if name == "put":
        life = rng.choice(("", "", " 2", " 3", " 5"))
        return f"put {key} {rng.choice('tuvwxyz')}{rng.integer(1, 9)}{life}"
    if name in ("get", "peek", "drop"):
        return f"{name} {key}"
    if name in ("tick", "resize"):
        return f"{name} {rng.integer(1, 4 if name == 'resize' else 3)}"
    return name


SPANS = Library(
    "spans",
    "sets of whole numbers",
    (
        Fault(
            "if high < start or low > end:",
            "if high <= start or low >= end:",
            "add",
            "adjacent ranges are not merged",
        ),
        Fault(
            "end = max(end, high)", "end = high", "add", "adding a range makes the set lose numbers"
        ),
        Fault(
            "kept.append((low, min(high, start)))",
            "kept.append((low, start))",
            "remove",
            "removing a range adds numbers that nobody has added",
        ),
        Fault(
            "return any(low <= number < high for low, high in self.spans)",
            "return any(low <= number <= high for low, high in self.spans)",
            "holds",
            "numbers that are not members are reported as members",
            "add {n} {e}\nholds {e}",
        ),
        Fault(
            "found.add(cursor, end)",
            "found.add(cursor, end - 1)",
            "gaps",
            "numbers are missing from the gaps",
        ),
        Fault(
            "return min(ends, key=lambda member: (abs(member - number), member))",
            "return min(ends, key=lambda member: (abs(member - number), -member))",
            "nearest",
            "the nearest member is sometimes not the documented one",
            "add {n} {e}\nadd {s} {t}\nnearest {x}",
        ),
        Fault(
            "return sum(min(high, number) - low for low, high in self.spans if low < number)",
            "return sum(high - low for low, high in self.spans if low < number)",
            "rank",
            "ranks are too high",
        ),
        Fault(
            "index -= high - low",
            "index -= high - low - 1",
            "nth",
            "the wrong member is returned for a position",
        ),
        Fault(
            "if high - low > best[1] - best[0]:",
            "if high - low >= best[1] - best[0]:",
            "longest",
            "the longest span is sometimes not the documented one",
            "add {h} {i}\nadd {j} {k}\nlongest",
        ),
    ),
    _span_command,
    _span_slots,
    ("add", "add", "remove", "size", "gaps", "holds", "longest", "nth"),
)
RELEASES = Library(
    "releases",
    "release numbers",
    (
        Fault(
            'return (0, int(part), "")',
            "return (0, 0, part)",
            "order",
            "releases are sorted in the wrong order",
            "order {a}.{b}.{c}-{word}.10 {a}.{b}.{c} {a}.{b}.{c}-{word}.2",
        ),
        Fault(
            "return (1, 0, part)",
            "return (-1, 0, part)",
            "compare",
            "some comparisons are wrong",
            "compare {a}.{b}.{c}-{word} {a}.{b}.{c}-{b}",
        ),
        Fault(
            "return (self.numbers, not self.pre, [_identifier(part) for part in self.pre])",
            "return (self.numbers, not self.pre, [_identifier(part) for part in self.pre[:1]])",
            "compare",
            "different releases are reported as equal",
        ),
        Fault(
            'return f"{major}.{minor + 1}.0"',
            'return f"{major}.{minor + 1}.{patch}"',
            "bump",
            "the next release has the wrong number",
        ),
        Fault(
            "step = 0 if self.pre else 1",
            "step = 1",
            "bump",
            "the next release skips a number",
        ),
        Fault(
            "return (0, minor + 1, 0)",
            "return (1, 0, 0)",
            "matches",
            "a range matches releases that it should not match",
            "matches ^0.{b}.{c} 0.{b1}.{c}",
        ),
        Fault(
            "return release >= low and release.numbers < (major, minor + 1, 0)",
            "return release >= low and release.numbers <= (major, minor + 1, 0)",
            "matches",
            "a range extends too far",
            "matches ~{a}.{b}.{c} {a}.{b1}.0",
        ),
        Fault(
            "return max(stable or fitting, key=Release)",
            "return max(fitting, key=Release)",
            "newest",
            "the newest release is not the documented one",
            "newest >={a}.0.0,<{a1}.0.0 {a}.{b}.{c} {a}.{b1}.0-{word}.1 {a}.{b}.0",
        ),
    ),
    _release_command,
    _release_slots,
    ("compare", "order", "bump", "matches", "newest", "matches"),
)
SHELF = Library(
    "shelf",
    "a bounded cache",
    (
        Fault(
            "self.values[key] = self.values.pop(key)",
            "self.values[key] = self.values[key]",
            "get",
            "entries are forgotten although they are in use",
            "resize 3\nput {p} {v}\nput {q} {w}\nput {s} {v}\nget {p}\nput {t} {w}\nget {p}",
        ),
        Fault(
            "if key in self.deadlines and self.now >= self.deadlines[key]:",
            "if key in self.deadlines and self.now > self.deadlines[key]:",
            "tick",
            "entries live too long",
            "put {p} {v} {d}\ntick {d}\nget {p}",
        ),
        Fault(
            "self.deadlines.pop(key, None)",
            "self.deadlines.get(key)",
            "put",
            "entries disappear although they should stay",
            "put {p} {v} {d}\nput {p} {w}\ntick {d}\nget {p}",
        ),
        Fault(
            "return self.values.get(key)",
            "return self.get(key)",
            "peek",
            "looking at an entry changes something",
            "resize 3\nput {p} {v}\nput {q} {w}\npeek {p}\nkeys",
        ),
        Fault(
            "self.misses += 1",
            "self.hits += 1",
            "get",
            "the statistics are wrong",
            "get {t}\nstats",
        ),
        Fault(
            "while len(self.values) > self.room:",
            "if len(self.values) > self.room:",
            "resize",
            "the cache holds more entries than allowed",
            "resize 3\nput {p} {v}\nput {s} {w}\nput {q} {v}\nresize 1\nkeys",
        ),
        Fault(
            "oldest = next(iter(self.values))",
            "oldest = min(self.values)",
            "put",
            "the wrong entry is forgotten",
            "resize 2\nput {s} {v}\nput {p} {w}\nput {t} {v}\nkeys",
        ),
        Fault(
            "return list(reversed(self.values))",
            "return sorted(self.values)",
            "keys",
            "the keys are not in the documented order",
        ),
    ),
    _shelf_command,
    _shelf_slots,
    ("put", "put", "put", "get", "peek", "tick", "keys", "stats", "resize"),
)
LIBRARIES = (SPANS, RELEASES, SHELF)
