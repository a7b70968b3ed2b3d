"""Expected output of the rollup-drift tool, and its old build as an executable.

Covers a second derivation of the figures, with every fault as a switch, the program tree of the
build, and readings that show one fault or many.  Does not cover the package: `package`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tmax_gym.rng import Rng
from tmax_gym.world.programs.program import BYTE, Emit, If, Program, Put, Register, Stmt
from tmax_gym.world.programs.sugar import bump, ex, is_, let, op, within

WRAP, GAP = 100_000, 900
"""The counter has five digits; longer silence than so many seconds empties the window."""
BUILT = 4
"""Window that the old build was made for."""


def figures(lines: Sequence[str], size: int, limit: int, *, faults: Collection[str] = ()) -> str:
    """Return the output of the tool, with the named faults in it."""
    out: list[str] = []
    window: list[int] = []
    last, before, counter, fresh, total = -1, 0, -1, True, 0
    for raw in lines:
        line, _, remark = raw.partition("#")
        if remark and line.strip() and "remark" in faults:
            return "crash"
        if not line.strip():
            continue
        second = int(line.split(";")[0])
        dropped = {"repeat": second < last, "late": second == last}
        if next((v for k, v in dropped.items() if k in faults), second <= last):
            continue
        last = second
        if line.strip().endswith(";-"):
            counter = counter if "silent" in faults else -1
            continue
        now = int(line.split(";")[1])
        if counter < 0:
            before, counter, fresh = second, now, True
            continue
        used = max(now - counter, 0) if "wrap" in faults else (now - counter) % WRAP
        fresh = fresh or second - before >= GAP + ("edge" not in faults)
        if fresh and ("restart" not in faults or not window):
            window = []
        window = _pushed(window, used, size, faults)
        total = sum(window) if "total" in faults else total + used
        out.append(f"{second} {used} {_told(window, limit, faults)}")
        before, counter, fresh = second, now, False
    return "\n".join((*out, f"end {len(out)} {total}"))


def _pushed(window: list[int], used: int, size: int, faults: Collection[str]) -> list[int]:
    longer = [*window, used]
    if "tumble" in faults and len(longer) > size:
        return [used]
    return longer[-(size + ("evict" in faults)) :]


def _told(window: list[int], limit: int, faults: Collection[str]) -> str:
    total, count = sum(window), len(window)
    mean = round(total / count) if "mean" in faults else (2 * total + count) // (2 * count)
    peak = max(window[1:] or window) if "peak" in faults else max(window)
    high = total >= limit + ("mark" not in faults)
    return f"{total} {mean} {peak} {'high' if high else 'ok'}"


def build(limit: int) -> Program:
    """Return the old build: the same figures for one window and one limit."""
    heard = is_("hush", "==", 0)
    digit = If(
        is_("column", "==", 0),
        (let("second", op(op("second", "*", 10), "+", op(BYTE, "-", 48))),),
        (let("now", op(op("now", "*", 10), "+", op(BYTE, "-", 48))),),
    )
    step: tuple[Stmt, ...] = (
        If(is_(BYTE, "==", ord("#")), (let("hush", 1),)),
        If(
            heard,
            (
                If(within("0", "9"), (digit, let("some", 1))),
                If(is_(BYTE, "==", ord(";")), (let("column", 1),)),
                If(is_(BYTE, "==", ord("-")), (let("silent", 1),)),
            ),
        ),
    )
    accepted = (
        let("last", op("second", "+", 1)),
        If(is_("silent", "==", 1), (let("known", 0),), _counted(limit)),
    )
    close = (If(is_("some", "==", 1), (If(is_("second", ">=", "last"), accepted),)),)
    ending = (Put("end "), Emit(ex("rows")), Put(" "), Emit(ex("whole")), Put("\n"))
    lasting = ("last", "before", "counter", "known", "filled", "rows", "whole", "total", "peak",
               "used", "ua", "ub", "uc", "ud")  # fmt: skip
    passing = ("second", "now", "column", "hush", "silent", "some")
    registers = (*(Register(n) for n in lasting), *(Register(n, 0, True) for n in passing))
    return Program("rollup", "line", registers, step, close, ending, alphabet="0123456789;-#")


def _counted(limit: int) -> tuple[Stmt, ...]:
    """Return the statements of the build for a reading; `known` is 2 if the window continues."""
    empty = tuple(let(name, 0) for name in ("ua", "ub", "uc", "ud", "filled"))
    far = is_(op("second", "-", "before"), ">", GAP)
    return (
        If(
            is_("known", ">", 0),
            (
                If(is_("known", "==", 1), empty),
                If(far, empty),
                let("used", op("now", "-", "counter")),
                If(is_("now", "<", "counter"), (bump("used", WRAP),)),
                *(let(a, b) for a, b in (("ud", "uc"), ("uc", "ub"), ("ub", "ua"), ("ua", "used"))),
                If(is_("filled", "<", BUILT), (bump("filled"),)),
                *_printed(limit),
                let("known", 2),
            ),
            (let("known", 1),),
        ),
        let("before", "second"),
        let("counter", "now"),
    )


def _printed(limit: int) -> tuple[Stmt, ...]:
    means = tuple(
        If(
            is_("filled", "==", n),
            (Emit(op(op(op("total", "*", 2), "+", n), "/", 2 * n)),),
        )
        for n in range(1, BUILT + 1)
    )
    peaks = tuple(If(is_(n, ">", "peak"), (let("peak", n),)) for n in ("ub", "uc", "ud"))
    return (
        let("total", op(op("ua", "+", "ub"), "+", op("uc", "+", "ud"))),
        let("peak", "ua"),
        *peaks,
        bump("rows"),
        bump("whole", "used"),
        *(Emit(ex("second")), Put(" "), Emit(ex("used")), Put(" "), Emit(ex("total")), Put(" ")),
        *means,
        *(Put(" "), Emit(ex("peak"))),
        If(is_("total", ">", limit), (Put(" high\n"),), (Put(" ok\n"),)),
    )


def readings(rng: Rng, shapes: Collection[str], *, size: int) -> tuple[list[str], int]:
    """Return readings that are likely to show what the shapes name, and a limit."""
    long = bool({"evict", "tumble", "total"} & set(shapes))
    count = 2 * size + 5 if len(shapes) > 2 else size + 3 if long else rng.integer(4, size)
    placed = ("remark", "repeat", "late", "silent", "edge", "restart")
    asked = [name for name in placed if name in shapes]
    spots = dict(zip(rng.sample(range(2, count), min(len(asked), count - 2)), asked, strict=False))
    second, usage = rng.integer(3_000, 40_000), rng.integer(2, 30)
    counter = WRAP - rng.integer(5, 70) if "wrap" in shapes else rng.integer(100, 20_000)
    uneven = bool({"mean", "peak"} & set(shapes))
    lines, sums = [f"{second};{counter}"], [0]
    for number in range(1, count + 1):
        what = spots.get(number, "")
        second += {"edge": GAP, "restart": rng.integer(GAP + 1, 4000)}.get(
            what, rng.integer(20, 240)
        )
        if what == "late":
            lines.append(f"{second - rng.integer(250, 700)};{counter % WRAP}")
        if what == "silent":
            lines.append(f"{second - 5};-")
        usage = rng.integer(0, 60) if uneven else usage + rng.integer(1, 9)
        counter += usage
        sums.append(sums[-1] + usage)
        lines.append(f"{second};{counter % WRAP}" + (" # read again" if what == "remark" else ""))
        if what == "repeat":
            lines.append(lines[-1])
    limit = sums[rng.integer(2, min(size, count - 1))]
    return lines, limit if "mark" in shapes else limit + rng.integer(1, 3)
