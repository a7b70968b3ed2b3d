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
(`Content-Type: application/json`). The start script may return or stay in the foreground.

`@model` is the model. It has a `bias`, a `cut` and, for each feature, its `edges` in ascending
order and its `points`, with one more entry than `edges`. A value gets the points at index k,
counted from 0, where k is the number of edges that are less than or equal to the value. The score
of a row is the bias plus the points of all features.

- `POST /score` with `{"rows": [{feature: value, ...}, ...]}` returns status 200 and
  `{"scores": [...], "labels": [...]}`, both in the order of the rows. The label is `review` if the
  score is at least the cut, and `pass` otherwise.
""",
    "missing": """\
- If a feature is missing from a row or has the value `null`, use its `missing` points instead.
""",
    "errors": """\
- It is an error if a value is neither an integer nor `null`, or if a field is not a feature. If
  there is any such error, nothing is scored, and the response is status 422 and
  `{"errors": [{"row": i, "field": name}, ...]}`. Rows are counted from 0, and the errors are sorted
  by row and then by name. If the body is not an object with a list `rows` of objects@ids, the
  response is status 400 and `{"error": "invalid"}`.
""",
    "whole": """\
- Every row has an integer for every feature, and no other fields.
""",
    "sound": """\
- All values are integers or `null`, and all fields of a row are features.
""",
    "ids": """\
- The body of `POST /score` can also be `{"ids": [...]}`. Then fetch the rows for these ids from
  the row store and score them, in the order of the ids. Your start script must also start the row
  store, with `python3 @store`. It listens on port @other of 127.0.0.1 and answers `GET
  /rows/<id>` with the row, or with status 404 if there is none. If there are ids without a row,
  nothing is scored, and the response is status 424 and `{"unknown": [...]}` with all of these ids,
  in the order in which they were given.
""",
    "drift": """\
- `GET /drift` returns status 200 and `{"rows": n, "review": n, "missing": {feature: n, ...}}`:
  the number of rows that have been scored since the service started, how many of them got
  `review`, and, for each feature, in how many of them it was missing or `null`.
""",
    "other": """\
- Any other request returns status 404 and `{"error": "not found"}`.
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
