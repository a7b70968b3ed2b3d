"""Images of others: built from a Dockerfile, pulled, and asked what they are.

Covers one build at a time, with a deadline, kept under a name by its content until `prune`; the
base images `tmax/core` and `tmax/poly`, which are made from ours where an engine lacks them.
Does not cover BuildKit's own syntax, nor a registry that wants a password.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from tmax_gym.errors import ImageError, SandboxError
from tmax_gym.sandboxes.docker.engine import Engine

OURS = {"tmax/core:latest": "core", "tmax/poly:latest": "poly"}
"""What exported tasks are built on: the image `core` under a name that Dockerfiles can use."""
TRIALS = "localhost/tmax/trial"
"""Where images that were built of a dataset's Dockerfiles are kept, by their content."""
TAIL = 1500
"""Characters of a build's output that an error shows."""
_one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What an image says of itself."""

    id: str
    env: Mapping[str, str]
    workdir: str
    user: str


@dataclass(frozen=True, slots=True)
class Build:
    """One image that can be built."""

    reference: str
    context: bytes
    """A tar with a Dockerfile at its top."""
    bases: tuple[str, ...] = ()
    """What it is built on, as far as that is known."""
    network: str | None = None
    """Of its RUN lines; the engine's default if None."""
    seconds: float = 600.0


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
        str(seen["Id"]), env, config.get("WorkingDir") or "/", config.get("User") or ""
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
    with _patient(engine, seconds) as patient, _one_at_a_time:
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
        ImageError: A line of its Dockerfile failed, or it took too long; with the output's end.
    """
    with _one_at_a_time:
        if has(engine, wanted.reference):
            return
        for known in OURS.keys() & set(wanted.bases):
            ours = engine.image(OURS[known])
            name, _, tag = known.partition(":")
            with engine.errors(f"naming {known}"):
                engine.api.tag(ours, name, tag)
        with _patient(engine, wanted.seconds) as patient:
            action = f"building {wanted.reference}"
            stream = _told(
                patient,
                action,
                lambda api: api.build(
                    fileobj=io.BytesIO(wanted.context),
                    custom_context=True,
                    tag=wanted.reference,
                    network_mode=wanted.network,
                    rm=True,
                    forcerm=True,
                    decode=True,
                ),
            )
            said = _drained(stream, action, wanted.seconds)
    if said:
        raise ImageError(f"the image could not be built: {said}")


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
    found = Engine(engine.address, timeout=max(seconds, 1.0))
    try:
        yield found
    finally:
        found.api.close()


def _told(engine: Engine, action: str, call: Any) -> Iterator[Mapping[str, Any]]:
    """Yield what the engine tells of a long action, line by line."""
    import docker.errors

    with engine.errors(action):
        try:
            yield from call(engine.api)
        except docker.errors.APIError as error:
            yield {"error": error.explanation or str(error)}


def _drained(stream: Iterator[Mapping[str, Any]], action: str, seconds: float) -> str:
    """Read until the end; return why it failed, "" where it did not."""
    deadline = time.monotonic() + seconds
    seen = ""
    try:
        for row in stream:
            seen = (seen + str(row.get("stream") or ""))[-TAIL:]
            if "error" in row:
                return f"{seen}{row['error']}".strip()
            if time.monotonic() > deadline:
                return f"{seen}\nit took longer than {seconds:g} s".strip()
    except SandboxError as error:
        if "timed out" in str(error).lower():
            return f"{seen}\nit took longer than {seconds:g} s".strip()
        raise SandboxError(f"{action}: {error}") from error
    return ""
