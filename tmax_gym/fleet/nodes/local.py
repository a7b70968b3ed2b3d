"""Nodes as processes of this machine: the same path as on many, and a way to use all its cores."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tmax_gym.fleet.nodes.connected import ConnectedCluster, ConnectedNode

DEATHS = 3
"""Times that each process is replaced if it dies."""
_END_SECONDS = 10.0


class LocalCluster(ConnectedCluster):
    """Starts worker processes here, and replaces those that die.

    Args:
        size: Number of processes.
        room: Leases that each takes at the same time.
    """

    def __init__(self, size: int, *, room: int) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="tmax-fleet-"))
        self._room = room
        super().__init__(self._directory / "driver.json", expected=f"{size} processes here")
        self.processes = [self._started() for _ in range(size)]
        self._left = DEATHS * size

    def nodes(self) -> Sequence[ConnectedNode]:
        """Return the nodes that are connected; start others for those that died."""
        for place, process in enumerate(self.processes):
            if process.poll() is not None and self._left and not self._closed:
                self._left -= 1
                self.processes[place] = self._started()
        return super().nodes()

    def expected(self) -> str:
        """Return which nodes may still come."""
        alive = any(process.poll() is None for process in self.processes)
        return super().expected() if alive or self._left else ""

    def close(self) -> None:
        """Hang up, and wait until the processes have destroyed their sandboxes."""
        super().close()
        for process in self.processes:
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _started(self) -> subprocess.Popen[bytes]:
        program = "from tmax_gym.cli import main; main()"
        options = ["--room", str(self._room), "--idle", "0"]
        file = str(self._directory / "driver.json")
        return subprocess.Popen(
            [sys.executable, "-c", program, "fleet", "node", file, *options],
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the driver, which lets its nodes clean up
        )
