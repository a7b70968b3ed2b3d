"""Drive a tmux session in a container by execs, as terminal-bench does.

A command is typed with `; tmux wait -S done` behind it, `tmux wait done` waits for its end, and
the pane with its history is read: three execs.  A pane has no exit status.  The output is the new
part of the pane, without the echo of the command.  `-J` (lines as they were before the pane
wrapped them) and a complete history are better than in terminal-bench.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from container import InContainer
from line import Answer, serve

_DONE = "; tmux wait -S done"
_HISTORY = "50000"
"""Lines of history, as in terminal-bench."""
_PATIENCE = 20.0
"""Seconds for a tmux command, which takes 50 ms."""


class Tmux(InContainer):
    """A pane in a container."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[bytes] = []

    def open(self, options: dict[str, Any]) -> None:
        """Start the container and the session."""
        super().open(options)
        self.shown = []
        self._tmux(
            *("start-server", ";", "set-option", "-g", "history-limit", _HISTORY, ";"),
            *("new-session", "-d", "-x", "160", "-y", "40", "-s", "peer"),
        )

    def run(self, command: str, timeout: float) -> Answer:
        """Type a command, wait for its end, and read the pane."""
        self._tmux("send-keys", "-t", "peer", command, _DONE, "Enter")
        words = ["timeout", f"{timeout}s", "tmux", "wait", "done"]
        _, code = self.container.exec(words, timeout + _PATIENCE)
        late = code != 0
        if late:
            self._tmux("send-keys", "-t", "peer", "C-c")
            time.sleep(0.3)  # for the prompt to come back before the pane is read
        before, self.shown = self.shown, self._pane()
        same = next((n for n, (a, b) in enumerate(zip(before, self.shown)) if a != b), len(before))  # noqa: B905
        typed = (command + _DONE).encode().split(b"\n")
        return Answer(b"\n".join(_unechoed(self.shown[same:], typed)), None, late=late)

    def _pane(self) -> list[bytes]:
        data = self._tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "peer")
        return [line.rstrip() for line in data.rstrip().split(b"\n")]

    def _tmux(self, *words: str) -> bytes:
        output, code = self.container.exec(["tmux", *words], _PATIENCE)
        if code != 0:
            raise RuntimeError(f"tmux {words[0]} ended with {code}: {output[-300:]!r}")
        return output


def _unechoed(lines: list[bytes], typed: list[bytes]) -> Iterator[bytes]:
    """Yield lines without the echo of the typed lines, each of which appears once."""
    left = iter(typed)
    wanted = next(left, None)
    for line in lines:
        if wanted is not None and line.endswith(wanted.rstrip()):
            wanted = next(left, None)
        else:
            yield line


if __name__ == "__main__":
    serve(Tmux())
