"""Which row is tested in which fold."""

FOLDS = 3


def folds(rows):
    order = sorted({row["grp"] for row in rows})
    return {row["id"]: order.index(row["grp"]) % FOLDS for row in rows}


def parts(rows, fold):
    place = folds(rows)
    train = [row for row in rows if place[row["id"]] != fold]
    test = [row for row in rows if place[row["id"]] == fold]
    return train, test
