"""Drive mini-swe-agent's environments: a process for every command, no session by design.

Options are the environment's own configuration, `environment_class` among them.
"""

from __future__ import annotations

from typing import Any

from line import Answer, serve
from minisweagent.environments import get_environment


class MiniSweAgent:
    """One of its environments."""

    def __init__(self) -> None:
        self.environment: Any = None

    def open(self, options: dict[str, Any]) -> None:
        """Make the environment."""
        self.environment = get_environment(options)

    def run(self, command: str, timeout: float) -> Answer:
        """Execute an action."""
        result = self.environment.execute({"command": command}, timeout=timeout)
        output = result["output"].encode(errors="surrogateescape")
        if result.get("extra", {}).get("exception_type") == "TimeoutExpired":
            return Answer(output, None, late=True)
        if result["exception_info"]:
            raise RuntimeError(result["exception_info"][:500])
        return Answer(output, result["returncode"])

    def close(self) -> None:
        """Clean up; the local environment has no method for it."""
        if hasattr(self.environment, "cleanup"):
            self.environment.cleanup()
        self.environment = None


if __name__ == "__main__":
    serve(MiniSweAgent())
