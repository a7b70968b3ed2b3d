#@ tier_price
def tier_price(quantity, unit):
    """Return the price in cents of `quantity` items at `unit` cents each.

    5 % off from 10 items, 12 % off from 100; half a cent rounds up.  Raises ValueError for a
    quantity below 1.
    """
    if quantity < 1:
        raise ValueError("quantity")
    off = 12 if quantity >= 100 else 5 if quantity >= 10 else 0
    return (quantity * unit * (100 - off) + 50) // 100
#@ overlap
def overlap(one, two):
    """Return how many minutes two spans share.

    A span is a pair (start, end) of minutes; its end does not belong to it.
    """
    start, end = max(one[0], two[0]), min(one[1], two[1])
    return max(0, end - start)
#@ merged
def merged(spans):
    """Return the spans that the given ones cover together, in ascending order.

    Spans that overlap or touch (one ends where another starts) become one.
    """
    out = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out
#@ check_digit
def check_digit(number):
    """Return the digit that has to follow a string of digits.

    From the right, every other digit is doubled, beginning with the last one; 9 is subtracted
    from a result above 9.  With the check digit the sum of all is a multiple of 10.
    """
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return (10 - total % 10) % 10
#@ page
def page(items, number, size):
    """Return (items of one page, whether a later page has any).

    Pages count from 1 and hold `size` items, the last one perhaps fewer.  Raises ValueError for
    a page or a size below 1.
    """
    if number < 1 or size < 1:
        raise ValueError("page")
    first = (number - 1) * size
    return items[first : first + size], len(items) > first + size
#@ minutes
def minutes(text):
    """Return the minutes that a text like "2h5m", "3h" or "45m" means.

    Hours come first, both parts are whole numbers, and at least one of them is there.  Raises
    ValueError for anything else, also for 60 minutes or more after hours.
    """
    found = re.fullmatch("(?:([0-9]+)h)?(?:([0-9]+)m)?", text)
    if not text or not found:
        raise ValueError(text)
    hours, rest = int(found[1] or 0), int(found[2] or 0)
    if found[1] and rest > 59:
        raise ValueError(text)
    return 60 * hours + rest
#@ ranked
def ranked(scores):
    """Return a dictionary from each name to its rank; the highest score has rank 1.

    Equal scores have the same rank, and as many ranks are left out after them: 1, 2, 2, 4.
    """
    out = {}
    for name, score in scores.items():
        out[name] = 1 + sum(other > score for other in scores.values())
    return out
#@ shortened
def shortened(text, limit):
    """Return the text in at most `limit` characters, cut at the last space where it fits.

    A cut text ends in "..", which counts, with no space before it.  If the first word alone is too
    long, its first `limit` - 2 characters are kept.
    """
    if len(text) <= limit:
        return text
    kept = text[: limit - 2]
    if text[limit - 2] != " " and " " in kept:
        kept = kept[: kept.rindex(" ")]
    return kept.rstrip() + ".."
