"""Command line: a stage and a table; prints what the stage decides, fold by fold."""
import csv
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from columns import chosen, scale
from model import predicted
from split import FOLDS, folds, parts


def load(path):
    with open(path) as file:
        return [{k: v if k == "grp" else int(v) for k, v in row.items()}
                for row in csv.DictReader(file)]


def report(stage, rows):
    if stage == "folds":
        return [f"{key} {fold}" for key, fold in sorted(folds(rows).items())]
    lines = []
    for fold in range(FOLDS):
        train, test = parts(rows, fold)
        names = chosen(train, test)
        sizes = scale(train, test, names)
        if stage == "columns":
            lines.append(" ".join(names))
        elif stage == "scale":
            lines.append(" ".join(f"{c}:{m}:{s}" for c, (m, s) in sizes.items()))
        else:
            hits = sum(predicted(r, train, test, sizes) == r["target"] for r in test)
            lines.append(f"{hits} of {len(test)}")
    return lines


if __name__ == "__main__":
    print("\\n".join(report(sys.argv[1], load(sys.argv[2]))))
