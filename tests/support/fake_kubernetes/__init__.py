"""A server of our own that speaks the API of Kubernetes, whose pods are real isolated shells.

Covers what the backend uses: `Sandbox` resources of agent-sandbox, pods, watches, exec and attach
over websockets; and the ways in which a cluster fails, on demand.  A pod has namespaces, a root
file system of its own, few capabilities and cgroups.  Does not cover: a seccomp filter, nodes,
and whatever a real API server checks beyond the fields that are named here.
"""
