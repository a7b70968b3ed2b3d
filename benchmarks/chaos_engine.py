"""A container engine of our own that may be killed: `python chaos_engine.py ENGINE STATE STORE`.

It runs in network and mount namespaces of its own, and is started again whenever it ends, as a
service manager would; its pid is in STATE/pid.  On SIGTERM the engine and all that it left end.
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

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.chaos_host import descendants

_PR_SET_CHILD_SUBREAPER = 36
AGAIN_SECONDS = 0.3
"""Between an engine's end and its next start: what systemd takes is 0.1."""
_CONF = """[containers]
default_ulimits = []
[engine]
runtime = "{runtime}"
cgroup_manager = "cgroupfs"
events_logger = "none"
"""


def command(engine: str, state: Path, store: Path) -> list[str]:
    """Return what starts the engine; its socket is STATE/engine.sock."""
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
            _reap(running.pid)
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


def _reap(engine: int) -> None:
    """Collect orphans that have ended, and leave the engine to its own object."""
    with contextlib.suppress(ChildProcessError):
        while True:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None or found.si_pid == engine:
                return
            os.waitpid(found.si_pid, 0)


if __name__ == "__main__":
    sys.exit(main())
