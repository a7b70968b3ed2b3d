"""One pod as a sandbox: programs, terminals, files and its end.

Its first process (`docker/init.py`) is reached by an attached connection, ends with it, and sends
signals to the others; each program and terminal has a connection of its own.
Does not cover: files of a pod that has ended.  If the agent ended it, nothing was left; if
something else did, every call raises `SandboxError`.
"""

from __future__ import annotations

import contextlib
import re
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tmax_gym.errors import SandboxError, ShellError
from tmax_gym.nodes import Node, absolute
from tmax_gym.sandboxes import ExecResult, User, login, quoting
from tmax_gym.sandboxes.docker.init import Init, Pid, Processes
from tmax_gym.sandboxes.docker.terminal.frames import converse
from tmax_gym.sandboxes.docker.terminal.terminal import DockerTerminal, first_line, shell_in
from tmax_gym.sandboxes.kubernetes import exit_state, files, scripts
from tmax_gym.sandboxes.kubernetes.cluster import Cluster
from tmax_gym.sandboxes.kubernetes.stream import Stream, exit_code, resize
from tmax_gym.sandboxes.pool.admission import Place
from tmax_gym.sandboxes.program_pipes import Output

_START_SECONDS = 30.0
"""A program starts in about 0.1 s; beyond this the node is stuck."""
_REPORT_SECONDS = 15.0
"""For the cluster to report that a pod has ended: 1 is usual."""
_LOOK = 0.2
_NUMBER = 32
"""Bytes of the line with a program's number, beside its errors."""
_KILLED = 128 + signal.SIGKILL
_NO_ROOM = re.compile("resource temporarily unavailable|cannot allocate memory", re.IGNORECASE)


