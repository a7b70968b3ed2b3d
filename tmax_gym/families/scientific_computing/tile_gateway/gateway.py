"""Contract, upstream services, reference gateway and words of the tile-gateway family."""

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
GOAL = (
    "The {measure} field {lies|is kept} in tiles behind {several|small} services. {contract} "
    "{describes|specifies} a gateway for statistics {of|over} boxes; {write|build} it.",
    "{Write|Implement} the gateway {of|in} {contract}: it {collects|gathers} tiles of {measure} "
    "and {answers|replies} for any box.",
    "{Nobody|No one} wants to {fetch|stitch} tiles of {measure} by hand. {Build|Make} what "
    "{contract} {describes|asks for}.",
    "{contract} is {ours|ready} to be {implemented|built}: box {figures|statistics} of "
    "{measure}, {computed|put together} from a tile service.",
    "{Modellers|Our modellers} {ask|call} for {measure} {by|per} box, the archive "
    "{speaks|knows} tiles. {Bridge|Close} the gap {as|the way} {contract} {says|has it}.",
    "{We|The group} need the {aggregation|box} service of {contract} {in front of|before} the "
    "{measure} tiles; {please write|implement} it.",
)
START = (
    "{start} {has to|must} start the gateway and the services {behind it|it needs}, as an "
    "unprivileged user.",
    "{One|A single} script, {start}, {brings up|starts} {all of it|gateway and services} "
    "without root rights.",
    "For {an ordinary|any} user, {start} {leaves|gets} the whole stack {up|running}.",
    "The stack {comes up|starts}, gateway included, {by|through} {start}, {run|called} without "
    "{root rights|privileges}.",
    "{Everything starts|All services start} from {start}, {under|by} an unprivileged "
    "{account|user}.",
    "{Put|Write} {start}: whoever {runs|calls} it, {not|never} root, {has|gets} gateway and "
    "services.",
)
KEEP = (
    "{Services|The services} and {data|their data} in {home} {stay|remain} as they are.",
    "{Leave|Keep} what is in {home} {unchanged|untouched}.",
    "{Nothing|No file} below {home} may {change|be edited}.",
    "{home} is {run|looked after} by {another|a different} group: {change|touch} nothing in it.",
    "{Just use|Only call} what {lies|is} in {home}; {editing|changing} it {is out|is not allowed}.",
    "The {programs|files} of {home} are {given|fixed}, {not|never} to be edited.",
)
