"""Which limits a container engine enforces, as the engine itself reports.

A rootless engine accepts limits that it cannot set (on cgroup version 1 it may write none), and
its Docker-compatible answer still calls them supported.  Podman's own API tells which controllers
it has.
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
"""The same in Podman's own API, since version 4."""


def enforced(
    information: Mapping[str, Any], controllers: Iterable[str] | None = None
) -> frozenset[str]:
    """Return capabilities from GET /info and, if the engine lists them, its controllers.

    >>> rootless = {"MemoryLimit": True, "PidsLimit": True, "Rootless": True}
    >>> sorted(enforced(rootless, []) - enforced({}))
    ['userns']
    >>> sorted(enforced({"MemoryLimit": True, "CgroupDriver": "cgroupfs"}) - enforced({}))
    ['memory']
    """
    names = set(_ALWAYS)
    if controllers is not None:
        names |= _CONTROLLERS & set(controllers)
    elif information.get("CgroupDriver") != "none":  # `none`: rootless Docker without controllers
        names |= {name for flag, name in _FLAGS.items() if information.get(flag)}
    options = {str(option).split(",")[0] for option in information.get("SecurityOptions") or ()}
    if "name=seccomp" in options:
        names.add("seccomp")
    if information.get("Rootless") or options & {"name=rootless", "name=userns"}:
        names.add("userns")
    return frozenset(names)


@lru_cache(maxsize=4)
def capabilities_of(engine: Engine) -> frozenset[str]:
    """Return what an engine enforces; raise `SandboxError` if it does not answer."""
    with engine.errors("asking what it enforces"):
        answer = engine.api.get(f"{engine.api.base_url}{_OWN}")
        controllers: Iterable[str] | None = None
        if answer.ok:  # Docker has no such page
            controllers = answer.json().get("host", {}).get("cgroupControllers")
        return enforced(engine.api.info(), controllers)
