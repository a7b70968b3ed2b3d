"""The host's end of one native sandbox: programs, files, the end.

Covers the `Sandbox` protocol.  Files go through a descriptor of the sandbox's
root directory that is held here: it stays good when everything inside has been killed.
Descriptors are owned by these objects alone and closed once.
"""

from __future__ import annotations

import marshal
import os
import socket
import struct
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import ExecResult, User
from tmax_gym.sandboxes.native import file_writer, init, program_io
from tmax_gym.sandboxes.native.file_reader import Trees
from tmax_gym.sandboxes.native.terminal import NativeTerminal
from tmax_gym.sandboxes.pool.admission import Place
from tmax_gym.sandboxes.quoting import check

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_BASH = ("/bin/bash", "--norc", "--noprofile", "--noediting", "-i")
_START_SECONDS = 30.0
"""A start takes 7 ms alone and 0.1 s among 256; beyond this the host is stuck."""


def clean_environment(user: User) -> dict[str, str]:
    """Return what a fresh login would have, the same on every host."""
    home = "/root" if user == "root" else "/tmp"
    return {
        "PATH": _PATH,
        "HOME": home,
        "USER": user,
        "LOGNAME": user,
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "LANG": "C.UTF-8",
    }


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
        self.news: Callable[[int], bool] = _no_news
        """Says whether a first process that has ended did so by what ran in its sandbox."""
        self._at_end: Callable[[], None] | None = None
        self._leave: Callable[[], object] = lambda: None

    def await_start(self, points: Sequence[str]) -> None:
        """Take over the descriptors that the zygote and the first process send.

        Raises:
            SandboxError: It did not come up; the message has the step.
        """
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
        """Call this once when the sandbox has gone."""
        self._at_end = action

    def holds(self, place: Place) -> None:
        """Give this place back when the machine runs no more, at the latest when forgotten."""
        self._leave = weakref.finalize(self, place.leave)

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> NativeTerminal:
        """Start `bash --norc --noprofile --noediting -i` with a clean environment on a tty."""
        link = self._request(init.TERMINAL, [_BASH, clean_environment(user), cwd, user], ())
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
            self._terminals = [one for one in self._terminals if one.fd >= 0] + [terminal]
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
        words = [tuple(argv), {**clean_environment(user), **(env or {})}, cwd, user]
        ours, theirs = program_io.pipes()
        try:
            link = self._request(init.PROGRAM, words, theirs)
        except BaseException:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        talk = program_io.Conversation(link, ours, cap=max_output)
        try:
            return talk.run(stdin, timeout)
        finally:
            talk.close()

    def end_all(self) -> None:
        """Kill every process but the first; close terminals before.  Others may be started.

        Raises:
            SandboxError: The sandbox has ended.
        """
        link = self._request(init.ROOM, [("room",), {}, "/", "root"], ())
        with link:
            link.settimeout(_START_SECONDS)
            try:
                answer = link.recv(64)
            except OSError as error:
                raise SandboxError(f"sandbox {self.id} ends no processes: {error}") from error
        if answer[:1] != init.ENDED:
            raise SandboxError(f"sandbox {self.id} has ended: open another")

    def _request(self, kind: int, words: list[Any], fds: Sequence[int]) -> socket.socket:
        """Send one request to the first process; return the socket that reports on it."""
        argv, env, cwd, user = words
        check(argv, env, cwd)
        environment = {os.fsencode(k): os.fsencode(v) for k, v in sorted(env.items())}
        uid = 0 if user == "root" else init.NOBODY
        order = (list(map(os.fsencode, argv)), environment, os.fsencode(cwd), uid)
        body = marshal.dumps((kind, order))
        ours, theirs = program_io.pair()
        sent = [theirs.fileno(), *fds]
        spare = -1
        try:
            if len(body) > init.REQUEST_BYTES:
                spare = os.memfd_create("request", os.MFD_CLOEXEC)
                with open(spare, "wb", closefd=False) as file:
                    file.write(body)
                sent, body = [spare, *sent], init.IN_MEMORY_FILE
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
            if spare >= 0:
                os.close(spare)
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
            if not self._closed and not self._destroyed and program_io.gone(self._pidfd):
                self._destroyed = self.news(self.pid)  # told once
            return self._destroyed

    def freeze(self) -> None:
        """Kill every process at once.  Files stay readable by `get`.

        Raises:
            SandboxError: Something outside has ended it before: what ran in the background had
                no time to end.
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
        self._at_end, self.news = None, _no_news  # they hold the zygote's socket

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


def _no_news(_: int) -> bool:
    return False
