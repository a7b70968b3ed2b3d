"""A writer of TOML for tables of texts, numbers, flags, lists and tables.

Covers what `tomllib` reads back to an equal value; absent values are left out.  Does not cover
comments, nor dates.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def dumps(table: Mapping[str, object]) -> str:
    """Return a table as TOML; keys stay in their order, plain values before tables.

    >>> print(dumps({"b": {"c": [1.5]}, "a": True, "d": None, "e": [{"f": "g"}]}), end="")
    a = true
    <BLANKLINE>
    [b]
    c = [1.5]
    <BLANKLINE>
    [[e]]
    f = "g"
    """
    return "\n".join(_lines(table, ())).lstrip("\n") + "\n"


def _lines(table: Mapping[str, object], path: tuple[str, ...]) -> list[str]:
    lines, below = [], []
    for key, value in table.items():
        if value is None:
            continue
        inner = (*path, key)
        if isinstance(value, Mapping):
            below += ["", f"[{_dotted(inner)}]", *_lines(value, inner)]
        elif _is_tables(value):
            for item in value if isinstance(value, list | tuple) else ():
                below += ["", f"[[{_dotted(inner)}]]", *_lines(item, inner)]
        else:
            lines.append(f"{_key(key)} = {_value(value)}")
    return lines + below


def _is_tables(value: object) -> bool:
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(item, Mapping) for item in value)
    )


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(_key(part) for part in path)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value if item is not None)}]"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items() if v is not None)
        return f"{{{inside}}}"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _text(text: str) -> str:
    # TOML's escapes are JSON's, but for DEL and for characters beyond the BMP as surrogates.
    quoted = json.dumps(text, ensure_ascii=False)
    return _CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", quoted)
