"""Programs and interface of the drop-folder family.

Covers the catalogue service that is there, the reference service (a frame and one file for each
rule) and the sentences of the interface.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    "50_put": "`PUT /<name>` stores the body as the file of that name and returns 201. The file"
    " goes into the folder that the catalogue gives for the suffix of the name, which is the part"
    " after its last `.`. You can choose the directory that holds these folders.",
    "60_get": "`GET /<name>` returns 200 with the stored bytes, or 404 if nothing is stored under"
    " that name.",
    "10_name": "A `PUT` of a name that contains another `/` or begins with `.` returns 400.",
    "20_kind": "A `PUT` of a name whose suffix the catalogue does not know returns 415.",
    "30_size": "A `PUT` of more bytes than the catalogue allows for the suffix returns 413.",
    "40_twice": "A `PUT` of a name that is already stored returns 409 and changes nothing.",
    "70_delete": "`DELETE /<name>` removes the file and returns 204, or 404 if nothing is stored"
    " under that name.",
    "80_list": "`GET /` returns 200 and a JSON object that maps each folder to the sorted list of"
    " the names stored in it. Folders without files are left out.",
}
ABSENT = {
    "30_size": "The size limits of the catalogue are not enforced.",
    "40_twice": "No client stores the same name twice.",
    "10_name": "No client uses a name that contains another `/` or begins with `.`.",
}
"""What holds instead if a rule was not drawn."""
REFUSALS = {"10_name", "20_kind", "30_size", "40_twice"}


def described(parts: Sequence[str]) -> str:
    """Return the interface with these rules, and what replaces the others."""
    order = ""
    if len(REFUSALS & set(parts)) > 1:
        order = " If several of the refusals below apply to a `PUT`, the first one decides."
    rules = [RULES[part] for part in ("50_put", "60_get", *parts)]
    rules += [sentence for part, sentence in ABSENT.items() if part not in parts]
    rules += [
        "Every name has a suffix.",
        "The start script can return or stay in the foreground.",
    ]
    listed = "".join(f"- {rule}\n" for rule in rules)
    return f"# Drop service\n\nHTTP, with one request per connection.{order}\n\n{listed}"
