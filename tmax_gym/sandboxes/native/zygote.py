"""The process from which all sandboxes of one parent are cloned.

It is small and has one thread, so a clone of it takes about a millisecond however large the parent
is.  It ends with its parent, and removes every sandbox, cgroup and task layer.
Started by `BOOT` under `python -I -S -E`, it imports a part of the standard library, `init`,
`seccomp`, `setup`, `syscalls` and `hidden_paths`, and nothing else.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _socket
import errno
import gc
import marshal
import os
import select
import struct
import sys

from tmax_gym.sandboxes.native import init, seccomp, setup
from tmax_gym.sandboxes.native import syscalls as calls

BOOT = """
import sys, types
for name, path in zip(("tmax_gym", "tmax_gym.sandboxes"), sys.argv[1:3]):
    module = sys.modules[name] = types.ModuleType(name)
    module.__path__ = [path]
from tmax_gym.sandboxes.native import zygote
zygote.main(*map(int, sys.argv[3:5]), sys.argv[5:])
"""
"""The packages' own `__init__` would import the whole library; these stand in for them."""
_SPACES = (
    calls.CLONE_NEWNS
    | calls.CLONE_NEWPID
    | calls.CLONE_NEWNET
    | calls.CLONE_NEWIPC
    | calls.CLONE_NEWUTS
)


def main(socket_fd: int, parent_pidfd: int, leftovers: list[str]) -> None:
    """Serve clone requests until the parent is gone; then remove `leftovers` too."""
    requests = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, socket_fd)
    os.set_inheritable(socket_fd, False)
    os.set_inheritable(parent_pidfd, False)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, [])
    calls.rename_process(b"init")
    # A name that an agent could plant must never be imported: the path ends here.
    sys.path.clear()
    sys.path_hooks.clear()
    gc.disable()
    gc.freeze()
    zygote = _Zygote(requests, parent_pidfd)
    try:
        zygote.serve()
    finally:
        zygote.end()
        for path in leftovers:
            _remove(path)


