"""A container that idles, for drivers that reach it by execs of Docker's SDK."""

from __future__ import annotations

import threading
from typing import Any

import docker


class Container:
    """A container whose first process sleeps."""

    def __init__(self, options: dict[str, Any]) -> None:
        # Longer than any time-out of a command, which each exec watches by itself.
        self.api = docker.APIClient(base_url=options["engine"], version="auto", timeout=600)
        made = self.api.create_container(
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
        self.id = str(made["Id"])
        self.api.start(self.id)

    def exec(self, words: list[str], timeout: float) -> tuple[bytes, int | None]:
        """Return what a program printed, and its status or None after the time-out.

        The engine has no call to end an exec: what runs out of time keeps running.
        """
        made = self.api.exec_create(self.id, words)["Id"]
        chunks: list[bytes] = []
        failure: list[Exception] = []

        def read() -> None:
            try:
                for chunk in self.api.exec_start(made, stream=True):
                    chunks.append(chunk)  # one by one: a time-out keeps what came so far
            except Exception as error:
                failure.append(error)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        reader.join(timeout)
        if failure:
            raise failure[0]
        if reader.is_alive():
            return b"".join(chunks), None
        return b"".join(chunks), int(self.api.exec_inspect(made)["ExitCode"])

    def close(self) -> None:
        """Remove it."""
        self.api.remove_container(self.id, force=True)
        self.api.close()
