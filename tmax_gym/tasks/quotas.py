"""Quotas: how many tasks of the catalogue each family has.

Covers the division of 14,600 tasks: every domain has the same number, to one, and so has every
family of a domain that is not named here.  Does not cover which tasks those are: `planner.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tmax_gym import families
from tmax_gym.axes import DOMAINS

TOTAL = 14_600
"""Tasks of the whole catalogue; every domain has a ninth of them."""
NAMED: Mapping[str, int] = {
    **{
        "dag-runner": 40,
        "form-batch": 256,
        "passage-board": 65,
        "quality-gate": 145,
        "resample": 55,
        "reversible-mask": 320,
        "rollup-drift": 50,
        "schema-etl": 185,
        "step-change": 320,
        "template-mill": 60,
        "tone-telemetry": 45,
    },
    **{
        "bill-of-materials": 120,
        "business-questions": 320,
        "hidden-predicate": 205,
        "keyset-api": 150,
        "ranked-search": 209,
        "tone-poll": 149,
        "triple-patterns": 320,
    },
    **{
        "chart-reader": 83,
        "frozen-model": 258,
        "intake-gate": 263,
        "nearest-shelf": 190,
        "regime-shift": 57,
        "scoring-service": 122,
        "seeded-bootstrap": 197,
        "subword": 320,
    },
    **{
        "audio-dropouts": 53,
        "compiler-said": 320,
        "cross-service-trail": 252,
        "drifting-sums": 80,
        "dump-desk": 45,
        "edge-parser": 187,
        "frame-order": 62,
        "seeded-fault": 112,
        "shrink-it": 92,
        "will-not-start": 277,
    },
    **{
        "backup-bug": 49,
        "bulk-rename": 59,
        "carve": 159,
        "drop-folder": 259,
        "hardlink-dedup": 214,
        "log-stitcher": 185,
        "matryoshka": 58,
        "reel-cut": 203,
        "unknown-packer": 298,
    },
    **{
        "affine-align": 60,
        "beat-note": 286,
        "grid-archive": 55,
        "posterior-desk": 280,
        "sign-error": 80,
        "stencil": 320,
        "tile-gateway": 195,
        "tracer-video": 95,
        "unit-police": 55,
    },
    **{
        "breach-timeline": 46,
        "edge-filter": 216,
        "hardening-baseline": 60,
        "pii-redactor": 320,
        "serial-keygen": 280,
        "token-auditor": 165,
        "traversal-guard": 325,
        "trust-chain": 65,
        "weak-cipher": 55,
    },
    **{
        "build-rescue": 165,
        "clone-blackbox": 307,
        "contract-api": 52,
        "odd-grammar": 260,
        "port-module": 87,
        "release-notes": 46,
        "shard-balance": 46,
        "tiny-vm": 211,
        "unsound-service": 92,
        "wire-frames": 260,
    },
    **{
        "bad-gateway": 246,
        "calendar-math": 45,
        "closed-agent": 120,
        "converge": 215,
        "log-keeper": 80,
        "package-mend": 175,
        "push-policy": 85,
        "rule-set": 285,
        "space-crisis": 295,
    },
}
"""Tasks of the families that do not have an even share of what is left of their domain.

Found by a search over moves between families of a domain: skills, languages, verifiers and fixtures
as balanced as the catalogue is to be, with the families as even as that allows, none below 40 or
above 325.  What is rare (a compiled language, a rare skill) has many, what is common has few."""


def quotas(most: int | None = None) -> dict[str, int]:
    """Return how many tasks each family has in the catalogue, or in a part of it.

    Args:
        most: Tasks a family, on average over all; None is the whole catalogue.
    """
    found = families.slugs()
    total = TOTAL if most is None else min(TOTAL, most * len(found))
    by_domain = {d: [s for s in found if families.family(s).domain == d] for d in DOMAINS}
    held = [domain for domain in DOMAINS if by_domain[domain]]
    shares = dict(zip(held, _apportioned(total, len(held)), strict=True))
    divided = (_divided(shares[d], by_domain[d], whole=total == TOTAL) for d in held)
    return {slug: count for own in divided for slug, count in own.items()}


def _divided(share: int, slugs: Sequence[str], *, whole: bool) -> dict[str, int]:
    """Return how many tasks of a domain each of its families has; in a part, none has more."""
    even = share // len(slugs)
    named = {s: NAMED[s] if whole else min(NAMED[s], even) for s in slugs if s in NAMED}
    if len(named) == len(slugs):
        named = {}
    rest = [slug for slug in slugs if slug not in named]
    shares = _apportioned(share - sum(named.values()), len(rest))
    return {**named, **dict(zip(rest, shares, strict=True))}


def _apportioned(total: int, parts: int) -> list[int]:
    return [total // parts + (index < total % parts) for index in range(parts)]
