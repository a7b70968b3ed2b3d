"""Drive `docker exec`: the SDK's exec_create and exec_start for every command, no session."""

from __future__ import annotations

from container import InContainer
from line import Answer, serve


class DockerExec(InContainer):
    """A container, and a bash for every command."""

    def run(self, command: str, timeout: float) -> Answer:
        """Run a command by one exec."""
        output, code = self.container.exec(["bash", "-c", command], timeout)
        return Answer(output, code, late=code is None)


if __name__ == "__main__":
    serve(DockerExec())
