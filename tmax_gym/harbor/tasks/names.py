r"""Names of tasks: whatever a directory is called, as text that files, terminals and ids take.

A character that is not allowed at some place is spelt `_xHHHH_`, with its code point in
hexadecimal, as spreadsheets spell it (ECMA-376, `ST_Xstring`); an underscore that could be read
as the beginning of such a spelling is spelt so itself.  Different names have different spellings:
`unspelt` gives the name back, also of bytes that are not UTF-8, which Python holds as surrogates.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_SPELT = re.compile(r"_x([0-9A-F]{4,5}|10[0-9A-F]{4})_")
_ID = re.compile(r"[\w.-]")
_SPACE = re.compile(r"[\w-]")
"""What Gymnasium takes in an id, and before its slash; it reads a colon as a module's end."""


def shown_name(name: str) -> str:
    r"""Return a name as runs and reports show it: every printable character stays.

    >>> shown_name("größe 2"), shown_name("two\nlines")
    ('größe 2', 'two_x000A_lines')
    """
    return _spelt(name, lambda c: c == " " or c.isprintable())


def gym_id(space: str, name: str) -> str:
    """Return the Gymnasium id of a task.

    >>> gym_id("set", "größe"), gym_id("my.set", "group/two words")
    ('set/größe', 'my_x002E_set/group_x002F_two_x0020_words')
    """
    before = _spelt(space, lambda c: bool(_SPACE.fullmatch(c)))
    return f"{before}/{_spelt(name, lambda c: bool(_ID.fullmatch(c)))}"


def unspelt(text: str) -> str:
    """Return the name of a spelling.

    >>> unspelt("group_x002F_two_x0020_words")
    'group/two words'
    """
    return _SPELT.sub(lambda m: chr(int(m[1], 16)), text)


def _spelt(name: str, allowed: Callable[[str], bool]) -> str:
    plain = "".join(c if allowed(c) else _code(c) for c in name)
    if unspelt(plain) == name:
        return plain
    # The name itself looks as if something in it were spelt.
    return "".join(
        c if allowed(c) and name[i : i + 2] != "_x" else _code(c) for i, c in enumerate(name)
    )


def _code(character: str) -> str:
    return f"_x{ord(character):04X}_"
