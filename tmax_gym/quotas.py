"""Quotas: how many tasks of the catalogue each family has.

Covers the division of 14,600 tasks: every domain has the same number, to one, and so has every
family of a domain that is not named here.  Does not cover which tasks those are: `planner.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tmax_gym import families
from tmax_gym.spec import DOMAINS

TOTAL = 14_600
"""Tasks of the whole catalogue; every domain has a ninth of them."""
_FEW = 15
"""Tasks of a family that is there for a rare primitive skill, which counts from so many on."""
NAMED: Mapping[str, int] = {
    **dict.fromkeys(
        (
            *("affine-align", "compiler-said", "dag-runner", "drifting-sums", "nearest-shelf"),
            *("odd-grammar", "pii-redactor", "posterior-desk", "reversible-mask", "stencil"),
            *("step-change", "subword", "template-mill", "triple-patterns", "wire-frames"),
        ),
        _FEW,
    ),
    # Rare skills and languages have more, and what is common beside them in a domain has less.
    **{"build-rescue": 225, "mutant-hunter": 77, "release-notes": 146, "unsound-service": 62},
    **{"converge": 155, "log-keeper": 75, "push-policy": 145, "space-crisis": 255},
    **{"blink-codes": 76, "calendar-math": 125, "closed-agent": 145, "package-mend": 195},
    **{"dump-desk": 105, "edge-parser": 107},
    **{"hardening-baseline": 35, "trust-chain": 45, "weak-cipher": 175},
    **{"backup-bug": 89, "log-stitcher": 105},
}
"""Tasks of the families that do not have an even share of what is left of their domain."""


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
