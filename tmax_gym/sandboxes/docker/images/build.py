"""Images of others: built from a Dockerfile, pulled, and asked what they are.

Covers one build at a time, with a deadline, kept under a name by its content until `prune`; the
base images `tmax/core` and `tmax/poly`, which are made from ours where an engine lacks them.
Covers BuildKit where a Dockerfile needs it and a client here speaks to it (`buildkit.py`).
Does not cover a registry that wants a password.
"""

from __future__ import annotations

import contextlib
import io
import socket
import tarfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from tmax_gym.errors import ImageError, SandboxError
from tmax_gym.sandboxes import trial_account
from tmax_gym.sandboxes.docker.engine import Engine
from tmax_gym.sandboxes.docker.images import buildkit
from tmax_gym.sandboxes.docker.start import is_podman

OURS = {"tmax/core:latest": "core", "tmax/poly:latest": "poly"}
"""What exported tasks are built on: the image `core` under a name that Dockerfiles can use."""
TRIALS = "localhost/tmax/trial"
"""Where images that were built of a dataset's Dockerfiles are kept, by their content."""
TAIL = 1500
"""Characters of a build's output that an error shows."""
_IGNORE, _RECIPE = ".dockerignore", ".tmax.dockerfile"
_one_at_a_time = threading.Lock()
_EARLY = 0.5
"""Seconds before its end at which an action that was cut counts as late."""


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What an image says of itself."""

    id: str
    env: Mapping[str, str]
    workdir: str
    user: str
    entrypoint: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """One image that can be built."""

    reference: str
    context: bytes
    """A tar of the build context, without what `.dockerignore` hides."""
    bases: tuple[str, ...] = ()
    """What it is built on, as far as that is known."""
    network: str | None = None
    """Of its RUN lines; the engine's default if None."""
    seconds: float = 600.0
    dockerfile: str = ""
    """Its text; that of the context's own Dockerfile if empty."""
    args: Mapping[str, str] = field(default_factory=dict)
    """Build arguments that BuildKit predefines, for builders that do not."""
    buildkit: str = ""
    """What of it BuildKit alone can build, "" for nothing."""


def facts(engine: Engine, reference: str) -> ImageFacts:
    """Return what an image that the engine has says of itself.

    Raises:
        ImageError: The engine has no such image.
    """
    import docker.errors

    with engine.errors(f"looking at image {reference}"):
        try:
            seen = engine.api.inspect_image(reference)
        except docker.errors.ImageNotFound as error:
            raise ImageError(f"the engine at {engine.address} has no image {reference}") from error
    config = seen.get("Config") or {}
    env = dict(pair.partition("=")[::2] for pair in config.get("Env") or ())
    return ImageFacts(
        str(seen["Id"]),
        env,
        config.get("WorkingDir") or "/",
        config.get("User") or "",
        tuple(config.get("Entrypoint") or ()),
    )


def has(engine: Engine, reference: str) -> bool:
    """Return whether the engine has an image."""
    import docker.errors

    with engine.errors(f"looking for image {reference}"):
        try:
            engine.api.inspect_image(reference)
        except docker.errors.ImageNotFound:
            return False
    return True


def pull(engine: Engine, reference: str, *, seconds: float) -> None:
    """Fetch an image from its registry, unless the engine has it.

    Raises:
        ImageError: It cannot be had.
    """
    if has(engine, reference):
        return
    with trial_account.turn(_one_at_a_time), _patient(engine, seconds) as patient:
        name, _, tag = reference.rpartition(":")
        bare = not name or "/" in tag or "@" in reference
        stream = _told(
            patient,
            f"pulling {reference}",
            lambda api: api.pull(
                reference if bare else name, tag=None if bare else tag, stream=True, decode=True
            ),
        )
        said = _drained(stream, f"pulling {reference}", seconds)
    if said:
        raise ImageError(
            f"image {reference} cannot be pulled: {said}\n"
            f"Load it once where there is a network: docker pull {reference}"
        )


def build(engine: Engine, wanted: Build) -> None:
    """Build an image, unless the engine has it.

    Raises:
        ImageError: A line of its Dockerfile failed, or it took too long, with the output's end;
            or it needs BuildKit, and nothing here speaks to that.
    """
    with trial_account.turn(_one_at_a_time):
        if has(engine, wanted.reference):
            return
        for known in OURS.keys() & set(wanted.bases):
            ours = engine.image(OURS[known])
            name, _, tag = known.partition(":")
            with engine.errors(f"naming {known}"):
                engine.api.tag(ours, name, tag)
        # Podman's own builder knows what BuildKit knows.
        plain = not wanted.buildkit or is_podman(engine)
        said = _built_plainly(engine, wanted) if plain else _built_by_buildkit(engine, wanted)
    if said:
        raise ImageError(f"the image could not be built: {said}")


