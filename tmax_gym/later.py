"""A sequence that is computed when it is first read.

A reset needs the files and the instruction of a task.  Its checks and their hidden cases are needed
only when grading starts, so that a task computes them then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Later(Sequence[T]):
    """The values that a function returns, as a tuple that is computed once.

    Threads that read it first at the same time may each compute it; the function must return equal
    values then.

    >>> squares = Later(lambda: (n * n for n in range(4)))
    >>> len(squares), squares[-1]
    (4, 9)
    """

    __slots__ = ("_compute", "_values")

    def __init__(self, compute: Callable[[], Iterable[T]]) -> None:
        self._compute = compute
        self._values: tuple[T, ...] | None = None

    def values(self) -> tuple[T, ...]:
        """Return the values."""
        if self._values is None:
            self._values = tuple(self._compute())
        return self._values

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...

    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.values()[index]

    def __len__(self) -> int:
        return len(self.values())

    def __eq__(self, other: object) -> bool:
        return self.values() == (other.values() if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self.values())

    def __repr__(self) -> str:
        return f"Later({self.values()!r})"
