"""Builds the images `core` and `poly`: a minimal Debian 12 with the tools of a terminal.

`poly` is `core` with compilers for C++, Go and Rust.  `mmdebstrap` builds them, as root, from
Debian's own mirror or $TMAX_DEBIAN_MIRROR.  Versions are not pinned: two builds a month apart
differ in security updates.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tmax_gym.errors import ImageError
from tmax_gym.sandboxes.images import host

SUITE = "bookworm"
PACKAGES = (
    "acl", "bc", "binutils", "bzip2", "ca-certificates", "curl", "file", "gawk", "gcc", "git",
    "iproute2", "jq", "less", "libc6-dev", "make", "netcat-openbsd", "openssh-client", "openssl",
    "procps", "python3", "python3-minimal", "sqlite3", "strace", "tmux", "unzip", "vim-tiny",
    "xxd", "xz-utils", "zip",
)  # fmt: skip
COMPILERS = ("g++", "golang-go", "rustc")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The packages of an image, and the cost of building it."""

    packages: tuple[str, ...]
    cost: str
    needed: int
    """Megabytes of free space needed: tree, package files and a margin."""


RECIPES = {
    # Measured: 28 s with a near mirror on 2 cores, 129 s on a loaded machine.
    "core": Recipe(
        PACKAGES, "about 150 MB to download, 450 MB on disk, one to three minutes", 1_500
    ),
    # Measured: 141 and 200 s on 2 loaded cores, 311 MB to download, 1157 MB on disk.
    "poly": Recipe(
        PACKAGES + COMPILERS,
        "about 300 MB to download, 1.2 GB on disk, two to five minutes",
        2_500,
    ),
}
_DROPPED = (
    "/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*",
    # Only needed to build and test Go itself: 230 of 1380 MB.
    "/usr/lib/go-*/pkg/linux_*/cmd/*", "/usr/share/go-*/src/cmd/*", "/usr/share/go-*/test/*",
    "/usr/share/go-*/api/*", "/usr/share/go-*/testdata/*",
)  # fmt: skip
_KEPT = "/usr/share/doc/*/copyright"


def build(name: str, root: Path, say: Callable[[str], None]) -> None:
    """Build the tree of an image of `RECIPES` at a new path, or raise `ImageError`."""
    recipe = RECIPES[name]
    _check(name, root)
    words = ["mmdebstrap", "--variant=minbase", "--mode=root", "--format=directory"]
    words += ["--aptopt=APT::Install-Recommends false", "--aptopt=Acquire::Languages none"]
    words += [f"--dpkgopt=path-exclude={path}" for path in _DROPPED]
    words += [f"--dpkgopt=path-include={_KEPT}", f"--include={','.join(recipe.packages)}"]
    words += [SUITE, str(root)]
    if mirror := os.environ.get("TMAX_DEBIAN_MIRROR"):
        words.append(mirror)
    tail: list[str] = []
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, errors="replace", env={**os.environ, "LC_ALL": "C.UTF-8"},
    ) as process:  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            tail = [*tail[-9:], line.rstrip()]
            say(line.rstrip())
    if process.returncode != 0:
        raise ImageError(
            f"mmdebstrap failed (exit {process.returncode}):\n" + "\n".join(tail) + "\nCheck the"
            " network, or name another mirror in $TMAX_DEBIAN_MIRROR."
        )
    _finish(root)


def _check(name: str, root: Path) -> None:
    if shutil.which("mmdebstrap") is None:
        raise ImageError(f"building {name} needs mmdebstrap: apt-get install mmdebstrap")
    if os.getuid() != 0:
        raise ImageError(
            f"building {name} needs root: run `sudo tmax images build {name}`, or import a tarball"
            " that root made, or use the image 'host'"
        )
    free = shutil.disk_usage(root.parent).free >> 20
    if free < RECIPES[name].needed:
        raise ImageError(
            f"building {name} needs {RECIPES[name].needed} MB free in {root.parent}, there are"
            f" {free}: set $TMAX_CACHE to a larger disk"
        )


def _finish(root: Path) -> None:
    """Add the shared users and directories, and remove package caches."""
    for name in ("home/user", "app"):
        (root / name).mkdir(mode=0o755, exist_ok=True)
    users = (root / "etc/passwd").read_text()
    groups = (root / "etc/group").read_text()
    host.write_identity(root)
    # Debian's own system users stay: packages own files by them.
    (root / "etc/passwd").write_text(_with(users, host.PASSWD))
    (root / "etc/group").write_text(_with(groups, host.GROUP))
    (root / "etc/machine-id").write_text("")
    if not os.path.lexists(root / "usr/bin/vim"):
        (root / "usr/bin/vim").symlink_to("vim.tiny")  # Debian names only `vi`
    for name in ("var/lib/apt/lists", "var/cache/apt", "var/log/apt", "dev"):
        for entry in (root / name).iterdir() if (root / name).is_dir() else ():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()


def _with(text: str, more: str) -> str:
    """Return account lines, with those of `more` whose name is new."""
    names = {line.partition(":")[0] for line in text.splitlines()}
    added = [line for line in more.splitlines() if line.partition(":")[0] not in names]
    return text + "".join(line + "\n" for line in added)
