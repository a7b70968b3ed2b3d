"""The backend `kubernetes`: sandboxes in pods of a cluster, by the resources of agent-sandbox.

**Never run on a cluster**: tested against a server of our own that speaks the same API.

*Covers*: own process, mount, IPC and host-name namespaces; limits of memory and CPU; eight
capabilities without new privileges; the runtime's system-call filter; no service account.  A pod
ends with the process that opened it, because its first process reads that one's connection; its
resource ends at `shutdownTime`, or when the next backend of the same machine starts.
*Does not cover*: a network of its own, which is left to a NetworkPolicy and to what enforces it
(`tmax fleet kubernetes sandboxes` prints one); limits of processes (`podPidsLimit` of the kubelet)
and of inodes; a quota of disk, in place of which the kubelet ends a pod that has written too much,
as the agent's act; files of a pod that has ended; a pool of pods that wait.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections import deque

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Layer, Limits, trial_account
from tmax_gym.sandboxes.host import cleanup
from tmax_gym.sandboxes.kubernetes import manifest
from tmax_gym.sandboxes.kubernetes.cluster import Cluster
from tmax_gym.sandboxes.kubernetes.sandbox import KubernetesSandbox
from tmax_gym.sandboxes.kubernetes.settings import NO_IMAGES, Settings, from_environment
from tmax_gym.sandboxes.kubernetes.start import await_running
from tmax_gym.sandboxes.pool.admission import Admission, Bounds

_ALWAYS = frozenset(("pid", "mount", "ipc", "uts", "memory", "cpu", "caps"))
_BOUNDS = Bounds(creators=64, live=4096, patience=900.0)
"""Starts at once: most of their time is the cluster's own.  Patience: it may add nodes."""


class KubernetesBackend:
    """One namespace of one cluster, and the pods that this process has in it."""

    name = "kubernetes"
    _shared: dict[int, KubernetesBackend] = {}  # noqa: RUF012
    _sharing = threading.Lock()

    def __init__(self, settings: Settings | None = None) -> None:
        """Take settings, those of the environment if None; nothing is contacted yet."""
        self._given = settings
        self._lock = threading.Lock()
        self._admission = Admission(self.name, _BOUNDS)
        self._cluster: Cluster | None = None
        self._pid = os.getpid()
        self._owner = cleanup.label()
        self._live: weakref.WeakSet[KubernetesSandbox] = weakref.WeakSet()
        self._late: deque[str] = deque()
        """Names of resources that could not be deleted yet."""

    @classmethod
    def shared(cls) -> KubernetesBackend:
        """Return this process's backend; a forked child has its own."""
        with cls._sharing:
            return cls._shared.setdefault(os.getpid(), cls())

    @property
    def settings(self) -> Settings:
        """The settings; raises `BackendUnavailable` for values that cannot be used."""
        return self._given or from_environment()

    def problem(self) -> str | None:
        """Return None if sandboxes can be listed in the cluster, else what to do."""
        try:
            import kubernetes  # noqa: F401
        except ImportError:
            return "its client is absent; install it with `pip install 'tmax-gym[kubernetes]'`"
        try:
            settings = self.settings
            if not settings.images:
                return NO_IMAGES
            cluster = Cluster(settings)
            cluster.check()
            cluster.close()
        except SandboxError as error:
            return str(error)
        return None

    def capabilities(self) -> frozenset[str]:
        """Return what a pod enforces, which is never `net`, `pids`, `disk` and `inodes`."""
        settings = self.settings
        extra = {"userns"} if settings.user_namespace else set()
        # Another runtime may have a kernel of its own, to which the filter does not apply.
        return _ALWAYS | extra | (set() if settings.runtime else {"seccomp"})

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> KubernetesSandbox:
        """Start a pod with `layer` in place; `host` means `core` here.

        A name with a colon is a reference that the cluster can pull.

        Raises:
            ImageError: The cluster cannot pull the image.
            SandboxError: The pod does not start.
        """
        settings = self.settings
        reference = settings.reference(image)
        cluster = self.connect()
        self._tidy()
        name = f"tmax-{os.urandom(8).hex()}"
        body = manifest.resource(
            name, reference, limits or Limits(),
            owner=self._owner, settings=settings, now=time.time(),
        )  # fmt: skip
        try:
            with self._admission.start() as place:
                cluster.create(body)
                await_running(cluster, name, seconds=settings.start_seconds)
                sandbox = KubernetesSandbox(cluster, name)
                sandbox.holds(place, lambda: self._delete(name))
        except BaseException:
            self._delete(name)  # it may exist, if only the answer was lost
            raise
        self._live.add(sandbox)
        try:
            trial_account.opened(sandbox)
            if layer is not None:
                sandbox.put(layer.nodes)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def close(self) -> None:
        """Delete every resource of this backend.  Idempotent; it may be used again."""
        if os.getpid() != self._pid:
            return  # a forked child: the pods are its parent's
        for sandbox in list(self._live):
            sandbox.close()
        self._tidy()
        with self._lock:
            cluster, self._cluster = self._cluster, None
        if cluster is not None:
            cluster.close()

    def connect(self) -> Cluster:
        """Return the connection; the first call deletes what dead processes have left.

        Raises:
            SandboxError: There is no configuration, or the cluster does not answer.
        """
        with self._lock:
            if self._cluster is None:
                cluster = Cluster(self.settings)
                for name, owner in sorted(cluster.owned().items()):
                    if not cleanup.alive(owner):
                        cluster.delete(name)
                self._cluster = cluster
                cleanup.track(self)
            return self._cluster

    def _delete(self, name: str) -> None:
        self._late.append(name)
        self._tidy()

    def _tidy(self) -> None:
        """Delete the resources that have ended, as long as the cluster answers."""
        cluster = self._cluster
        with contextlib.suppress(IndexError):
            while cluster is not None:
                name = self._late.popleft()
                try:
                    cluster.delete(name)
                except SandboxError:
                    self._late.append(name)  # `shutdownTime` ends it, if nothing else does
                    return
                except BaseException:
                    self._late.append(name)
                    raise