def _built_plainly(engine: Engine, wanted: Build) -> str:
    packed, name = _with_recipe(wanted)
    with _patient(engine, wanted.seconds) as patient:
        action = f"building {wanted.reference}"
        stream = _told(
            patient,
            action,
            lambda api: api.build(
                fileobj=io.BytesIO(packed),
                custom_context=True,
                dockerfile=name,
                tag=wanted.reference,
                network_mode=wanted.network,
                buildargs=dict(wanted.args),
                rm=True,
                forcerm=True,
                decode=True,
            ),
        )
        return _drained(stream, action, wanted.seconds)


def _with_recipe(wanted: Build) -> tuple[bytes, str]:
    """Return the context with its Dockerfile, and what that is called in it.

    The engine removes what the context's own `.dockerignore` names before anything is copied.
    Where the context has none to keep, one is added that names itself and the Dockerfile.
    """
    if not wanted.dockerfile:
        return wanted.context, "Dockerfile"
    raw = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(wanted.context), errors="surrogateescape") as old,
        tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as out,
    ):
        names = set(old.getnames())
        own = _IGNORE in names
        name = "Dockerfile" if own else _RECIPE
        for member in old:
            if member.name != name:
                out.addfile(member, old.extractfile(member) if member.isreg() else None)
        added = {name: wanted.dockerfile} if own else {
            name: wanted.dockerfile, _IGNORE: f"{_IGNORE}\n{_RECIPE}\n"
        }  # fmt: skip
        for path, text in added.items():
            member = tarfile.TarInfo(path)
            data = text.encode()
            member.size = len(data)
            out.addfile(member, io.BytesIO(data))
    return raw.getvalue(), name


def _built_by_buildkit(engine: Engine, wanted: Build) -> str:
    found = buildkit.client()
    if found is None:
        raise ImageError(
            f"its Dockerfile has {wanted.buildkit}, which BuildKit alone builds, and no docker "
            "client here speaks to it: install docker-buildx"
        )
    words = ["-t", wanted.reference]
    words += ["--network", wanted.network] if wanted.network else []
    said = buildkit.build(
        found,
        engine.address,
        words=words,
        context=wanted.context,
        text=wanted.dockerfile,
        seconds=wanted.seconds,
    )
    return f"it has {wanted.buildkit}, so BuildKit built it: {said}" if said else ""


def prune(engine: Engine, *, repository: str = TRIALS) -> tuple[str, ...]:
    """Remove the images that were built of datasets and that no container uses; return them.

    The next trial that needs one builds it anew, from layers that the engine may still have.
    """
    import docker.errors

    gone = []
    with engine.errors("looking at images"):
        found = engine.api.images(name=repository)
    for tag in sorted(tag for image in found for tag in image["RepoTags"] or ()):
        with engine.errors(f"removing image {tag}"):
            try:
                engine.api.remove_image(tag)
            except docker.errors.APIError as error:
                if error.status_code == HTTPStatus.CONFLICT:  # a container uses it
                    continue
                raise
        gone.append(tag)
    return tuple(gone)


@contextmanager
def _patient(engine: Engine, seconds: float) -> Iterator[Engine]:
    """Yield a connection of its own whose calls may take so long."""
    seconds = max(seconds, 1.0)
    found = Engine(engine.address, timeout=seconds)
    answers: list[Any] = []
    found.api.hooks["response"].append(lambda answer, **_: answers.append(answer))
    # The time-out is one on silence: an engine that says a word now and then would go on.
    cut = threading.Timer(seconds, _cut, (found, answers))
    cut.daemon = True
    cut.start()
    try:
        yield found
    finally:
        cut.cancel()
        found.api.close()


def _cut(engine: Engine, answers: list[Any]) -> None:
    """End what is being read: the engine takes that for a client that has left, and stops."""
    for answer in answers:
        # It has ended by itself, where this fails.
        with contextlib.suppress(AttributeError, OSError, ValueError):
            engine.api._get_raw_response_socket(answer)._sock.shutdown(socket.SHUT_RDWR)


def _told(engine: Engine, action: str, call: Any) -> Iterator[Mapping[str, Any]]:
    """Yield what the engine tells of a long action, line by line."""
    import docker.errors
    import urllib3

    with engine.errors(action):
        try:
            yield from call(engine.api)
        except docker.errors.APIError as error:
            yield {"error": error.explanation or str(error)}
        except urllib3.exceptions.HTTPError as error:  # in the middle of an answer
            raise SandboxError(f"{action}: the engine's answer ended: {error}") from error


def _drained(stream: Iterator[Mapping[str, Any]], action: str, seconds: float) -> str:
    """Read until the end; return why it failed, "" where it did not."""
    deadline = time.monotonic() + seconds - _EARLY
    seen = ""

    def late(seen: str) -> str:
        return f"{seen}\nit took longer than {seconds:g} s".strip()

    try:
        for row in stream:
            seen = (seen + str(row.get("stream") or ""))[-TAIL:]
            if "error" in row:
                return f"{seen}{row['error']}".strip()
            if time.monotonic() > deadline:
                return late(seen)
    except SandboxError as error:
        if "timed out" in str(error).lower() or time.monotonic() > deadline:
            return late(seen)
        raise SandboxError(f"{action}: {error}") from error
    return late(seen) if time.monotonic() > deadline else ""
