"""The flaws of the token library, tokens that show them, and tokens that are sound.

The library itself is `programs/tokens.py`: real code, handed to the agent as text.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng

Keys = dict[str, dict[str, Any]]
TOOL = program_text(__package__, "tool.py")


@dataclass(frozen=True, slots=True)
class Flaw:
    """One line that accepts too much."""

    right: str
    """The line as it should be, without its indent; it occurs once."""
    wrong: str
    kind: str
    """The kind of forged token that it accepts."""


FLAWS = (
    Flaw('if not re.fullmatch("[A-Za-z0-9_-]+", part):', "if not part:", "dirty"),
    Flaw('if header.get("alg") != "HS256":', 'if header.get("alg") not in ("HS256", "none"):',
         "none"),
    Flaw('if key is None or key["revoked"]:', "if key is None:", "revoked"),
    Flaw('if header["alg"] == "HS256" and not hmac.compare_digest(raw[2], wanted):',
         'if header["alg"] == "HS256" and not wanted.startswith(raw[2]):', "short"),
    Flaw('expiry = claims.get("exp", 0)', 'expiry = claims.get("exp", now + 1)', "endless"),
    Flaw("if now >= expiry:", "if now >= expiry + 3600:", "late"),
    Flaw('if claims.get("nbf", 0) > now:', 'if claims.get("nbf", 0) > now + 86400:', "early"),
    Flaw("if audience not in ([named] if isinstance(named, str) else named):",
         "if audience not in named:", "part"),
)  # fmt: skip


@cache
def source(flaws: tuple[Flaw, ...] = ()) -> str:
    """Return the library with these flaws in it."""
    text = program_text(__package__, "tokens.py")
    for flaw in flaws:
        if text.count(f" {flaw.right}\n") != 1:
            raise ValueError(f"{flaw.right!r} is not one line of the token library")
        text = text.replace(f" {flaw.right}\n", f" {flaw.wrong}\n")
    return text


@cache
def _verify(flaws: tuple[Flaw, ...]) -> Callable[..., str]:
    namespace: dict[str, Any] = {"__name__": "tokens"}
    exec(compile(source(flaws), "tokens.py", "exec"), namespace)  # our own module
    verify: Callable[..., str] = namespace["verify"]
    return verify


def verdict(line: str, keys: Keys, flaws: tuple[Flaw, ...] = ()) -> str:
    """Return the output of the tool for a line, with these flaws in the library."""
    now, audience, token = line.split()
    return _verify(flaws)(token, keys, now=int(now), audience=audience)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _signed(header: dict[str, object], claims: dict[str, object], secret: str) -> str:
    head = f"{_encoded(json.dumps(header).encode())}.{_encoded(json.dumps(claims).encode())}"
    return f"{head}.{_encoded(hmac.new(secret.encode(), head.encode(), hashlib.sha256).digest())}"


def line(rng: Rng, keys: Keys, *, names: tuple[str, ...], kind: str) -> str:
    """Return a line for the tool with a token of this kind; "sound" is one to accept."""
    now = 1_700_000_000 + rng.integer(0, 40_000_000)
    live = [k for k in sorted(keys) if not keys[k]["revoked"]]
    dead = [k for k in sorted(keys) if keys[k]["revoked"]]
    kid, audience = rng.choice(dead if kind == "revoked" else live), rng.choice(names)
    header: dict[str, object] = {"alg": "HS256", "kid": kid}
    claims: dict[str, object] = {"sub": f"u{rng.integer(10, 99999)}", "aud": audience}
    if rng.chance(0.5) and kind != "part":
        claims["aud"] = sorted({audience, rng.choice(names)})
    if kind != "endless":
        claims["exp"] = now + rng.choice((1, 60, 7200))
    if rng.chance(0.4):
        claims["nbf"] = now - rng.choice((0, 5, 900))
    if kind == "late":
        claims["exp"] = now - rng.choice((0, 1, 1800, 3599))
    elif kind == "early":
        claims["nbf"] = now + rng.choice((1, 30, 86_400))
    elif kind == "part":
        claims["aud"] = rng.choice((f"{audience}-admin", f"pre-{audience}", f"{audience}s"))
    elif kind == "none":
        header["alg"] = "none"
    token = _signed(header, claims, str(keys[kid]["secret"]))
    return f"{now} {audience} {_spoilt(token, rng, kind)}"


def _spoilt(token: str, rng: Rng, kind: str) -> str:
    """Return a token, with a tampered signature if its kind needs one."""
    head, _, seal = token.rpartition(".")
    if kind == "dirty":
        at = rng.integer(4, len(seal) - 4)
        return f"{head}.{seal[:at]}{rng.choice(('!!!!', '~~~~', '*,*!'))}{seal[at:]}"
    if kind == "none":
        return f"{head}.{rng.choice(('AAAA', 'AA', seal))}"
    if kind == "short":
        return f"{head}.{seal[: rng.choice((4, 8, 16, 20))]}"
    if kind == "forged":
        other = "A" if seal[5] != "A" else "B"
        return f"{head}.{seal[:5]}{other}{seal[6:]}"
    if kind == "form":
        return rng.choice((head, f"{token}.x", token.replace(".", ":")))
    return token
