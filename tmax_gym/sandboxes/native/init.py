"""The first process of a sandbox: starts programs for the host, and collects ended processes.

A request comes with the program's descriptors and with a socket of its own, on which the program's
end is reported; the host shuts that socket down to have the program's whole session killed.  When
the control socket closes, this process ends, and the kernel ends everything else in the sandbox.
All imports happen before the root changes: later ones would read the agent's files.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _socket
import fcntl
import marshal
import os
import select
import struct

TERMINAL, PROGRAM, KILL_OTHERS = 0, 1, 2
STARTED, ENDED, FAILED = b"S", b"X", b"F"
READY, GREETING, PROBLEM = b"R", b"P", b"E"
"""First bytes of what the first process and the zygote report of a start."""
IN_MEMORY_FILE = b"M"
NOBODY = 65534
REQUEST_BYTES = 128 << 10
"""Largest request in one packet; longer ones come in a memory file."""
_SIGCHLD, _SIGKILL, _SIGSTOP = 17, 9, 19
_CLOEXEC = 0x40000000  # MSG_CMSG_CLOEXEC
_TCGETS, _TCSETS, _OPOST, _ECHO = 0x5401, 0x5402, 1, 8
_MODES = struct.Struct("=4I20s")
"""The kernel's `struct termios`: input, output, control and local modes, and the rest."""
_TIOCSPTLCK, _TIOCGPTPEER, _TIOCSWINSZ, _TIOCSCTTY = 0x40045431, 0x5441, 0x5414, 0x540E
_NO_FORK = (11, 12)
"""EAGAIN, ENOMEM: the agent's processes have reached a limit."""


class _Job:
    __slots__ = ("done", "keep", "pid", "socket")

    def __init__(self, pid: int, socket: _socket.socket, *, keep: bool) -> None:
        self.pid = pid
        self.socket = socket
        self.keep = keep  # stay after the end, until the host asks for the session's end
        self.done = False


