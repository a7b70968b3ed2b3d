"""What a container engine enforces, by its own account.

Covers limits, seccomp and user namespaces of Docker and Podman, rootful and rootless.  A
rootless engine accepts limits that it cannot set (on cgroup version 1 it has none to write to)
and its Docker-like answer still calls them supported: Podman's own tells which controllers it
was given.  Does not cover what a container could be asked for beyond our configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from tmax_gym.sandboxes.docker.engine import Engine

_ALWAYS = frozenset(("pid", "mount", "net", "ipc", "uts", "caps"))
_CONTROLLERS = frozenset(("memory", "pids", "cpu"))
_FLAGS = {"MemoryLimit": "memory", "PidsLimit": "pids", "CpuCfsQuota": "cpu"}
"""Fields of GET /info."""
_OWN = "/v4.0.0/libpod/info"
"""Podman's own form of it, since version 4."""


def enforced(
    information: Mapping[str, Any], controllers: Iterable[str] | None = None
) -> frozenset[str]:
    """Return capabilities from GET /info and, where the engine tells them, its controllers.

    >>> rootless = {"MemoryLimit": True, "PidsLimit": True, "Rootless": True}
    >>> sorted(enforced(rootless, []) - enforced({}))
    ['userns']
    >>> sorted(enforced({"MemoryLimit": True, "CgroupDriver": "cgroupfs"}) - enforced({}))
    ['memory']
    """
    found = set(_ALWAYS)
    if controllers is not None:
        found |= _CONTROLLERS & set(controllers)
    elif information.get("CgroupDriver") != "none":  # what rootless Docker says without any
        found |= {name for flag, name in _FLAGS.items() if information.get(flag)}
    options = {str(option).split(",")[0] for option in information.get("SecurityOptions") or ()}
    if "name=seccomp" in options:
        found.add("seccomp")
    if information.get("Rootless") or options & {"name=rootless", "name=userns"}:
        found.add("userns")
    return frozenset(found)


@lru_cache(maxsize=4)
def ask(engine: Engine) -> frozenset[str]:
    """Return what an engine enforces.

    Raises:
        SandboxError: It does not answer.
    """
    with engine.errors("asking what it enforces"):
        answer = engine.api.get(f"{engine.api.base_url}{_OWN}")
        controllers: Iterable[str] | None = None
        if answer.ok:  # Docker has no such page
            controllers = answer.json().get("host", {}).get("cgroupControllers")
        return enforced(engine.api.info(), controllers)
