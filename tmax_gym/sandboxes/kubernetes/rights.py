"""What a cluster needs for the backend `kubernetes`: a namespace without a network, and rights.

All functions are pure.  Beside these it needs agent-sandbox, whose own release installs it.
"""

from __future__ import annotations

from typing import Any

from tmax_gym.sandboxes.kubernetes.manifest import BY, GROUP, OWNED, PLURAL

ACCOUNT = "tmax"
_LABELS = {OWNED: BY}
_RULES = [
    {"apiGroups": [GROUP], "resources": [PLURAL],
     "verbs": ["create", "delete", "get", "list"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
    # `get` is the method of a websocket; newer clusters ask for `create` as well.
    {"apiGroups": [""], "resources": ["pods/attach", "pods/exec"], "verbs": ["create", "get"]},
]  # fmt: skip


def resources(namespace: str, *, account_namespace: str) -> list[dict[str, Any]]:
    """Return the resources, in the order in which they are made.

    Args:
        namespace: Of the sandboxes.
        account_namespace: Of the service account for drivers that run in the cluster.
    """
    subject = {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": account_namespace}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": ACCOUNT}
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {
                "name": namespace,
                # Not `restricted`: the agent is root of its machine.
                "labels": {**_LABELS, "pod-security.kubernetes.io/enforce": "baseline"},
            },
        },
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {"name": "no-network", "namespace": namespace, "labels": _LABELS},
            # Without rules nothing is allowed, in either direction, for every pod in there.
            "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
        },
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": ACCOUNT, "namespace": account_namespace, "labels": _LABELS},
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role",
            "metadata": {"name": ACCOUNT, "namespace": namespace, "labels": _LABELS},
            "rules": _RULES,
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": ACCOUNT, "namespace": namespace, "labels": _LABELS},
            "roleRef": role,
            "subjects": [subject],
        },
    ]
