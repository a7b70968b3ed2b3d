"""Quotas: the number of tasks of each family in the catalogue.

Every domain has the same share of 14,600 tasks, give or take one.  In a domain, the families that
are not named here have equal shares of the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tmax_gym import families
from tmax_gym.axes import DOMAINS

TOTAL = 14_600
"""Tasks of the whole catalogue; every domain has a ninth of them."""
NAMED: Mapping[str, int] = {
    # data_processing
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
    # data_querying
    "bill-of-materials": 120,
    "business-questions": 320,
    "hidden-predicate": 205,
    "keyset-api": 150,
    "ranked-search": 209,
    "tone-poll": 149,
    "triple-patterns": 320,
    # data_science
    "chart-reader": 83,
    "frozen-model": 258,
    "intake-gate": 263,
    "nearest-shelf": 190,
    "regime-shift": 57,
    "scoring-service": 122,
    "seeded-bootstrap": 197,
    "subword": 320,
    # debugging
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
    # file_operations
    "backup-bug": 49,
    "bulk-rename": 59,
    "carve": 159,
    "drop-folder": 259,
    "hardlink-dedup": 214,
    "log-stitcher": 185,
    "matryoshka": 58,
    "reel-cut": 203,
    "unknown-packer": 298,
    # scientific_computing
    "affine-align": 60,
    "beat-note": 286,
    "grid-archive": 55,
    "posterior-desk": 280,
    "sign-error": 80,
    "stencil": 320,
    "tile-gateway": 195,
    "tracer-video": 95,
    "unit-police": 55,
    # security
    "breach-timeline": 46,
    "edge-filter": 216,
    "hardening-baseline": 60,
    "pii-redactor": 320,
    "serial-keygen": 280,
    "token-auditor": 165,
    "traversal-guard": 325,
    "trust-chain": 65,
    "weak-cipher": 55,
    # software_engineering
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
    # system_administration
    "bad-gateway": 246,
    "calendar-math": 45,
    "closed-agent": 120,
    "converge": 215,
    "log-keeper": 80,
    "package-mend": 175,
    "push-policy": 85,
    "rule-set": 285,
    "space-crisis": 295,
}
"""Tasks of the families without an equal share.

A search that moved tasks between the families of a domain has chosen these numbers.  They balance
skills, languages, verifiers and fixtures, and keep every family between 40 and 325.  Families with
something rare (a compiled language, a rare skill) have many tasks, common ones few."""


def quotas(most: int | None = None) -> dict[str, int]:
    """Return the number of tasks of each family in the catalogue, or in a part of it.

    A part has `most` tasks for each family on average.
    """
    slugs = families.slugs()
    total = TOTAL if most is None else min(TOTAL, most * len(slugs))
    by_domain = {d: [s for s in slugs if families.family(s).domain == d] for d in DOMAINS}
    held = [domain for domain in DOMAINS if by_domain[domain]]
    shares = dict(zip(held, _apportioned(total, len(held)), strict=True))
    divided = (_divided(shares[d], by_domain[d], whole=total == TOTAL) for d in held)
    return {slug: count for own in divided for slug, count in own.items()}


def _divided(share: int, slugs: Sequence[str], *, whole: bool) -> dict[str, int]:
    """Return the number of tasks of each family of a domain, at most the equal share in a part."""
    even = share // len(slugs)
    named = {s: NAMED[s] if whole else min(NAMED[s], even) for s in slugs if s in NAMED}
    if len(named) == len(slugs):
        named = {}
    rest = [slug for slug in slugs if slug not in named]
    shares = _apportioned(share - sum(named.values()), len(rest))
    return {**named, **dict(zip(rest, shares, strict=True))}


def _apportioned(total: int, parts: int) -> list[int]:
    return [total // parts + (index < total % parts) for index in range(parts)]
