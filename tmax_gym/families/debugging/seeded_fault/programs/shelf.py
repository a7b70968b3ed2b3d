"""A bounded cache that forgets what was used longest ago, and what has expired.

Time is a counter that the caller advances.  Covers one thread.  Does not cover persistence.
"""

from __future__ import annotations


class Shelf:
    """Keys with values, at most `room` of them, in order of use (the longest unused first)."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.now = 0
        self.hits = 0
        self.misses = 0
        self.values: dict[str, str] = {}
        self.deadlines: dict[str, int] = {}

    def put(self, key: str, value: str, life: int = 0) -> None:
        """Store a value, which counts as use; it replaces value and life of an older one.

        It expires once `life` ticks have passed; 0 means never.  Where there is no room, what
        has expired goes first, and after that what was used longest ago.
        """
        self.drop(key)
        self.values[key] = value
        if life > 0:
            self.deadlines[key] = self.now + life
        self._make_room()

    def get(self, key: str) -> str | None:
        """Return a value, None where it is absent or expired; finding it counts as use."""
        self._expire(key)
        if key not in self.values:
            self.misses += 1
            return None
        self.hits += 1
        self.values[key] = self.values.pop(key)
        return self.values[key]

    def peek(self, key: str) -> str | None:
        """Return a value as `get` does, without counting as use, hit or miss."""
        self._expire(key)
        return self.values.get(key)

    def drop(self, key: str) -> bool:
        """Forget a key with its life; return whether it was there."""
        self.deadlines.pop(key, None)
        return self.values.pop(key, None) is not None

    def tick(self, count: int) -> None:
        """Let time pass."""
        self.now += count

    def resize(self, room: int) -> None:
        """Change the room; what no longer fits is forgotten at once."""
        self.room = room
        self._make_room()

    def keys(self) -> list[str]:
        """Return the keys that have not expired, the most recently used first."""
        for key in list(self.values):
            self._expire(key)
        return list(reversed(self.values))

    def _expire(self, key: str) -> None:
        """Forget a key whose deadline has been reached."""
        if key in self.deadlines and self.now >= self.deadlines[key]:
            self.drop(key)

    def _make_room(self) -> None:
        if len(self.values) > self.room:
            for key in list(self.values):
                self._expire(key)
        while len(self.values) > self.room:
            oldest = next(iter(self.values))
            self.drop(oldest)


class Session:
    """One shelf of three places and the commands upon it."""

    def __init__(self) -> None:
        self.shelf = Shelf(3)

    def run(self, name: str, *words: str) -> str:
        """Return the answer to one command; a ValueError becomes an answer as well."""
        try:
            return self._answer(name, list(words))
        except ValueError as error:
            return f"error: {error}"

    def _answer(self, name: str, words: list[str]) -> str:
        shelf = self.shelf
        if name == "put":
            shelf.put(words[0], words[1], int(words[2]) if len(words) > 2 else 0)
            return "ok"
        if name in ("get", "peek"):
            found = shelf.get(words[0]) if name == "get" else shelf.peek(words[0])
            return "absent" if found is None else found
        if name == "drop":
            return "dropped" if shelf.drop(words[0]) else "absent"
        if name in ("tick", "resize"):
            (shelf.tick if name == "tick" else shelf.resize)(int(words[0]))
            return "ok"
        if name == "keys":
            return " ".join(shelf.keys()) or "-"
        if name == "stats":
            return f"hits {shelf.hits} misses {shelf.misses}"
        raise ValueError(f"no command {name}")
