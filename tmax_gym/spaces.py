"""`Unicode`: the space of texts up to a length.

Covers actions and observations of terminals.  Does not cover character sets: `gymnasium.spaces.
Text` does, and would need 193 MB for all of Unicode (measured with gymnasium 1.4.0).
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

HARMLESS = ("true", "pwd", "ls", "date", "whoami", "echo hello", "uname -s", "cat /etc/hostname")
"""What `sample` draws from: samples are sent to real shells, by `check_env` for one."""


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
        """Return False: a text is no array."""
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Return a command that harms nothing, not any string.

        Raises:
            ValueError: A mask or probabilities were given; neither has a meaning here.
        """
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
