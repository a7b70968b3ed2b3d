"""One gVisor sandbox: programs, terminals, files and its end.

Each program is started by a client process, which takes about 40 ms; a terminal is one client that
stays.  Files are read and written through a descriptor of the root directory on the host, which
stays valid when everything inside has been killed.
Does not cover: named pipes and sockets, which gVisor keeps to itself, so `get` does not list them.
"""

from __future__ import annotations

import contextlib
import os
import signal as signals
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence

from tmax_gym.errors import SandboxError, ShellError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import ExecResult, User, login, quoting
from tmax_gym.sandboxes.apptainer import command as clients_command
from tmax_gym.sandboxes.apptainer import process as clients
from tmax_gym.sandboxes.docker.init import Init
from tmax_gym.sandboxes.gvisor import command, first_process
from tmax_gym.sandboxes.gvisor.files import SandboxFiles, discard, end_client
from tmax_gym.sandboxes.gvisor.terminal import GvisorTerminal, open_pair
from tmax_gym.sandboxes.native import file_writer, program_io
from tmax_gym.sandboxes.native.file_reader import Trees
from tmax_gym.sandboxes.pool.admission import Place

_PATIENCE = 5.0
"""Seconds for the first process to answer: 0.002 are usual, 1 among 256 busy processes."""
_LONGER = 30.0
"""For it to answer when it is alone, and first ends what it was asked before."""
_LOST = 128
"""What a client of `runsc` exits with if it started no program, or its sandbox ended."""
_ENDING = 0.5
"""Seconds in which a sandbox ends after its client has seen that it will."""
_CLIENT = {"PATH": login.PATH}


