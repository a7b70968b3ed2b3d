"""Sets of whole numbers, kept as sorted half-open spans.

The spans of a set never overlap and never touch: 1-3 and 4-5 are one span, 1-5.
Covers sets that fit into memory.  Does not cover negative infinity or steps.
"""

from __future__ import annotations


class SpanSet:
    """A set of whole numbers; a span (low, high) stands for low, low + 1, ... high - 1."""

    def __init__(self) -> None:
        self.spans: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        """Include start ... end - 1; an empty range changes nothing."""
        if end <= start:
            return
        kept = []
        for low, high in self.spans:
            if high < start or low > end:
                kept.append((low, high))
            else:
                start = min(start, low)
                end = max(end, high)
        self.spans = sorted([*kept, (start, end)])

    def remove(self, start: int, end: int) -> None:
        """Exclude start ... end - 1; an empty range changes nothing."""
        if end <= start:
            return
        kept = []
        for low, high in self.spans:
            if low < start:
                kept.append((low, min(high, start)))
            if high > end:
                kept.append((max(low, end), high))
        self.spans = kept

    def holds(self, number: int) -> bool:
        """Return whether the number is a member."""
        return any(low <= number < high for low, high in self.spans)

    def size(self) -> int:
        """Return the number of members."""
        return sum(high - low for low, high in self.spans)

    def gaps(self, start: int, end: int) -> SpanSet:
        """Return the numbers of start ... end - 1 that are no members."""
        found = SpanSet()
        cursor = start
        for low, high in self.spans:
            if high <= cursor:
                continue
            if low >= end:
                break
            found.add(cursor, low)
            cursor = high
        found.add(cursor, end)
        return found

    def nearest(self, number: int) -> int:
        """Return the member closest to a number; of two equally close ones the smaller.

        Raises ValueError for an empty set.
        """
        ends = [min(max(number, low), high - 1) for low, high in self.spans]
        if not ends:
            raise ValueError("the set is empty")
        return min(ends, key=lambda member: (abs(member - number), member))

    def rank(self, number: int) -> int:
        """Return how many members are smaller than the number, which need not be one."""
        return sum(min(high, number) - low for low, high in self.spans if low < number)

    def nth(self, index: int) -> int:
        """Return the member at a position, the smallest one at position 0.

        Raises ValueError where there are too few.
        """
        for low, high in self.spans:
            if index < high - low:
                return low + index
            index -= high - low
        raise ValueError("there are too few members")

    def longest(self) -> tuple[int, int]:
        """Return the longest span, the first of several that are equally long.

        Raises ValueError for an empty set.
        """
        if not self.spans:
            raise ValueError("the set is empty")
        best = self.spans[0]
        for low, high in self.spans:
            if high - low > best[1] - best[0]:
                best = (low, high)
        return best

    def show(self) -> str:
        """Return the spans with both ends included, as in "1-3,7,9-10"; "-" for none."""
        return ",".join(_shown(low, high) for low, high in self.spans) or "-"


def _shown(low: int, high: int) -> str:
    return str(low) if high - low == 1 else f"{low}-{high - 1}"


class Session:
    """One set and the commands upon it."""

    def __init__(self) -> None:
        self.set = SpanSet()

    def run(self, name: str, *words: str) -> str:
        """Return the answer to one command; a ValueError becomes an answer as well."""
        try:
            numbers = [int(word) for word in words]
            return self._answer(name, numbers)
        except ValueError as error:
            return f"error: {error}"

    def _answer(self, name: str, numbers: list[int]) -> str:
        if name in ("add", "remove"):
            (self.set.add if name == "add" else self.set.remove)(*numbers)
            return self.set.show()
        if name == "gaps":
            return self.set.gaps(*numbers).show()
        if name == "longest":
            return _shown(*self.set.longest())
        if name == "holds":
            return "yes" if self.set.holds(*numbers) else "no"
        if name in ("size", "nearest", "rank", "nth"):
            return str(getattr(self.set, name)(*numbers))
        raise ValueError(f"no command {name}")
