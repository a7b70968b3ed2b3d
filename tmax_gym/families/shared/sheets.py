"""Method sheets: rules as sentences under headings, a file that a task's program must follow.

Covers the choice of a wording for each rule, and the layout.  Does not cover the rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap

from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import expand, sentence
from tmax_gym.texts.grammar import strip

Frames = tuple[str, ...]
Section = tuple[str, Sequence[Frames]]
"""A heading and its rules, each in several wordings."""
WIDTH = 96
STYLES = (("## {}", "- {}"), ("{}", "  {}"), ("[{}]", "* {}"), ("== {} ==", "{}"))
"""How a sheet writes its headings and its rules."""
_CODE, _JOINED = re.compile("`[^`]*`"), "\0"
"""Code that no line break may split, and the stand-in for its blanks."""


def sheet(sections: Sequence[Section], known: Mapping[str, str], rng: Rng) -> str:
    """Return a sheet in one of many wordings; `known` has the value of every slot."""
    heading, rule = rng.choice(STYLES)
    blank = " " * rule.index("{")
    parts = []
    for name, rules in sections:
        lines = [heading.format(name)]
        for frames in rules:
            text = strip(sentence(expand(rng.choice(frames), rng, known, marked=True, vary=True)))
            kept = _CODE.sub(lambda code: code[0].replace(" ", _JOINED), text)
            first, *more = wrap(kept, WIDTH, break_on_hyphens=False)
            lines += [rule.format(first), *(blank + line for line in more)]
        parts.append("\n".join(lines).replace(_JOINED, " ") + "\n")
    return "\n".join(parts)
