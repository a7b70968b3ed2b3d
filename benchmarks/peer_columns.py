"""The columns of the comparison: which driver runs in which environment, with which options.

Every container gets what one of our sandboxes may use (`Limits`), and no network where the peer
can do without: swe-rex speaks HTTP with its container.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks import peer_environments
from tmax_gym.sandboxes import Limits, backend
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.docker.engine import Engine

Sight = Literal["ours", "bytes", "text", "screen"]
"""How a peer shows output: as bytes, as decoded text, or as a terminal's screen."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LABEL = "tmax.peers"
_PORT = 8000
"""Where swe-rex's server listens unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Column:
    """One contender."""

    name: str
    driver: str
    sight: Sight
    python: Path = Path(sys.executable)
    options: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    local: bool = False
    """Commands run on this very machine: what would harm it is left out."""
    sh: bool = False
    """Commands go to `sh`, which need not be bash."""
    quick: bool = False
    """A command takes well under 10 ms, so more of them are timed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run happens."""

    cache: Path
    mark: str
    engine: Engine | None

    def environment(self, name: str) -> Path:
        """Return the interpreter of a peer."""
        return peer_environments.python(name, self.cache)

    def container(self) -> dict[str, object]:
        """Return the options of drivers that create a container by the SDK."""
        assert self.engine is not None
        limits = Limits()
        return {
            "engine": self.engine.address,
            "image": self.engine.image("core"),
            "labels": {_LABEL: self.mark},
            "memory": limits.memory,
            "pids": limits.pids,
            "cpus": limits.cpus,
        }

    def arguments(self) -> list[str]:
        """Return the same for the `docker` command."""
        limits = Limits()
        return [
            *("--label", f"{_LABEL}={self.mark}", "--memory", str(limits.memory)),
            *("--memory-swap", str(limits.memory), "--pids-limit", str(limits.pids)),
            *("--cpus", str(limits.cpus)),
        ]

    def sweep(self) -> None:
        """Remove the containers that drivers left."""
        if self.engine is None:
            return
        import docker.errors

        label = f"{_LABEL}={self.mark}"
        for found in self.engine.api.containers(all=True, filters={"label": [label]}):
            # Gone, or going: `--rm` and the peer's own clean-up remove them at the same time.
            with contextlib.suppress(docker.errors.APIError):
                self.engine.api.remove_container(found["Id"], force=True)


def engine() -> Engine:
    """Return Docker's engine.

    Raises:
        TmaxError: There is none, or the image `core` is not here.
    """
    docker = backend("docker")
    assert isinstance(docker, DockerBackend)
    docker.engine.image("core")
    return docker.engine


def _ours(name: str) -> Callable[[Place], Column]:
    def make(place: Place) -> Column:
        backend(name)  # says what is missing
        # Our drivers find images and engines as any program of ours does.
        own = dict(os.environ)
        options = {"backend": name, "image": "core"}
        return Column(f"ours, {name}", "ours", "ours", options=options, environment=own, quick=True)

    return make


def _docker_exec(place: Place) -> Column:
    return Column("docker exec", "docker_exec", "bytes", options=place.container())


def _docker_run(place: Place) -> Column:
    options = {"image": place.container()["image"], "arguments": place.arguments()}
    return Column("docker run -it", "docker_run", "bytes", options=options, quick=True)


def _tmux(place: Place) -> Column:
    return Column("tmux session", "tmux_session", "screen", options=place.container())


def _swe_rex(place: Place) -> Column:
    assert place.engine is not None
    interpreter = place.environment("swe-rex")
    arguments, port = place.arguments(), None
    networks = {network["Name"] for network in place.engine.api.networks()}
    if "bridge" not in networks:
        # An engine without a bridge cannot publish a port; the host's network needs none.
        arguments, port = [*arguments, "--network=host"], _PORT
    image = peer_environments.swe_rex_image(place.engine, interpreter)
    options = {"image": image, "arguments": arguments, "port": port}
    return Column("swe-rex docker", "swe_rex", "text", python=interpreter, options=options)


def _swe_rex_local(place: Place) -> Column:
    interpreter = place.environment("swe-rex")
    return Column("swe-rex local", "swe_rex", "text", python=interpreter, local=True)


def _mini(kind: str) -> Callable[[Place], Column]:
    def make(place: Place) -> Column:
        interpreter = place.environment("mini-swe-agent")
        options: dict[str, object] = {"environment_class": kind, "env": {"PAGER": "cat"}}
        if kind == "docker":
            options["image"] = place.container()["image"]
            options["cwd"] = "/tmp"
            options["run_args"] = ["--rm", "--network=none", *place.arguments()]
        if kind == "bubblewrap":
            options["executable"] = peer_environments.bubblewrap(interpreter)
        return Column(
            f"mini-swe {kind}",
            "mini_swe_agent",
            "text",
            python=interpreter,
            options=options,
            local=kind != "docker",
            sh=kind == "local",
            quick=kind != "docker",
        )

    return make


COLUMNS: dict[str, Callable[[Place], Column]] = {
    "ours, native": _ours("native"),
    "ours, docker": _ours("docker"),
    "ours, podman": _ours("podman"),
    "docker exec": _docker_exec,
    "docker run -it": _docker_run,
    "tmux session": _tmux,
    "swe-rex docker": _swe_rex,
    "swe-rex local": _swe_rex_local,
    "mini-swe docker": _mini("docker"),
    "mini-swe bubblewrap": _mini("bubblewrap"),
    "mini-swe local": _mini("local"),
}
"""By name, in the order of the tables."""
ENGINE = ("docker exec", "docker run -it", "tmux session", "swe-rex docker", "mini-swe docker")
"""Those that need Docker."""
