"""Contract and reference service of the contract-api family."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CONTRACT = {
    "head": """\
# Contract: `/@resource`

The service listens on port @port of 127.0.0.1 and speaks HTTP/1.1 with JSON bodies
(`Content-Type: application/json`). The collection is empty at first.

An item has an `id` (1, 2, 3 and so on, in the order of creation; an id is never used twice), a
`code` (a non-empty string that no other item of the collection has) and an `amount` (an integer of
at least 0).

- `POST /@resource` with `{"code": ..., "amount": ...}` creates an item. It returns status 201 and
  the item, an object with `id`, `code` and `amount`. If the body is not JSON or not an object, if a
  field is missing or has the wrong type (`1.0` is not an integer), or if the code is empty or the
  amount is negative, it returns status 400 and `{"error": "invalid"}`. Other fields are ignored. If
  the code is already in use, it returns status 409 and `{"error": "duplicate"}`.
- `GET /@resource/<id>` returns status 200 and the item. If there is no such item, it returns status
  404 and `{"error": "not found"}`. An id has no leading zeros: `/@resource/01` is not item 1.
- `GET` and `POST` return the same 404 for any path other than `/@resource` and `/@resource/<id>`,
  and so does `POST /@resource/<id>`.
""",
    "pages": """\
- `GET /@resource?limit=<n>&after=<id>` returns status 200 and `{"items": [...], "next": ...}`.
  `items` has the first n items (20 without `limit`) with an id above `after` (0 without it), in
  ascending order of their ids. `next` is the id of the last item on the page if more items follow
  it, and `null` otherwise. Clients only send integers, of at least 1 for `limit` and of at least 0
  for `after`.
""",
    "removal": """\
- `DELETE /@resource/<id>` removes an item and returns status 204 without a body. If there is no
  such item, or for any other path, it returns the 404 above. The id is not used again, but the code
  can be.
""",
    "token": """\
- `POST` and `DELETE` need the header `X-Token` with the content of `@token_path`, without its
  newline. A request without the right token changes nothing and gets status 401 and
  `{"error": "unauthorized"}`. This is checked before anything else.
""",
    "store": """\
- The collection must survive a restart of the service, no matter how the service was stopped. Each
  change is saved before the request is answered.
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
