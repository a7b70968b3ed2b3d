"""Images of other datasets: builds them from Dockerfiles, pulls them, and reads their settings.

One build runs at a time, with a deadline.  Its image is kept under a name made from its content
until `prune`.  The base images `tmax/core` and `tmax/poly` are made from ours if an engine lacks
them.  If a Dockerfile needs BuildKit, `buildkit.py` builds it.
Registries that need a password do not work.
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

OURS = {"tmax/core:latest": "core", "tmax/poly:latest": "poly"}
"""Base images of exported tasks: our images under names that Dockerfiles can use."""
TRIALS = "localhost/tmax/trial"
"""The repository of images that were built from a dataset's Dockerfiles."""
TAIL = 1500
"""Characters of a build's output that an error message shows."""
_IGNORE, _RECIPE = ".dockerignore", ".tmax.dockerfile"
_one_at_a_time = threading.Lock()
_EARLY = 0.5
"""Seconds before its deadline at which an action that was cut off counts as late."""


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """Settings that an image has for its containers."""

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
    """A tar of the build context, without the files that `.dockerignore` names."""
    bases: tuple[str, ...] = ()
    """Its base images, as far as they are known."""
    network: str | None = None
    """The network of its RUN lines; the engine's default if None."""
    seconds: float = 600.0
    dockerfile: str = ""
    """The text of its Dockerfile; "" for the context's own."""
    args: Mapping[str, str] = field(default_factory=dict)
    """Build arguments that BuildKit predefines, for builders that do not."""
    buildkit: str = ""
    """Parts of it that only BuildKit can build, for messages; "" for none."""


def facts(engine: Engine, reference: str) -> ImageFacts:
    """Return the settings of an image of the engine; raise `ImageError` if it has no such image."""
    image = engine.image_facts(reference)
    config = image.get("Config") or {}
    env = dict(pair.partition("=")[::2] for pair in config.get("Env") or ())
    return ImageFacts(
        str(image["Id"]),
        env,
        config.get("WorkingDir") or "/",
        config.get("User") or "",
        tuple(config.get("Entrypoint") or ()),
    )


def pull(engine: Engine, reference: str, *, seconds: float) -> None:
    """Fetch an image from its registry unless the engine has it, or raise `ImageError`."""
    if engine.has_image(reference):
        return
    with trial_account.turn(_one_at_a_time), _patient(engine, seconds) as patient:
        name, _, tag = reference.rpartition(":")
        bare = not name or "/" in tag or "@" in reference
        stream = _progress(
            patient,
            f"pulling {reference}",
            lambda api: api.pull(
                reference if bare else name, tag=None if bare else tag, stream=True, decode=True
            ),
        )
        failure = _failure(stream, f"pulling {reference}", seconds)
    if failure:
        raise ImageError(
            f"image {reference} cannot be pulled: {failure}\n"
            f"Load it once while there is a network: docker pull {reference}"
        )


def build(engine: Engine, wanted: Build) -> None:
    """Build an image, unless the engine has it.

    Raises:
        ImageError: A line of its Dockerfile failed, or it took too long, with the output's end;
            or it needs BuildKit, and there is no client for that here.
    """
    with trial_account.turn(_one_at_a_time):
        if engine.has_image(wanted.reference):
            return
        for known in OURS.keys() & set(wanted.bases):
            ours = engine.image(OURS[known])
            name, _, tag = known.partition(":")
            with engine.errors(f"naming {known}"):
                engine.api.tag(ours, name, tag)
        # Podman's own builder can do the same as BuildKit.
        plain = not wanted.buildkit or engine.is_podman()
        failure = _build_plainly(engine, wanted) if plain else _build_by_buildkit(engine, wanted)
    if failure:
        raise ImageError(f"the image could not be built: {failure}")


