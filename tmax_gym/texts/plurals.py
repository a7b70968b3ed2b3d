"""English plurals of the nouns in skins: regular ones and a list of exceptions."""

from __future__ import annotations

import re

PLURALS = {
    "axis": "axes",
    "child": "children",
    "foot": "feet",
    "half": "halves",
    "index": "indexes",
    "knife": "knives",
    "leaf": "leaves",
    "loaf": "loaves",
    "man": "men",
    "mouse": "mice",
    "person": "people",
    "quiz": "quizzes",
    "shelf": "shelves",
    "tooth": "teeth",
    "wife": "wives",
    "wolf": "wolves",
    "woman": "women",
}
UNCOUNTED = frozenset({"aircraft", "fish", "sheep", "series", "species", "staff", "trout"})


def plural(noun: str) -> str:
    """Return the plural of a noun phrase, whose last word is the noun.

    >>> plural("survey entry"), plural("branch"), plural("tray"), plural("loaf")
    ('survey entries', 'branches', 'trays', 'loaves')
    """
    head, space, last = noun.rpartition(" ")
    low = last.lower()
    if low in UNCOUNTED:
        return noun
    if low in PLURALS:
        return head + space + last[0] + PLURALS[low][1:]
    if re.search(r"[^aeiou]y\Z", low):
        return noun[:-1] + "ies"
    if re.search(r"(?:s|x|z|ch|sh)\Z", low):
        return noun + "es"
    return noun + "s"
