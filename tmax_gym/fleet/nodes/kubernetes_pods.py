"""Node workers as a Deployment of Kubernetes: the resources, as `kubectl apply -f -` takes them.

**Never run on a cluster**: the resources are checked against the official client's models, and a
node that was started with the container's own command works for a driver.

The driver's file comes into each pod by a Secret.  A kubelet renews the file when the Secret
changes, and the worker looks at the file: a new driver needs a new Secret and no new pods.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tmax_gym.errors import FleetError
from tmax_gym.fleet.nodes.door import Address

NAME = "tmax-nodes"
SECRET = "tmax-driver"
PLACE = "/etc/tmax-driver"
"""Where the Secret is mounted; as a whole, because a part of it would never be renewed."""
FILE = "driver.json"
GRACE_SECONDS = 30
"""From SIGTERM to SIGKILL: a worker destroys its sandboxes in 10 (`serving`)."""
_LABELS = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/managed-by": "tmax-gym"}
_IDLE_SECONDS = 30 * 86_400
"""A Deployment starts a worker that has ended again: so it waits for a driver as good as for
ever."""


@dataclass(frozen=True, slots=True)
class Pods:
    """What is asked of the cluster."""

    image: str
    """With this package, `tmax` on its PATH, and the images of tasks in its cache."""
    nodes: int
    """Pods; the scheduler puts them on different machines where it can."""
    cpus: int
    """Cores of each."""
    memory_gib: int
    room: int
    """Leases at the same time on each."""
    namespace: str = "default"
    privileged: bool = True
    """Whether a pod has all rights; see `_rights`."""


def secret(file: Path, *, namespace: str) -> dict[str, Any]:
    """Return the Secret with a driver's address and key.

    Raises:
        FleetError: The file is absent, or no such file.
    """
    if Address.read(file) is None:
        raise FleetError(f"{file} is not there: start the driver first, with --fleet nodes:{file}")
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": SECRET, "namespace": namespace, "labels": _LABELS},
        "type": "Opaque",
        "data": {FILE: base64.b64encode(file.read_bytes()).decode("ascii")},
    }


def deployment(pods: Pods) -> dict[str, Any]:
    """Return the Deployment of node workers."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "namespace": pods.namespace, "labels": _LABELS},
        "spec": {
            "replicas": pods.nodes,
            "selector": {"matchLabels": _LABELS},
            "template": {"metadata": {"labels": _LABELS}, "spec": _pod(pods)},
        },
    }


def policy(pods: Pods) -> dict[str, Any]:
    """Return a NetworkPolicy: nobody connects to a node, which itself connects to the driver."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": NAME, "namespace": pods.namespace, "labels": _LABELS},
        "spec": {"podSelector": {"matchLabels": _LABELS}, "policyTypes": ["Ingress"]},
    }


def together(*resources: dict[str, Any]) -> dict[str, Any]:
    """Return several resources as one."""
    return {"apiVersion": "v1", "kind": "List", "items": list(resources)}


def _pod(pods: Pods) -> dict[str, Any]:
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        # The pod's own first process then collects processes whose parents have ended.
        "shareProcessNamespace": True,
        "containers": [_container(pods)],
        # The Secret may come later: the worker waits for the file.
        "volumes": [
            {"name": "driver", "secret": {"secretName": SECRET, "optional": True,
                                          "defaultMode": 0o400}},
        ],
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
             "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": _LABELS}},
        ],
    }  # fmt: skip


def _container(pods: Pods) -> dict[str, Any]:
    amount = {"cpu": str(pods.cpus), "memory": f"{pods.memory_gib}Gi"}
    command = ["tmax", "fleet", "node", f"{PLACE}/{FILE}", "--room", str(pods.room)]
    command += ["--idle", str(_IDLE_SECONDS), "--name", "$(POD_NAME)"]  # the kubelet's own syntax
    return {
        "name": "node",
        "image": pods.image,
        "command": command,
        "env": [
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
        # As much as it may use: sandboxes, whose disks are memory, must not lack what was promised.
        "resources": {"requests": amount, "limits": amount},
        "securityContext": _rights(pods.privileged),
        "volumeMounts": [{"name": "driver", "mountPath": PLACE, "readOnly": True}],
    }


def _rights(privileged: bool) -> dict[str, Any]:
    """Return the rights of a pod whose sandboxes are those of the backend `native`.

    Its mounts, namespaces and loopbacks take SYS_ADMIN and NET_ADMIN, which is little less than
    being root of the machine.  Without all rights a pod cannot write its cgroups either, so that
    memory is limited for each process and not for each sandbox.
    """
    if privileged:
        return {"runAsUser": 0, "privileged": True}
    return {
        "runAsUser": 0,
        "privileged": False,
        "capabilities": {"add": ["SYS_ADMIN", "NET_ADMIN"]},
        "seccompProfile": {"type": "Unconfined"},
        "appArmorProfile": {"type": "Unconfined"},
    }
