#@ list
split = lambda text: text.split(',')
#@ range
def span(text, low, high):
    first, dash, final = text.partition("-")
    return list(range(number(first), number(final) + 1)) if dash else [number(first)]
#@ step
def step(part):
    body, slash, every = part.partition("/")
    return body, int(every) if slash else 1
#@ either
def fits(day, dates, weekdays, fields):
    date, weekday = day.day in dates, day.isoweekday() % 7 in weekdays
    both = fields[2][0] != "*" and fields[4][0] != "*"
    return date or weekday if both else date and weekday
#@ names
NAMES = {n: i for i, n in enumerate("sun mon tue wed thu fri sat".split())}
NAMES.update({n: i + 1 for i, n in enumerate(
    "jan feb mar apr may jun jul aug sep oct nov dec".split())})
number = lambda text: NAMES[text] if text in NAMES else int(text)
#@ last
last = lambda text, final: text.replace('L', str(final.day))
#@ wrap
straight = span
def span(text, low, high):
    first, dash, final = text.partition("-")
    if dash and number(final) < number(first):
        return list(range(number(first), high + 1)) + list(range(low, number(final) + 1))
    return straight(text, low, high)
#@ sunday
def sunday(inner):
    def fits_too(day, dates, weekdays, fields):
        return inner(day, dates, {w % 7 for w in weekdays}, fields)
    return fits_too
fits = sunday(fits)
