"""Contract, reference service and directory service of the keyset-api family."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CONTRACT = {
    "head": """\
# `GET /@things`

The service listens on port @port of 127.0.0.1 and speaks HTTP/1.1 with JSON bodies
(`Content-Type: application/json`). It answers from the table `@things` of `@database`, which it
only reads.

- The answer has status 200 and the body `{"items": [...], "next": ..., "total": ...}`.
- `items` has at most `limit` rows, or at most 10 if the request has no `limit`. Each row is an
  object with `id`, `place` and `amount`. The row with the largest amount comes first, and of rows
  with the same amount, the one with the lowest id.
- `next` is `"<amount>-<id>"` of the last item if there are more rows after it, and `null`
  otherwise. If a request has this value as `after`, its page begins with the next row in this
  order, even if the row itself no longer exists.
- `total` is the number of all rows that match, no matter which page is asked for.
""",
    "state": """\
- With `state=<s>`, only rows in this state match. Several states can be given, with commas between
  them.
""",
    "range": """\
- With `min=<n>`, only rows with an amount of at least n match, and with `max=<n>`, only rows with
  an amount of at most n.
""",
    "errors": """\
- The answer is status 400 and `{"error": "invalid"}` if `limit` is not a whole number from 1 to
  100, if `min` or `max` is not a whole number, or if `after` is not an amount and an id.
""",
    "sound": """\
- All requests are valid: `limit` is a whole number from 1 to 100, and `after` is a value that
  `next` can have.@bounds
""",
    "insert": """\
- `POST /@things` with `{"place": ..., "state": ..., "amount": ...}` adds a row whose id is the
  largest id so far plus 1, and answers with status 201 and `{"id": ...}`. The row is only kept in
  memory, and the database stays as it is. Later pages show the row in its right place. Nobody
  sends any other body.
""",
    "label": """\
- Every item also has a `label`, which is what the directory service says about its place.
  `python3 @directory` starts this service. It listens on port @other of 127.0.0.1 and answers
  `GET /places/<place>` with `{"label": ...}` or with status 404. In the second case, `label` is
  `null`. Your start script must also start the directory service.
""",
    "other": """\
- Any other path gets status 404 and `{"error": "not found"}`.
""",
}
DIRECTORY = program_text(__package__, "directory.py")
SERVER = program_text(__package__, "server.py")
