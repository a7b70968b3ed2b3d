"""Contract and reference service of the contract-api family."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CONTRACT = {
    "head": """\
# Contract: `/@resource`

The service listens on 127.0.0.1, port @port, and speaks HTTP/1.1 with JSON bodies
(`Content-Type: application/json`). It begins with an empty collection.

An item has an `id` (1, 2, 3, ... in order of creation, never used twice), a `code` (a
non-empty string, unique in the collection) and an `amount` (a whole number, at least 0).

- `POST /@resource` with `{"code": ..., "amount": ...}` creates an item: status 201 and the
  item as an object with `id`, `code` and `amount`. A body that is not such an object (not JSON,
  a field absent or of the wrong type, an empty code, a negative amount): status 400 and
  `{"error": "invalid"}`. A code that is in use: status 409 and `{"error": "duplicate"}`.
- `GET /@resource/<id>`: status 200 and the item; where there is none, status 404 and
  `{"error": "not found"}`. Any other path gets the same 404.
""",
    "pages": """\
- `GET /@resource?limit=<n>&after=<id>`: status 200 and `{"items": [...], "next": ...}`: up to
  n items (20 without `limit`) with an id above `after` (0 without it), by ascending id. `next`
  is the id of the last item of the page where more follow, else `null`.
""",
    "removal": """\
- `DELETE /@resource/<id>`: status 204 without a body; where there is none, the 404 above. The
  id stays used; the code becomes free.
""",
    "token": """\
- `POST` and `DELETE` need the header `X-Token` with the content of `@token_path` (without its
  newline); otherwise nothing happens but status 401 and `{"error": "unauthorized"}`. This is
  checked before anything else.
""",
    "store": """\
- The collection survives a restart of the service, however it was stopped. Each change is kept
  before it is answered.
""",
}
START = """\
#!/bin/bash
exec python3 @service
"""
_SERVER = program_text(__package__, "server.py")


def server(*, resource: str, port: int, token_path: str, store_path: str) -> str:
    """Return the reference service for one contract."""
    return (
        _SERVER.replace("@resource", resource)
        .replace("@port", str(port))
        .replace("@token_path", token_path)
        .replace("@store_path", store_path)
    )
