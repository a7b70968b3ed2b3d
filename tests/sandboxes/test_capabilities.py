"""Every capability that a backend claims, compared with what happens in a sandbox.

One test a word and backend: the effect is measured from inside where the word is claimed, and
its absence where it is not and can be seen, so that the doctor's table is proven either way.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tmax_gym.errors import ImageError, TmaxError
from tmax_gym.sandboxes import Backend, ExecResult, Limits, Sandbox, backend, images
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.gvisor.sandbox import GvisorSandbox

ROOTLESS = Path(os.environ.get("TMAX_ENGINE_DIR", "/tmp/tmax-engine"), "rootless/run/podman.sock")
WORDS = ("pid", "mount", "net", "ipc", "uts", "memory", "pids", "cpu", "disk", "inodes",
         "seccomp", "caps", "userns")  # fmt: skip
UNREACHABLE = ("101", "113")
"""ENETUNREACH, or gVisor's EHOSTUNREACH for the same."""
SMALL = Limits(memory=256 << 20, pids=64, cpus=0.5, disk=64 << 20, inodes=2000)
NAMES = [
    "native",
    pytest.param("docker", marks=pytest.mark.docker),
    pytest.param("podman", marks=pytest.mark.docker),
    pytest.param("podman-rootless", marks=pytest.mark.docker),
    pytest.param("apptainer", marks=pytest.mark.skipif(
        shutil.which("apptainer") is None, reason="no apptainer on PATH; .ci/engine apptainer")),
    pytest.param("gvisor", marks=pytest.mark.skipif(
        shutil.which("runsc") is None, reason="no runsc on PATH; .ci/engine gvisor")),
]  # fmt: skip


def _open(name: str) -> Iterator[tuple[Backend, Sandbox]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMAX_POOL", "0")
        machines: Backend
        try:
            if name == "podman-rootless":
                if not ROOTLESS.exists():
                    pytest.skip(f"no socket at {ROOTLESS}; .ci/engine podman-rootless makes one")
                patch.setenv("CONTAINER_HOST", f"unix://{ROOTLESS}")
                machines = DockerBackend("podman")
            else:
                machines = backend(name)
            machine = machines.open(images.default_image(), limits=SMALL)
        except ImageError as error:
            pytest.skip(str(error).splitlines()[0])
        except TmaxError as error:
            if name == "podman-rootless":
                raise
            pytest.skip(str(error).splitlines()[0])
        yield machines, machine
        machine.close()
        if name == "podman-rootless" and isinstance(machines, DockerBackend):
            machines.close()


@pytest.fixture(scope="module", params=NAMES)
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[Backend, Sandbox]]:
    yield from _open(request.param)


def bash(machine: Sandbox, script: str, timeout: float = 60.0) -> ExecResult:
    return machine.exec(["bash", "-c", script], timeout=timeout)


def python(machine: Sandbox, script: str) -> ExecResult:
    return machine.exec(["python3", "-c", script])


def space(machine: Sandbox, name: str) -> bool:
    """Return whether a namespace inside differs from ours."""
    inside = bash(machine, f"readlink /proc/self/ns/{name}").stdout.decode().strip()
    assert inside.startswith(f"{name}:[")
    return inside != os.readlink(f"/proc/self/ns/{name}")


def pid(machine: Sandbox) -> bool:
    hosts = sum(entry.name.isdigit() for entry in Path("/proc").iterdir())
    inside = int(bash(machine, "ls -d /proc/[0-9]* | wc -l").stdout)
    return space(machine, "pid") and inside < min(hosts, 12)


def mount(machine: Sandbox) -> bool:
    seen = bash(machine, f"test -e {Path(__file__)} && echo here").stdout
    return space(machine, "mnt") and seen == b""


def net(machine: Sandbox) -> bool:
    script = (
        "import socket\nprint(*sorted(name for _, name in socket.if_nameindex()))\n"
        "s = socket.socket(); s.settimeout(2)\nprint(s.connect_ex(('192.0.2.1', 9)))"
    )
    links, error = python(machine, script).stdout.decode().splitlines()
    return space(machine, "net") and set(links.split()) <= {"lo"} and error in UNREACHABLE


def ipc(machine: Sandbox) -> bool:
    return space(machine, "ipc")