class _Zygote:
    """The living sandboxes and what must be removed after each."""

    def __init__(self, requests: _socket.socket, parent: int) -> None:
        self.requests = requests
        self.parent = parent
        self.filter = seccomp.program()
        self.ids = (os.getuid(), os.getgid())
        self.groups: dict[int, list[str]] = {}
        self.stale: list[str] = []
        self.joined = False
        """Whether the newest clone started in its group."""

    def serve(self) -> None:
        """Clone on request, reap, and return when the parent has gone."""
        wake, poke = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        _signal.set_wakeup_fd(poke, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, _ignore)
        poller = select.poll()
        # By descriptor and not by a death signal: that one fires when a thread ends.
        for fd in (self.requests.fileno(), self.parent, wake):
            poller.register(fd, select.POLLIN)
        while True:
            for fd, _ in poller.poll(1000 if self.stale else None):
                if fd == self.parent:
                    return
                if fd == wake:
                    os.read(wake, 4096)
                    continue
                data, fds = init.receive(self.requests)
                if not data:
                    return
                self.open(data, fds[0])
            self.reap()

    def open(self, data: bytes, control_fd: int) -> None:
        """Clone one sandbox; it reports its own progress on its control socket."""
        request = marshal.loads(data)
        plan = setup.Plan(request)
        control = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, control_fd)
        self.joined = False
        try:
            pid, pidfd = self._clone(plan)
        except OSError as error:
            init.send(control, init.PROBLEM + str(error).encode(), [])
            control.close()
            self.stale += [group[0] for group in plan.groups]
            return
        if pid == 0:
            try:
                self._live(plan, control)
            finally:
                os._exit(1)
        self.groups[pid] = [group[0] for group in plan.groups]
        init.send(control, init.GREETING + struct.pack("=i", pid), [pidfd])
        os.close(pidfd)
        control.close()

    def _clone(self, plan: setup.Plan) -> tuple[int, int]:
        """Clone, if possible into the sandbox's group: to join it later takes 10 ms."""
        flags = _SPACES | (calls.CLONE_NEWUSER if plan.rootless else 0)
        for directory, settings, unified in plan.groups:
            if unified:
                setup.prepare_group(directory, settings)
                group = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                self.joined = True
                try:
                    return calls.clone_into(flags, group)
                except OSError:  # an old kernel, or a filter that cannot look into clone3
                    self.joined = False
                finally:
                    os.close(group)
        return calls.clone(flags)

    def _live(self, plan: setup.Plan, control: _socket.socket) -> None:
        """Be the sandbox's first process."""
        try:
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # ignored, as any, by pid 1
            trees = setup.enter(plan, self.ids, joined=self.joined)
            setup.confine(plan, self.filter)
            self.requests.close()
            os.close(self.parent)
        except Exception as error:  # this process must never go on half confined
            init.send(control, init.PROBLEM + f"{type(error).__name__}: {error}".encode(), [])
            return
        init.send(control, init.READY, trees)
        for fd in trees:
            os.close(fd)
        init.serve(control, adjust=not plan.rootless)
        os._exit(0)

    def reap(self) -> None:
        """Collect ended sandboxes and remove their cgroups."""
        while self.groups:
            # Any child: waiting for one would leave the others as zombies.
            seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if seen is None:
                break
            groups = self.groups.pop(seen.si_pid, [])
            if _ended_inside(seen.si_code, seen.si_status, groups):
                self.report(seen.si_pid)  # first: the host looks for it when the process is gone
            os.waitpid(seen.si_pid, 0)
            self.stale += groups
        self.stale = [path for path in self.stale if not _remove_group(path)]

    def report(self, pid: int) -> None:
        """Report a first process that was ended from inside; the host may not be listening."""
        try:
            self.requests.send(struct.pack("=i", pid), _socket.MSG_DONTWAIT | _socket.MSG_NOSIGNAL)
        except OSError:
            pass

    def end(self) -> None:
        """Kill every sandbox and wait for the end of each."""
        for pid in self.groups:
            os.kill(pid, _signal.SIGKILL)  # a child that was not waited for keeps its number
        while self.groups:
            pid, _ = os.waitpid(-1, 0)
            self.stale += self.groups.pop(pid, [])
        for _ in range(100):
            self.stale = [path for path in self.stale if not _remove_group(path)]
            if not self.stale:
                break
            select.select([], [], [], 0.02)


def _ignore(*_: object) -> None:
    return None


def _ended_inside(code: int, status: int, groups: list[str]) -> bool:
    """Return whether a first process, as `waitid` saw it end, was not killed from outside.

    It then failed by itself, or its cgroup ran out of memory.  A process that was killed from
    outside after its cgroup had once run out of memory looks the same.
    """
    if code == 1:  # CLD_EXITED: with 0 where the host closed its socket
        return status != 0
    return status != _signal.SIGKILL or any(map(_out_of_memory, groups))


def _out_of_memory(group: str) -> bool:
    """Return whether processes of a cgroup were killed because of its own memory limit."""
    if not any(_count(group, file, "oom_kill") for file in ("memory.events", "memory.oom_control")):
        return False
    if _count(group, "memory.events", "oom"):
        return True
    # Version 1 does not say whose limit it was, and its `failcnt` stays 0 on new kernels: a
    # host that runs out of memory kills processes of groups far below their limit, too.
    used, limit = (_count(group, f"memory.{w}_in_bytes", "") for w in ("max_usage", "limit"))
    return used > limit - limit // 16


def _count(group: str, file: str, name: str) -> int:
    """Return a number in a cgroup's file, by its name if it has one; 0 if there is no file."""
    try:
        with open(f"{group}/{file}", "rb", buffering=0) as source:
            words = source.readall().decode().split()
    except OSError:
        return 0
    return int(words[words.index(name) + 1 if name else 0])


def _remove_group(path: str) -> bool:
    """Remove a cgroup; return False while the kernel still counts a process in it."""
    try:
        os.rmdir(path)
    except OSError as error:
        return error.errno != errno.EBUSY
    return True


def _remove(path: str) -> None:
    """Remove a tree of files, or an empty cgroup."""
    try:
        entries = list(os.scandir(path))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                _remove(entry.path)
            else:
                os.unlink(entry.path)
        except OSError:
            pass
    try:
        os.rmdir(path)
    except OSError:
        pass
