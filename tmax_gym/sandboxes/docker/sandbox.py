"""One container as a sandbox: programs, terminals, files and its end.

The container's first process helps (`docker/init.py`); the engine does everything that must not
depend on processes inside.  Limit: if the agent starves the first process of memory, the engine
reports a dead container.
"""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence

from tmax_gym.errors import SandboxError, ShellError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import ExecResult, User, quoting
from tmax_gym.sandboxes.docker.engine import TIMEOUT, Engine
from tmax_gym.sandboxes.docker.exit_state import (
    dead,
    ended_inside,
    exec_pid,
    exec_status,
    state_at_end,
)
from tmax_gym.sandboxes.docker.files import Files
from tmax_gym.sandboxes.docker.init import Init, Processes, locate
from tmax_gym.sandboxes.docker.tar_stream import Reader, pack
from tmax_gym.sandboxes.docker.terminal.frames import converse
from tmax_gym.sandboxes.docker.terminal.terminal import (
    WAITING,
    DockerTerminal,
    direct_terminal,
    first_line,
    shell_in,
)
from tmax_gym.sandboxes.login import BASH, NOBODY, environment
from tmax_gym.sandboxes.pool.admission import Place
from tmax_gym.sandboxes.program_pipes import Output

_IDS: Mapping[User, str] = {"root": "0:0", "nobody": f"{NOBODY}:{NOBODY}"}
_PRINT_PID = (*BASH, "-c", 'echo $$ >&2; exec "$@"', "-")
"""For engines on another machine: the only way to learn a program's number."""
_NOT_BEGUN = re.compile(rb"\A(OCI runtime exec failed|Error: |crun: )")
_ABSENT = re.compile(rb"executable file not found|no such file or directory")
_NO_ROOM = re.compile("resource temporarily unavailable|cannot allocate memory", re.IGNORECASE)
_KILLED = 128 + signal.SIGKILL


