"""Contract, reference service, row store and model of the scoring-service family."""

from __future__ import annotations

from typing import Any

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng

Row = dict[str, Any]

CONTRACT = {
    "head": """\
# Scoring service

The service listens on port @port of 127.0.0.1 and speaks HTTP/1.1 with JSON bodies
(`Content-Type: application/json`). The start script can return or stay in the foreground.

`@model` is the model. It has a `bias`, a `cut`, and for every feature its `edges` in ascending
order and its `points`, of which there is one more than there are edges. A value gets the points at
index k, where k is the number of edges that are less than or equal to the value. The score is the
bias plus the points of all features.

- `POST /score` with `{"rows": [{feature: value, ...}, ...]}` gets status 200 and
  `{"scores": [...], "labels": [...]}`, in the order of the rows. The label is `review` if the score
  is at least the cut, and `pass` otherwise.
""",
    "missing": """\
- If a row does not have a feature, or has it as `null`, use the feature's `missing` points instead.
""",
    "errors": """\
- It is an error if a value is neither a whole number nor `null`, or if a field is not a feature. If
  there is any such error, nothing is scored. The answer is status 422 and
  `{"errors": [{"row": i, "field": name}, ...]}`, with rows counted from 0, ordered by row and then
  by name. If the body is not an object with a list `rows` of objects, the answer is status 400 and
  `{"error": "invalid"}`.
""",
    "whole": """\
- Every row has a whole number for every feature, and nothing else.
""",
    "sound": """\
- All values are whole numbers or `null`, and rows have no fields that are not features.
""",
    "ids": """\
- `POST /score` can also come with `{"ids": [...]}`. Then fetch the rows from the row store, which
  is started by `python3 @store`. It listens on port @other of 127.0.0.1 and answers `GET
  /rows/<id>` with a row or with status 404. Your start script must also start the row store. If
  there are ids without a row, the answer is status 424 and `{"unknown": [...]}` with all of these
  ids, in the order in which they were given.
""",
    "drift": """\
- `GET /drift` gets status 200 and `{"rows": n, "review": n, "missing": {feature: n, ...}}`. This is
  the number of rows that were scored since the start, how many of them got `review`, and for every
  feature the number of rows in which it was missing.
""",
    "other": """\
- Anything else gets status 404 and `{"error": "not found"}`.
""",
}
STORE = program_text(__package__, "store.py")
SERVER = program_text(__package__, "server.py")


def drawn(names: list[str], rng: Rng, *, missing: bool) -> dict[str, Any]:
    """Return a model; its cut is set later, to the score of some row."""
    features: dict[str, Any] = {}
    for name in names:
        edges = sorted(rng.sample(range(5, 95), 3))
        features[name] = {"edges": edges, "points": [rng.integer(-20, 60) for _ in range(4)]}
        if missing:
            features[name]["missing"] = rng.integer(1, 30)
    return {"bias": rng.integer(3, 40), "cut": 0, "features": features}


def row(model: dict[str, Any], rng: Rng) -> Row:
    """Return a row, every third value at an edge."""
    row = {}
    for name, feature in model["features"].items():
        edge = rng.chance(0.35)
        row[name] = rng.choice(feature["edges"]) if edge else rng.integer(0, 100)
    return row


def score(model: dict[str, Any], row: Row) -> int:
    """Return the points of a row."""
    total = int(model["bias"])
    for name, feature in model["features"].items():
        value = row.get(name)
        if value is None:
            total += feature.get("missing", 0)
        else:
            total += feature["points"][sum(edge <= value for edge in feature["edges"])]
    return total
