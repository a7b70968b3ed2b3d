"""Timers of the calendar-math family: the trusted evaluation, lines to ask, the reference program.

Covers five fields (minute, hour, day, month, weekday with Sunday as 0) and the rules of
`FEATURES`.  The evaluation here knows all rules.  The program for the sandbox is a frame that knows
none of them, and one piece for each rule.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from tmax_gym.families.shared.programs import program_sections, program_text
from tmax_gym.rng import Rng

FEATURES = ("list", "range", "step", "either", "names", "last", "wrap", "sunday")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
MONTHS = tuple(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))

FRAME = program_text(__package__, "main.py")
PIECES = program_sections(__package__, "pieces.py")


def drawn(rng: Rng, feature: str) -> str:
    """Return a timer that needs one rule beyond plain fields."""
    minute, hour = str(rng.integer(0, 59)), rng.choice(("*", str(rng.integer(0, 23))))
    date, month, weekday = "*", "*", "*"
    kind = rng.integer(0, 2)
    if kind == 0:
        date = str(rng.integer(1, 31))
        month = rng.choice(("*", str(rng.choice((1, 3, 5, 7, 8, 10, 12)))))
    elif kind == 1:
        weekday = str(rng.integer(0, 6))
    else:
        month = str(rng.integer(1, 12))
    if feature == "list":
        minute = ",".join(str(m) for m in rng.sample(range(60), 3))
        weekday = ",".join(str(d) for d in rng.sample(range(7), 2)) if kind == 1 else weekday
    elif feature == "range":
        low = rng.integer(0, 15)
        minute, hour = f"{low}-{low + rng.integer(1, 9)}", f"{low}-{low + rng.integer(1, 8)}"
    elif feature == "step":
        minute = rng.choice((f"*/{rng.integer(7, 25)}", f"{rng.integer(3, 20)}-59/11"))
    elif feature == "either":
        date, weekday, month = str(rng.integer(1, 28)), str(rng.integer(0, 6)), "*"
    elif feature == "names":
        date, weekday = "*", rng.choice(DAYS)
        month = rng.choice(("*", rng.choice(MONTHS)))
    elif feature == "last":
        date, weekday, month = "L", "*", rng.choice(("*", "2", "6"))
    elif feature == "wrap":
        high = rng.integer(18, 23)
        hour, weekday = f"{high}-{rng.integer(1, 5)}", rng.choice(("5-1", "6-2"))
        date, month = "*", "*"
    elif feature == "sunday":
        date, weekday = "*", rng.choice(("7", "6-7"))
    return f"{minute} {hour} {date} {month} {weekday}"


def _number(text: str) -> int:
    if text in DAYS:
        return DAYS.index(text)
    return MONTHS.index(text) + 1 if text in MONTHS else int(text)


def _values(text: str, low: int, high: int) -> set[int]:
    values: set[int] = set()
    for part in text.split(","):
        body, slash, every = part.partition("/")
        first, dash, final = body.partition("-")
        if body == "*":
            whole = list(range(low, high + 1))
        elif dash and _number(final) < _number(first):
            whole = [*range(_number(first), high + 1), *range(low, _number(final) + 1)]
        elif dash:
            whole = list(range(_number(first), _number(final) + 1))
        else:
            whole = [_number(first)]
        values.update(whole[:: int(every) if slash else 1])
    return values


def following(timer: str, moment: datetime) -> datetime:
    """Return the first minute after `moment` at which a timer fires."""
    minute, hour, date, month, weekday = timer.split()
    minutes, hours = sorted(_values(minute, 0, 59)), sorted(_values(hour, 0, 23))
    months, weekdays = _values(month, 1, 12), {w % 7 for w in _values(weekday, 0, 6)}
    now = moment + timedelta(minutes=1)
    for ahead in range(3000):
        day = (now + timedelta(days=ahead)).replace(hour=0, minute=0)
        if day.month not in months:
            continue
        final = (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
        on_date = day.day in _values(date.replace("L", str(final.day)), 1, 31)
        on_weekday = day.isoweekday() % 7 in weekdays
        both = date[0] != "*" and weekday[0] != "*"
        if not ((on_date or on_weekday) if both else (on_date and on_weekday)):
            continue
        for h in hours:
            for m in minutes:
                if day.replace(hour=h, minute=m) >= now:
                    return day.replace(hour=h, minute=m)
    raise ValueError(f"{timer!r} never fires after {moment}")
