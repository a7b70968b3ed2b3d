"""Contract, upstream services and reference gateway of the tile-gateway family."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.shared.programs import program_text

SIDE = 4
"""Cells of a tile's side."""
CONTRACT = {
    "tiles": """\
# Box statistics

The field is @wide cells wide and @high cells high, and it is cut into tiles of 4 x 4 cells.
`python3 @tiles` serves the tiles on port @source of 127.0.0.1. `GET /tile/<i>/<j>` returns
`{"cells": [[...], ...]}` with four rows of four whole numbers. The cell in row r and column c of
the tile (i, j) is the cell of the field with `x = 4*i + c` and `y = 4*j + r`. All of these are
counted from 0.
""",
    "retry": """\

The tile service is not reliable: when it is asked for a tile for the first time, it answers with
status 503. The gateway must try again, and its own clients must not notice anything.
""",
    "scale": """\

The numbers in the tiles are scaled. `python3 @calibration` serves the scales on port @second of
127.0.0.1. `GET /column/<i>` returns `{"gain": g, "offset": o}`, which applies to all tiles
`(i, ...)`. There, a number v in a tile stands for the value `g * v + o` of the cell. The gateway
computes all its results from these values.
""",
    "gateway": """\

The gateway listens on port @port of 127.0.0.1 and speaks HTTP/1.1 with JSON bodies
(`Content-Type: application/json`). The start script can return or stay in the foreground.

- `GET /box?x0=&x1=&y0=&y1=` returns status 200 and
  `{"count": n, "sum": ..., "min": ..., "max": ...}` for the cells with `x0 <= x < x1` and
  `y0 <= y < y1`.
""",
    "gaps": """\
- A cell can also be `null`. Such a cell is not counted. If no cell of the box is counted, `sum` is
  0, and `min` and `max` are `null`.
""",
    "errors": """\
- `GET /box` returns status 400 and `{"error": "invalid"}` if one of the four parameters is missing
  or is not a whole number, if the box has no cells, or if it is not completely inside the field.
""",
    "sound": """\
- Every request for a box has all four parameters. They are whole numbers, and the box has at least
  one cell and is completely inside the field.
""",
    "profile": """\
- `GET /profile?y=` returns status 200 and `{"values": [...]}`: the cells of the field with this y,
  from x = 0 on, with `null` for each cell that is not counted. Every request for a profile has a y
  inside the field.
""",
    "other": """\
- Any other path returns status 404 and `{"error": "not found"}`.
""",
}
"""The pieces of the contract, in their order."""
UPSTREAM = program_text(__package__, "upstream.py")
GATEWAY = program_text(__package__, "gateway.py")


def contract(parts: Sequence[str]) -> str:
    """Return the contract with the optional parts that were drawn."""
    named = {"tiles", "gateway", "other", *parts, *(() if "errors" in parts else ("sound",))}
    return "".join(text for name, text in CONTRACT.items() if name in named)
