"""Signed access tokens.

A token is three parts joined by dots: a header, claims, and a signature.  Each part is base64url
without padding; header and claims are JSON objects.  `verify` is the one way to trust a token.
"""

import base64
import hashlib
import hmac
import json
import re
from typing import Any


def decoded(part: str) -> bytes | None:
    """Return the bytes of a part; None where it holds anything but base64url characters."""
    if not re.fullmatch("[A-Za-z0-9_-]+", part):
        return None
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        return None


def objects(parts: list[bytes]) -> list[dict[str, Any]] | None:
    """Return the JSON objects of parts; None where one of them is anything else."""
    try:
        found = [json.loads(part) for part in parts]
    except ValueError:
        return None
    return found if all(isinstance(one, dict) for one in found) else None


def signature(secret: str, message: str) -> bytes:
    """Return the whole HMAC-SHA256 of a message."""
    return hmac.new(secret.encode(), message.encode(), hashlib.sha256).digest()


def verify(token: str, keys: dict[str, dict[str, Any]], *, now: int, audience: str) -> str:
    """Return "accept", or "reject" and why; the first reason of this list counts.

    form: not three parts, a part that is no base64url, header or claims no JSON object.
    algorithm: the header's `alg` is anything but HS256.
    key: the header's `kid` is unknown, or its key is revoked.
    signature: the third part is not the whole HMAC of the first two and their dot.
    expired: there is no `exp`, or it is no whole number, or `now` has reached it.
    early: there is an `nbf`, and `now` has not reached it.
    audience: `audience` is neither the `aud` (a string) nor in it (a list of strings).
    """
    parts = token.split(".")
    raw = [found for part in parts if (found := decoded(part)) is not None]
    if len(parts) != 3 or len(raw) != 3:
        return "reject form"
    pair = objects(raw[:2])
    if pair is None:
        return "reject form"
    header, claims = pair
    if header.get("alg") != "HS256":
        return "reject algorithm"
    key = keys.get(str(header.get("kid")))
    if key is None or key["revoked"]:
        return "reject key"
    wanted = signature(key["secret"], f"{parts[0]}.{parts[1]}")
    if header["alg"] == "HS256" and not hmac.compare_digest(raw[2], wanted):
        return "reject signature"
    expiry = claims.get("exp", 0)
    if not isinstance(expiry, int) or isinstance(expiry, bool):
        return "reject expired"
    if now >= expiry:
        return "reject expired"
    if claims.get("nbf", 0) > now:
        return "reject early"
    named = claims.get("aud", [])
    if audience not in ([named] if isinstance(named, str) else named):
        return "reject audience"
    return "accept"
