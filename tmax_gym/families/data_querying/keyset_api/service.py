"""Contract, reference service and directory service of the keyset-api family."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CONTRACT = {
    "head": """\
# `GET /@things`

Listens on 127.0.0.1, port @port; HTTP/1.1, JSON bodies (`Content-Type: application/json`).
Answers from the table `@things` of `@database`, which it only reads.

- Status 200 and `{"items": [...], "next": ..., "total": ...}`.
- `items`: rows as objects with `id`, `place` and `amount`, largest amount first, the lower id
  first where amounts are equal; at most `limit` of them (10 without it).
- `next`: `"<amount>-<id>"` of the last item where more rows follow, else `null`. Given back as
  `after`, the page begins behind that row, whether or not it is still there.
- `total`: how many rows match, on whatever page.
- Any other path: status 404 and `{"error": "not found"}`.
""",
    "state": """\
- `state=<s>` keeps rows in that state; several may be given, apart by commas.
""",
    "range": """\
- `min=<n>` and `max=<n>` keep rows with an amount of at least, at most n.
""",
    "errors": """\
- Status 400 and `{"error": "invalid"}` where `limit` is not a whole number from 1 to 100, where
  `min` or `max` is no whole number, and where `after` is not an amount and an id.
""",
    "insert": """\
- `POST /@things` with `{"place": ..., "state": ..., "amount": ...}` adds a row in memory under
  the next free id: status 201 and `{"id": ...}`. Later pages show it where it belongs. The
  database stays as it is.
""",
    "label": """\
- Every item also has `label`: what the directory service says of its place. `@directory` is that
  service: `python3 @directory` listens on port @other of 127.0.0.1 and answers
  `GET /places/<place>` with `{"label": ...}`, or 404, for which `label` is `null`. Your start
  script starts it, too.
""",
}
DIRECTORY = program_text(__package__, "directory.py")
SERVER = program_text(__package__, "server.py")
