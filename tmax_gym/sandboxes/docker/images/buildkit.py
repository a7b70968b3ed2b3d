"""Builds by BuildKit, through a docker client that speaks to it.

Covers `docker buildx`, and clients before version 23, which have BuildKit built in.
Does not cover podman, which builds with its own tools, nor builders beside the engine.
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
"""The first version of the client that has BuildKit in a plugin alone (release notes of 23.0)."""
_LOOK_SECONDS = 20.0
_SYNTAX = re.compile(
    r"\A(?:#[^\n]*\n)*?(#\s*syntax\s*=\s*(?:docker\.io/)?docker/dockerfile\b[^\n]*\n)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Client:
    """How BuildKit is asked for a build."""

    words: tuple[str, ...]
    env: Mapping[str, str]


def client() -> Client | None:
    """Return a client of this machine that speaks to BuildKit, None where there is none."""
    return _client(os.environ.get("PATH", os.defpath))


@cache
def _client(path: str) -> Client | None:
    programs = [os.path.join(place, "docker") for place in path.split(os.pathsep) if place]
    there = [program for program in dict.fromkeys(programs) if os.access(program, os.X_OK)]
    for program in there:
        if _said([program, "buildx", "version"]):
            words = (program, "buildx", "build", "--builder", "default", "--load")
            return Client(words, {})
    for program in there:
        version = re.search(r"version (\d+)\.", _said([program, "--version"]))
        if version and int(version[1]) < _BUILT_IN:
            return Client((program, "build"), {"DOCKER_BUILDKIT": "1"})
    return None


def _said(words: Sequence[str]) -> str:
    """Return what a program prints, "" where it fails."""
    try:
        done = subprocess.run(
            words, capture_output=True, stdin=subprocess.DEVNULL, timeout=_LOOK_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


def build(
    found: Client, address: str, *, words: Sequence[str], context: bytes, text: str, seconds: float
) -> str:
    """Build an image; return why that failed, with the output's end, "" where it did not.

    Args:
        found: What speaks to BuildKit.
        address: Where the engine listens.
        words: Further options: the tag, the network.
        context: A tar of the build context, already filtered.
        text: The Dockerfile.
        seconds: When the build is ended.

    Raises:
        ImageError: The context cannot be written here.
    """
    with tempfile.TemporaryDirectory(prefix="tmax-build-") as place:
        root, recipe = Path(place, "context"), Path(place, "Dockerfile")
        root.mkdir()
        try:
            with tarfile.open(fileobj=io.BytesIO(context), errors="surrogateescape") as tar:
                tar.extractall(root, filter="fully_trusted")  # our own archive
        except OSError as error:
            raise ImageError(f"the build context cannot be written: {error}") from error
        # Beside the Dockerfile, rules win over the context's own, which were applied before.
        recipe.with_name("Dockerfile.dockerignore").write_text("# nothing is left out\n")
        line = [*found.words, "--progress=plain", *words, "-f", str(recipe), str(root)]
        env = {**os.environ, **found.env, "DOCKER_HOST": address}
        recipe.write_text(text)
        said = _run(line, env, seconds)
        syntax = _SYNTAX.match(text)
        if said and syntax and "docker/dockerfile" in said:
            # Without a registry: the engine's own syntax either knows all of it or fails aloud.
            recipe.write_text(text.replace(syntax[1], "", 1))
            said = _run(line, env, seconds)
        return said


def _run(line: Sequence[str], env: Mapping[str, str], seconds: float) -> str:
    try:
        done = subprocess.run(
            line,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        seen = (error.stdout or b"")[-1500:].decode(errors="replace")
        return f"{seen}\nit took longer than {seconds:g} s".strip()
    except OSError as error:
        return f"{line[0]} cannot be started: {error}"
    said = done.stdout[-1500:].decode(errors="replace").strip()
    return "" if done.returncode == 0 else said or f"{line[0]} ended with {done.returncode}"
