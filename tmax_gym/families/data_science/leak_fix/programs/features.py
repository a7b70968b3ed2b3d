"""Which columns the model sees, and on which scale."""

FIXED, WANTED = ("id", "grp", "target"), 2


def candidates(rows):
    return [c for c in rows[0] if c not in FIXED and not c.startswith("late_")]


def mean(values):
    return sum(values) // len(values) if values else 0


def chosen(train, test):
    seen = train
    gap = {}
    for c in candidates(seen):
        one = mean([row[c] for row in seen if row["target"]])
        two = mean([row[c] for row in seen if not row["target"]])
        gap[c] = abs(one - two)
    return sorted(gap, key=lambda c: (-gap[c], c))[:WANTED]


def scale(train, test, names):
    known = train
    found = {}
    for c in names:
        values = [row[c] for row in known]
        found[c] = (mean(values), max(1, max(values) - min(values)))
    return found
