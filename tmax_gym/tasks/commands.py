"""Counts the commands of a reference solution, from which the label `complexity` follows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tmax_gym.axes import Complexity

LEAST: Mapping[Complexity, int] = MappingProxyType(
    {"short": 0, "moderate": 6, "complex": 15, "intricate": 30}
)
"""Fewest commands of a solution for each label."""
_NO_COMMAND = frozenset(("done", "fi", "esac", "}", ")", "then"))


def complexity(count: int) -> Complexity:
    """Return the label of a solution with so many commands.

    >>> complexity(5), complexity(6), complexity(29), complexity(30)
    ('short', 'moderate', 'complex', 'intricate')
    """
    return [label for label, least in LEAST.items() if count >= least][-1]


def count_commands(commands: Sequence[str]) -> int:
    """Return the number of simple commands in a solution, without here-documents."""
    total = 0
    for command in commands:
        code = re.sub(r"<<'(\w+)'(.*?)\n.*?\n\1(\n|$)", r"\2\n", command, flags=re.S)
        code = re.sub(r"'[^']*'|\"[^\"]*\"", "Q", code)
        parts = re.split(r"\|\||&&|[|;&\n]", re.sub(r"[<>]&|&>|>\|", "", code))
        words = [p.strip() for p in parts]
        total += sum(bool(w) and w not in _NO_COMMAND for w in words)
    return total
