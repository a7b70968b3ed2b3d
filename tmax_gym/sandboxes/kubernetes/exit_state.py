"""How a pod stands and how it ended, as its status tells.  All functions are pure.

Limit: a status says that a container ran out of memory, not whose fault that was; the agent's pod
asks for all the memory that it may use, so that its node should never run out of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tmax_gym.sandboxes.kubernetes.manifest import CONTAINER

_FAULTS = (1, 2, *(128 + number for number in (4, 6, 7, 8, 11)))
"""Statuses of a bash that fails by itself, or by SIGILL, ABRT, BUS, FPE, SEGV.  Not 137, a kill
from outside, nor 99, the end of its input."""
_FULL = ("ephemeral local storage usage exceeds", "exceeded its local ephemeral storage limit")
"""Why the kubelet evicts a pod that has written too much (pkg/kubelet/eviction)."""
_PULL = frozenset(("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"))
_CONFIGURATION = frozenset(
    ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")
)
Pod = Mapping[str, Any]


def running(pod: Pod) -> bool:
    """Return whether the agent's container runs."""
    return any("running" in (each.get("state") or {}) for each in _containers(pod, CONTAINER))


def ended_inside(pod: Pod) -> bool:
    """Return whether something inside ended it: memory, disk, or a fault of its first process.

    >>> ended_inside({"status": {"phase": "Failed", "reason": "Evicted", "message": "The node was "
    ...               "low on resource: memory."}})
    False
    """
    status = pod.get("status") or {}
    if (pod.get("metadata") or {}).get("deletionTimestamp"):
        return False
    if status.get("reason"):  # Evicted, DeadlineExceeded, NodeLost, Shutdown, ...
        return any(part in str(status.get("message")) for part in _FULL)
    for container in _containers(pod, CONTAINER):
        last = (container.get("state") or {}).get("terminated")
        if last:
            return last.get("reason") == "OOMKilled" or last.get("exitCode") in _FAULTS
    return False


def pull_failure(pod: Pod) -> str:
    """Return why an image cannot be had; "" if nothing says so."""
    return next((text for reason, text in _waiting(pod) if reason in _PULL), "")


def start_failure(pod: Pod) -> str:
    """Return why a pod will never run; "" if it still may."""
    status = pod.get("status") or {}
    if status.get("phase") in ("Failed", "Succeeded"):
        return described(pod)
    return next((text for reason, text in _waiting(pod) if reason in _CONFIGURATION), "")


def described(pod: Pod) -> str:
    """Return what the status says, in a line."""
    status = pod.get("status") or {}
    parts = [str(status.get("phase") or "no phase")]
    parts += [str(status[key]) for key in ("reason", "message") if status.get(key)]
    for each in status.get("conditions") or ():
        if each.get("status") == "False" and each.get("message"):
            parts.append(f"{each.get('type')}: {each['message']}")
    for each in _containers(pod):
        state = each.get("state") or {}
        for last in (state.get("waiting"), state.get("terminated")):
            if last:
                facts = (last.get(key) for key in ("reason", "exitCode", "message"))
                parts.append(f"{each.get('name')}: {' '.join(str(f) for f in facts if f)}")
    return "; ".join(parts)


def _containers(pod: Pod, name: str = "") -> Iterator[Mapping[str, Any]]:
    status = pod.get("status") or {}
    for kind in ("initContainerStatuses", "containerStatuses"):
        for each in status.get(kind) or ():
            if not name or each.get("name") == name:
                yield each


def _waiting(pod: Pod) -> Iterator[tuple[str, str]]:
    for each in _containers(pod):
        waiting = (each.get("state") or {}).get("waiting") or {}
        reason = str(waiting.get("reason", ""))
        yield reason, f"{reason}: {waiting.get('message', '')}".rstrip(": ")
