def counts(events, start, end):
    inside = [kind for tick, kind in events if start <= tick < end]
    return {"counts": {kind: inside.count(kind) for kind in KINDS}, "total": len(inside)}


def busiest(events, width):
    sums = [(sum(t <= tick < t + width for tick, _ in events), -t) for t, _ in events]
    total, start = max(sums)
    return {"from": -start, "total": total}


def series(events, size):
    sums = [0] * (max(events)[0] // size + 1)
    for tick, _ in events:
        sums[tick // size] += 1
    return {"series": sums}
