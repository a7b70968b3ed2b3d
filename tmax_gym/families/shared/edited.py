"""Files that an earlier stage edits in place: their copies, their state at the end, what changed.

Checks read the files as the agent left them.  Whether they are repaired well is judged by the
stage that asks for the repair, and not here.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from tmax_gym.checks.check import BadOutput, Evidence
from tmax_gym.families.products import Edits
from tmax_gym.nodes import Node

MOST_BYTES = 1 << 20
"""Largest size of an edited file."""


def copies(edits: Edits, folder: str) -> tuple[Node, ...]:
    """Return the original files below a folder of the world."""
    return tuple(Node(f"{folder}/{path}", data=body) for path, body in sorted(edits.before.items()))


def standing(evidence: Evidence, edits: Edits) -> dict[str, bytes]:
    """Return the content of all files at the end.  Raises `BadOutput` if one is absent."""
    nodes = {node.path: node for node in evidence.tree(edits.root)}
    now = {}
    for path in edits.before:
        whole = f"{edits.root}/{path}"
        node = nodes.get(whole)
        body = node.data if node is not None and node.kind == "file" else None
        now[path] = evidence.read(whole, limit=MOST_BYTES) if body is None else body
        if len(now[path]) > MOST_BYTES:
            raise BadOutput(f"{whole} has more than {MOST_BYTES} bytes")
    return now


def changed(evidence: Evidence, edits: Edits) -> dict[str, bytes]:
    """Return the files that were edited, as they are now, in byte order of their paths.

    Raises:
        BadOutput: Nothing was edited, or a file is absent.
    """
    now = standing(evidence, edits)
    edited = {path: now[path] for path in in_order(edits) if now[path] != edits.before[path]}
    if not edited:
        raise BadOutput(f"nothing in {edits.root} was edited")
    return edited


def in_order(edits: Edits) -> tuple[str, ...]:
    """Return the paths of all files in byte order."""
    return tuple(sorted(edits.before, key=str.encode))


def words(paths: Sequence[str]) -> str:
    """Return paths as words of a shell command."""
    return " ".join(map(shlex.quote, paths))