def uts(machine: Sandbox) -> bool:
    name = bash(machine, "cat /proc/sys/kernel/hostname").stdout.decode().strip()
    return space(machine, "uts") and name == "sandbox"


def memory(machine: Sandbox) -> bool:
    script = (
        "import sys\nkept = []\n"
        "for _ in range(40): kept.append(b'x' * (10 << 20)); print(len(kept), flush=True)"
    )
    done = python(machine, script)
    assert bash(machine, "echo alive").stdout == b"alive\n"
    return done.exit_code == 137 and len(done.stdout.splitlines()) < 27


def pids(machine: Sandbox) -> bool:
    script = (
        "import os, signal\nfound = []\ntry:\n"
        "    for _ in range(100):\n"
        "        pid = os.fork()\n"
        "        if pid == 0: signal.pause()\n"
        "        found.append(pid)\n"
        "except OSError: pass\n"
        "for pid in found: os.kill(pid, 9)\nprint(len(found))"
    )
    return int(python(machine, script).stdout) < SMALL.pids


def cpu(machine: Sandbox) -> bool:
    script = (
        "import time\na, b = time.monotonic(), time.process_time()\n"
        "while time.monotonic() < a + 1.5: pass\nprint(time.process_time() - b)"
    )
    used = float(python(machine, script).stdout)
    if isinstance(machine, GvisorSandbox):  # its clock counts waiting for the host, too
        files = [Path(group, "cpu.stat") for group in machine._files.groups]
        held = [int(file.read_text().split("nr_throttled")[1].split()[0])
                for file in files if file.exists()]  # fmt: skip
        return max(held, default=0) > 0
    return used < 1.5 * (SMALL.cpus + 0.15)


def disk(machine: Sandbox) -> bool:
    script = (
        "for i in 1 2 3; do head -c 30000000 /dev/zero >/tmp/big$i || break; done; rm /tmp/big*"
    )
    return b"No space left" in bash(machine, script).stderr


def inodes(machine: Sandbox) -> bool:
    script = (
        "import os, shutil\nos.mkdir('/tmp/many')\ntry:\n"
        "    for n in range(2500): open(f'/tmp/many/{n}', 'w').close()\n"
        "except OSError as error: print(error.errno)\n"
        "shutil.rmtree('/tmp/many')"
    )
    return python(machine, script).stdout == b"28\n"  # ENOSPC


def seccomp(machine: Sandbox) -> bool:
    script = (
        "import ctypes, errno\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print(open('/proc/self/status').read().split('Seccomp:')[1].split()[0])\n"
        "print(libc.syscall(250, 0, 0, 0, 0, 0), ctypes.get_errno() == errno.EPERM)"  # keyctl
    )
    return python(machine, script).stdout == b"2\n-1 True\n"


def caps(machine: Sandbox) -> bool:
    line = bash(machine, "grep CapBnd /proc/self/status").stdout.split()[1]
    allowed = sum(1 << number for number in (0, 1, 3, 4, 5, 6, 7, 10))  # of capability.h
    hostile = bash(machine, "mount -t tmpfs none /mnt || date -s 2001-01-01").exit_code
    return int(line, 16) & ~allowed == 0 and hostile != 0


def userns(machine: Sandbox) -> bool:
    first = bash(machine, "head -n 1 /proc/self/uid_map").stdout.split()
    return space(machine, "user") and first[1] != b"0"


MEASURES: dict[str, Callable[[Sandbox], bool]] = {
    "pid": pid, "mount": mount, "net": net, "ipc": ipc, "uts": uts, "memory": memory,
    "pids": pids, "cpu": cpu, "disk": disk, "inodes": inodes, "seccomp": seccomp, "caps": caps,
    "userns": userns,
}  # fmt: skip


def test_every_word_has_a_measure() -> None:
    assert set(MEASURES) == set(WORDS)


@pytest.mark.parametrize("word", WORDS)
def test_a_claim_is_what_happens(opened: tuple[Backend, Sandbox], word: str) -> None:
    machines, machine = opened
    assert machines.capabilities() <= set(WORDS)
    if word == "cpu" and word not in machines.capabilities():
        return  # a busy machine looks like a limit
    assert MEASURES[word](machine) == (word in machines.capabilities())