class DockerSandbox:
    """A running container."""

    def __init__(self, engine: Engine, container: str, init: Init, main: int) -> None:
        """Take a container, whose first process the engine knows by the number `main`."""
        self.id = container[:12]
        self.name = ""
        """The value of its label `MACHINE`."""
        self.gone = False
        """Whether its removal was requested."""
        self.engine = engine
        self._container = container
        self._init = init
        self._processes = Processes(init, main)
        self._main = locate(main, 1)
        self._near = self._main.host == main
        self._files = Files(engine, container)
        self._leave: Callable[[], object] = lambda: None
        self._waiting: DockerTerminal | None = None
        """A terminal that was prepared and is not in use yet."""
        self._pristine = True
        """Whether only programs of ours ever ran here."""
        self._frozen = False
        self._closed = False

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> DockerTerminal:
        """Start bash with a clean environment on a tty.

        Raises:
            SandboxError: The container is gone or the engine does not answer.
            ShellError: The container has no working bash any more.
        """
        self._check_open()
        quoting.check(("bash",), {}, cwd)
        waiting, self._waiting = self._waiting, None
        if waiting is None and user == "root":
            waiting = self._direct()
        if waiting is not None:
            self._pristine = False
            if user == "root" and waiting.enter(cwd):
                return waiting
            waiting.close()
        return self._new_terminal(shell_in(cwd), user)

    def _direct(self) -> DockerTerminal | None:
        """Return a waiting shell without the engine, as long as the agent has run nothing."""
        if not (self._pristine and self._near and self._processes.on_host):
            return None
        return direct_terminal(self._init, self._processes, self._main.host)

    def prepare(self) -> None:
        """Start the first terminal ahead of time, which takes 45 ms; raise as `open_terminal`."""
        self._waiting = self._direct() or self._new_terminal(WAITING, "root")
        self._pristine = True  # the waiting shell is ours

    def end_all(self) -> None:
        """Kill every process but the first; close terminals before.  Others may be started."""
        self._pristine = False
        self._processes.kill_all()

    def usable(self) -> bool:
        """Return whether a container that was not used yet still lives."""
        if self._closed or self._frozen or (self._waiting and not self._waiting.quiet()):
            return False
        try:
            return self._processes.alive(self._main) if self._near else self._init.ask(":")
        except SandboxError:
            return False

    def holds(self, place: Place) -> None:
        """Take over a place, which is given back when the machine ends or is garbage."""
        self._leave = weakref.finalize(self, place.leave)

    def forget(self) -> None:
        """Drop the connections in a forked child: the container belongs to the parent."""
        self._closed = True
        self._disconnect()

    def _disconnect(self) -> None:
        if self._waiting is not None:
            self._waiting.drop()
        self._init.close()

    def _new_terminal(self, argv: Sequence[str], user: User) -> DockerTerminal:
        for tries_left in (1, 0):
            run = self._exec_create(argv, user=user, tty=True)
            stream = self.engine.hijack(f"/exec/{run}/start", {"Detach": False, "Tty": True})
            try:
                line = first_line(stream)
                if line.isdigit():
                    return self._terminal(run, stream, int(line))
            except OSError as error:
                stream.close()
                self._check("starting a shell")
                raise SandboxError(f"bash is silent in sandbox {self.id}: {error!r}") from error
            except BaseException:
                stream.close()
                raise
            stream.close()
            self._check("starting a shell")
            if tries_left and _NO_ROOM.search(line):
                self._processes.kill_all()  # the agent's processes have reached a limit
        raise ShellError(f"bash did not start in sandbox {self.id}: {line!r}")

    def _terminal(self, run: str, stream: socket.socket, inside: int) -> DockerTerminal:
        with self.engine.errors("sizing a terminal"):
            self.engine.api.exec_resize(run, height=24, width=80)
        shell = locate(exec_pid(self.engine, run), inside)
        return DockerTerminal(stream, shell, self._processes)

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
        variables = dict(env or {})
        quoting.check(argv, variables, cwd)
        if not quoting.is_utf8([*argv, cwd, *variables, *variables.values()]):
            argv, variables, cwd = quoting.through_bash(argv, variables, cwd), {}, "/"
        command = [*argv] if self._near else [*_PRINT_PID, *argv]
        run = self._exec_create(command, user=user, env=variables, cwd=cwd)
        deadline = time.monotonic() + timeout
        stream = self.engine.hijack(f"/exec/{run}/start", {"Detach": False, "Tty": False})
        output = Output(max_output)
        with stream:
            ended = converse(stream, output, stdin=stdin, deadline=deadline)
            if not ended:
                self._kill_exec(run, output)
                converse(stream, output, stdin=b"", deadline=time.monotonic() + 1.0)
        code = self._exit_code(run)
        if code == _KILLED or not ended:
            self._check(f"running {argv[0]}")
        stdout, stderr = output.stdout, output.stderr
        if not self._near:
            stderr = stderr.partition(b"\n")[2]
        if code in (126, 127) and _NOT_BEGUN.search(message := stdout or stderr):
            stdout, stderr = b"", message  # it is the engine's
            code = 127 if _ABSENT.search(message) and b"chdir" not in message else 126
        return ExecResult(124 if not ended else code, stdout, stderr, not ended, output.truncated)

    def put(self, nodes: Iterable[Node]) -> None:
        """Create these entries and missing parents; raise `SandboxError` if a parent is a link."""
        nodes = tuple(nodes)
        if not nodes:
            return
        data = pack(nodes)
        if not self._pristine:
            self._files.put(data, [node.path for node in nodes])
        # Ten times faster than through the engine (6 ms, 57 ms), and as safe before the agent acts.
        elif not self._init.ask("layer", str(len(data)), data=data, patience=TIMEOUT):
            raise SandboxError(f"tar could not write {len(nodes)} entries in {self.id}")

    def freeze(self) -> None:
        """Kill every process at once; raise `SandboxError` if the container was dead before."""
        if self._frozen:
            return
        import docker.errors

        with self.engine.admission.removal(), self.engine.errors(f"killing {self.id}"):
            try:
                self.engine.api.kill(self._container, signal.SIGKILL)
            except docker.errors.APIError:
                if not self.destroyed():
                    self._check("freezing")
                    raise
        self._frozen = True
        self._leave()

    def destroyed(self) -> bool:
        """Return whether a program inside has ended the container."""
        if self._closed or (self._near and self._processes.alive(self._main)):
            return False
        with contextlib.suppress(SandboxError):
            return ended_inside(
                state_at_end(self.engine, self._container, near=self._near, action="looking")
            )
        return False

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Read entries back, sorted by path; no link is followed in any component."""
        if self._closed:
            raise SandboxError(f"sandbox {self.id} is closed")
        return self._files.get(paths, Reader(max_bytes, max_nodes))

    def close(self) -> None:
        """Destroy the container.  Idempotent."""
        if self._closed:
            return
        self._closed = True
        try:
            self.engine.remove(self._container)
        finally:
            # Last: Podman fails to remove a container that is just ending by itself.
            self._disconnect()
            self._leave()
            self.gone = True

    def _exec_create(
        self,
        argv: Sequence[str],
        *,
        user: User,
        env: Mapping[str, str] | None = None,
        cwd: str = "/",
        tty: bool = False,
    ) -> str:
        self._check_open()
        self._pristine = False
        with self.engine.errors(f"preparing {argv[0]} in {self.id}"):
            answer = self.engine.api.exec_create(
                self._container,
                list(argv),
                stdin=True,
                tty=tty,
                user=_IDS.get(user, user),  # an image may have users of its own
                workdir="/" if tty else cwd,
                environment={**environment(user), **(env or {})},
            )
        return str(answer["Id"])

    def _check_open(self) -> None:
        if self._closed or self._frozen:
            raise SandboxError(f"sandbox {self.id} is {'closed' if self._closed else 'frozen'}")

    def _kill_exec(self, run: str, output: Output) -> None:
        first = output.stderr.partition(b"\n")[0]
        inside = int(first) if not self._near and first.isdigit() else 0
        process = locate(exec_pid(self.engine, run), inside)
        if process.inside:
            self._processes.kill_session(process)

    def _exit_code(self, run: str) -> int:
        code = exec_status(self.engine, run)
        if code is None:
            self._check("waiting for a process")
        return _KILLED if code is None else code

    def _check(self, action: str) -> None:
        """Raise if the container's first process is gone."""
        if self._near and self._processes.alive(self._main):
            return
        state = state_at_end(self.engine, self._container, near=self._near, action=action)
        if self._near or not state["Running"]:
            raise dead(self._container, action, state)
