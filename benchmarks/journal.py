"""The journal of a run: one line of JSON for every episode that has ended.

A run that was killed at any moment goes on from it: what has a line is not played again.
"""

from __future__ import annotations

import threading
from dataclasses import asdict
from pathlib import Path

from tmax_gym import journal
from tmax_gym.trajectory import Trajectory, from_row

Key = tuple[str, str, int]
"""What tells an episode from the others of its run: task, agent, seed."""


def key_of(trajectory: Trajectory) -> Key:
    """Return what tells this episode from the others of its run."""
    return trajectory.task, trajectory.agent, trajectory.seed


def read(path: Path) -> tuple[Trajectory, ...]:
    """Return the episodes of a journal, in the order in which they ended."""
    return journal.read(path, from_row)


class Journal(journal.Journal):
    """A journal of episodes, which knows what has ended."""

    def __init__(self, path: Path) -> None:
        """Open or make the file."""
        super().__init__(path)
        self._known = threading.Lock()
        try:
            self._done = {key_of(trajectory) for trajectory in read(path)}
        except BaseException:
            self.close()
            raise

    def __contains__(self, key: object) -> bool:
        """Return whether this episode has ended already."""
        with self._known:
            return key in self._done

    def __len__(self) -> int:
        """Return the number of different episodes in it."""
        with self._known:
            return len(self._done)

    def end(self, trajectory: Trajectory) -> None:
        """Append an episode; when this returns, it outlives the process."""
        self.add(asdict(trajectory))
        with self._known:
            self._done.add(key_of(trajectory))
