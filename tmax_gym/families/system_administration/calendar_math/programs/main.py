"""Prints, for every line `timer | moment`, the next minute at which the timer fires."""
import glob, os, sys
from datetime import datetime, timedelta
BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
split = lambda text: [text]
step = lambda part: (part, 1)
number = lambda text: int(text)
span = lambda text, low, high: [number(text)]
last = lambda text, final: text
def fits(day, dates, weekdays, fields):
    return day.day in dates and day.isoweekday() % 7 in weekdays
here = os.path.dirname(os.path.abspath(__file__))
for path in sorted(glob.glob(here + "/next.d/*.py")):
    exec(open(path).read())
def values(text, low, high):
    found = set()
    for part in split(text):
        body, every = step(part)
        whole = list(range(low, high + 1)) if body == "*" else span(body, low, high)
        found.update(whole[::every])
    return found
def following(timer, moment):
    fields = timer.split()
    minutes, hours, _, months, weekdays = (
        values("*" if i == 2 else f, *b) for i, (f, b) in enumerate(zip(fields, BOUNDS)))
    now = moment + timedelta(minutes=1)
    for ahead in range(3000):
        day = now.date() + timedelta(days=ahead)
        if day.month not in months:
            continue
        final = (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
        dates = values(last(fields[2], final), 1, 31)
        if not fits(day, dates, weekdays, fields):
            continue
        for hour in sorted(hours):
            for minute in sorted(minutes):
                at = datetime(day.year, day.month, day.day, hour, minute)
                if at >= now:
                    return at
for line in sys.stdin:
    timer, _, moment = line.strip().partition(" | ")
    try:
        at = following(timer, datetime.strptime(moment, "%Y-%m-%d %H:%M"))
        print(at.strftime("%Y-%m-%d %H:%M"))
    except (ValueError, AttributeError, TypeError):
        print("?")
