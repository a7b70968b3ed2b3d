"""What was used between two readings of a counter."""

WRAP = 100000
GAP = 900


def used(pairs):
    """Yield (second, usage, fresh); fresh is where the window begins anew."""
    before, counter, fresh = 0, None, True
    for second, now in pairs:
        if now is None:
            counter = None
        elif counter is None:
            before, counter, fresh = second, now, True
        else:
            yield second, (now - counter) % WRAP, fresh or second - before > GAP
            before, counter, fresh = second, now, False
