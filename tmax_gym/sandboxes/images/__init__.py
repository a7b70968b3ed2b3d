"""Root file systems by name: `core` and `poly` (Debian 12), `host` (this /usr), your tarballs.

They are built, imported and found in a cache directory, $TMAX_CACHE or ~/.cache/tmax-gym.  A tree
is built under another name and renamed at the end, so that no name has a half image.  All backends
use the same tree; `tar_path` packs it for a container engine.
Images of registries are not pulled: `docker export` writes a tar for `import_tar`.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tmax_gym.errors import ImageError
from tmax_gym.sandboxes.images import debian, host
from tmax_gym.sandboxes.images.host import NewDirectory
from tmax_gym.sandboxes.login import PATH

Progress = Callable[[str], None]
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_BINARIES = PATH.split(":")


@dataclass(frozen=True, slots=True)
class RootTree:
    """A root file system as directories of this host."""

    name: str
    id: str
    """Changes when the image is built anew."""
    trees: tuple[tuple[str, tuple[str, ...]], ...]
    """(mount point, directories laid over each other, topmost first); the root, "", first."""


def cache_root() -> Path:
    """Return the directory of images and task layers; it may not exist yet."""
    if chosen := os.environ.get("TMAX_CACHE"):
        return Path(chosen).absolute()
    return Path.home() / ".cache" / "tmax-gym"


def available() -> tuple[str, ...]:
    """Return the images that a sandbox can be opened from, sorted."""
    stored = {path.parent.name for path in _images().glob("*/rootfs") if path.is_dir()}
    return tuple(sorted(stored | {"host"}))


def default_image(wanted: str = "core", *, who: str = "this") -> str:
    """Return the image that a task asks for, else one that includes it, else `host`.

    `host` is only for machines without any image, and has this machine's programs: callers check
    that it has the ones that they need.

    Args:
        wanted: The image's name.
        who: The user of the image, for the message.

    Raises:
        ImageError: Images are in use here, but not the one that is needed.
    """
    have = available()
    if wanted in have:
        return wanted
    if "core" in have and wanted != "core":
        raise ImageError(f"{who} needs the image {wanted!r}.\n{remedy(wanted)}")
    return "poly" if wanted == "core" and "poly" in have else "host"


def is_absent(wanted: str, tools: Iterable[str]) -> bool:
    """Return whether no image here can replace `wanted`, of which these programs are needed.

    Without any image, `host` replaces each one, if it has the programs.
    """
    have = available()
    if wanted in have or (wanted == "core" and "poly" in have):
        return False
    return "core" in have or "poly" in have or bool(missing_tools("host", tools))


def resolve(name: str) -> RootTree:
    """Return an image's directories, or raise `ImageError`, which says how to make it."""
    if name == "host":
        trees = host.trees(_images() / "host")
        return RootTree(name, _identity(Path(trees[0][1][0])), trees)
    root = _place(name) / "rootfs"
    if not root.is_dir():
        have = ", ".join(available())
        raise ImageError(f"image {name!r} is not in {_images()} (there: {have}).\n{remedy(name)}")
    return RootTree(name, _identity(root), (("", (str(root),)),))


def build(name: str, progress: Progress | None = None, *, again: bool = False) -> RootTree:
    """Build a known image unless it exists or `again`, or raise `ImageError`."""
    say = progress or (lambda _: None)
    if name == "host":
        return resolve(name)
    if name not in debian.RECIPES:
        known = ", ".join(sorted((*debian.RECIPES, "host")))
        raise ImageError(f"there is no recipe for image {name!r}: known are {known}")
    if name in available() and not again:
        return resolve(name)
    say(f"building {name} in {_place(name)}: {debian.RECIPES[name].cost}")
    with NewDirectory(_place(name)) as new:
        debian.build(name, new.path / "rootfs", say)
        new.commit()
    return resolve(name)


def import_tar(name: str, path: str | os.PathLike[str]) -> RootTree:
    """Make an image from a tarball with a /bin/bash, such as `docker export` writes."""
    if name in ("host", *debian.RECIPES):
        raise ImageError(f"{name!r} is the name of an image of this library: choose another")
    with NewDirectory(_place(name)) as new:
        root = new.path / "rootfs"
        root.mkdir()
        owner = "--same-owner" if os.getuid() == 0 else "--no-same-owner"
        words = ["tar", "--numeric-owner", owner, "-p", "--exclude=dev/*", "--exclude=./dev/*"]
        problem = _run([*words, "-C", str(root), "-xf", os.fspath(path)])
        if problem:
            raise ImageError(f"{path} is no tarball of a root file system: {problem}")
        _complete(root, path)
        new.commit()
    return resolve(name)


def tar_path(name: str) -> Path:
    """Return a tarball of an image, packed at the first call, for `docker import`.

    Raises:
        ImageError: No such image, or `host`, which is no image of its own.
    """
    if name == "host":
        raise ImageError("image 'host' is this machine's /usr and has no tarball: build core")
    root = Path(resolve(name).trees[0][1][0])
    target = root.parent / "root.tar"
    if not target.exists() or target.stat().st_mtime < root.stat().st_mtime:
        handle, part = tempfile.mkstemp(dir=root.parent, suffix=".part")
        os.close(handle)
        words = ["tar", "--numeric-owner", "--sort=name", "--format=posix"]
        words += [] if os.getuid() == 0 else ["--owner=0", "--group=0"]
        problem = _run([*words, "-C", str(root), "-cf", part, "."])
        if problem:
            os.unlink(part)
            raise ImageError(f"packing image {name!r} failed: {problem}")
        os.replace(part, target)
    return target


def missing_tools(name: str, tools: Iterable[str]) -> tuple[str, ...]:
    """Return which of these programs an image lacks, sorted."""
    directories = [
        f"{lower}{directory[len(point) :]}"
        for point, lowers in resolve(name).trees
        for directory in _BINARIES
        if f"{directory}/".startswith(f"{point}/")
        for lower in lowers
    ]

    def is_there(tool: str) -> bool:
        return any(os.path.lexists(f"{directory}/{tool}") for directory in directories)

    return tuple(sorted(tool for tool in set(tools) if not is_there(tool)))


def _images() -> Path:
    return cache_root() / "images"


def _place(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise ImageError(f"{name!r} cannot name an image: use a-z, 0-9, '.', '_', '-'")
    return _images() / name


def _identity(root: Path) -> str:
    info = root.stat()
    return f"{root}:{info.st_ino}:{info.st_mtime_ns}"


def remedy(name: str) -> str:
    """Return how an image is made, as a sentence."""
    if name in debian.RECIPES:
        return f"Build it once with: tmax images build {name} ({debian.RECIPES[name].cost})"
    return (
        f"Import it with: docker export CONTAINER > {name}.tar;"
        f" tmax images import {name} {name}.tar"
    )


def _complete(root: Path, origin: object) -> None:
    """Check a foreign tree and add the directories that a sandbox mounts over."""
    if not (os.path.lexists(root / "bin/bash") or os.path.lexists(root / "usr/bin/bash")):
        raise ImageError(f"{origin} holds no /bin/bash: the shell needs one")
    for name, mode in (("proc", 0o755), ("dev", 0o755), ("sys", 0o755), ("tmp", 0o1777)):
        (root / name).mkdir(exist_ok=True)
        (root / name).chmod(mode)


def _run(words: list[str]) -> str:
    """Run a program; return the end of its errors if it fails, else ""."""
    done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL)
    return "" if done.returncode == 0 else done.stderr[-500:].decode(errors="replace")
