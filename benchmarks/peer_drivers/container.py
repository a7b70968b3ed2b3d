"""A container that idles, and drivers that use execs of Docker's SDK in it."""

from __future__ import annotations

import threading
from typing import Any

import docker


class Container:
    """A container whose first process sleeps."""

    def __init__(self, options: dict[str, Any]) -> None:
        # Longer than the time-out of any command, which each exec watches itself.
        self.api = docker.APIClient(base_url=options["engine"], version="auto", timeout=600)
        container = self.api.create_container(
            options["image"],
            ["sleep", "infinity"],
            environment={"LANG": "C.UTF-8"},
            labels=options["labels"],
            working_dir="/tmp",
            host_config=self.api.create_host_config(
                network_mode="none",
                init=True,
                mem_limit=options["memory"],
                memswap_limit=options["memory"],
                pids_limit=options["pids"],
                nano_cpus=int(options["cpus"] * 1e9),
            ),
        )
        self.id = str(container["Id"])
        self.api.start(self.id)

    def exec(self, words: list[str], timeout: float) -> tuple[bytes, int | None]:
        """Return a program's output, and its status or None after the time-out.

        The engine has no call to end an exec: a program that timed out keeps running.
        """
        exec_id = self.api.exec_create(self.id, words)["Id"]
        chunks: list[bytes] = []
        failure: list[Exception] = []

        def read() -> None:
            try:
                for chunk in self.api.exec_start(exec_id, stream=True):
                    chunks.append(chunk)  # one by one: after a time-out, the chunks so far count
            except Exception as error:
                failure.append(error)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        reader.join(timeout)
        if failure:
            raise failure[0]
        if reader.is_alive():
            return b"".join(chunks), None
        return b"".join(chunks), int(self.api.exec_inspect(exec_id)["ExitCode"])

    def close(self) -> None:
        """Remove the container."""
        self.api.remove_container(self.id, force=True)
        self.api.close()


class InContainer:
    """A driver that works in such a container."""

    def __init__(self) -> None:
        self._container: Container | None = None

    def open(self, options: dict[str, Any]) -> None:
        """Start the container."""
        self._container = Container(options)

    @property
    def container(self) -> Container:
        """Return the container that was opened."""
        assert self._container is not None
        return self._container

    def close(self) -> None:
        """Remove the container."""
        if self._container is not None:
            self._container.close()
        self._container = None
