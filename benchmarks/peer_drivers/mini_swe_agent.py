"""The driver of mini-swe-agent's environments: one process a command, no session by design.

Options are the environment's own configuration, `environment_class` among them.
"""

from __future__ import annotations

from typing import Any

from line import Answer, serve
from minisweagent.environments import get_environment


class MiniSweAgent:
    """An environment."""

    def __init__(self) -> None:
        self.environment: Any = None

    def open(self, options: dict[str, Any]) -> None:
        """Make the environment."""
        self.environment = get_environment(options)

    def run(self, command: str, timeout: float) -> Answer:
        """Execute an action."""
        seen = self.environment.execute({"command": command}, timeout=timeout)
        output = seen["output"].encode(errors="surrogateescape")
        if seen.get("extra", {}).get("exception_type") == "TimeoutExpired":
            return Answer(output, None, late=True)
        if seen["exception_info"]:
            raise RuntimeError(seen["exception_info"][:500])
        return Answer(output, seen["returncode"])

    def close(self) -> None:
        """Let it clean up; the local environment has nothing to clean."""
        if hasattr(self.environment, "cleanup"):
            self.environment.cleanup()
        self.environment = None


if __name__ == "__main__":
    serve(MiniSweAgent())
