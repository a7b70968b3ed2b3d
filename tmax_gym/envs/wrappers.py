"""`RecordCast`: a wrapper that records each episode as an asciinema file (asciicast version 2).

The output of a command appears at its end: there is no timing within one command.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, TextIO

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

_SIZE = (100, 30)


class RecordCast(gym.Wrapper[str, str, str, str], RecordConstructorArgs):
    """Writes `<directory>/<task>-<n>.cast`, one file an episode, flushed at every step."""

    def __init__(self, env: gym.Env[str, str], directory: str) -> None:
        """Choose where to write.  The directory is made at the first reset; old files are kept."""
        RecordConstructorArgs.__init__(self, directory=directory)
        gym.Wrapper.__init__(self, env)
        self.path: Path | None = None
        """The file of the last episode."""
        self._directory = Path(directory)
        self._file: TextIO | None = None
        self._start = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin a new recording with the instruction."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._finish()
        self._begin(str(info.get("task", "episode")))
        self._write(f"{observation}\n\n$ ")
        return observation, info

    def step(self, action: str) -> tuple[str, Any, bool, bool, dict[str, Any]]:
        """Record a command when it starts, and its output when it has ended."""
        self._write(f"{action}\n")
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._write(f"{observation}\n")
        if terminated or truncated:
            self._write(f"[{info.get('ending', 'ended')}: reward {float(reward):.3f}]\n")
            self._finish()
        else:
            self._write("$ ")
        return observation, reward, terminated, truncated, info

    def close(self) -> None:
        """Close the recording and the environment."""
        self._finish()
        super().close()

    def _begin(self, task: str) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        for number in count():
            path = self._directory / f"{task.replace('/', '.')}-{number}.cast"
            # "x" reserves the number, also against other environments and processes.
            with suppress(FileExistsError):
                self._file = path.open("x", encoding="utf-8")
                self.path = path
                break
        width, height = _SIZE
        header = {"version": 2, "width": width, "height": height, "title": task}
        self._line(header)
        self._start = time.monotonic()

    def _write(self, text: str) -> None:
        if self._file is not None:
            seconds = round(time.monotonic() - self._start, 6)
            self._line([seconds, "o", text.replace("\r\n", "\n").replace("\n", "\r\n")])

    def _line(self, row: object) -> None:
        if self._file is not None:
            self._file.write(json.dumps(row, ensure_ascii=True) + "\n")
            self._file.flush()

    def _finish(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
