"""Assign the slots of the key-value cache to episodes, and record the tokens in each slot.

Slots are kept between the turns of an episode, and prompts are shared within a group.
"""

from __future__ import annotations

from collections import OrderedDict


class SlotAssignment:
    """Assigns slots: the lowest free slot first, else the one that was idle for longest."""

    def __init__(self, count: int) -> None:
        self._free = list(range(count))
        self._kept: OrderedDict[str, tuple[int, list[int]]] = OrderedDict()
        self._prompts: dict[tuple[int, ...], int] = {}

    def take(self, episode: str, ids: list[int]) -> tuple[int, int] | None:
        """Return a slot and how many of `ids` it holds, or None if all are busy.

        At least the last token is never counted, because its logits are needed.
        """
        kept = self._kept.pop(episode, None)
        if kept is not None:
            slot, cached = kept
            limit = min(len(cached), len(ids) - 1)
            same = next((i for i in range(limit) if cached[i] != ids[i]), limit)
            self._forget(slot, same)
            return slot, same
        if not self._free and self._kept:
            self._free.append(self._kept.popitem(last=False)[1][0])
        if not self._free:
            return None
        slot = self._free.pop(0)
        self._forget(slot, 0)
        return slot, 0

    def release(self, slot: int, *, episode: str, read: list[int]) -> None:
        """Keep the slot for the episode's next turn, or free it if the request names no episode."""
        if episode and episode not in self._kept:
            self._kept[episode] = (slot, read)
        else:
            self._free.append(slot)
            self._free.sort()

    def kept(self, episode: str) -> list[int]:
        """Return the cached tokens of an idle episode."""
        return self._kept[episode][1] if episode in self._kept else []

    def add_prompt(self, slot: int, prompt: tuple[int, ...]) -> None:
        """Record that the slot begins with this prompt, computed in one forward pass."""
        self._prompts.setdefault(prompt, slot)

    def slot_of(self, prompt: tuple[int, ...]) -> int | None:
        """Return a slot that begins with exactly this prompt."""
        return self._prompts.get(prompt)

    def clear(self) -> None:
        """Forget all cached tokens; slots in use stay in use."""
        self._prompts.clear()
        while self._kept:
            self._free.append(self._kept.popitem()[1][0])
        self._free.sort()

    def _forget(self, slot: int, valid: int) -> None:
        """Forget prompts of the slot that are longer than its valid tokens."""
        for prompt in [p for p, s in self._prompts.items() if s == slot and len(p) > valid]:
            del self._prompts[prompt]
