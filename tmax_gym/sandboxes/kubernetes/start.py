"""Makes the resource of a machine, and waits until its pod runs."""

from __future__ import annotations

import time
from typing import Any

from tmax_gym.errors import ImageError, SandboxError
from tmax_gym.sandboxes.kubernetes import exit_state
from tmax_gym.sandboxes.kubernetes.cluster import Cluster

_PAUSE = 0.2
"""Seconds before a watch that ended is begun again."""


def await_running(cluster: Cluster, name: str, *, seconds: float) -> None:
    """Wait until a pod runs.

    Raises:
        ImageError: The cluster cannot pull its image.
        SandboxError: It has failed, or does not run in time.
    """
    deadline = time.monotonic() + seconds
    last: dict[str, Any] = {}
    while (left := deadline - time.monotonic()) > 0:
        for pod in cluster.changes(name, left):
            last = pod
            if exit_state.running(pod):
                return
            if reason := exit_state.pull_failure(pod):
                raise ImageError(f"the cluster cannot pull the image of {name}: {reason}")
            if reason := exit_state.start_failure(pod):
                raise SandboxError(f"pod {name} did not start: {reason}")
            if time.monotonic() >= deadline:
                break
        time.sleep(_PAUSE)
    state = exit_state.described(last) if last else f"no pod; {cluster.conditions(name)}"
    raise SandboxError(
        f"pod {name} does not run after {seconds:g} s ({state}). See `kubectl describe pod`, "
        "and raise TMAX_KUBERNETES_START_SECONDS if nodes have to be added or images are large"
    )
