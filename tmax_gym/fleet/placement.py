"""Which node gets a work: equal environments go to the same node as long as it has room.

Rendezvous hashing: every pair of environment and node has a score, and the node with the highest
score is preferred.  If a node comes or goes, only the environments that it wins or had move.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def score(environment: str, node: str) -> int:
    """Return the score of a node for an environment; the same in every process."""
    text = f"{environment}\0{node}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def preferred(environment: str, nodes: Iterable[str]) -> str | None:
    """Return the node with the highest score; None if there is none."""
    return max(nodes, key=lambda node: (score(environment, node), node), default=None)