class GvisorSandbox:
    """One running sandbox; see `gvisor.GvisorBackend`."""

    def __init__(
        self,
        files: SandboxFiles,
        client: subprocess.Popen[bytes],
        init: Init,
        *,
        root: int,
        logs: int,
    ) -> None:
        """Take over a sandbox whose first process answers, and two directories' descriptors."""
        self.id = files.id
        self._files = files
        self._client = client
        self._init = init
        self._pidfd = os.pidfd_open(first_process.number_in(files.directory / "pid"))
        self._trees = Trees({"": root}, rootless=False)
        self._logs = logs
        self._lock = threading.RLock()
        self._terminals: list[GvisorTerminal] = []
        self._frozen = False
        self._closed = False
        self._destroyed: bool | None = None
        self._leave: Callable[[], object] = lambda: None

    def holds(self, place: Place) -> None:
        """Take over a place, which is given back when the machine ends or is garbage."""
        self._leave = weakref.finalize(self, place.leave)

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> GvisorTerminal:
        """Start bash with a clean environment on a tty.

        Raises:
            SandboxError: The machine has ended.
            ShellError: It has no working bash any more.
        """
        quoting.check(("bash",), {}, cwd)
        try:
            return self._open_terminal(user, cwd)
        except ShellError:
            self._check("starting a shell", seconds=_ENDING)
            # The agent's processes may have reached a limit.
            with contextlib.suppress(SandboxError):
                self._ask("room")
        return self._open_terminal(user, cwd)

    def _open_terminal(self, user: User, cwd: str) -> GvisorTerminal:
        self._admit()
        process = command.terminal(_environment(user), cwd, user=user)
        try:
            master, slave = open_pair()
        except OSError as error:
            raise SandboxError(f"no terminal for sandbox {self.id}: {error}") from error
        with self._files.described(process) as (argv, _):
            try:
                client = subprocess.Popen(
                    clients_command.hosted(argv, tty=True),
                    stdin=slave,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=_CLIENT,
                    cwd="/",
                    start_new_session=True,
                )
            except BaseException:
                os.close(master)
                raise
            finally:
                os.close(slave)
            terminal = GvisorTerminal(
                master, client, has_jobs=self._has_jobs, end=self._end_session
            )
            try:
                terminal.await_shell()
            except BaseException:
                terminal.close()
                raise
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
        self._admit()
        extra = dict(env or {})
        quoting.check(argv, extra, cwd)
        variables = {**_environment(user), **extra}
        if not quoting.is_utf8([*argv, cwd, *extra, *extra.values()]):
            argv, cwd = quoting.through_bash(argv, extra, cwd), "/"
            variables = _environment(user)
        process = command.program(argv, variables, cwd, user=user)
        with self._files.described(process) as (words, pid_file):
            ended = clients.run(words, _CLIENT, stdin=stdin, timeout=timeout, cap=max_output)
            began = pid_file.is_file()
            if ended.late:
                if began:
                    self._end_session(first_process.number_in(pid_file))
                self._check(f"running {argv[0]}")
                return ExecResult(124, ended.stdout, ended.stderr, True, ended.truncated)
        if ended.code >= _LOST:
            # Programs are killed a moment before the machine, whose first process was.
            seconds = _ENDING if ended.code in (_LOST, _LOST + signals.SIGKILL) else 0.0
            self._check(f"running {argv[0]}", seconds=seconds)
        if not began:
            message = ended.stderr.decode(errors="replace")
            return ExecResult(command.start_failure(message), ended.stdout, ended.stderr)
        return ExecResult(ended.code, ended.stdout, ended.stderr, False, ended.truncated)

    def _has_jobs(self, shell: int) -> bool:
        """Return whether a shell's session has a process group besides its own."""
        try:
            return self._ask("groups", str(shell))
        except SandboxError:  # it has ended, or the agent keeps it too busy: the next rung is due
            return False

    def _end_session(self, leader: int) -> None:
        with contextlib.suppress(SandboxError):
            if program_io.is_alive(self._pidfd):
                self._ask("session", str(leader))

    def _ask(self, *words: str) -> bool:
        """Send a request to the first process; if it is late, kill all others in its way."""
        try:
            return self._init.ask(*words, patience=_PATIENCE)
        except SandboxError:
            self._check(f"asking for {words[0]!r}")
        self._make_room()
        return False

    def _make_room(self) -> None:
        """Stop every process, wake the first one, and have it kill the others.

        The agent has stopped it, or keeps it from running by too many that are busy.
        """
        program, place = self._files.program, str(self._files.directory)
        for argv in (
            command.kill_argv(program, place, "STOP", everything=True),
            command.kill_argv(program, place, "CONT"),
        ):
            clients.run(argv, _CLIENT, timeout=_PATIENCE)
        try:
            self._init.ask("room", patience=_LONGER)
        except SandboxError:
            with self._lock:  # no failure of ours: what runs inside keeps it from answering
                self._destroyed = True
                program_io.kill(self._pidfd)
            raise

    def _admit(self) -> None:
        if self._closed or self._frozen:
            raise SandboxError(f"sandbox {self.id} is {'closed' if self._closed else 'frozen'}")

    def _check(self, action: str, *, seconds: float = 0.0) -> None:
        """Raise if the machine is gone, or goes within some seconds."""
        if program_io.ends_within(self._pidfd, seconds):
            raise SandboxError(f"{action}: sandbox {self.id} has ended; open another")

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

    def _check_open(self) -> None:
        if self._closed:
            raise SandboxError(f"sandbox {self.id} is closed: open another")

    def destroyed(self) -> bool:
        """Return whether the machine has ended by what ran in it."""
        with self._lock:
            if self._destroyed is None and not self._closed and not self._frozen:
                if program_io.is_alive(self._pidfd):
                    return False
                self._destroyed = first_process.ended_inside(self._logs, self._files.groups)
            return bool(self._destroyed)

    def freeze(self) -> None:
        """Kill every process; files stay readable.

        Raises:
            SandboxError: Something outside ended it before.
        """
        with self._lock:
            self._check_open()
            if self._frozen:
                return
            if not program_io.is_alive(self._pidfd) and not self.destroyed():
                raise SandboxError(f"sandbox {self.id} was killed from outside: open another")
            if not program_io.kill(self._pidfd):
                raise SandboxError(f"sandbox {self.id} does not die: the host is stuck")
            self._frozen = True
        self._leave()

    def close(self) -> None:
        """Destroy the machine and all that it held.  Idempotent."""
        with self._lock:
            if self._closed:
                return
            self.destroyed()
            self._closed = True
            program_io.kill(self._pidfd)
            for terminal in self._terminals:
                terminal.close()
            self._init.close()
            self._trees.close()
            end_client(self._client)
            os.close(self._pidfd)
            os.close(self._logs)
            self._pidfd = self._logs = -1
        self._leave()
        discard(self._files)


def _environment(user: User) -> dict[str, str]:
    return login.environment(user, home=login.HOMES["root" if user == "root" else "nobody"])
