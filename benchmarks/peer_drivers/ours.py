"""Drive our own shell, on one backend.

Options: `backend`, `image`; optionally `limit`, the bytes of output to keep, and `pool`, the number
of waiting containers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from line import Answer, serve

sys.path.insert(0, str(Path(__file__).parents[2]))

from tmax_gym.sandboxes import Backend, Sandbox, backend
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.shell import Shell


class Ours:
    """A shell in a sandbox."""

    def __init__(self) -> None:
        self.sandbox: Sandbox | None = None
        self.shell: Shell | None = None
        self.unpooled: DockerBackend | None = None

    def open(self, options: dict[str, Any]) -> None:
        """Start a sandbox and its shell."""
        self.sandbox = self._backend(options).open(options["image"])
        limit = options.get("limit", 1 << 20)
        self.shell = Shell(self.sandbox, cwd="/tmp", output_limit=limit)

    def run(self, command: str, timeout: float) -> Answer:
        """Run a command."""
        assert self.shell is not None
        result = self.shell.run(command, timeout=timeout)
        return Answer(
            result.output_bytes,
            result.exit_code,
            late=result.timed_out,
            dropped=result.truncated_bytes,
            restarted=result.restarted,
            notice=result.notice,
        )

    def close(self) -> None:
        """Destroy the sandbox."""
        if self.shell is not None:
            self.shell.close()
        if self.sandbox is not None:
            self.sandbox.close()
        self.shell = self.sandbox = None

    def _backend(self, options: dict[str, Any]) -> Backend:
        name = options["backend"]
        if name == "native" or "pool" not in options:
            return backend(name)
        if self.unpooled is None:
            self.unpooled = DockerBackend(name, pool=options["pool"])
        return self.unpooled


if __name__ == "__main__":
    serve(Ours())
