"""Which slot of the cache belongs to which episode, and what has been read into it.

Covers slots kept between the turns of an episode and prompts lent to the rest of a group.
Does not cover the keys and values themselves.
"""

from __future__ import annotations

from collections import OrderedDict


class Seats:
    """Hands out slots; the lowest free one first, the longest idle one last."""

    def __init__(self, count: int) -> None:
        self._free = list(range(count))
        self._kept: OrderedDict[str, tuple[int, list[int]]] = OrderedDict()
        self._prompts: dict[tuple[int, ...], int] = {}

    def take(self, episode: str, ids: list[int]) -> tuple[int, int] | None:
        """Return a slot and how many of `ids` it holds, or None where all are busy.

        At least the last token is always left to be read: its logits are wanted.
        """
        kept = self._kept.pop(episode, None)
        if kept is not None:
            slot, seen = kept
            limit = min(len(seen), len(ids) - 1)
            same = next((i for i in range(limit) if seen[i] != ids[i]), limit)
            self._forget(slot, same)
            return slot, same
        if not self._free and self._kept:
            self._free.append(self._kept.popitem(last=False)[1][0])
        if not self._free:
            return None
        slot = self._free.pop(0)
        self._forget(slot, 0)
        return slot, 0

    def leave(self, slot: int, *, episode: str, read: list[int]) -> None:
        """Keep the slot for the episode's next turn, or free it where there is none."""
        if episode and episode not in self._kept:
            self._kept[episode] = (slot, read)
        else:
            self._free.append(slot)
            self._free.sort()

    def kept(self, episode: str) -> list[int]:
        """Return the tokens that are kept for an idle episode."""
        return self._kept[episode][1] if episode in self._kept else []

    def has_read(self, slot: int, prompt: tuple[int, ...]) -> None:
        """Note that the slot begins with this prompt, read in one piece."""
        self._prompts.setdefault(prompt, slot)

    def lender(self, prompt: tuple[int, ...]) -> int | None:
        """Return a slot that begins with exactly this prompt."""
        return self._prompts.get(prompt)

    def clear(self) -> None:
        """Forget everything that was read; slots in use stay in use."""
        self._prompts.clear()
        while self._kept:
            self._free.append(self._kept.popitem()[1][0])
        self._free.sort()

    def _forget(self, slot: int, valid: int) -> None:
        """Drop prompts of the slot that reach beyond its valid tokens."""
        for prompt in [p for p, s in self._prompts.items() if s == slot and len(p) > valid]:
            del self._prompts[prompt]
