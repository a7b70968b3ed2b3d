"""Run a container engine that may be killed: `python chaos_engine.py ENGINE STATE STORE`.

The engine runs in its own network and mount namespaces.  Whenever it ends it is started again, as
by a service manager; its process id is in STATE/pid.  On SIGTERM, it and its processes end.
Covers docker and podman as root.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.chaos_host import descendants, reap

_PR_SET_CHILD_SUBREAPER = 36
AGAIN_SECONDS = 0.3
"""Seconds between an engine's end and its next start; systemd waits 0.1."""
_CONF = """[containers]
default_ulimits = []
[engine]
runtime = "{runtime}"
cgroup_manager = "cgroupfs"
events_logger = "none"
"""


def command(engine: str, state: Path, store: Path) -> list[str]:
    """Return the command of the engine; its socket is STATE/engine.sock."""
    socket = f"unix://{state}/engine.sock"
    if engine == "docker":
        return [
            "dockerd", "--host", socket, "--data-root", f"{store}/data",
            "--exec-root", f"{state}/exec", "--pidfile", f"{state}/docker.pid",
            "--bridge=none", "--iptables=false", "--ip6tables=false", "--log-level", "warn",
        ]  # fmt: skip
    return [
        "podman", "--root", f"{store}/podman", "--runroot", f"{state}/run",
        "system", "service", "--time=0", socket,
    ]  # fmt: skip


def main() -> int:
    """Keep the engine running until SIGTERM."""
    engine, state, store = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    ending: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: ending.append(1))
    runtime = "crun" if Path("/sys/fs/cgroup/cgroup.controllers").exists() else "runc"
    (state / "containers.conf").write_text(_CONF.format(runtime=runtime))
    environment = {**os.environ, "CONTAINERS_CONF": f"{state}/containers.conf"}
    while not ending:
        with open(state / "engine.log", "ab") as log:
            running = subprocess.Popen(
                command(engine, state, store), stdout=log, stderr=log, env=environment, cwd=state
            )
        (state / "pid").write_text(str(running.pid))
        while running.poll() is None and not ending:
            time.sleep(0.05)
            reap({running.pid})
        if not ending:
            time.sleep(AGAIN_SECONDS)
            (state / "docker.pid").unlink(missing_ok=True)
    running.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(15)
    for _ in range(50):
        left = descendants(os.getpid())
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            break
        time.sleep(0.1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
