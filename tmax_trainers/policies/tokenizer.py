"""A word-level tokenizer that splits unknown words into bytes, so that they can be copied.

`decode(encode(text)) == text` for every string.  Frequent words, constants like `LC_ALL`, and runs
of punctuation with the space before them are one token; digits are always single; everything else
is UTF-8 bytes.  A single space between two known words is implied and needs no token.
Special tokens in a text are not recognised: they are added by id only, so that no text can forge a
turn.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence

SPECIALS = ("<pad>", "<|im_start|>", "<|im_end|>", "<think>")
"""Default special tokens, those of ChatML; their ids are their indexes, and 0 is padding."""

_PIECE = re.compile(
    r"[A-Z]+(?:_[A-Z]+)+|[A-Za-z]+|\n|\r|\t| ?[!-/:-@\[-`{-~]+| +|[0-9]|.", re.DOTALL
)
_BYTES = 256


class WordTokenizer:
    """Text to ids and back.

    Ids: specials first, then the 256 bytes, then the learned pieces.

    >>> tokenizer = WordTokenizer(["cat", "notes"])
    >>> ids = tokenizer.encode("cat notes qz 7")
    >>> len(ids), tokenizer.decode(ids)
    (7, 'cat notes qz 7')
    """

    def __init__(self, pieces: Sequence[str], specials: Sequence[str] = SPECIALS) -> None:
        for piece in pieces:
            if len(piece) < 2 or not _PIECE.fullmatch(piece):
                raise ValueError(f"{piece!r} is not one word or one run of two or more characters")
        if len(set(pieces)) != len(pieces) or len(set(specials)) != len(specials):
            raise ValueError("pieces and specials must not repeat")
        self.specials = tuple(specials)
        self.pieces = tuple(pieces)
        self._offset = len(specials)
        self._ids = {p: self._offset + _BYTES + i for i, p in enumerate(pieces)}
        self._words = frozenset(i for p, i in self._ids.items() if p.isalpha())

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        *,
        max_pieces: int = 2048,
        min_count: int = 2,
        specials: Sequence[str] = SPECIALS,
    ) -> WordTokenizer:
        """Return the tokenizer of the most frequent pieces, for equal counts the first ones."""
        counts = Counter(p for text in texts for p in _PIECE.findall(text) if len(p) > 1)
        known = [p for p, n in counts.items() if n >= min_count]
        known.sort(key=lambda p: (-counts[p], p))
        return cls(sorted(known[:max_pieces]), specials)

    def __len__(self) -> int:
        return self._offset + _BYTES + len(self.pieces)

    def special(self, name: str) -> int:
        """Return the id of a special token."""
        return self.specials.index(name)

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`; never a special token."""
        out: list[int] = []
        pieces = _PIECE.findall(text)
        for place, piece in enumerate(pieces):
            implied = (
                piece == " "
                and 0 < place < len(pieces) - 1
                and self._ids.get(pieces[place - 1]) in self._words
                and self._ids.get(pieces[place + 1]) in self._words
            )
            if implied:
                continue
            known = self._ids.get(piece)
            if known is not None:
                out.append(known)
            else:
                out.extend(self._offset + b for b in piece.encode("utf-8", "surrogatepass"))
        return out

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of any ids, without special tokens; invalid UTF-8 is replaced."""
        out = bytearray()
        previous = -1
        for token in ids:
            if token >= len(self) or token < 0:
                raise ValueError(f"token {token} is outside the vocabulary of {len(self)}")
            if token >= self._offset + _BYTES:
                if token in self._words and previous in self._words:
                    out += b" "
                out += self.pieces[token - self._offset - _BYTES].encode()
            elif token >= self._offset:
                out.append(token - self._offset)
            previous = token
        try:
            return out.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return out.decode("utf-8", "replace")

    def to_json(self) -> str:
        """Return one line of JSON for `from_json`."""
        return json.dumps({"pieces": self.pieces, "specials": self.specials}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> WordTokenizer:
        """Return the tokenizer that `to_json` has written."""
        row = json.loads(text)
        return cls(row["pieces"], row["specials"])

    @property
    def digest(self) -> str:
        """Return a short digest of the vocabulary; equal digests mean equal ids."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]
