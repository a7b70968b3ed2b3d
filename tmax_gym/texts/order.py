"""Orders the clauses of a stage: by role, and shuffled within a role.

A clause that points back ("Then", "They", "Everything else") always follows the clause before it:
both move as one block.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause, Role

ORDERS: tuple[tuple[Role, ...], ...] = (
    ("context", "goal", "input", "rule", "format", "output", "constraint"),
    ("context", "input", "goal", "rule", "format", "output", "constraint"),
    ("context", "goal", "input", "output", "format", "rule", "constraint"),
    ("context", "goal", "input", "constraint", "rule", "format", "output"),
    ("context", "goal", "input", "format", "constraint", "output", "rule"),
    ("context", "input", "rule", "goal", "format", "output", "constraint"),
)
"""Goal first, situation first, output early, constraints early, format early, steps first."""
_TIED = ORDERS[:5:2]
"""The orders for texts whose rules refer to clauses before them."""
_LEANING: tuple[Role, ...] = ("input", "rule", "format", "output", "constraint")
_DEICTIC = re.compile(r"\b(?:below|above|following|next|then|that|those|this|these)\b", re.I)
_BACK = re.compile(
    r"\A(?:\{(?:[^{}]*\|)?)?"
    r"(?:it|its|they|their|them|this|these|those|that|such|then|next|after that|afterwards|"
    r"otherwise|else|likewise|similarly|also|again|finally|lastly|both|neither|either|let neither|"
    r"the same|the rest|in addition|besides|instead|even so|"
    r"(?:the|any|all|every|no|each|some)?(?: |\b)(?:other|others|latter|former|remaining)|another|"
    r"a second|the second|in (?:that|this) case|and|but|so|or)\b(?! of)|"
    r"\b(?:too|as well|likewise|in turn)(?=[.,;}|]|\Z)|"
    r"\A.{0,12}\b(?:everything|anything|nothing|all|any|every|each|no) (?:else|other)\b|"
    r"\b(?:the (?:previous|preceding)|(?:these|those) (?:two|three|four|five|fields|columns|rows|"
    r"lines|files|rules|records|names|keys|values)|this (?:rule|list|table|line|file))\b",
    re.I,
)
_STEPS = re.compile(
    r"\brules? (?:are |is |be )?(?:applied |apply |taken |tried )?in (?:this|that|the given|order)|"
    r"\bin (?:turn|the order given|the order of this list)\b|\bfirst (?:rule|match)|"
    r"\b(?:step|rule) (?:1|one|2|two)\b|\btop to bottom\b",
    re.I,
)


@lru_cache(maxsize=1 << 17)
def _has(pattern: re.Pattern[str], template: str) -> bool:
    return pattern.search(template) is not None


def points_back(template: str) -> bool:
    """Return whether some expansion may refer to the clause before it.

    >>> points_back("They are sorted by size."), points_back("Sort {file} by size.")
    (True, False)
    """
    return _has(_BACK, template)


def ordered(stage: Sequence[Clause], rng: Rng) -> list[Clause]:
    """Return the clauses of a stage by role, in one of `ORDERS`, shuffled within a role.

    Rules come before the goal only if neither refers to its neighbours; if the first clause of a
    role points back, nothing comes before the goal.
    """
    own = {role: [c for c in stage if c.role == role] for role in ORDERS[0]}
    leaning = any(_tied(own[role][0]) for role in _LEANING if own[role])
    crucial = [*own["goal"], *own["rule"], *own["input"]]
    bound = any(_has(_DEICTIC, frame) for c in crucial for frame in c.templates)
    offered = ORDERS[:1] if leaning else _TIED if bound else ORDERS
    shuffled: list[Clause] = []
    for role in rng.fork("order").choice(offered):
        runs = blocks(own[role])
        if len(runs) > 1 and not any(_has(_STEPS, t) for c in own[role] for t in c.templates):
            first = [runs.pop(0)] if _tied(runs[0][0]) else []
            runs = [*first, *rng.fork("shuffle", role).shuffled(runs)]
        shuffled += [clause for run in runs for clause in run]
    return shuffled


def blocks(clauses: Sequence[Clause]) -> list[list[Clause]]:
    """Return the runs of clauses that must stay together, in their order."""
    runs: list[list[Clause]] = []
    for clause in clauses:
        if runs and _tied(clause):
            runs[-1].append(clause)
        else:
            runs.append([clause])
    return runs


def _tied(clause: Clause) -> bool:
    return clause.fixed or any(points_back(t) for t in clause.templates)
