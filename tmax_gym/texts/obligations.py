"""Obligations: what the instruction of a task must say, one plain sentence each.

A family states its obligations in `say`.  Joined, their sentences are the *plain* text of a task,
which is good enough to be used as it is; an author writes a better one from the same obligations
(`texts.store`), and `texts.checks` compares it with them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Role = Literal["situation", "goal", "input", "rule", "format", "output", "limit", "grading"]
"""What a sentence is for: the situation (what happened, optional for a reader), the goal (what is
wanted), an input (what is there), a rule, the format of an output, an output (what is to be made),
a limit (what must stay as it is) and how the result will be checked."""

_FENCED = re.compile(r"```\w*\n(.*?)\n?```", re.S)
_QUOTED = re.compile(r"`([^`\n]+)`")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w]|[.,]\d)")


@dataclass(frozen=True, slots=True)
class Obligation:
    """One thing that the text of a task must say.

    Everything between backticks (and every line of a fenced block) is a *literal*: it must appear
    in each text exactly as it is.  Numbers outside backticks must appear too, as digits or as a
    word ("seven").
    """

    id: str
    """Unique within a stage; `compose` prefixes the stage, as in "s0.tie"."""
    sentence: str
    """One complete, unambiguous statement in plain English; two sentences if one is too long."""
    role: Role = "rule"
    keys: tuple[str, ...] = ()
    """Words of which any one shows that a text covers this.  Needed only if the sentence has
    neither literals nor numbers of its own."""

    @property
    def literals(self) -> tuple[str, ...]:
        """Return what must appear verbatim, in order.

        >>> Obligation("a", "Write `/app/x.csv` with the header `a,b`.", "output").literals
        ('/app/x.csv', 'a,b')
        """
        blocks = [line for block in _FENCED.findall(self.sentence) for line in block.split("\n")]
        quoted = _QUOTED.findall(_FENCED.sub("", self.sentence))
        return tuple(dict.fromkeys([*quoted, *(line for line in blocks if line.strip())]))

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the numbers that are not in literals.

        >>> Obligation("a", "A run has 12 to 400 samples of `x1`.").numbers
        ('12', '400')
        """
        prose = _QUOTED.sub(" ", _FENCED.sub(" ", self.sentence))
        return tuple(dict.fromkeys(_NUMBER.findall(prose)))
