"""The contenders: which driver runs in which environment, with which options.

Every container has the limits of one of our sandboxes (`Limits`), and no network, except that of
swe-rex, which speaks HTTP with its container.
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

OutputForm = Literal["ours", "bytes", "text", "screen"]
"""How a contender returns output: as bytes, as decoded text, or as a terminal's screen."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LABEL = "tmax.peers"
_PORT = 8000
"""The default port of swe-rex's server."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One contender, and how its driver is started."""

    name: str
    driver: str
    output_form: OutputForm
    python: Path = Path(sys.executable)
    options: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    local: bool = False
    """Commands run on this host: cases that would harm it are left out."""
    sh: bool = False
    """Commands run in `sh`, which need not be bash."""
    quick: bool = False
    """A command takes much less than 10 ms, so more of them are timed."""


@dataclass(frozen=True, slots=True)
class Resources:
    """The cache, the mark of processes, and the engine of one run of the comparison."""

    cache: Path
    mark: str
    engine: Engine | None

    def environment(self, name: str) -> Path:
        """Return the interpreter of a peer's environment."""
        return peer_environments.python(name, self.cache)

    def container(self) -> dict[str, object]:
        """Return the options for drivers that create a container with the SDK."""
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
        """Remove the containers that drivers have left."""
        if self.engine is None:
            return
        import docker.errors

        label = f"{_LABEL}={self.mark}"
        for container in self.engine.api.containers(all=True, filters={"label": [label]}):
            # `--rm` and the peer's own clean-up may remove it at the same time.
            with contextlib.suppress(docker.errors.APIError):
                self.engine.api.remove_container(container["Id"], force=True)


def engine() -> Engine:
    """Return Docker's engine.

    Raises:
        TmaxError: There is none, or the image `core` is not here.
    """
    docker = backend("docker")
    assert isinstance(docker, DockerBackend)
    docker.engine.image("core")
    return docker.engine


def _ours(name: str) -> Callable[[Resources], Contender]:
    def make(resources: Resources) -> Contender:
        backend(name)  # its error says what is missing
        return Contender(
            f"ours, {name}",
            "ours",
            "ours",
            options={"backend": name, "image": "core"},
            # Our driver finds images and engines as all our programs do.
            environment=dict(os.environ),
            quick=True,
        )

    return make


def _docker_exec(resources: Resources) -> Contender:
    return Contender("docker exec", "docker_exec", "bytes", options=resources.container())


def _docker_run(resources: Resources) -> Contender:
    options = {"image": resources.container()["image"], "arguments": resources.arguments()}
    return Contender("docker run -it", "docker_run", "bytes", options=options, quick=True)


def _tmux(resources: Resources) -> Contender:
    return Contender("tmux session", "tmux_session", "screen", options=resources.container())


def _swe_rex(resources: Resources) -> Contender:
    assert resources.engine is not None
    interpreter = resources.environment("swe-rex")
    arguments, port = resources.arguments(), None
    networks = {network["Name"] for network in resources.engine.api.networks()}
    if "bridge" not in networks:
        # An engine without a bridge cannot publish a port; on the host's network none is needed.
        arguments, port = [*arguments, "--network=host"], _PORT
    image = peer_environments.swe_rex_image(resources.engine, interpreter)
    options = {"image": image, "arguments": arguments, "port": port}
    return Contender("swe-rex docker", "swe_rex", "text", python=interpreter, options=options)


def _swe_rex_local(resources: Resources) -> Contender:
    interpreter = resources.environment("swe-rex")
    return Contender("swe-rex local", "swe_rex", "text", python=interpreter, local=True)


def _mini(kind: str) -> Callable[[Resources], Contender]:
    def make(resources: Resources) -> Contender:
        interpreter = resources.environment("mini-swe-agent")
        options: dict[str, object] = {"environment_class": kind, "env": {"PAGER": "cat"}}
        if kind == "docker":
            options["image"] = resources.container()["image"]
            options["cwd"] = "/tmp"
            options["run_args"] = ["--rm", "--network=none", *resources.arguments()]
        if kind == "bubblewrap":
            options["executable"] = peer_environments.bubblewrap(interpreter)
        return Contender(
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


CONTENDERS: dict[str, Callable[[Resources], Contender]] = {
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
