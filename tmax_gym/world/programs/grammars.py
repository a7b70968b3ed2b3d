"""Draw random but meaningful programs from six grammars, each with five depths.

Covers checksums, cipher streams, automata and tokenizers (`grammars_text`), rate limiters and
fixed-point filters (`grammars_records`).  Every depth adds one feature.  Every program is
simplified and has passed the check of `probes`.  Every program can be described in plain words:
there are no trees of random operators.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from tmax_gym.rng import Rng
from tmax_gym.world.programs import grammars_records, grammars_text
from tmax_gym.world.programs.probes import fault
from tmax_gym.world.programs.program import Program
from tmax_gym.world.programs.simplify import simplify

GRAMMARS: Mapping[str, Callable[[Rng, int], Program]] = {
    "automaton": grammars_text.automaton,
    "checksum": grammars_text.checksum,
    "cipher": grammars_text.cipher,
    "filter": grammars_records.fixed_filter,
    "limiter": grammars_records.limiter,
    "tokenizer": grammars_text.tokenizer,
}
# Of 600 draws (6 kinds, 5 depths, 20 keys) 585 passed at once and none took more than 5
# attempts; 40 is a bug in a grammar.
_ATTEMPTS = 40


def draw(rng: Rng, depth: int, kind: str | None = None) -> Program:
    """Return a program of this depth (1 to 5), of a random kind unless one is given.

    The result depends only on the key of `rng`; no number is drawn from it.
    """
    if not 1 <= depth <= 5:
        raise ValueError(f"depth {depth} is not one of 1 to 5")
    if kind is not None and kind not in GRAMMARS:
        raise ValueError(f"no grammar {kind!r}; there are {sorted(GRAMMARS)}")
    return _drawn(rng.key, depth, kind or rng.fork("kind").choice(sorted(GRAMMARS)))


@functools.lru_cache(maxsize=256)
def _drawn(key: tuple[str | int, ...], depth: int, kind: str) -> Program:
    """Return the program of `draw`, cached because several parts of a family need it."""
    rng, reason = Rng(*key), ""
    for attempt in range(_ATTEMPTS):
        program = simplify(GRAMMARS[kind](rng.fork("attempt", attempt), depth))
        reason = fault(program, rng.fork("probe", attempt))
        if not reason:
            return program
    raise ValueError(f"{kind} at depth {depth}: {_ATTEMPTS} attempts failed, the last: {reason}")
