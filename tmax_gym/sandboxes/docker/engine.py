"""The connection to a container engine: Docker, or Podman through its Docker-compatible API.

Finds the engine's socket, calls its API with deadlines, opens raw streams to processes inside
containers, and imports images from our tarballs.  Engines behind TLS or ssh do not work: a
terminal needs a plain descriptor.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import json
import os
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tmax_gym.errors import BackendUnavailable, ImageError, SandboxError
from tmax_gym.sandboxes import trial_account
from tmax_gym.sandboxes.pool.admission import Admission, Bounds

CREATORS = 4
"""Containers that are made or removed at once: 2 x cores where it was measured (11.8 starts/s;
32 creators gave 10.7 with nine times the latency, and Docker 20.10.24 deadlocked:
moby/libnetwork#2649)."""
TIMEOUT = 30.0
"""Seconds for an API call: starting a container takes 0.16, under a full queue 6."""
PING = 1.0
"""Seconds in which an engine has to answer a ping."""
_IMPORT = 600.0
"""Seconds to import an image: 488 MB took 4."""
LIVE = 1024
"""Containers that live or are being made, at most: 4 MB each while idle."""
_admissions: dict[tuple[int, str], Admission] = {}
_opening = threading.Lock()


def admission_of(address: str) -> Admission:
    """Return the admission of an engine: one for each address; a forked child has its own."""
    with _opening:
        key = (os.getpid(), address)
        if key not in _admissions:
            _admissions[key] = Admission(f"the engine at {address}", Bounds(CREATORS, LIVE))
        return _admissions[key]


class Engine:
    """One engine at one address."""

    def __init__(self, address: str, *, timeout: float = TIMEOUT) -> None:
        """Connect; raise `SandboxError` if the engine does not answer."""
        import docker

        self.address = address
        self._is_podman: bool | None = None
        with self.errors("connecting"):
            self.api: Any = docker.APIClient(
                base_url=address,
                version=_api_version(address, timeout),
                timeout=timeout,
                max_pool_size=64,
            )
        self.admission = admission_of(address)
        self._importing = threading.Lock()
        self._images: set[str] = set()
        """References that the engine had when it was asked."""
        self._late: collections.deque[str] = collections.deque()
        """Containers that could not be removed yet."""

    @contextmanager
    def errors(self, action: str) -> Iterator[None]:
        """Turn the SDK's exceptions into `SandboxError`."""
        import docker.errors
        import requests

        try:
            yield
        except (docker.errors.DockerException, requests.RequestException, OSError) as error:
            raise SandboxError(
                f"{action}: the engine at {self.address} answered: {error}\n"
                "Look at its log; `.ci/engine stop && .ci/engine start` renews one of ours."
            ) from error

    def remove(self, container: str) -> None:
        """Remove a container; if the engine does not answer, `tidy` tries again later."""
        self._late.appendleft(container)
        self.tidy()

    def remove_later(self, container: str) -> None:
        """Have `tidy` remove a container, by id or name."""
        self._late.append(container)

    def tidy(self) -> None:
        """Remove the containers that could not be removed before, as long as the engine answers."""
        import docker.errors

        with contextlib.suppress(IndexError):
            while container := self._late.popleft():
                try:
                    with (
                        self.admission.removal(),
                        self.errors(f"removing {container[:12]}"),
                        contextlib.suppress(docker.errors.NotFound),
                    ):
                        self.api.remove_container(container, force=True, v=True)
                except SandboxError:
                    self._late.append(container)
                    return
                except BaseException:
                    self._late.append(container)
                    raise

    def hijack(
        self, path: str, body: dict[str, object] | None = None, *, timeout: float = TIMEOUT
    ) -> socket.socket:
        """POST and keep the connection as a stream of bytes.

        The SDK's own stream sits behind a buffered reader, which may swallow first bytes.
        """
        connection = _connect(self.address, timeout)
        try:
            # If a request has no body, Podman takes "{}" for input of the process.
            data = json.dumps(body).encode() if body else b""
            head = (
                f"POST /v{self.api.api_version}{path} HTTP/1.1\r\nHost: engine\r\n"
                "Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(data)}\r\n\r\n"
            )
            connection.sendall(head.encode() + data)
            answer = _read_head(connection)
            status = answer.split(b" ", 2)[1:2]
            if status not in ([b"101"], [b"200"]):
                answer += connection.recv(4096)
                reason = answer.partition(b"\r\n\r\n")[2].decode(errors="replace")
                raise SandboxError(f"POST {path} to {self.address}: {reason or answer!r}")
        except OSError as error:
            connection.close()
            raise SandboxError(f"POST {path} to {self.address}: {error}") from error
        except BaseException:
            connection.close()
            raise
        return connection

    def image(self, name: str) -> str:
        """Return the reference of an image of ours, importing its tarball once.

        A name with a colon is taken as a reference that the engine knows.

        Raises:
            ImageError: There is no such image here.
        """
        from tmax_gym.sandboxes import images

        if ":" in name:
            if name not in self._images:
                self.image_facts(name)
                self._images.add(name)
            return name

        # The host's own files cannot become an image; the engine has a better root anyway.
        name = "core" if name == "host" else name
        identity = hashlib.blake2b(images.resolve(name).id.encode(), digest_size=6).hexdigest()
        reference = f"localhost/tmax/{name}:{identity}"
        if reference in self._images:
            return reference
        with trial_account.turn(self._importing), self.errors(f"importing image {name}"):
            if not self.has_image(reference):
                self._import(images.tar_path(name), reference)
        self._images.add(reference)
        return reference

    def image_facts(self, reference: str) -> Mapping[str, Any]:
        """Return the engine's facts about an image; raise `ImageError` if it has no such image."""
        import docker.errors

        with self.errors(f"looking for image {reference}"):
            try:
                facts: Mapping[str, Any] = self.api.inspect_image(reference)
            except docker.errors.ImageNotFound as error:
                raise ImageError(
                    f"the engine at {self.address} has no image {reference}"
                ) from error
        return facts

    def has_image(self, reference: str) -> bool:
        """Return whether the engine has an image."""
        try:
            self.image_facts(reference)
        except ImageError:
            return False
        return True

    def forget_image(self, reference: str) -> None:
        """Take note that the engine has lost an image."""
        self._images.discard(reference)

    def check_runtime(self, name: str) -> None:
        """Raise `BackendUnavailable` if containers cannot run under this runtime."""
        with self.errors("asking for runtimes"):
            information = self.api.info()
            podman = self.is_podman()
        if podman:
            # Its compatible API accepts a runtime's name and ignores it.
            known = [str(information.get("DefaultRuntime"))]
            remedy = f"Start it as `podman --runtime {name} system service`"
        else:
            known = sorted(information.get("Runtimes") or {})
            remedy = 'Name it under "runtimes" in the engine\'s daemon.json'
        if name not in known:
            raise BackendUnavailable(
                f"the engine at {self.address} has no runtime {name!r} (it has: "
                f"{', '.join(known)}). {remedy}, or ask for another by TMAX_DOCKER_RUNTIME"
            )

    def is_podman(self) -> bool:
        """Ask once what answers here: either engine may listen where the other is expected."""
        if self._is_podman is None:
            parts = self.api.version().get("Components") or ()
            self._is_podman = any("Podman" in part["Name"] for part in parts)
        return self._is_podman

    def _import(self, tar: Path, reference: str) -> None:
        importer = Engine(self.address, timeout=_IMPORT)
        try:
            # The tag is part of the name, as Podman 4 ignores a separate one.
            importer.api.import_image_from_file(str(tar), repository=reference)
            self.api.inspect_image(reference)
        finally:
            importer.api.close()


def addresses(engine: str) -> list[str]:
    """Return the addresses at which an engine may listen; only the configured one, if there is one.

    >>> import os; os.environ["CONTAINER_HOST"] = "unix:///tmp/p.sock"
    >>> addresses("podman")
    ['unix:///tmp/p.sock']
    >>> del os.environ["CONTAINER_HOST"]
    """
    variable = "CONTAINER_HOST" if engine == "podman" else "DOCKER_HOST"
    if given := os.environ.get(variable):
        return [given]
    runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    paths = {
        "docker": [
            "/var/run/docker.sock",
            f"{runtime}/docker.sock",
            os.path.expanduser("~/.docker/run/docker.sock"),
        ],
        "podman": ["/run/podman/podman.sock", f"{runtime}/podman/podman.sock"],
    }[engine]
    return [f"unix://{path}" for path in paths]


def find(engine: str) -> str:
    """Return the first address that has a usable socket; raise `SandboxError` if there is none."""
    candidates = addresses(engine)
    for address in candidates:
        scheme, _, rest = address.partition("://")
        if scheme == "tcp" and not os.environ.get("DOCKER_TLS_VERIFY"):
            return address
        if scheme != "unix":
            raise SandboxError(f"{address} has no plain socket; use unix:// or tcp:// without TLS")
        if os.path.exists(rest):
            return address
    start = "podman system service --time=0" if engine == "podman" else "dockerd"
    raise SandboxError(f"no socket at {', '.join(candidates)}; start the engine with `{start}`")


def _connect(address: str, timeout: float) -> socket.socket:
    scheme, _, rest = address.partition("://")
    try:
        if scheme == "tcp":
            host, _, port = rest.rstrip("/").rpartition(":")
            host, port = (host, port) if host else (port, "2375")
            remote = socket.create_connection((host.strip("[]"), int(port)), timeout=timeout)
            # What is sent are single lines, whose answer is awaited.
            remote.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return remote
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout)
        connection.connect(rest)
    except (OSError, ValueError) as error:
        raise SandboxError(f"{address} refused a connection: {error}") from error
    return connection


def _api_version(address: str, timeout: float) -> str:
    """Return the newest version of the API that both sides know.

    The SDK's `auto` asks for the engine's own version, which takes Podman 1.5 s: it looks up the
    packages of its programs.
    """
    from docker.constants import DEFAULT_DOCKER_API_VERSION

    with _connect(address, timeout) as connection:
        connection.sendall(b"GET /_ping HTTP/1.1\r\nHost: engine\r\nConnection: close\r\n\r\n")
        head = _read_head(connection).decode("latin-1")
    theirs = re.search(r"^api-version: *(\d+)\.(\d+)", head, re.IGNORECASE | re.MULTILINE)
    if theirs is None:
        return "auto"
    ours = tuple(int(part) for part in DEFAULT_DOCKER_API_VERSION.split("."))
    return "{}.{}".format(*min(ours, (int(theirs[1]), int(theirs[2]))))


def _read_head(connection: socket.socket) -> bytes:
    """Read an HTTP response up to its blank line, and not one byte more."""
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            break
        head += byte
    return bytes(head)
