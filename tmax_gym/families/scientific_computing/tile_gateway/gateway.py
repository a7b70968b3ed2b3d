"""Contract, upstream services and reference gateway of the tile-gateway family."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

SIDE = 4
"""Cells of a tile's side."""
CONTRACT = {
    "head": """\
# Box statistics

The field is @wide cells wide and @high cells high, and it is cut into tiles of 4 x 4 cells.
`python3 @tiles` serves the tiles on port @source of 127.0.0.1. `GET /tile/<i>/<j>` gets
`{"cells": [[...], ...]}`, which has four rows of four whole numbers. The cell in row r and column c
of the tile (i, j) is the cell with x = 4*i + c and y = 4*j + r of the field.

The gateway listens on port @port of 127.0.0.1 and speaks HTTP/1.1 with JSON bodies
(`Content-Type: application/json`). The start script can return or stay in the foreground.

- `GET /box?x0=&x1=&y0=&y1=` gets status 200 and
  `{"count": n, "sum": ..., "min": ..., "max": ...}` for the cells with x0 <= x < x1 and
  y0 <= y < y1.
""",
    "gaps": """\
- A cell can be `null`. Such a cell is not counted. If no cell of the box is counted, `sum` is 0,
  and `min` and `max` are `null`.
""",
    "retry": """\
- The tile service is not reliable: when it is asked for a tile for the first time, it answers with
  status 503. The gateway must try again, and its own clients must not notice anything.
""",
    "scale": """\
- `python3 @calibration` serves the scales on port @second. `GET /column/<i>` gets
  `{"gain": g, "offset": o}`, which is for the tiles (i, ...). A value v of a cell means g * v + o,
  and all results of the gateway are computed from these numbers.
""",
    "errors": """\
- The answer is status 400 and `{"error": "invalid"}` if one of the four parameters is missing or is
  not a whole number, if the box is empty, or if it is not completely inside the field.
""",
    "sound": """\
- Every request for a box has all four parameters. They are whole numbers, and the box has at least
  one cell and is completely inside the field.
""",
    "profile": """\
- `GET /profile?y=` gets status 200 and `{"values": [...]}`. This is the line y of the field from
  x = 0 on, with `null` for a cell that is not counted. Only lines of the field are asked for.
""",
    "other": """\
- Any other path gets status 404 and `{"error": "not found"}`.
""",
}
UPSTREAM = program_text(__package__, "upstream.py")
GATEWAY = program_text(__package__, "gateway.py")
