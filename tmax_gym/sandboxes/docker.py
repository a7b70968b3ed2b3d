"""Sandboxes in containers of Docker, or of Podman through its compatible API.

Covers pid, mount, network, IPC and UTS isolation, limits of memory, processes and CPU, the
engine's seccomp profile, eight capabilities, and the end of every container with its owner.
Does not cover a quota of disk and inodes: engines have none for a container's layer on ext4.
Instead no single file may exceed `Limits.disk`, and `/dev/shm` has 64 MiB; `/tmp` stays in the
layer, since a RAM disk there would be lost when the container is frozen.  Podman's seccomp
profile is wider than Docker's: it lets processes make user namespaces.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import weakref
from typing import Any

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Layer, Limits
from tmax_gym.sandboxes.docker_engine import PING, Engine, find
from tmax_gym.sandboxes.docker_init import COMMAND, Init
from tmax_gym.sandboxes.docker_reaper import LABEL, Watcher, orphan, owner
from tmax_gym.sandboxes.docker_sandbox import DockerSandbox
from tmax_gym.sandboxes.docker_terminal import PATH

_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID",
                 "NET_BIND_SERVICE")  # fmt: skip
"""What root needs to install, serve and hand files over; Docker's default has 14, NET_RAW and
MKNOD among them."""
_ENFORCED = frozenset(
    ("pid", "mount", "net", "ipc", "uts", "memory", "pids", "cpu", "seccomp", "caps")
)
_SHM = 64 << 20
"""Docker's default size of /dev/shm."""
_FILES = 20_000
_TASKS = 32_768
"""Limits that are there because Podman otherwise asks for 1,048,576 open files and for more
processes than its own limit, which needs CAP_SYS_RESOURCE; both are generous."""


class DockerBackend:
    """One engine, and the containers that this process has in it."""

    _shared: dict[tuple[str, int], DockerBackend] = {}  # noqa: RUF012
    _sharing = threading.Lock()

    def __init__(self, engine: str = "docker") -> None:
        """Take the engine named `docker` or `podman`; nothing is contacted yet."""
        if engine not in ("docker", "podman"):
            raise ValueError(f"unknown engine {engine!r}: use docker or podman")
        self.name = engine
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._watcher: Watcher | None = None
        self._label = ""
        self._live: weakref.WeakSet[DockerSandbox] = weakref.WeakSet()

    @classmethod
    def shared(cls, engine: str = "docker") -> DockerBackend:
        """Return this process's backend for an engine; a forked child has its own."""
        with cls._sharing:
            key = (engine, os.getpid())
            if key not in cls._shared:
                cls._shared[key] = cls(engine)
            return cls._shared[key]

    def problem(self) -> str | None:
        """Return None where the engine answers within a second, else what to do."""
        try:
            import docker  # noqa: F401
        except ImportError:
            return "the docker SDK is absent; install it with `pip install 'tmax-gym[docker]'`"
        for left in (1, 0):
            try:
                engine = Engine(find(self.name), timeout=PING)
                with engine.errors("pinging"):
                    engine.api.ping()
                engine.api.close()
            except SandboxError as error:
                # A busy machine may miss one second; two in a row is an engine that hangs.
                if left and "timed out" in str(error):
                    continue
                return str(error)
            break
        return None

    def capabilities(self) -> frozenset[str]:
        """Return what is enforced; `disk` and `inodes` are not."""
        return _ENFORCED

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> DockerSandbox:
        """Start a container with `layer` in place; `host` means `core` here.

        A name with a colon is an image that the engine has already.

        Raises:
            ImageError: There is no such image.
            SandboxError: The engine could not start it.
        """
        engine = self.engine
        reference = engine.image(image)
        with engine.queue():
            sandbox = self._start(engine, reference, limits or Limits())
        self._live.add(sandbox)
        try:
            if layer is not None:
                sandbox.put(layer.nodes)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def close(self) -> None:
        """Remove every container of this process.  Idempotent."""
        for sandbox in list(self._live):
            with contextlib.suppress(SandboxError):
                sandbox.close()
        with self._lock:
            watcher, self._watcher = self._watcher, None
            engine, self._engine = self._engine, None
        if watcher is not None:
            watcher.close()
        if engine is not None:
            engine.api.close()

    @property
    def engine(self) -> Engine:
        """The connection, made when it is first needed.

        Raises:
            SandboxError: There is no engine, or it does not answer.
        """
        with self._lock:
            if self._engine is None:
                engine = Engine(find(self.name))
                self._label = owner()
                self._watcher = Watcher(engine.address, self._label)
                self._engine = engine
                atexit.register(self._at_exit, os.getpid())
                _sweep(engine)
            return self._engine

    def _at_exit(self, pid: int) -> None:
        if os.getpid() == pid:  # not in a fork
            self.close()

    def _start(self, engine: Engine, reference: str, limits: Limits) -> DockerSandbox:
        with engine.errors(f"starting a container of {reference}"):
            answer = engine.api.create_container(
                reference,
                list(COMMAND),
                stdin_open=True,
                hostname="sandbox",
                user="0:0",
                working_dir="/",
                environment={"PATH": PATH},
                labels={LABEL: self._label},
                host_config=_host_config(engine, limits),
            )
        container = str(answer["Id"])
        try:
            attach = f"/containers/{container}/attach?stream=1&stdin=1&stdout=1"
            init = Init(engine.hijack(attach))
            with engine.errors(f"starting a container of {reference}"):
                engine.api.start(container)
                state = engine.api.inspect_container(container)["State"]
            return DockerSandbox(engine, container, init, int(state["Pid"]))
        except BaseException:
            with contextlib.suppress(Exception):
                engine.api.remove_container(container, force=True, v=True)
            raise


def _host_config(engine: Engine, limits: Limits) -> Any:
    from docker.types import LogConfig, Ulimit

    return engine.api.create_host_config(
        network_mode="none",
        mem_limit=limits.memory,
        memswap_limit=limits.memory,
        pids_limit=limits.pids,
        nano_cpus=int(limits.cpus * 1e9),
        shm_size=_SHM,
        cap_drop=["ALL"],
        cap_add=list(_CAPABILITIES),
        security_opt=["no-new-privileges"],
        log_config=LogConfig(type=LogConfig.types.NONE),
        ulimits=[
            Ulimit(name="nofile", soft=_FILES, hard=_FILES),
            Ulimit(name="nproc", soft=_TASKS, hard=_TASKS),
            Ulimit(name="fsize", soft=limits.disk, hard=limits.disk),
            Ulimit(name="core", soft=0, hard=0),
        ],
    )


def _sweep(engine: Engine) -> None:
    """Remove the containers of owners that have ended."""
    with engine.errors("looking for leftovers"):
        found = engine.api.containers(all=True, filters={"label": [LABEL]})
    for container in found:
        if orphan(container["Labels"][LABEL]):
            with contextlib.suppress(SandboxError), engine.queue(), engine.errors("sweeping"):
                engine.api.remove_container(container["Id"], force=True, v=True)
