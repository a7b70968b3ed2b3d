"""Programs and interface of the drop-folder family.

Covers the catalogue service that is there, the reference service (a frame and one file for each
rule) and the sentences of the interface.
"""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_sections, program_text

CATALOG = program_text(__package__, "catalog.py")
FRAME = program_text(__package__, "service.py")
PARTS = program_sections(__package__, "parts.py")
START = """\
#!/bin/bash
cd "$(dirname "$0")"
python3 -S -E catalog/catalog.py &
until (exec 3<> /dev/tcp/127.0.0.1/@catalog) 2> /dev/null; do sleep 0.02; done
exec python3 -S -E drop.py
"""
RULES = {
    "50_put": "`PUT /<name>` stores the body as the file of that name, below the folder that the"
    " catalogue gives for its suffix, and answers 201.",
    "60_get": "`GET /<name>` answers 200 with the stored bytes, or 404 where nothing is stored.",
    "10_name": "A `PUT` of a name that contains a further `/` or begins with `.` is answered 400.",
    "20_kind": "A `PUT` whose suffix (what follows the last `.`) the catalogue does not know is"
    " answered 415.",
    "30_size": "A `PUT` of more bytes than the catalogue allows for the suffix is answered 413.",
    "40_twice": "A `PUT` of a name that is stored already is answered 409 and changes nothing.",
    "70_delete": "`DELETE /<name>` removes the file and answers 204; where nothing is stored, 404.",
    "80_list": "`GET /` answers 200 and a JSON object: folder to sorted list of the names stored"
    " there; folders without a file are left out.",
}
