"""One native sandbox, seen from the host: programs, terminals, files and its end.

Files are read and written through a descriptor of the sandbox's root directory, which stays valid
when everything inside has been killed.  Each descriptor has one owner, which closes it once.
"""

from __future__ import annotations

import marshal
import os
import socket
import struct
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import ExecResult, User, login
from tmax_gym.sandboxes.native import file_writer, init, program_io
from tmax_gym.sandboxes.native.file_reader import Trees
from tmax_gym.sandboxes.native.terminal import NativeTerminal
from tmax_gym.sandboxes.pool.admission import Place
from tmax_gym.sandboxes.program_pipes import close_all, open_pipes
from tmax_gym.sandboxes.quoting import check

_START_SECONDS = 30.0
"""A start takes 7 ms alone and 0.1 s among 256; beyond this the host is stuck."""
_Program = tuple[Sequence[str], Mapping[str, str], str, User]
"""Arguments, environment, directory and user."""


def _environment(user: User) -> dict[str, str]:
    # There are two users here: any other name runs as `nobody`.
    return login.environment(user, home=login.HOMES["root" if user == "root" else "nobody"])


class NativeSandbox:
    """One machine made of namespaces; see `native.NativeBackend`."""

    def __init__(self, name: str, control: socket.socket, *, rootless: bool) -> None:
        self.id = name
        self._control = control
        self._rootless = rootless
        self._pidfd = -1
        self._trees = Trees({}, rootless=rootless)
        self._lock = threading.RLock()
        self._terminals: list[NativeTerminal] = []
        self._closed = False
        self._frozen = False
        self._destroyed = False
        self.pid = 0
        self.ended_inside: Callable[[int], bool] = _never
        """Tells whether a first process that has ended did so because of what ran inside."""
        self._at_end: Callable[[], None] | None = None
        self._leave: Callable[[], object] = lambda: None

    def await_start(self, points: Sequence[str]) -> None:
        """Take over descriptors of the zygote and the first process, or raise `SandboxError`."""
        self._control.settimeout(_START_SECONDS)
        wanted = {init.GREETING: 1, init.READY: len(points)}
        while not (self._trees.roots and self._pidfd >= 0):
            try:
                data, fds = program_io.receive(self._control, wanted)
            except OSError as error:
                raise SandboxError(f"no sandbox came up: {error!r}. See `tmax doctor`.") from error
            if data[:1] == init.GREETING:
                self._pidfd = fds[0]
                self.pid = struct.unpack("=i", data[1:])[0]
            elif data[:1] == init.READY:
                self._trees = Trees(dict(zip(points, fds, strict=True)), rootless=self._rootless)
            else:
                step = data[1:].decode(errors="replace") or "its process ended"
                raise SandboxError(f"the sandbox could not be set up: {step}")

    def at_end(self, action: Callable[[], None]) -> None:
        """Have a function called once the sandbox is closed."""
        self._at_end = action

    def holds(self, place: Place) -> None:
        """Take over a place, which is given back when the machine ends or is garbage."""
        self._leave = weakref.finalize(self, place.leave)

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> NativeTerminal:
        """Start `bash --norc --noprofile --noediting -i` with a clean environment on a tty."""
        link = self._request(init.TERMINAL, (login.INTERACTIVE_BASH, _environment(user), cwd, user))
        link.settimeout(_START_SECONDS)
        try:
            data, fds = init.receive(link)
        except OSError as error:
            link.close()
            raise SandboxError(f"sandbox {self.id} does not start a shell: {error}") from error
        if data[:1] != init.STARTED or not fds:
            link.close()
            raise SandboxError(f"sandbox {self.id} ended, or has no room for a shell: {data!r}")
        link.setblocking(False)
        terminal = NativeTerminal(fds[0], link)
        with self._lock:
            self._terminals = [t for t in self._terminals if t.fd >= 0] + [terminal]
        return terminal

    def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float = 60.0,
        user: User = "root",
        env: Mapping[str, str] | None = None,
        cwd: str = "/",
        max_output: int = 1 << 20,
    ) -> ExecResult:
        """Run one program without a terminal; its whole session dies at the time-out."""
        program = (argv, {**_environment(user), **(env or {})}, cwd, user)
        host_ends, program_ends = open_pipes()
        try:
            link = self._request(init.PROGRAM, program, program_ends)
        except BaseException:
            close_all(host_ends)
            raise
        finally:
            close_all(program_ends)
        running = program_io.RunningProgram(link, host_ends, cap=max_output)
        try:
            return running.run(stdin, timeout)
        finally:
            running.close()

    def end_all(self) -> None:
        """Kill every process but the first; close terminals before.  Others may be started.

        Raises:
            SandboxError: The sandbox has ended.
        """
        with self._request(init.KILL_OTHERS, (("kill",), {}, "/", "root")) as link:
            link.settimeout(_START_SECONDS)
            try:
                answer = link.recv(64)
            except OSError as error:
                raise SandboxError(f"sandbox {self.id} ends no processes: {error}") from error
        if answer[:1] != init.ENDED:
            raise SandboxError(f"sandbox {self.id} has ended: open another")

    def _request(self, kind: int, program: _Program, fds: Sequence[int] = ()) -> socket.socket:
        """Send one request to the first process; return the socket that reports on it."""
        argv, env, cwd, user = program
        check(argv, env, cwd)
        environment = {os.fsencode(k): os.fsencode(v) for k, v in sorted(env.items())}
        uid = 0 if user == "root" else login.NOBODY
        encoded = (list(map(os.fsencode, argv)), environment, os.fsencode(cwd), uid)
        body = marshal.dumps((kind, encoded))
        ours, theirs = program_io.pair()
        sent = [theirs.fileno(), *fds]
        memory_file = -1
        try:
            if len(body) > init.REQUEST_BYTES:
                memory_file = os.memfd_create("request", os.MFD_CLOEXEC)
                with open(memory_file, "wb", closefd=False) as file:
                    file.write(body)
                sent, body = [memory_file, *sent], init.IN_MEMORY_FILE
            with self._lock:
                self._check_open()
                socket.send_fds(self._control, [body], sent)
        except OSError as error:
            ours.close()
            raise SandboxError(f"sandbox {self.id} has ended: {error}. Open another.") from error
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
            if memory_file >= 0:
                os.close(memory_file)
        return ours

    def _check_open(self) -> None:
        if self._closed:
            raise SandboxError(f"sandbox {self.id} is closed: open another")

    def put(self, nodes: Iterable[Node]) -> None:
        """Create these entries (and missing parents); never follows a link out of its path."""
        with self._lock:
            self._check_open()
            file_writer.put(self._trees, nodes)

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Read entries back, directories with all below them, sorted by path."""
        with self._lock:
            self._check_open()
            return self._trees.get(paths, max_bytes=max_bytes, max_nodes=max_nodes)

    def destroyed(self) -> bool:
        """Return whether the machine has ended by what ran in it."""
        with self._lock:
            if not self._closed and not self._destroyed and program_io.is_collected(self._pidfd):
                self._destroyed = self.ended_inside(self.pid)  # answered once
            return self._destroyed

    def freeze(self) -> None:
        """Kill every process at once.  Files stay readable by `get`.

        Raises:
            SandboxError: Something outside ended it before, so that programs in the background
                had no time to finish.
        """
        with self._lock:
            self._check_open()
            dead = not self._frozen and not program_io.is_alive(self._pidfd)
            if dead and not self.destroyed():
                raise SandboxError(f"sandbox {self.id} was killed from outside: open another")
            self._frozen = True
            if not program_io.kill(self._pidfd):
                raise SandboxError(f"sandbox {self.id} does not die: the host is stuck")
        self._leave()

    def close(self) -> None:
        """Destroy the machine and all that it held.  Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._pidfd >= 0:
                program_io.kill(self._pidfd)
            self._release()
        self._leave()
        if self._at_end:
            self._at_end()
        self._at_end, self.ended_inside = None, _never  # they hold the zygote's socket

    def _release(self) -> None:
        for terminal in self._terminals:
            terminal.close()
        self._control.close()
        self._trees.close()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1

    def forget(self) -> None:
        """Drop the descriptors in a forked child: the machine belongs to the parent."""
        if self._closed:
            return
        self._lock = threading.RLock()  # another thread may have held it at the fork
        self._closed = True
        for terminal in self._terminals:
            terminal.forget()
        self._terminals = []
        self._release()


def _never(_: int) -> bool:
    return False
