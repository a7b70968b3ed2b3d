"""Contract, reference service and directory service of the keyset-api family."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CONTRACT = {
    "head": """\
# `GET /@things`

The service listens on port @port of 127.0.0.1 and speaks HTTP/1.1 with JSON bodies
(`Content-Type: application/json`). It serves the table `@things` of the database `@database` and
never changes the database.

- The response has status 200 and the body `{"items": [...], "next": ..., "total": ...}`.
- `items` is one page of rows: at most as many as the query parameter `limit` says, or at most 10
  without it. Each row is an object with `id`, `place` and `amount` (not `state`). Rows are sorted
  by amount, largest first, and rows with the same amount by id, lowest first.
- `next` is the string `"<amount>-<id>"` of the last item if more rows follow it, and `null`
  otherwise. If a request has this string as its query parameter `after`, the page starts with the
  row that comes next in this order, even if there is no longer a row with this amount and id.
- `total` is the number of rows on all pages together, no matter which page is requested.
""",
    "state": """\
- With `state=<s>`, only rows in this state are returned and counted in `total`. Several states can
  be given, separated by commas.
""",
    "range": """\
- With `min=<n>`, only rows with an amount of at least n are returned and counted, and with
  `max=<n>`, only rows with an amount of at most n. All filters of a request apply together.
""",
    "errors": """\
- The response is status 400 and `{"error": "invalid"}` if `limit` is not an integer from 1 to 100,
  if `min` or `max` is not an integer, or if `after` does not consist of two integers in the form
  `<amount>-<id>`.
""",
    "sound": """\
- All requests are valid: `limit` is an integer from 1 to 100, and `after` has the form
  `<amount>-<id>`.@bounds
""",
    "insert": """\
- `POST /@things` with `{"place": ..., "state": ..., "amount": ...}` adds a row whose id is the
  largest id so far plus 1, and returns status 201 and `{"id": ...}`. The row is kept only in
  memory, and the database stays unchanged. Later responses include the row, at its place in the
  order. The body of a `POST` request is always valid.
""",
    "label": """\
- Every item also has a `label`, which comes from the directory service. Your start script must
  also start this service, with `python3 @directory`. It listens on port @other of 127.0.0.1 and
  answers `GET /places/<place>` with `{"label": ...}`, or with status 404 if it does not know the
  place. In that case, `label` is `null`.
""",
    "other": """\
- Any other path returns status 404 and `{"error": "not found"}`.
""",
}
DIRECTORY = program_text(__package__, "directory.py")
SERVER = program_text(__package__, "server.py")
