"""Readings as they come, one a line."""


def parsed(lines):
    """Yield (second, counter); the counter is None where the meter was silent."""
    for raw in lines:
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        second, counter = line.split(";")
        yield int(second), None if counter == "-" else int(counter)


def accepted(pairs):
    """Yield the pairs that are neither repeated nor late."""
    last = None
    for second, counter in pairs:
        if last is not None and second <= last:
            continue
        last = second
        yield second, counter
