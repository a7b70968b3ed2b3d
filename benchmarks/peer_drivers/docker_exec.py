"""Drive `docker exec`: the SDK's exec_create and exec_start for every command, no session."""

from __future__ import annotations

from typing import Any

from container import Container
from line import Answer, serve


class DockerExec:
    """A container, and a bash for every command."""

    def __init__(self) -> None:
        self.container: Container | None = None

    def open(self, options: dict[str, Any]) -> None:
        """Start the container."""
        self.container = Container(options)

    def run(self, command: str, timeout: float) -> Answer:
        """Run a command by one exec."""
        assert self.container is not None
        output, code = self.container.exec(["bash", "-c", command], timeout)
        return Answer(output, code, late=code is None)

    def close(self) -> None:
        """Remove the container."""
        if self.container is not None:
            self.container.close()
        self.container = None


if __name__ == "__main__":
    serve(DockerExec())
