"""Programs and interface of the drop-folder family.

Covers the catalogue service that is there, the reference service (a frame and one file a rule)
and the sentences of the interface.
"""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CATALOG = program_text(__package__, "catalog.py")
FRAME = program_text(__package__, "service.py")
PARTS = {
    "50_put": """\
def put(name, body):
    for refuse in refusals:
        status = refuse(name, body)
        if status:
            return status, b""
    path = place(name)
    os.makedirs(os.path.dirname(path) or "/tmp", exist_ok=True)
    with open(path + ".part", "wb") as file:
        file.write(body)
    os.replace(path + ".part", path)
    return 201, b""
methods["PUT"] = put
""",
    "60_get": """\
def get(name, body):
    if not name and "list" in globals().get("extra", ()):
        return listing()
    path = safe(name) and place(name)
    if not path or not os.path.isfile(path):
        return 404, b""
    return 200, open(path, "rb").read()
methods["GET"] = get
""",
    "10_name": "refusals.append(lambda name, body: 0 if safe(name) else 400)\n",
    "20_kind": "refusals.append(lambda name, body: 0 if where(name) else 415)\n",
    "30_size": "refusals.append(lambda name, body: 413 if len(body) > where(name)[1] else 0)\n",
    "40_twice": "refusals.append(lambda name, body: 409 if os.path.exists(place(name)) else 0)\n",
    "70_delete": """\
def delete(name, body):
    if get(name, b"")[0] != 200:
        return 404, b""
    os.remove(place(name))
    return 204, b""
methods["DELETE"] = delete
""",
    "80_list": """\
extra = ("list",)
def listing():
    found = {}
    for folder in sorted(os.listdir(STORE) if os.path.isdir(STORE) else ()):
        names = sorted(n for n in os.listdir(f"{STORE}/{folder}") if not n.endswith(".part"))
        if names:
            found[folder] = names
    return 200, json.dumps(found).encode()
""",
}
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
