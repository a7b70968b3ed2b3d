"""Contract, upstream services and reference gateway of the tile-gateway family."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

SIDE = 4
"""Cells of a tile's side."""
CONTRACT = {
    "head": """\
# Box statistics

The field is cut into tiles of 4 x 4 cells. `python3 @tiles` serves them on port @source of
127.0.0.1: `GET /tile/<i>/<j>` answers `{"cells": [[...], ...]}`, four rows of four whole numbers;
the cell in row r and column c of tile (i, j) is the cell x = 4*i + c, y = 4*j + r of the field,
which is @wide cells wide and @high high.

The gateway listens on port @port of 127.0.0.1, HTTP/1.1, JSON bodies
(`Content-Type: application/json`).

- `GET /box?x0=&x1=&y0=&y1=`: the cells with x0 <= x < x1 and y0 <= y < y1. Status 200 and
  `{"count": n, "sum": ..., "min": ..., "max": ...}`.
- Any other path: status 404 and `{"error": "not found"}`.
""",
    "gaps": """\
- A cell may be `null`: it is not counted. Where no cell counts, `sum` is 0 and `min` and `max`
  are `null`.
""",
    "retry": """\
- The tile service is not steady: it refuses a tile with status 503 the first time that it is
  asked for it. The gateway tries again; its own clients never see that.
""",
    "scale": """\
- `python3 @calibration` serves the scales on port @second: `GET /column/<i>` answers
  `{"gain": g, "offset": o}` for the tiles (i, ...). Every value v means g * v + o; all figures of
  the gateway are of such values.
""",
    "errors": """\
- Status 400 and `{"error": "invalid"}` where one of the four is missing or not a whole number,
  where the box is empty, and where it reaches beyond the field.
""",
    "profile": """\
- `GET /profile?y=`: status 200 and `{"values": [...]}`, the line y of the field from x = 0 on,
  `null` for a cell that is not counted.
""",
}
UPSTREAM = program_text(__package__, "upstream.py")
GATEWAY = program_text(__package__, "gateway.py")
