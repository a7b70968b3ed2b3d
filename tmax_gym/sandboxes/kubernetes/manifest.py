"""The `Sandbox` resource of one machine, as agent-sandbox takes it (agents.x-k8s.io/v1beta1).

All functions are pure.  A plain `Sandbox` rather than a `SandboxClaim` of a warm pool: images and
limits differ from task to task, so that a pool of each would have to be installed in the cluster
before, and only the resource itself has an owner and a time to end.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tmax_gym.sandboxes import Limits
from tmax_gym.sandboxes.docker.init import SCRIPT
from tmax_gym.sandboxes.kubernetes import scripts
from tmax_gym.sandboxes.kubernetes.settings import Settings

GROUP, VERSION, PLURAL = "agents.x-k8s.io", "v1beta1", "sandboxes"
OWNED, OWNER = "app.kubernetes.io/managed-by", "tmax-gym/owner"
"""Labels of each resource and pod: `BY`, and the process that opened it (`cleanup.label`)."""
BY = "tmax-gym"
CONTAINER = "main"
CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID",
                "NET_BIND_SERVICE")  # fmt: skip
"""What root needs to install, serve and hand files over, as on other backends."""
_FIRST = "SETPCAP"
"""The first process has it and no program gets it; see `scripts.enter`."""
_SHARE = 4
"""A machine asks its node for a part of its processors: an agent that waits for its policy uses
none.  Of its memory it asks for all, because a node that runs out kills whom it likes."""


def resource(
    name: str, image: str, limits: Limits, *, owner: str, settings: Settings, now: float
) -> dict[str, Any]:
    """Return the resource.

    Args:
        name: Of the resource and of its pod.
        image: A reference that the cluster can pull.
        limits: What the machine may use; `pids` and `inodes` have no field in a pod.
        owner: The value of the label `OWNER`.
        settings: Where and how.
        now: Seconds since 1970.
    """
    labels = {OWNED: BY, OWNER: owner}
    end = datetime.fromtimestamp(now + settings.life_seconds, UTC)
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "Sandbox",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "podTemplate": {
                "metadata": {"labels": labels},
                "spec": pod(image, limits, settings=settings),
            },
            "service": False,
            "shutdownTime": end.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "shutdownPolicy": "Delete",
        },
    }


def pod(image: str, limits: Limits, *, settings: Settings) -> dict[str, Any]:
    """Return the specification of the pod."""
    spec: dict[str, Any] = {
        "restartPolicy": "Never",  # a machine that has ended must not come back empty
        "activeDeadlineSeconds": settings.life_seconds,
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "hostname": "sandbox",
        "dnsPolicy": "None",
        "dnsConfig": {"nameservers": ["127.0.0.1"]},
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "initContainers": [_container("prepare", image, limits, tools=False)],
        "containers": [_container(CONTAINER, image, limits, tools=True)],
        "volumes": [{"name": "tools", "emptyDir": {"sizeLimit": "64Mi"}}],
    }
    if settings.runtime:
        spec["runtimeClassName"] = settings.runtime
    if settings.pull_secret:
        spec["imagePullSecrets"] = [{"name": settings.pull_secret}]
    if settings.user_namespace:
        spec["hostUsers"] = False
    return spec


def _container(name: str, image: str, limits: Limits, *, tools: bool) -> dict[str, Any]:
    """Return the container that has the copied tools, or the one that copies them before."""
    command = [*scripts.bash(SCRIPT), "-"] if tools else ["/bin/bash", "-c", scripts.PREPARE]
    millis = max(1, round(limits.cpus * 1000))
    most = {
        "cpu": f"{millis}m",
        "memory": str(limits.memory),
        "ephemeral-storage": str(limits.disk),
    }
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": command,
        "workingDir": "/",
        # When the owner's connection ends, so do the input, the first process and the pod.
        **({"stdin": True, "stdinOnce": True} if tools else {}),
        "resources": {"limits": most, "requests": {**most, "cpu": f"{max(1, millis // _SHARE)}m"}},
        "securityContext": {
            "runAsUser": 0,
            "runAsGroup": 0,
            "privileged": False,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"], "add": [*CAPABILITIES, _FIRST]},
        },
        "volumeMounts": [{"name": "tools", "mountPath": scripts.TOOLS, "readOnly": tools}],
    }
