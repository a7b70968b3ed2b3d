"""Wraps the paragraphs of a document that lies in a world, such as a method or a policy."""

from __future__ import annotations

import re
from textwrap import wrap

WIDTH = 96
_CODE, _JOINED = re.compile("`[^`]*`"), "\0"
"""Code that no line break may split, and the stand-in for its blanks."""
_ITEM = re.compile(r"(?:[-*]|\d+[.)]) ")


def flowed(document: str) -> str:
    r"""Return a Markdown document with the lines of paragraphs and list items of an even length.

    Headings, indented blocks and fenced blocks stay as they are.

    >>> print(flowed("# Title\n\none\ntwo\n\n- three\n  four"), end="")
    # Title
    <BLANKLINE>
    one two
    <BLANKLINE>
    - three four
    """
    return "\n\n".join(map(_block, re.split(r"\n{2,}", document.strip("\n")))) + "\n"


def _block(block: str) -> str:
    if block.startswith(("#", " ", "```", "|")):
        return block
    items: list[list[str]] = [[]]
    for line in block.split("\n"):
        if _ITEM.match(line) and items[-1]:
            items.append([])
        items[-1].append(line.strip())
    return "\n".join(_filled(" ".join(lines)) for lines in items)


def _filled(text: str) -> str:
    item = _ITEM.match(text)
    indent = " " * len(item[0]) if item else ""
    kept = _CODE.sub(lambda code: code[0].replace(" ", _JOINED), text)
    lines = wrap(kept, WIDTH, break_on_hyphens=False, subsequent_indent=indent)
    return "\n".join(lines).replace(_JOINED, " ")
