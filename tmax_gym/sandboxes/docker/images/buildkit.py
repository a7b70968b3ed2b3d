"""Builds images with BuildKit, through a docker client that can use it.

Such clients are `docker buildx`, and versions before 23, which have BuildKit built in.
Podman builds with its own tools, and builders outside the engine are not used.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tmax_gym.errors import ImageError

_BUILT_IN = 23
"""The first version of the client that has BuildKit only in a plugin (release notes of 23.0)."""
_LOOK_SECONDS = 20.0
_SYNTAX = re.compile(
    r"\A(?:#[^\n]*\n)*?(#\s*syntax\s*=\s*(?:docker\.io/)?docker/dockerfile\b[^\n]*\n)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Client:
    """A command that builds with BuildKit, and its environment."""

    command: tuple[str, ...]
    env: Mapping[str, str]


def client() -> Client | None:
    """Return a client of this machine that can use BuildKit, None if there is none."""
    return _client(os.environ.get("PATH", os.defpath))


@cache
def _client(path: str) -> Client | None:
    programs = [os.path.join(folder, "docker") for folder in path.split(os.pathsep) if folder]
    clients = [program for program in dict.fromkeys(programs) if os.access(program, os.X_OK)]
    for program in clients:
        if _output([program, "buildx", "version"]):
            return Client((program, "buildx", "build", "--builder", "default", "--load"), {})
    for program in clients:
        version = re.search(r"version (\d+)\.", _output([program, "--version"]))
        if version and int(version[1]) < _BUILT_IN:
            return Client((program, "build"), {"DOCKER_BUILDKIT": "1"})
    return None


def _output(command: Sequence[str]) -> str:
    """Return what a program prints, "" if it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_LOOK_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


def build(
    client: Client,
    address: str,
    *,
    options: Sequence[str],
    context: bytes,
    text: str,
    seconds: float,
) -> str:
    """Build an image; return why that failed, with the output's end, "" if it did not.

    Args:
        client: The command that uses BuildKit.
        address: The engine's.
        options: Further options: the tag, the network.
        context: A tar of the build context, already filtered.
        text: The Dockerfile.
        seconds: Time limit of the build.

    Raises:
        ImageError: The context cannot be written here.
    """
    with tempfile.TemporaryDirectory(prefix="tmax-build-") as folder:
        root, dockerfile = Path(folder, "context"), Path(folder, "Dockerfile")
        root.mkdir()
        try:
            with tarfile.open(fileobj=io.BytesIO(context), errors="surrogateescape") as tar:
                tar.extractall(root, filter="fully_trusted")  # our own archive
        except OSError as error:
            raise ImageError(f"the build context cannot be written: {error}") from error
        # This file overrides the context's own ignore rules, which were applied before.
        dockerfile.with_name("Dockerfile.dockerignore").write_text("# nothing is left out\n")
        command = [*client.command, "--progress=plain", *options, "-f", str(dockerfile), str(root)]
        env = {**os.environ, **client.env, "DOCKER_HOST": address}
        dockerfile.write_text(text)
        failure = _run(command, env, seconds)
        syntax = _SYNTAX.match(text)
        if failure and syntax and "docker/dockerfile" in failure:
            # The syntax could not be fetched without a registry: use the engine's own, which
            # fails with a message on a line that it does not know.
            dockerfile.write_text(text.replace(syntax[1], "", 1))
            failure = _run(command, env, seconds)
        return failure


def _run(command: Sequence[str], env: Mapping[str, str], seconds: float) -> str:
    """Run a command; return the failure with the output's end, "" for none."""
    try:
        done = subprocess.run(
            command,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"")[-1500:].decode(errors="replace")
        return f"{output}\nit took longer than {seconds:g} s".strip()
    except OSError as error:
        return f"{command[0]} cannot be started: {error}"
    output = done.stdout[-1500:].decode(errors="replace").strip()
    return "" if done.returncode == 0 else output or f"{command[0]} ended with {done.returncode}"
