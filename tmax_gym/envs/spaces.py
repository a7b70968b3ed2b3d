"""`Unicode`: the space of all strings up to a length, for actions and observations of terminals.

It works with the shared memory of Gymnasium's `AsyncVectorEnv`.  `gymnasium.spaces.Text` lists its
characters, and would need 193 MB for all of Unicode (measured with gymnasium 1.4.0).
"""

from __future__ import annotations

import inspect
import struct
from collections.abc import Sequence
from typing import Any, overload

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils.shared_memory import (
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)

_SIZE = struct.Struct("=Q")
_PROCESSES = inspect.signature(create_shared_memory).parameters["ctx"].default
"""The context from which Gymnasium takes shared memory by default."""
_WIDEST = 4
"""Bytes of the longest character in UTF-8."""

HARMLESS = ("true", "pwd", "ls", "date", "whoami", "echo hello", "uname -s", "cat /etc/hostname")
"""What `sample` draws from: Gymnasium's `check_env`, for example, runs samples in a real shell."""


class Unicode(gym.Space[str]):
    """Every string of at most `max_length` characters.

    >>> "ls | wc -l" in Unicode(20), "x" * 21 in Unicode(20), b"ls" in Unicode(20)
    (True, False, False)
    """

    def __init__(self, max_length: int, seed: int | np.random.Generator | None = None) -> None:
        if max_length < max(len(command) for command in HARMLESS):
            raise ValueError(f"max_length is {max_length}: too short for a command")
        self.max_length = max_length
        super().__init__(dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """Return False: a text is not an array."""
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Return a harmless command, not just any string.  Takes no mask and no probabilities."""
        if mask is not None or probability is not None:
            raise ValueError("Unicode.sample takes neither mask nor probability")
        return HARMLESS[int(self.np_random.integers(len(HARMLESS)))]

    def contains(self, x: Any) -> bool:
        """Return whether `x` is a string that is short enough."""
        return isinstance(x, str) and len(x) <= self.max_length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode) and other.max_length == self.max_length

    def __hash__(self) -> int:
        return hash((Unicode, self.max_length))

    def __repr__(self) -> str:
        return f"Unicode({self.max_length})"


class SharedTexts(Sequence[str]):
    """The last texts of worker processes, decoded at each access; copies are plain tuples.

    Gymnasium reads a shared observation once and expects it to follow the memory, as an array does.
    """

    def __init__(self, memory: Any, count: int) -> None:
        self._memory = memory
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        """Return one text, or several, as they are now."""
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(self._count)))
        at = range(self._count)[index] * (len(self._memory) // self._count)
        view = memoryview(self._memory).cast("B")[at:]
        (size,) = _SIZE.unpack_from(view)
        return bytes(view[_SIZE.size : _SIZE.size + size]).decode(errors="surrogatepass")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | SharedTexts) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # its content changes

    def __deepcopy__(self, _: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)


@create_shared_memory.register(Unicode)
def _create(space: Unicode, n: int = 1, ctx: Any = _PROCESSES) -> Any:
    """Allocate memory for `n` texts; the kernel provides only the pages that texts fill."""
    return ctx.RawArray("c", n * (_SIZE.size + _WIDEST * space.max_length))


@read_from_shared_memory.register(Unicode)
def _read(space: Unicode, shared_memory: Any, n: int = 1) -> SharedTexts:
    return SharedTexts(shared_memory, n)


@write_to_shared_memory.register(Unicode)
def _write(space: Unicode, index: int, value: str, shared_memory: Any) -> None:
    """Write the number of bytes of a text, then the bytes."""
    data = value.encode(errors="surrogatepass")
    at = index * (_SIZE.size + _WIDEST * space.max_length)
    view = memoryview(shared_memory).cast("B")
    view[at : at + _SIZE.size + len(data)] = _SIZE.pack(len(data)) + data
