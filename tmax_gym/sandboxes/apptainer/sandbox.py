"""One instance of Apptainer as a sandbox: programs, terminals, files and its end.

Each program joins the instance through a client process, which takes about 40 ms; a terminal is
one client that stays.  Files are read and written through a descriptor of the root directory,
which stays valid when everything inside has been killed.
Without root there is no user `nobody`: only one id is mapped, and that is root.
"""

from __future__ import annotations

import os
import signal as signals
import subprocess
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tmax_gym.errors import SandboxError, ShellError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import ExecResult, User, quoting
from tmax_gym.sandboxes.apptainer import command
from tmax_gym.sandboxes.apptainer import process as clients
from tmax_gym.sandboxes.apptainer.command import Ceilings, Program, Start
from tmax_gym.sandboxes.apptainer.terminal import ApptainerTerminal
from tmax_gym.sandboxes.host import instances
from tmax_gym.sandboxes.native import file_writer, program_io
from tmax_gym.sandboxes.native.file_reader import Trees
from tmax_gym.sandboxes.native.init import open_pair
from tmax_gym.sandboxes.pool.admission import Place


@dataclass(frozen=True, slots=True)
class InstanceFiles:
    """What a sandbox has on its host: the client program, files and cgroups."""

    program: Program
    start: Start
    ceilings: Ceilings
    directory: Path
    """Holds the overlay and the client's own files; removed at the end."""
    groups: tuple[str, ...]
    """Cgroups that every client joins; removed at the end."""
    home: str
    """Where the client keeps its list of instances."""

    def client(
        self, argv: Sequence[str], *, user: User, extra: Mapping[str, str], tty: bool = False
    ) -> tuple[list[str], dict[str, str]]:
        """Return command and environment of a client that runs a program in the instance."""
        words = command.exec_argv(self.program, self.start, argv, user=user)
        environment = command.client_environment(self.program, extra, home=self.home)
        return command.hosted(words, groups=self.groups, tty=tty), environment


class ApptainerSandbox:
    """One running instance; see `apptainer.ApptainerBackend`."""

    def __init__(self, files: InstanceFiles, main: int) -> None:
        """Take over an instance by the number of its first process."""
        self.id = files.start.name
        self._host = files
        self._main = main
        self._pidfd = os.pidfd_open(main)
        self._namespace = clients.namespace(main)
        flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
        root = os.open(f"/proc/{main}/root", flags)
        self._trees = Trees({"": root}, rootless=files.start.rootless)
        self._pts = os.open(f"/proc/{main}/root/dev/pts", flags)
        self._terminals: list[ApptainerTerminal] = []
        self._frozen = False
        self._closed = False
        self._leave: Callable[[], object] = lambda: None

    def holds(self, place: Place) -> None:
        """Take over a place, which is given back when the machine ends or is garbage."""
        self._leave = weakref.finalize(self, place.leave)

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> ApptainerTerminal:
        """Start bash with a clean environment on a tty.

        Raises:
            SandboxError: The instance has ended.
            ShellError: It has no working bash any more.
        """
        quoting.check(("bash",), {}, cwd)
        try:
            return self._open_terminal(user, cwd)
        except ShellError:
            self._check("starting a shell")
            # The agent's processes may have reached a limit.
            clients.kill_namespace(self._namespace, self._main)
        return self._open_terminal(user, cwd)

    def _open_terminal(self, user: User, cwd: str) -> ApptainerTerminal:
        self._admit(user)
        try:
            master, slave = open_pair(self._pts)
        except OSError as error:
            raise SandboxError(f"no terminal in sandbox {self.id}: {error}") from error
        try:
            ceilings = self._host.ceilings
            shell, cwd = command.shell_in(cwd)
            wrapped = command.wrapped(shell, user=user, cwd=cwd, ceilings=ceilings, shell=True)
            argv, environment = self._host.client(wrapped, user=user, extra={}, tty=True)
            client = subprocess.Popen(
                argv,
                stdin=slave,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        except BaseException:
            os.close(master)
            raise
        finally:
            os.close(slave)
        terminal = ApptainerTerminal(master, client)
        try:
            terminal.await_shell()
        except BaseException:
            terminal.close()
            raise
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
        self._admit(user)
        variables = dict(env or {})
        quoting.check(argv, variables, cwd)
        # Not in the command either: everybody on a cluster sees commands.
        if not quoting.is_utf8([*variables, *variables.values()]):
            raise SandboxError("this backend takes variables in UTF-8 only: use another backend")
        if not quoting.is_utf8([*argv, cwd]):
            argv, cwd = quoting.through_bash(argv, {}, cwd), "/"
        wrapped = command.wrapped(argv, user=user, cwd=cwd, ceilings=self._host.ceilings)
        client, environment = self._host.client(wrapped, user=user, extra=variables)
        ended = clients.run(client, environment, stdin=stdin, timeout=timeout, cap=max_output)
        began, stderr = command.split_output(ended.stderr)
        if ended.code == 128 + signals.SIGKILL or not began:
            self._check(f"running {argv[0]}")
        if ended.late:
            return ExecResult(124, ended.stdout, stderr, True, ended.truncated)
        if not began:  # the agent's processes fill the limit: a result, not an error
            problem = f"no process could be started: {command.explain(stderr)}"
            return ExecResult(126, ended.stdout, problem.encode())
        return ExecResult(ended.code, ended.stdout, stderr, False, ended.truncated)

    def _admit(self, user: User) -> None:
        if self._closed or self._frozen:
            raise SandboxError(f"sandbox {self.id} is {'closed' if self._closed else 'frozen'}")
        if user != "root" and self._host.start.rootless:
            raise SandboxError(
                f"user {user!r} does not exist in sandbox {self.id}: without root one user id is "
                "mapped. Run as root, or choose the native or docker backend."
            )

    def _check(self, action: str) -> None:
        """Raise if the first process is gone."""
        if not program_io.is_alive(self._pidfd):
            raise SandboxError(f"{action}: sandbox {self.id} has ended; open another")

    def put(self, nodes: Iterable[Node]) -> None:
        """Create these entries (and missing parents); never follows a link out of its path."""
        self._check_open()
        file_writer.put(self._trees, nodes)

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Read entries back, directories with all below them, sorted by path."""
        self._check_open()
        return self._trees.get(paths, max_bytes=max_bytes, max_nodes=max_nodes)

    def _check_open(self) -> None:
        if self._closed:
            raise SandboxError(f"sandbox {self.id} is closed: open another")

    def freeze(self) -> None:
        """Kill every process; files stay readable.  Raises `SandboxError` if it was dead before."""
        self._check_open()
        if self._frozen:
            return
        self._check("freezing")
        if not program_io.kill(self._pidfd):
            raise SandboxError(f"sandbox {self.id} does not die: the host is stuck")
        self._frozen = True
        self._leave()

    def destroyed(self) -> bool:
        """Return False: Apptainer does not tell why an instance ended."""
        return False

    def close(self) -> None:
        """Destroy the instance and all that it held.  Idempotent."""
        if self._closed:
            return
        self._closed = True
        program_io.kill(self._pidfd)
        for terminal in self._terminals:
            terminal.close()
        os.close(self._pidfd)
        os.close(self._pts)
        self._trees.close()
        self._leave()
        discard(self._host)


def discard(files: InstanceFiles) -> None:
    """Remove the files and cgroups of an ended sandbox from its host."""
    for group in files.groups:
        instances.remove_group(group)
    instances.remove(files.directory)
