"""Sandboxes in pods of a Kubernetes cluster, as `Sandbox` resources of agent-sandbox."""