class KubernetesSandbox:
    """A running pod."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        """Attach to the first process of a pod that runs, or raise `SandboxError`."""
        self.id = name
        self._cluster = cluster
        self._lost = ""
        """Why a connection was lost, if one was."""
        self._control = Stream(cluster.attach(name), framed=True, lost=self._lose)
        self._init = Init(self._control.local)
        self._processes = Processes(self._init, 0)
        self._lock = threading.RLock()
        self._pristine = True
        """Whether only programs of ours ever ran here."""
        self._frozen = False
        self._closed = False
        self._destroyed: bool | None = None
        self._leave: Callable[[], object] = lambda: None
        self._discard: Callable[[], object] = lambda: None
        try:
            self._init.ask(":", patience=_START_SECONDS)
        except BaseException:
            self._control.close()
            raise

    def holds(self, place: Place, discard: Callable[[], object]) -> None:
        """Take over a place, given back when the machine ends, and what deletes its resource."""
        self._leave = weakref.finalize(self, place.leave)
        self._discard = discard

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> DockerTerminal:
        """Start bash with a clean environment on a tty.

        Raises:
            SandboxError: The pod has ended, or the cluster does not answer.
            ShellError: It has no working bash any more.
        """
        quoting.check(("bash",), {}, cwd)
        script = scripts.enter(shell_in(cwd), login.environment(user), user=user)
        for tries_left in (1, 0):
            self._admit()
            try:
                return self._terminal(script)
            except (ShellError, SandboxError) as error:
                self._check("starting a shell")
                if not (tries_left and _NO_ROOM.search(str(error))):
                    raise
            self.end_all()  # the agent's processes have reached a limit
        raise AssertionError  # the last try returns or raises

    def _terminal(self, script: str) -> DockerTerminal:
        self._pristine = False
        client = self._cluster.execute(self.id, scripts.bash(script), tty=True)
        resize(client, *login.TERMINAL_SIZE)
        stream = Stream(client, framed=False, lost=self._lose)
        try:
            stream.local.settimeout(_START_SECONDS)
            line = first_line(stream.local)
        except TimeoutError as error:
            stream.close()
            raise SandboxError(f"bash is silent in {self.id}") from error
        except BaseException:
            stream.close()
            raise
        if not line.isdigit():
            stream.close()
            self._raise_lost("starting a shell")
            told = (stream.status() or {}).get("message", "")
            raise ShellError(f"bash did not start in {self.id}: {line!r} {told}")
        return DockerTerminal(stream.local, Pid(int(line)), self._processes)

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
        self._admit()
        self._pristine = False
        script = scripts.program(
            argv, {**login.environment(user), **variables}, cwd, user=user, size=len(stdin)
        )
        return self._run(script, argv[0], stdin=stdin, timeout=timeout, cap=max_output)

    def _run(self, script: str, name: str, *, stdin: bytes, timeout: float, cap: int) -> ExecResult:
        """Run a script of ours that prints its number on its errors."""
        client = self._cluster.execute(self.id, scripts.bash(scripts.READ), tty=False)
        stream = Stream(client, framed=True, lost=self._lose)
        output = Output(cap + _NUMBER)
        deadline = time.monotonic() + timeout
        try:
            data = scripts.sent(script, stdin)
            ended = converse(stream.local, output, stdin=data, deadline=deadline)
            number, _, errors = output.stderr.partition(b"\n")
            if not ended:
                if number.isdigit():
                    with contextlib.suppress(SandboxError):
                        self._processes.kill_session(Pid(int(number)))
                converse(stream.local, output, stdin=b"", deadline=time.monotonic() + 1.0)
                self._check(f"running {name}")
                return ExecResult(124, output.stdout[:cap], errors[:cap], True, output.truncated)
            status = stream.status()
        finally:
            stream.close()
        code = exit_code(status)
        if code is None:
            self._check(f"running {name}")
            told = (status or {}).get("message") or "its end was not reported"
            raise SandboxError(f"running {name} in {self.id}: {told}")
        if code == _KILLED:
            self._check(f"running {name}")
        cut = output.truncated or max(len(output.stdout), len(errors)) > cap
        return ExecResult(code, output.stdout[:cap], errors[:cap], False, cut)

    def _ours(self, script: str, *, stdin: bytes, timeout: float, cap: int) -> ExecResult:
        script = f"echo $$ >&2; {script}"
        return self._run(script, "a script", stdin=stdin, timeout=timeout, cap=cap)

    def end_all(self) -> None:
        """Kill every process but the first; close terminals before.  Others may be started."""
        self._processes.kill_all()

    def put(self, nodes: Iterable[Node]) -> None:
        """Create these entries and missing parents; raise `SandboxError` if a parent is a link."""
        self._admit()
        files.put(self._ours, nodes, pristine=self._pristine)

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Read entries back, sorted by path; none of a machine that the agent has ended."""
        self._check_open()
        paths = [absolute(path) for path in paths]
        if self._destroyed:
            return ()
        self._raise_lost("reading files")
        return files.get(self._ours, paths, max_bytes=max_bytes, max_nodes=max_nodes)

    def freeze(self) -> None:
        """Kill every process at once but the first, which does nothing any more.

        Raises:
            SandboxError: The pod has ended by something outside, or the cluster is silent.
        """
        with self._lock:
            self._check_open()
            if self._frozen:
                return
            if not self._destroyed:
                try:
                    self._raise_lost("freezing")
                    self._init.ask("room")
                except SandboxError:
                    if not self.destroyed():
                        raise
            self._frozen = True

    def destroyed(self) -> bool:
        """Return whether something inside has ended the pod: then its files are lost."""
        with self._lock:
            if self._destroyed is None and not self._closed:
                pod = self._pod_at_end()
                if pod is None or not exit_state.running(pod):
                    self._destroyed = pod is not None and exit_state.ended_inside(pod)
                elif self._unreachable:
                    self._destroyed = False
            return bool(self._destroyed)

    def _pod_at_end(self) -> dict[str, Any] | None:
        """Return the pod; if its first process is silent, when the cluster has noticed its end."""
        deadline = time.monotonic()
        try:
            self._init.ask(":")
        except SandboxError:
            deadline += _REPORT_SECONDS
        while True:
            pod = self._cluster.pod(self.id)
            late = time.monotonic() >= deadline
            if pod is None or late or not exit_state.running(pod):
                return pod
            time.sleep(_LOOK)

    def close(self) -> None:
        """Destroy the pod.  Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._control.close()  # which ends the first process
        self._discard()
        self._leave()

    @property
    def _unreachable(self) -> bool:
        return bool(self._lost) or self._control.ended

    def _lose(self, reason: str) -> None:
        self._lost = self._lost or reason

    def _admit(self) -> None:
        if self._closed or self._frozen:
            raise SandboxError(f"sandbox {self.id} is {'closed' if self._closed else 'frozen'}")
        self._raise_lost("using it")

    def _check_open(self) -> None:
        if self._closed:
            raise SandboxError(f"sandbox {self.id} is closed: open another")

    def _check(self, action: str) -> None:
        """Raise if the pod has ended, or a connection was lost."""
        self._raise_lost(action)
        try:
            self._init.ask(":")
        except SandboxError as error:
            raise SandboxError(f"{action}: sandbox {self.id} has ended; open another") from error

    def _raise_lost(self, action: str) -> None:
        """Raise if a program may have missed its input or its end: nothing is graded then."""
        if self._unreachable:
            reason = self._lost or "its first process has ended"
            raise SandboxError(f"{action}: sandbox {self.id} is lost ({reason}); open another")
