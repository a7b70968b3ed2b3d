"""Puts lead-ins before sentences: "Note that", "As Ines Brandt puts it,".

A lead-in changes no fact.  A sentence that begins with a value never gets one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Role, expand
from tmax_gym.texts.grammar import OPEN
from tmax_gym.texts.layout import Said

TELLING = (
    "{note|mind|remember|bear in mind|keep in mind|be aware} that",
    "{to be clear|for clarity|to be precise|for the record|in case it matters},",
    "{as {person2} puts it|as {person2} explained|as {first} will confirm|as everyone at {place} "
    "knows},",
    "according to {{person2}|{org}|the people at {place}},",
    "{as agreed with|on the advice of} {{org}|{person2}},",
    "{person2} {points out|insists|says|confirms|assures us|has settled} that",
    "{place} {assumes|expects|relies on it} that",
    "{important|one point|a detail|one caveat}:",
    "{here|in this case|this time|for this job},",
    "{the|our} {agreement|understanding} {with {person2}|at {place}} is that",
    "{we|people at {place}} {agreed|decided|take it} that",
)
"""Lead-ins of statements."""
ASKING = (
    "please",
    "{for {person2}|on behalf of {place}|for {org}}, {please|}",
    "{as {person2} asked|as agreed with {person2}|as is usual at {place}|as {org} prefers},",
    "{important|one request|one thing}:",
    "{for the sake of {person2}|to please {person2}|with {place} in mind},",
    "{here|this time|in this job}, {please|}",
)
"""Lead-ins of requests."""
_STATEMENT = re.compile(
    r"(?:The|A|An|All|Any|Each|Every|No|Only|If|Where|Whenever|Whatever|Whoever|Two|Three|Four|Some|"
    r"Several|Lines?|Rows?|Fields?|Files?|Names?|Values?|Times?|Dates?|Records?|Numbers?|Columns?) "
)
_REQUEST = re.compile(
    r"(?:Write|Keep|Use|Put|Leave|Drop|Skip|Give|Treat|Count|Sort|Take|Do|Make|Ignore|Omit|Add|"
    r"Remove|Delete|Replace|Round|Store|Save|Print|Report|List|Name|Rename|Read|Build|Set|Apply|"
    r"Merge|Order|Compare|Restore|Move|Copy|Repair|Fix|Find|Create|Return|Answer|Reject|Accept|"
    r"Strip|Convert|Start|Stop|Check|Compute|Calculate|Work|Go|Let|Try|Don't|Disregard|Deliver|"
    r"Implement|Provide|Mark|Mask|Split|Join|Group|Label|Number|Recover|Extract|Collect) "
)
_LED: tuple[Role, ...] = ("rule", "format", "constraint", "input", "output")
_LABEL = re.compile(r"[^.;]{0,80}:")
"""A sentence that probably has no verb: "Columns: a, b"."""
_BACK = re.compile(r"(?:The same|The (?:rest|others?)|Any other|All other|Every other|No other) ")


def led(
    sentences: Sequence[Said], rng: Rng, words: Mapping[str, str], *, share: float
) -> list[Said]:
    """Return sentences with a lead-in before about `share` of those that can have one.

    No two neighbours have one.
    """
    out: list[Said] = []
    last = False
    for index, one in enumerate(sentences):
        stream = rng.fork(index)
        options = _options(one)
        last = bool(options) and not last and stream.chance(share)
        out.append(_with(one, stream.choice(options), stream, words) if last else one)
    return out


def _options(one: Said) -> tuple[str, ...]:
    if one.role not in _LED or one.text.startswith(OPEN) or _BACK.match(one.text):
        return ()
    if _REQUEST.match(one.text):
        return ASKING
    plain = _STATEMENT.match(one.text) and "\n" not in one.text and not _LABEL.match(one.text)
    return () if not plain else TELLING[:2] if one.role == "input" else TELLING


def _with(one: Said, template: str, rng: Rng, words: Mapping[str, str]) -> Said:
    lead = " ".join(expand(template, rng, {}, words=words).split())
    joined = f"{lead[0].upper()}{lead[1:]} {one.text[0].lower()}{one.text[1:]}"
    return replace(one, text=joined)
