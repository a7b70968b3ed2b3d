"""The backends `docker` and `podman`: sandboxes in containers of Docker or Podman.

*Covers*: pid, mount, network, IPC and UTS isolation, limits of memory, processes and CPU, one
seccomp profile for every engine, eight capabilities, and removal of every container when its owner
ends.  A pool starts containers ahead of time: after the first opening, up to `TMAX_POOL` of a kind
(default 64, 0 for no pool) wait with a shell, until nothing was opened for a minute.
`TMAX_DOCKER_RUNTIME` names a runtime of the engine, for example `runsc`.
*Does not cover*: a quota of disk and inodes, which engines do not have for a container's layer on
ext4.  Instead no single file may exceed `Limits.disk`, and `/dev/shm` has 64 MiB; `/tmp` stays in
the layer, since a RAM disk there would be lost when the container is frozen.  Terminals come from
the host's common stock (kernel.pty.max): one container can use it up for the others.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
import weakref
from typing import ClassVar

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Layer, Limits, trial_account
from tmax_gym.sandboxes.docker import remove_containers
from tmax_gym.sandboxes.docker.capabilities import capabilities_of
from tmax_gym.sandboxes.docker.engine import PING, TIMEOUT, Engine, find
from tmax_gym.sandboxes.docker.ownership import LABEL, MACHINE, owner, remove_orphans
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.sandboxes.docker.start import Recipe, machine_name, start
from tmax_gym.sandboxes.host.watcher import Watcher
from tmax_gym.sandboxes.pool import Pool
from tmax_gym.sandboxes.pool.stats import PoolStats, Tally

SPARES = 64
"""Most containers of a kind that wait: enough for the resets of a group; each takes 4 MB."""


class DockerBackend:
    """One engine, and the containers that this process has in it."""

    _shared: ClassVar[dict[tuple[str, str, int], DockerBackend]] = {}
    _sharing: ClassVar[threading.Lock] = threading.Lock()

    def __init__(
        self,
        engine: str = "docker",
        *,
        pool: int | None = None,
        runtime: str | None = None,
        network: str = "none",
    ) -> None:
        """Take an engine; nothing is contacted yet.

        Args:
            engine: `docker` or `podman`.
            pool: Most containers of a kind that wait; 0 for none; $TMAX_POOL if None.
            runtime: The name of a runtime of the engine; $TMAX_DOCKER_RUNTIME if None.
            network: The name of a network of the engine.
        """
        if engine not in ("docker", "podman"):
            raise ValueError(f"unknown engine {engine!r}: use docker or podman")
        self.name = engine
        self._spares = _spares() if pool is None else pool
        self._network = network
        self._runtime = runtime or os.environ.get("TMAX_DOCKER_RUNTIME") or None
        self._begin()
        # A child must not hand out its parent's containers, nor end them.
        me = weakref.ref(self)
        os.register_at_fork(after_in_child=lambda: _after_fork(me))

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._watcher: Watcher | None = None
        self._label = ""
        self._pool: Pool[Recipe, DockerSandbox] | None = None
        self._tally = Tally()
        self._known: weakref.WeakSet[DockerSandbox] = weakref.WeakSet()
        """All containers of this backend that are not closed, those in the pool included."""
        self._making: dict[str, Engine | None] = {}

    @classmethod
    def shared(cls, engine: str = "docker", *, network: str = "") -> DockerBackend:
        """Return this process's backend for an engine; a forked child has its own.

        A backend on a named network keeps no pool: its images are used once.
        """
        with cls._sharing:
            key = (engine, network, os.getpid())
            if key not in cls._shared:
                cls._shared[key] = cls(engine, pool=0, network=network) if network else cls(engine)
            return cls._shared[key]

    def problem(self) -> str | None:
        """Return None if the engine answers within a second, else what to do."""
        try:
            import docker  # noqa: F401
        except ImportError:
            return "the docker SDK is absent; install it with `pip install 'tmax-gym[docker]'`"
        for tries_left in (1, 0):
            try:
                engine = Engine(find(self.name), timeout=PING)
                with engine.errors("pinging"):
                    engine.api.ping()
                if self._runtime:
                    engine.check_runtime(self._runtime)
                engine.api.close()
            except SandboxError as error:
                # A busy machine may be late once; an engine that is late twice hangs.
                if tries_left and "timed out" in str(error):
                    continue
                return str(error)
            break
        return None

    def capabilities(self) -> frozenset[str]:
        """Return what the engine enforces, which is never `disk` and `inodes`."""
        return capabilities_of(self.engine)

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> DockerSandbox:
        """Start a container with `layer` in place; `host` means `core` here.

        A name with a colon is an image of the engine.

        Raises:
            ImageError: There is no such image.
            SandboxError: The engine could not start it.
        """
        begun = time.perf_counter()
        engine = self.engine
        reference = engine.image(image)
        recipe = Recipe(reference, limits or Limits(), self._label, self._runtime, self._network)
        while spare := self._pool.take(recipe) if self._pool else None:
            trial_account.opened(spare)
            if _put_layer(spare, layer):
                self._tally.opened(time.perf_counter() - begun, hit=True)
                return spare
            # It has just died: take another.
        if self._pool:
            self._pool.make_room()
        sandbox = self.make(recipe, spare=False)
        trial_account.opened(sandbox)
        if not _put_layer(sandbox, layer):
            raise SandboxError(f"container {sandbox.id} died as soon as it was started")
        if self._pool:
            self._pool.opened(recipe)
        self._tally.opened(time.perf_counter() - begun, hit=False)
        return sandbox

    def make(self, kind: Recipe, *, spare: bool = True) -> DockerSandbox:
        """Start a container in its turn, a spare one with a terminal, or raise `SandboxError`."""
        engine = self.engine
        engine.tidy()
        name = machine_name()
        with engine.admission.start(spare=spare) as place:
            with self._lock:  # so that `close` knows of every container that is being made
                if self._engine is not engine or self._label != kind.owner:
                    raise SandboxError(f"the {self.name} backend was closed: open another")
                self._making[name] = engine
            try:
                sandbox = start(engine, kind, name, prepared=spare)
                sandbox.holds(place)
                with self._lock:
                    self._known.add(sandbox)
            finally:
                del self._making[name]
        return sandbox

    def usable(self, machine: DockerSandbox) -> bool:
        """Return whether a container in the pool still lives."""
        return machine.usable()

    def discard(self, machine: DockerSandbox) -> None:
        """Remove a container that was in the pool."""
        machine.close()

    def stats(self) -> PoolStats:
        """Return figures; the engine, which must answer, lists the containers with our label."""
        waiting = self._pool.waiting if self._pool else 0
        with self._lock:
            engine = self._engine
            known = [sandbox for sandbox in self._known if not sandbox.gone]
        return PoolStats(
            hits=self._tally.hits,
            misses=self._tally.misses,
            p50_ms=self._tally.milliseconds(0.5),
            p99_ms=self._tally.milliseconds(0.99),
            live=len(known) - waiting,
            waiting=waiting,
            creating=self._pool.creating if self._pool else 0,
            discarded=self._pool.discarded if self._pool else 0,
            queued=engine.admission.queued if engine else 0,
            width=engine.admission.width if engine else 0,
            leaked=self._leaked(engine) if engine else 0,
        )

    def close(self) -> None:
        """Remove every container of this process.  Idempotent."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()
        with self._lock:
            watcher, self._watcher = self._watcher, None
            engine, self._engine = self._engine, None
        # A container that another thread is starting must exist before the watcher looks.
        deadline = time.monotonic() + TIMEOUT
        while engine in list(self._making.values()) and time.monotonic() < deadline:
            time.sleep(0.01)
        with self._lock:
            known = list(self._known)
        for sandbox in known:
            with contextlib.suppress(SandboxError):
                sandbox.close()
        if watcher is not None:
            watcher.close()
        if engine is not None:
            engine.api.close()

    def forget(self) -> None:
        """Start anew in a forked child."""
        for sandbox in list(self._known):
            sandbox.forget()
        if self._watcher is not None:
            self._watcher.forget()
        self._begin()

    @property
    def engine(self) -> Engine:
        """The connection, made at its first use; raises `SandboxError` if no engine answers."""
        with self._lock:
            if self._engine is None:
                engine = Engine(find(self.name))
                if self._runtime:
                    engine.check_runtime(self._runtime)
                self._label = owner()
                scheme, _, path = engine.address.partition("://")
                if scheme == "unix":
                    label = f"{LABEL}={self._label}"
                    self._watcher = Watcher(remove_containers.__file__, path, label)
                self._engine = engine
                if self._spares > 0:
                    self._pool = Pool(self, engine.admission, most=self._spares)
                atexit.register(self._at_exit, os.getpid())
                remove_orphans(engine)
            return self._engine

    def _at_exit(self, pid: int) -> None:
        if os.getpid() == pid:  # not in a fork
            self.close()

    def _leaked(self, engine: Engine) -> int:
        """Count the containers with our label that this backend does not know."""
        known = self._names()
        with engine.errors("counting containers"):
            listed = engine.api.containers(all=True, filters={"label": [f"{LABEL}={self._label}"]})
        known |= self._names()  # those that came meanwhile; those that went were known before
        return sum(container["Labels"].get(MACHINE) not in known for container in listed)

    def _names(self) -> set[str]:
        making = set(self._making)  # first: they move from there to the known ones
        with self._lock:
            return making | {sandbox.name for sandbox in self._known if not sandbox.gone}


def _spares() -> int:
    number = os.environ.get("TMAX_POOL", "")
    if number and not number.isdecimal():
        raise ValueError(f"TMAX_POOL is {number!r}: give a number of containers, 0 for no pool")
    return int(number) if number else SPARES


def _put_layer(sandbox: DockerSandbox, layer: Layer | None) -> bool:
    """Put the first files in place; return False if the container has died."""
    try:
        if layer is not None:
            sandbox.put(layer.nodes)
    except SandboxError:
        alive = sandbox.usable()
        sandbox.close()
        if alive:
            raise
        return False
    except BaseException:
        sandbox.close()
        raise
    return True


def _after_fork(backend: weakref.ref[DockerBackend]) -> None:
    DockerBackend._sharing = threading.Lock()
    if living := backend():
        living.forget()
