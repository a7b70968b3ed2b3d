"""Programs over records of numbers: rate limiters and fixed-point filters.

Covers token buckets, leaky buckets and windows on a clock, and smoothing with alarms.  Does not
cover signed values: differences are taken with the larger value first.
"""

from __future__ import annotations

from tmax_gym.rng import Rng
from tmax_gym.world.programs.program import Emit, Field, If, Program, Put, Register, Stmt
from tmax_gym.world.programs.sugar import bump, ex, is_, let, op

_LIMITER = (
    Register("previous", 0, False, "the clock of the last refill, or the last window"),
    Register("slot", 0, True, "the window of this request"),
    Register("price", 0, True, "what this request costs in the end"),
    Register("passed", 0, False, "requests allowed so far"),
    Register("paid", 0, False, "what they cost together"),
    Register("streak", 0, False, "requests allowed since the last refusal"),
    Register("refused", 0, False, "refusals since the last allowed request"),
    Register("ban_end", 0, False, "the clock at which the ban ends"),
)
_REQUEST = (
    Field("clock", 1, 25, "seconds, never falling"),
    Field("cost", 1, 60, "units asked for"),
)
_FILTER = (
    Register("input", 0, True, "the sample as it is used"),
    Register("mean", 0, True, "the smoothed value"),
    Register("slow", 0, False, "the scaled mean of means"),
    Register("gap", 0, True, "how far the sample is from the mean"),
    Register("peak", 0, False, "the decaying peak"),
    Register("streak", 0, False, "large gaps in a row"),
    Register("alarm", 0, False, "1 while the alarm is on"),
    Register("raised", 0, False, "samples that raised or renewed the alarm"),
    Register("clipped", 0, False, "samples above the ceiling"),
)


def _bucket(rng: Rng, room: int) -> tuple[tuple[Stmt, ...], tuple[Stmt, ...], Register]:
    """Return (refill, spend, level) of one accounting; spending needs `level >= price`."""
    style = rng.choice(("token bucket", "leaky bucket", "window"))
    level = Register("level", room, False, "what may still be spent")
    spend = (let("level", op("level", "-", "price")),)
    if style == "window":
        size = rng.integer(20, 90)
        slot = let("slot", op("clock", "/", size))
        fresh = If(is_("slot", "!=", "previous"), (let("level", room), let("previous", "slot")))
        return (slot, fresh), spend, level
    if style == "token bucket":
        gain = op(op("clock", "-", "previous"), "*", rng.integer(1, 5))
    else:
        # Whole ticks only: the remainder stays with `previous`.
        tick = rng.integer(3, 9)
        gain = op(op(op("clock", "-", "previous"), "/", tick), "*", rng.integer(4, 15))
        whole = op("clock", "-", op(op("clock", "-", "previous"), "%", tick))
        full = If(is_("level", ">", room), (let("level", room),))
        return (bump("level", gain), full, let("previous", whole)), spend, level
    full = If(is_("level", ">", room), (let("level", room),))
    return (bump("level", gain), full, let("previous", "clock")), spend, level


def limiter(rng: Rng, depth: int) -> Program:
    """Return allow or deny for every request of `clock cost`."""
    wanted = set(rng.sample(("surcharge", "ban", "summary", "streak", "debt"), depth - 1))
    room = rng.integer(40, 160)
    refill, spend, level = _bucket(rng, room)
    price: list[Stmt] = [let("price", "cost")]
    if "surcharge" in wanted:
        price.append(
            If(is_("cost", ">", rng.integer(15, 30)), (bump("price", op("cost", "/", 2)),))
        )
    if "streak" in wanted:
        price.append(If(is_("streak", ">=", rng.integer(2, 4)), (bump("price", "streak"),)))
    allowed: list[Stmt] = [*spend, bump("passed"), bump("streak"), let("refused", 0)]
    allowed += [bump("paid", "price"), Put("allow ")]
    denied: list[Stmt] = [let("streak", 0), bump("refused"), Put("deny ")]
    if "debt" in wanted:
        denied.append(
            If(is_("level", ">", 3), (let("level", op("level", "-", rng.integer(1, 3))),))
        )
    if "ban" in wanted:
        until = op("clock", "+", rng.integer(15, 60))
        hit = (let("ban_end", until), let("refused", 0))
        denied.append(If(is_("refused", ">=", rng.integer(2, 3)), hit))
    decision: Stmt = If(is_("price", "<=", "level"), tuple(allowed), tuple(denied))
    if "ban" in wanted:
        decision = If(is_("clock", "<", "ban_end"), (Put("banned "),), (decision,))
    close = (*refill, *price, decision, Emit(ex("level")), Put("\n"))
    finish: tuple[Stmt, ...] = ()
    if "summary" in wanted:
        finish = (Put("passed "), Emit(ex("passed")), Put(" paid "), Emit(ex("paid")), Put("\n"))
    registers = (level, *_LIMITER)
    return Program("limiter", "record", registers, (), close, finish, _REQUEST, ramp="clock")