def _build_plainly(engine: Engine, wanted: Build) -> str:
    """Build by the engine's own builder; return the failure, "" for none."""
    packed, name = _with_recipe(wanted)
    with _patient(engine, wanted.seconds) as patient:
        action = f"building {wanted.reference}"
        stream = _progress(
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
        return _failure(stream, action, wanted.seconds)


def _with_recipe(wanted: Build) -> tuple[bytes, str]:
    """Return the context with its Dockerfile, and the name of that in it.

    The engine removes the files that the context's own `.dockerignore` names.  If the context has
    none, one is added that names itself and the Dockerfile.
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


def _build_by_buildkit(engine: Engine, wanted: Build) -> str:
    """Build by BuildKit; return the failure, "" for none."""
    client = buildkit.client()
    if client is None:
        raise ImageError(
            f"its Dockerfile has {wanted.buildkit}, which BuildKit alone builds, and no docker "
            "client here can use BuildKit: install docker-buildx"
        )
    options = ["-t", wanted.reference]
    options += ["--network", wanted.network] if wanted.network else []
    failure = buildkit.build(
        client,
        engine.address,
        options=options,
        context=wanted.context,
        text=wanted.dockerfile,
        seconds=wanted.seconds,
    )
    return f"it has {wanted.buildkit}, so BuildKit built it: {failure}" if failure else ""


def prune(engine: Engine, *, repository: str = TRIALS) -> tuple[str, ...]:
    """Remove the images that were built for datasets and that no container uses; return them.

    The next trial that needs one builds it anew, from layers that the engine may still have.
    """
    import docker.errors

    removed = []
    with engine.errors("looking at images"):
        images = engine.api.images(name=repository)
    for tag in sorted(tag for image in images for tag in image["RepoTags"] or ()):
        with engine.errors(f"removing image {tag}"):
            try:
                engine.api.remove_image(tag)
            except docker.errors.APIError as error:
                if error.status_code == HTTPStatus.CONFLICT:  # a container uses it
                    continue
                raise
        removed.append(tag)
    return tuple(removed)


@contextmanager
def _patient(engine: Engine, seconds: float) -> Iterator[Engine]:
    """Yield a separate connection, all of whose calls together may take this long."""
    seconds = max(seconds, 1.0)
    patient = Engine(engine.address, timeout=seconds)
    answers: list[Any] = []
    patient.api.hooks["response"].append(lambda answer, **_: answers.append(answer))
    # The SDK's time-out only limits silence: an engine that writes now and then would go on.
    cut = threading.Timer(seconds, _cut, (patient, answers))
    cut.daemon = True
    cut.start()
    try:
        yield patient
    finally:
        cut.cancel()
        patient.api.close()


def _cut(engine: Engine, answers: list[Any]) -> None:
    """Close the answers that are being read: the engine then stops, as for a client that left."""
    for answer in answers:
        # If this fails, the answer has ended by itself.
        with contextlib.suppress(AttributeError, OSError, ValueError):
            engine.api._get_raw_response_socket(answer)._sock.shutdown(socket.SHUT_RDWR)


def _progress(engine: Engine, action: str, call: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the engine's reports on a long action, row by row."""
    import docker.errors
    import urllib3

    with engine.errors(action):
        try:
            yield from call(engine.api)
        except docker.errors.APIError as error:
            yield {"error": error.explanation or str(error)}
        except urllib3.exceptions.HTTPError as error:  # in the middle of an answer
            raise SandboxError(f"{action}: the engine's answer ended: {error}") from error


def _failure(rows: Iterator[Mapping[str, Any]], action: str, seconds: float) -> str:
    """Read all reports on an action; return why it failed, "" if it did not."""
    deadline = time.monotonic() + seconds - _EARLY
    output = ""
    late = False
    try:
        for row in rows:
            output = (output + str(row.get("stream") or ""))[-TAIL:]
            if "error" in row:
                return f"{output}{row['error']}".strip()
            if time.monotonic() > deadline:
                break
    except SandboxError as error:
        late = "timed out" in str(error).lower()
        if not late and time.monotonic() <= deadline:
            raise SandboxError(f"{action}: {error}") from error
    if late or time.monotonic() > deadline:
        return f"{output}\nit took longer than {seconds:g} s".strip()
    return ""
