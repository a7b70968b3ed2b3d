"""Three nearest neighbours by scaled distance."""


def scaled(row, sizes):
    return [1000 * (row[c] - middle) // spread for c, (middle, spread) in sizes.items()]


def predicted(row, train, test, sizes):
    pool = train
    here = scaled(row, sizes)

    def away(other):
        there = scaled(other, sizes)
        return (sum((a - b) ** 2 for a, b in zip(here, there)), other["id"])

    near = sorted(pool, key=away)[:3]
    return int(2 * sum(other["target"] for other in near) > len(near))
