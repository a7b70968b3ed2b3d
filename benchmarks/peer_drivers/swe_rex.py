"""Drive swe-rex: a bash session of its local or its Docker deployment.

It is used as in SWE-agent: `check="silent"` for the exit status, and an interrupt after a time-out,
which returns the command's output so far.  If swe-rex refuses wrong syntax, that is the command's
answer, with bash's status 2.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from line import Answer, serve
from swerex.deployment.docker import DockerDeployment
from swerex.deployment.local import LocalDeployment
from swerex.exceptions import BashIncorrectSyntaxError, CommandTimeoutError
from swerex.runtime.abstract import BashAction, BashInterruptAction, CreateBashSessionRequest


class SweRex:
    """A deployment with one session."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.deployment: DockerDeployment | LocalDeployment | None = None

    def open(self, options: dict[str, Any]) -> None:
        """Start the deployment and a session in it."""
        if "image" in options:
            self.deployment = DockerDeployment(
                image=options["image"],
                port=options["port"],
                docker_args=options["arguments"],
                pull="never",
                startup_timeout=30.0,
            )
        else:
            self.deployment = LocalDeployment()
        self._wait(self.deployment.start())
        # One second, the default, is too short on a busy machine.
        request = CreateBashSessionRequest(startup_timeout=10.0)
        self._wait(self.deployment.runtime.create_session(request))

    def run(self, command: str, timeout: float) -> Answer:
        """Run a command in the session."""
        assert self.deployment is not None
        session = self.deployment.runtime
        try:
            result = self._wait(
                session.run_in_session(BashAction(command=command, timeout=timeout, check="silent"))
            )
        except BashIncorrectSyntaxError as error:
            return Answer(_bytes(f"{error} {error.extra_info}"), 2)
        except CommandTimeoutError:
            try:
                result = self._wait(session.run_in_session(BashInterruptAction()))
            except Exception as error:  # the caller checks whether the session lives
                return Answer(b"", None, late=True, notice=str(error)[:200])
            return Answer(_bytes(result.output), None, late=True)
        return Answer(_bytes(result.output), result.exit_code)

    def close(self) -> None:
        """Stop the deployment."""
        if self.deployment is not None:
            deployment, self.deployment = self.deployment, None
            self._wait(deployment.stop())

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(work)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


if __name__ == "__main__":
    serve(SweRex())
