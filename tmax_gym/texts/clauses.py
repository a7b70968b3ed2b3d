"""Sentences from templates: `expand` expands one, and `sentence` makes sentences of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tmax_gym.rng import Rng
from tmax_gym.texts import grammar
from tmax_gym.texts.grammar import CLOSE, OPEN, strip
from tmax_gym.texts.variants import varied

_WORD = re.compile(r"[a-z][a-z'’-]*(?=[\s,;:]|[.!?](?:\s|\Z)|\Z)")
_SPACES = re.compile(f"{OPEN}[^{CLOSE}]*{CLOSE}|(?<=\\S)(?: +(?=[,.;:](?: |\\Z))| {{2,}})")
_TURN = re.compile(f"[{OPEN}{CLOSE}]|[.!?](?=[ \n])")
_OPENING = re.compile("[^\\s\"'(*]")
_ANY = re.compile("(?s).")
_NEAR = 9
"""Characters before a full stop that show whether it ends an abbreviation."""
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|no|cf|st|dr|mr|ms|mrs)\.\Z", re.I)


def expand(
    template: str,
    rng: Rng | None,
    slots: Mapping[str, str],
    *,
    words: Mapping[str, str] | None = None,
    marked: bool = False,
    vary: bool = False,
) -> str:
    """Return one expansion of `template`.

    Args:
        template: Text in the grammar of `texts.grammar`.
        rng: Decides every choice with one draw; None takes the first options.
        slots: Literal values of slots, which are never expanded.
        words: More slots, whose values are plain words that a sentence may capitalise.
        marked: Keep marks around the values of `slots`, for `sentence`.
        vary: Also make the substitutions of `texts.variants`.

    Raises:
        ValueError: The template is malformed or names a slot that has no value.
    """
    given = dict(words or {})
    given.update((name, OPEN + value + CLOSE) for name, value in slots.items())
    parts = varied(template) if vary else grammar.parse(template)
    done = grammar.render(parts, given, pick=lambda n: rng.integer(0, n - 1) if rng else 0)
    return done if marked else strip(done)


def sentence(marked: str, *, stop: str = ".") -> str:
    """Return a marked expansion as sentences: capitals and a final stop, values untouched.

    A sentence may begin with a value (a path, a column), which keeps its case.
    """
    raw = marked.strip()
    text = _SPACES.sub(lambda m: m[0] if m[0].startswith(OPEN) else _gap(raw, m.end()), raw)
    out: list[str] = []
    start, depth, at = True, 0, 0
    while at < len(text):
        # Only marks, full stops and beginnings of sentences matter; the rest stays as it is.
        turn = (_TURN if not start else _ANY if depth else _OPENING).search(text, at)
        if not turn:
            break
        out.append(text[at : turn.start()])
        at, char = turn.end(), turn[0]
        if char in (OPEN, CLOSE):
            depth += 1 if char == OPEN else -1
            start = start and char == OPEN
        elif depth:
            start = False
        elif char in ".!?" and text[at : at + 1] in (" ", "\n"):
            start = not ABBREVIATION.search(text[max(0, at - _NEAR) : at])
        elif start:
            char = char.upper() if _WORD.match(text, turn.start()) else char
            start = False
        out.append(char)
    out.append(text[at:])
    done = "".join(out)
    last = strip(done).rpartition("\n")[2]
    finished = last.startswith(("    ", "```")) or done.endswith((".", "!", "?", ":", "…"))
    if not finished:
        done += stop
    return done


def _gap(text: str, at: int) -> str:
    """Return the space that an empty option leaves: none before punctuation."""
    return "" if text[at : at + 1] in tuple(",.;:") else " "