def receive(socket: _socket.socket) -> tuple[bytes, list[int]]:
    """Return one packet and the descriptors in it; (b"", []) at the end."""
    data, extras, _, _ = socket.recvmsg(REQUEST_BYTES + 1024, 256, _CLOEXEC)
    fds: list[int] = []
    for level, kind, body in extras:
        if level == _socket.SOL_SOCKET and kind == 1:  # SCM_RIGHTS
            fds += struct.unpack(f"{len(body) // 4}i", body[: len(body) // 4 * 4])
    return data, fds


def send(socket: _socket.socket, data: bytes, fds: list[int]) -> None:
    """Send one packet with descriptors; a peer that is gone is no error."""
    extras = [(_socket.SOL_SOCKET, 1, struct.pack(f"{len(fds)}i", *fds))] if fds else []
    try:
        socket.sendmsg([data], extras, _socket.MSG_NOSIGNAL)
    except (BrokenPipeError, ConnectionResetError):
        pass


def serve(control: _socket.socket, *, adjust: bool) -> None:
    """Serve requests until the control socket closes.

    `adjust` makes programs more likely victims of the memory limit than this process is.
    """
    wake, poke = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    _signal.set_wakeup_fd(poke, warn_on_full_buffer=False)
    _signal.signal(_SIGCHLD, _ignore)
    # Held open: the agent may rename what is in /proc's place for programs, not these.
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    state = _State(os.open("/proc", flags), os.open("/dev/pts", flags), adjust=adjust)
    poller = state.poller
    poller.register(control.fileno(), select.POLLIN)
    poller.register(wake, select.POLLIN)
    while True:
        for fd, _ in poller.poll():
            if fd == control.fileno():
                data, fds = receive(control)
                if not data:
                    return
                state.start(data, fds)
            elif fd == wake:
                try:
                    os.read(wake, 4096)
                except BlockingIOError:
                    pass
                state.reap()
            elif fd in state.jobs:
                state.kill(state.jobs[fd])


def _ignore(*_: object) -> None:
    return None


class _State:
    """The jobs of one sandbox."""

    def __init__(self, proc: int, pts: int, *, adjust: bool) -> None:
        self.poller = select.poll()
        self.proc = proc
        self.pts = pts
        self.adjust = adjust
        self.jobs: dict[int, _Job] = {}

    def start(self, data: bytes, fds: list[int]) -> None:
        """Start the program that a request describes, or report why not."""
        if data == IN_MEMORY_FILE:
            with open(fds.pop(0), "rb", buffering=0) as file:
                file.seek(0)
                data = file.readall()
        kind, words = marshal.loads(data)
        socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, fds[0])
        master = -1
        if kind == KILL_OTHERS:
            self.kill_others()
            send(socket, ENDED + struct.pack("=i", 0), [])
            socket.close()
            return
        try:
            if kind == TERMINAL:
                master, slave = open_pair(self.pts)
                _silence(slave)
                fds += [slave, slave, slave]
            pid = self._fork(kind, words, fds[1:4])
        except OSError as error:
            send(socket, FAILED + struct.pack("=i", error.errno or 0), [])
            socket.close()
        else:
            self.jobs[socket.fileno()] = _Job(pid, socket, keep=kind == TERMINAL)
            self.poller.register(socket.fileno(), select.POLLIN)
            send(socket, STARTED, [master] if master >= 0 else [])
        for fd in {*fds[1:], master} - {-1}:
            os.close(fd)

    def _fork(self, kind: int, words: tuple, fds: list[int]) -> int:  # type: ignore[type-arg]
        """Fork; if the agent's processes leave no room for a terminal, kill them first."""
        for _ in range(20):
            try:
                pid = os.fork()
            except OSError as error:
                if error.errno not in _NO_FORK or kind != TERMINAL:
                    raise
                os.kill(-1, _SIGKILL)  # from the first process: everything but itself
                select.select([], [], [], 0.02)
                self.reap()
                continue
            if pid == 0:
                try:
                    _become(kind, words, fds, adjust=self.adjust)
                finally:
                    os._exit(127)
            return pid
        raise OSError(_NO_FORK[0], "no process could be made")

    def kill_others(self) -> None:
        """Kill every process but this one, and wait until they are gone."""
        for _ in range(500):
            try:
                os.kill(-1, _SIGKILL)
            except ProcessLookupError:
                return
            select.select([], [], [], 0.002)
            self.reap()

    def reap(self) -> None:
        """Collect every ended process and report those that are jobs."""
        by_pid = {job.pid: job for job in self.jobs.values() if not job.done}
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if job := by_pid.get(pid):
                job.done = True
                send(job.socket, ENDED + struct.pack("=i", status), [])
                if not job.keep:
                    self._forget(job)

    def kill(self, job: _Job) -> None:
        """Kill a job's session and wait until it is gone; closing its socket reports the end."""
        self.poller.unregister(job.socket.fileno())
        job.keep = True
        if not job.done:
            try:
                os.killpg(job.pid, _SIGKILL)
            except ProcessLookupError:
                pass
        for turn in range(100):  # members may fork while they are counted
            members = self._session(job.pid)
            if not members:
                break
            for number in (_SIGSTOP, _SIGKILL) if turn == 0 else (_SIGKILL,):
                for pid in members:
                    try:
                        os.kill(pid, number)
                    except ProcessLookupError:
                        pass
            select.select([], [], [], 0.002)
            self.reap()
        self.reap()
        job.keep = False
        if job.done:
            self._forget(job)

    def _forget(self, job: _Job) -> None:
        fd = job.socket.fileno()
        del self.jobs[fd]
        try:
            self.poller.unregister(fd)
        except KeyError:
            pass
        job.socket.close()

    def _session(self, leader: int) -> list[int]:
        """Return the processes of a session, by /proc/<pid>/stat."""
        members = []
        for name in os.listdir(self.proc):
            if not name.isdigit() or name == "1":
                continue
            try:
                fd = os.open(f"{name}/stat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc)
            except OSError:
                continue
            try:
                fields = os.read(fd, 1024).rpartition(b")")[2].split()
            except OSError:
                continue
            finally:
                os.close(fd)
            # state, parent, group, session follow the name, which may hold anything.  A zombie with
            # more than one thread has lost its first one and goes on.
            if (
                len(fields) > 17
                and int(fields[3]) == leader
                and (fields[0] != b"Z" or int(fields[17]) > 1)
            ):
                members.append(int(name))
        return members


def open_pair(pts: int) -> tuple[int, int]:
    """Return both ends of a new pseudo-terminal of the devpts behind a descriptor."""
    flags = os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC
    master = os.open("ptmx", flags | os.O_NOFOLLOW, dir_fd=pts)
    try:
        fcntl.ioctl(master, _TIOCSPTLCK, struct.pack("=i", 0))
        fcntl.ioctl(master, _TIOCSWINSZ, struct.pack("=4H", 24, 80, 0, 0))
        return master, fcntl.ioctl(master, _TIOCGPTPEER, flags)
    except BaseException:
        os.close(master)
        raise


def _silence(slave: int) -> None:
    """Switch echo and output processing off: `stty` in a new shell takes as long as the shell."""
    modes = fcntl.ioctl(slave, _TCGETS, bytes(_MODES.size))
    first, out, control, local, rest = _MODES.unpack(modes)
    fcntl.ioctl(slave, _TCSETS, _MODES.pack(first, out & ~_OPOST, control, local & ~_ECHO, rest))


def _become(kind: int, words: tuple, fds: list[int], *, adjust: bool) -> None:  # type: ignore[type-arg]
    """Turn this forked process into the program; never returns but by an exception."""
    argv, environment, cwd, uid = words
    _signal.set_wakeup_fd(-1)
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ, _signal.SIGINT, _SIGCHLD):
        _signal.signal(number, _signal.SIG_DFL)
    os.setsid()
    if kind == TERMINAL:
        fcntl.ioctl(fds[0], _TIOCSCTTY, 0)
    for target, fd in enumerate(fds):
        os.dup2(fd, target)
    if adjust:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(fd, b"500")
        except OSError:  # the host has set a higher value for all of us: it may only rise
            pass
        os.close(fd)
    if uid != 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    try:
        os.chdir(cwd)
    except OSError as error:
        _complain(cwd, error, 126)
    program = argv[0]
    paths = [program]
    if b"/" not in program:
        search = environment.get(b"PATH", b"/usr/bin:/bin").split(b":")
        paths = [directory + b"/" + program for directory in search if directory]
    problem = OSError(2, "not found")
    for path in paths:
        try:
            os.execve(path, argv, environment)
        except OSError as error:
            if error.errno not in (2, 20):  # ENOENT, ENOTDIR: look further
                problem = error
    _complain(program, problem, 127 if problem.errno == 2 else 126)


def _complain(what: bytes, error: OSError, code: int) -> None:
    os.write(2, b"%s: %s\n" % (what, os.strerror(error.errno or 0).encode()))
    os._exit(code)
