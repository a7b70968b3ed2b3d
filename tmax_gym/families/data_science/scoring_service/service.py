"""Contract, reference service, row store and model of the scoring-service family."""

from __future__ import annotations

from typing import Any

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng

Row = dict[str, Any]

CONTRACT = {
    "head": """\
# Scoring service

Listens on 127.0.0.1, port @port; HTTP/1.1 with JSON bodies (`Content-Type: application/json`).
`@model` is the model: a `bias`, a `cut`, and for every feature its `edges`, ascending, and its
`points`, one more than there are edges. A value earns the points at index k, where k is how many
edges are at most the value. The score is the bias plus the points of all features.

- `POST /score` with `{"rows": [{feature: value, ...}, ...]}`: status 200 and
  `{"scores": [...], "labels": [...]}`, in the order of the rows. The label is `review` from the
  cut on, else `pass`.
- Anything else: status 404 and `{"error": "not found"}`.
""",
    "missing": """\
- A feature that a row lacks, or has as `null`, earns the feature's `missing` points instead.
""",
    "errors": """\
- A value that is neither a whole number nor `null`, and a field that is no feature, are errors.
  With any of them nothing is scored: status 422 and
  `{"errors": [{"row": i, "field": name}, ...]}`, rows counted from 0, by row, then by name. A
  body that is not an object with a list `rows` of objects: status 400 and `{"error": "invalid"}`.
""",
    "ids": """\
- `POST /score` may also come with `{"ids": [...]}`: the rows are then fetched from the row store.
  `python3 @store` listens on port @other of 127.0.0.1 and answers `GET /rows/<id>` with a row, or
  404. Your start script starts it as well. An id without a row: status 424 and
  `{"unknown": [...]}` with all such ids in the order given.
""",
    "drift": """\
- `GET /drift`: status 200 and `{"rows": n, "review": n, "missing": {feature: n, ...}}`: how many
  rows were scored since the start, how many got `review`, and in how many each feature was
  missing, all features listed.
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
