"""Learns from an endpoint's errors which parameters its model refuses.

A refused parameter is left out, renamed or lowered from then on, in every trial of a run.  `tools`
is never left out: a model that needs tools would only fail without them.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

INSTEAD = {"max_tokens": "max_completion_tokens"}
"""New names of parameters that newer models of OpenAI refuse."""
OPTIONAL = ("stream_options", "max_completion_tokens", "max_tokens", "temperature", "top_p",
            "seed", "stream")  # fmt: skip
"""Parameters that can be left out."""
SYSTEM = "system messages"
"""Stands in a `Change` for the system role, which some chat templates do not have."""
_REFUSED = re.compile(
    r"unsupported|not support|n.t support|unrecogni[sz]ed|unknown|unexpected|extra|not permitted|"
    r"not allowed|n.t allowed|forbidden|invalid|deprecated|only the default|cannot both|"
    r"cannot be|can.t be|not available|additional|not accept|n.t accept|not valid|does not match|"
    r"too (?:large|high|big)|at most|less than or equal|must be|should be|"
    r"not (?:implemented|enabled|compatible|defined|recogni[sz]ed)|incompatible|no such",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"(?:role|'system'|\"system\"|system).{0,60}(?:not support|n.t support|unsupported)|"
    r"(?:not support|n.t support|unsupported).{0,60}(?:role|messages?).{0,20}system|"
    r"(?:not support|n.t support|unsupported).{0,60}system.{0,20}(?:role|messages?)",
    re.IGNORECASE | re.DOTALL,
)
_STREAM = re.compile(
    r"['\"`]stream['\"`]|stream(?:ing)?\b.{0,30}(?:not|n.t|un)[ -]?(?:support|allow|avail|enabl)|"
    r"(?:not|n.t) support stream",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"(?:at most|less than or equal to|maximum (?:value|of)\D{0,20}|no more than|<=|"
    r"up to|range of max_tokens is \[\s*\d+\s*,)\s*(\d{2,7})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Change:
    """A parameter that is sent differently from now on."""

    parameter: str
    most: int | None = None
    """Its largest value; None if it is not sent at all."""


def refused(error: object, text: str, *, sent: Mapping[str, Any]) -> Change | None:
    """Return the parameter that a "bad request" refuses, or None if it refuses something else."""
    has_system = any(row.get("role") == "system" for row in sent.get("messages") or ())
    if has_system and _ROLE.search(text):
        return Change(SYSTEM)
    if not _REFUSED.search(text):
        return None
    name = _named(error, text, sent)
    if name in ("max_tokens", "max_completion_tokens") and "both" not in text.lower():
        most = _MOST.search(text)
        if most and 0 < int(most[1]) < int(sent[name]):
            return Change(name, int(most[1]))
    return Change(name) if name else None


def _named(error: object, text: str, sent: Mapping[str, Any]) -> str:
    """Return the parameter that the error's own field names, or else its text."""
    possible = [name for name in OPTIONAL if name in sent]
    given = str(error.get("param") or "") if isinstance(error, Mapping) else ""
    if (last := given.rpartition(".")[2]) in possible:
        return last
    if re.split(r"\W", given)[0] in sent:
        return ""  # about the messages, the tools or the model
    places = {
        name: match.start()
        for name in possible
        if (match := re.search(rf"(?<![\w.]){name}(?!\w)", text))
        and (name != "stream" or _STREAM.search(text))
    }
    if not places:
        return "stream" if "stream" in possible and _STREAM.search(text) else ""
    last_one = "both" in text.lower()  # "temperature and top_p cannot both be given"
    return (max if last_one else min)(places, key=lambda name: places[name])


@dataclass(slots=True)
class Learnt:
    """What is known about a model's endpoint; shared by the trials of a run."""

    changes: dict[str, Change] = field(default_factory=dict)
    silence: float = 0.0
    """The longest silence in a reply that was completed."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def learn(self, change: Change) -> bool:
        """Remember a change; return whether it is new."""
        with self.lock:
            known = self.changes.get(change.parameter)
            self.changes[change.parameter] = change
            return known != change

    def waited(self, seconds: float) -> None:
        """Remember the longest silence of a reply."""
        with self.lock:
            self.silence = max(self.silence, seconds)

    def applied(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request with all changes made."""
        with self.lock:
            changes = dict(self.changes)
        sent = dict(body)
        for name in OPTIONAL:
            _apply(sent, changes.get(name))
        if "max_tokens" in changes and changes["max_tokens"].most is None:
            # The new name can be refused as well.
            _apply(sent, changes.get("max_completion_tokens"))
        if "stream" not in sent:
            sent.pop("stream_options", None)
        if SYSTEM in changes:
            sent["messages"] = [
                {**row, "role": "user"} if row["role"] == "system" else row
                for row in sent["messages"]
            ]
        return sent


def _apply(body: dict[str, Any], change: Change | None) -> None:
    if change is None or change.parameter not in body:
        return
    if change.most is not None:
        body[change.parameter] = min(body[change.parameter], change.most)
        return
    value = body.pop(change.parameter)
    if other := INSTEAD.get(change.parameter):
        body[other] = value
