"""The machine behind a pod: namespaces and an overlay on a root file system of this host."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

from tmax_gym.sandboxes import Limits
from tmax_gym.sandboxes.apptainer.command import hosted
from tmax_gym.sandboxes.host import cgroups, cleanup, instances

ENTER = Path(__file__).with_name("enter.py")
NUMBERS = {"CHOWN": 0, "DAC_OVERRIDE": 1, "FOWNER": 3, "FSETID": 4, "KILL": 5, "SETGID": 6,
           "SETUID": 7, "SETPCAP": 8, "NET_BIND_SERVICE": 10}  # fmt: skip
"""linux/capability.h"""
_PODS_PIDS = 512
"""The kubelet's `podPidsLimit`."""
_TIOCSPTLCK, _TIOCGPTN = 0x40045431, 0x80045430
"""asm-generic/ioctls.h: unlock the other end; get its number."""
LOOPBACK = """
import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x49))
"""
"""SIOCSIFFLAGS with IFF_UP, IFF_LOOPBACK and IFF_RUNNING: netdevice(7)."""
SET_UP = r"""
set -e; cd "$1"; rights=$2; prepare=$3; python=$4; loopback=$5; shift 5
mount -t tmpfs -o size=1g,mode=755 pod .
cd "$PWD"
mkdir upper work root tools
mount -t overlay -o "lowerdir=../image,upperdir=upper,workdir=work" overlay root
mkdir -p root/run/tmax root/proc root/dev
mount -t proc proc root/proc
for name in bus fs irq sys sysrq-trigger; do  # as container runtimes do
  [ -e root/proc/$name ] || continue
  mount --bind root/proc/$name root/proc/$name
  mount -o remount,bind,ro root/proc/$name
done
mount -t tmpfs -o mode=755 dev root/dev
for node in null zero full random urandom tty; do cp -a /dev/$node root/dev/; done
mkdir root/dev/pts root/dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts root/dev/pts
mount -t tmpfs -o mode=1777,size=64m shm root/dev/shm
ln -s pts/ptmx root/dev/ptmx; ln -s /proc/self/fd root/dev/fd
for n in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${n%:*}" "root/dev/${n#*:}"; done
mount --bind tools root/run/tmax
hostname sandbox
"$python" -I -S -c "$loopback"
chroot root /bin/bash -c "$prepare" >&2
mount -o remount,bind,ro root/run/tmax
echo ready
exec chroot root /usr/bin/setpriv --inh-caps=-all --bounding-set="$rights" --no-new-privs -- "$@"
"""


def own_label() -> str:
    """Return the name of this process's cgroups for pods."""
    return f"{cleanup.label()}-pods"


class Machine:
    """One machine; `process` is its first process as this host sees it."""

    def __init__(self, spec: dict[str, Any], *, rootfs: Path, directory: Path) -> None:
        """Start it, or raise `RuntimeError` with what its set-up said."""
        main, first = spec["containers"][0], spec["initContainers"][0]
        added = main["securityContext"]["capabilities"]["add"]
        self._rights = ",".join(str(NUMBERS[name]) for name in added)
        self._killed = False
        place = directory / "place"
        place.mkdir()
        (directory / "image").symlink_to(rootfs)
        bounding = "-all," + ",".join(f"+{name.lower()}" for name in added)
        words = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork",
                 "--kill-child=KILL", "--net", "--ipc", "--uts", "/bin/sh", "-c", SET_UP, "sh",
                 str(place), bounding, first["command"][-1], sys.executable, LOOPBACK,
                 *main["command"]]  # fmt: skip
        self.environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOSTNAME": "sandbox",
            "KUBERNETES_SERVICE_HOST": "10.0.0.1",
        }
        self._join(spec, directory.name)
        self.process = subprocess.Popen(
            hosted(words, groups=self.groups),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            start_new_session=True,
        )
        assert self.process.stdout and self.process.stderr
        line = self.process.stdout.readline()
        if line != b"ready\n":
            told = self.process.stderr.read().decode(errors="replace")
            self.process.wait()
            raise RuntimeError(told or "no set-up")
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        self.first = int(children.split()[0])

    def _join(self, spec: dict[str, Any], name: str) -> None:
        """Make cgroups with the limits of the pod, where this process may make some."""
        most = spec["containers"][0]["resources"]["limits"]
        cpus = int(most["cpu"].removesuffix("m")) / 1000
        limits = Limits(memory=int(most["memory"]), cpus=cpus, pids=_PODS_PIDS)
        label = own_label()
        cgroups.layout().prepare(label)
        self.groups = []
        for path, settings, *_ in cgroups.layout().groups(f"{label}/{name}", limits):
            os.mkdir(path)
            self.groups.append(path)
            for file, value in settings:
                Path(path, file).write_text(value, encoding="ascii")

    def discard(self) -> None:
        """Remove what an ended machine has on this host."""
        self.process.wait()
        for group in self.groups:
            instances.remove_group(group)

    def enter(self, argv: list[str], *, tty: bool) -> list[str]:
        """Return the command that runs a program inside."""
        kind = "tty" if tty else "plain"
        start = [sys.executable, "-I", "-S", str(ENTER), str(self.first), kind]
        return [*start, self._rights, ",".join(self.groups), *argv]

    def open_terminal(self) -> tuple[int, int]:
        """Return both ends of a new terminal of the machine's own."""
        terminals = f"/proc/{self.first}/root/dev/pts"
        flags = os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC
        master = os.open(f"{terminals}/ptmx", flags)
        fcntl.ioctl(master, _TIOCSPTLCK, struct.pack("=i", 0))
        (number,) = struct.unpack("=i", fcntl.ioctl(master, _TIOCGPTN, b"\0\0\0\0"))
        os.set_blocking(master, False)
        return master, os.open(f"{terminals}/{number}", flags)

    def wait(self) -> int:
        """Return the status of its first process, as a container engine tells it."""
        code = self.process.wait()
        # unshare(1) ends with 1 if its child was killed by a signal that it cannot catch.
        return 128 + signal.SIGKILL if self._killed else code

    def kill(self) -> None:
        """End it from outside."""
        self._killed = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.first, signal.SIGKILL)