def _alarm(high: int, low: int, patience: int) -> tuple[Stmt, ...]:
    """Return an alarm with hysteresis: on above `high` for a while, off below `low`."""
    return (
        If(is_("gap", ">=", high), (bump("streak"),), (let("streak", 0),)),
        If(is_("streak", ">=", patience), (let("alarm", 1), bump("raised"))),
        If(is_("gap", "<", low), (let("alarm", 0),)),
        If(is_("alarm", "==", 1), (Put(" high"),), (Put(" ok"),)),
    )


def fixed_filter(rng: Rng, depth: int) -> Program:
    """Return a smoothed value and alarms for every sample."""
    wanted = set(rng.sample(("clamp", "second", "alarm", "hold", "weight"), depth - 1))
    shift, top = rng.integer(2, 4), rng.integer(2000, 6000)
    used = op(op("sample", "*", "gain"), "/", 100) if "weight" in wanted else ex("sample")
    body: list[Stmt] = [let("input", used)]
    if "clamp" in wanted:
        ceiling = rng.integer(top // 2, top * 4 // 5)
        body += [If(is_("input", ">", ceiling), (let("input", ceiling), bump("clipped")))]
    # The register holds 2**shift times the mean, so nothing is lost to rounding.
    body += [let("store", op(op("store", "-", op("store", ">>", shift)), "+", "input"))]
    body += [let("mean", op(op("store", "+", 1 << (shift - 1)), ">>", shift))]
    if "second" in wanted:
        again = rng.integer(2, 3)
        body += [let("slow", op(op("slow", "-", op("slow", ">>", again)), "+", "mean"))]
        body += [let("mean", op("slow", ">>", again))]
    up, down = (let("gap", op(a, "-", b)) for a, b in (("input", "mean"), ("mean", "input")))
    body += [If(is_("input", ">", "mean"), (up,), (down,))]
    body += [Emit(ex("mean")), Put(" "), Emit(ex("gap"))]
    if "hold" in wanted:
        decay = let("peak", op("peak", "-", op("peak", ">>", rng.integer(3, 5))))
        body += [If(is_("input", ">", "peak"), (let("peak", "input"),), (decay,))]
        body += [Put(" "), Emit(ex("peak"))]
    if "alarm" in wanted:
        high = rng.integer(top // 4, top // 2)
        low = high * rng.integer(40, 70) // 100
        body += _alarm(high, low, rng.integer(1, 2))
    body.append(Put("\n"))
    finish: tuple[Stmt, ...] = ()
    if "clamp" in wanted:
        finish += (Put("clipped "), Emit(ex("clipped")), Put("\n"))
    if "alarm" in wanted:
        finish += (Put("raised "), Emit(ex("raised")), Put("\n"))
    start = Register("store", rng.integer(0, top), False, "the scaled mean")
    fields: tuple[Field, ...] = (Field("sample", 0, top, "the measured value"),)
    if "weight" in wanted:
        fields += (Field("gain", 20, 200, "per cent"),)
    return Program("filter", "record", (start, *_FILTER), (), tuple(body), finish, fields)
