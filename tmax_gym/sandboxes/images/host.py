"""The image `host`: a bare root file system over this machine's own /usr.

With it, the first episode runs before any image is built: it has an /etc, /home, /root and /var of
its own, and the host's programs below a copy-on-write /usr.  Not reproducible: it has the programs
of this machine.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

Trees = tuple[tuple[str, tuple[str, ...]], ...]

PASSWD = """root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
user:x:1000:1000:user:/home/user:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
"""
GROUP = """root:x:0:
daemon:x:1:
tty:x:5:
mail:x:8:
www-data:x:33:
user:x:1000:
nogroup:x:65534:
"""
HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost\n"
_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_DIRECTORIES = (
    "app", "dev", "etc", "home", "home/user", "media", "mnt", "opt", "proc", "root", "run",
    "run/lock", "srv", "sys", "tmp", "usr", "var", "var/cache", "var/lib", "var/log", "var/mail",
    "var/spool", "var/tmp", "var/www",
)  # fmt: skip
_SYMLINKS = (("var/run", "/run"), ("var/lock", "/run/lock"), ("etc/mtab", "/proc/self/mounts"))
_COPIED = (
    "alternatives", "bash.bashrc", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "mime.types",
    "profile", "protocols", "services", "ssl/openssl.cnf", "ssl/certs", "terminfo", "os-release",
    "debian_version", "ethertypes", "magic", "magic.mime", "python3", "python3.11", "python3.12",
)  # fmt: skip
"""Files of /etc that programs in /usr read; none is about this machine's users."""


def trees(place: Path) -> Trees:
    """Return the directories of the image, making the skeleton below `place` where needed."""
    interpreter = _interpreter()
    stamp = [PASSWD, GROUP, HOSTS, repr(_DIRECTORIES), repr(_COPIED), interpreter]
    stamp += [_mark(f"/etc/{name}") for name in _COPIED]
    digest = hashlib.blake2b("\0".join(stamp).encode(), digest_size=8).hexdigest()
    target = place / digest
    if not target.is_dir():
        _make(target, interpreter)
    own = [f"/{n}" for n in _SYSTEM if os.path.isdir(f"/{n}") and not os.path.islink(f"/{n}")]
    shared = [*own, *([interpreter] if interpreter else [])]
    return (
        ("", (str(target / "skeleton"),)),
        ("/usr", (str(target / "usr"), "/usr")),
        *((path, (path,)) for path in shared),
    )


def _mark(path: str) -> str:
    try:
        info = os.stat(path)
    except OSError:
        return "-"
    return f"{info.st_mtime_ns}:{info.st_size}"


def _interpreter() -> str:
    """Return the prefix of the running Python if /usr has none, else ""."""
    if os.path.exists("/usr/bin/python3") or os.path.exists("/usr/local/bin/python3"):
        return ""
    prefix = os.path.realpath(sys.base_prefix)
    return "" if prefix.startswith("/usr") else prefix


class NewDirectory:
    """A directory beside a target, which replaces the target on `commit`."""

    def __init__(self, target: Path) -> None:
        self.target = target
        target.parent.mkdir(parents=True, exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
        self._old = self.path.with_name(self.path.name + "-old")

    def __enter__(self) -> NewDirectory:
        return self

    def commit(self) -> None:
        """Put the directory at the target's place."""
        self.path.chmod(0o755)
        if self.target.exists():
            self.target.rename(self._old)
        self.path.rename(self.target)

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.rmtree(self._old, ignore_errors=True)


def _make(target: Path, interpreter: str) -> None:
    with NewDirectory(target) as new:
        _fill(new.path / "skeleton", interpreter)
        (new.path / "usr").mkdir(mode=0o755)
        if interpreter:
            binaries = new.path / "usr/local/bin"
            binaries.mkdir(parents=True)
            for name in ("python3", "python"):
                (binaries / name).symlink_to(f"{interpreter}/bin/python3")
        new.path.chmod(0o755)
        try:
            new.path.rename(target)
        except OSError:  # another process was faster
            if not target.is_dir():
                raise


def _fill(root: Path, interpreter: str) -> None:
    root.mkdir(mode=0o755)
    for name in (*_DIRECTORIES, *([interpreter.lstrip("/")] if interpreter else [])):
        (root / name).mkdir(mode=0o755, parents=True, exist_ok=True)
    for name, mode in (("tmp", 0o1777), ("var/tmp", 0o1777), ("root", 0o700)):
        (root / name).chmod(mode)
    for name in _SYSTEM:
        if os.path.islink(f"/{name}"):
            (root / name).symlink_to(os.readlink(f"/{name}"))
        elif os.path.isdir(f"/{name}"):
            (root / name).mkdir()
    for name in _COPIED:
        _copy(Path("/etc", name), root / "etc" / name)
    write_identity(root)


def write_identity(root: Path) -> None:
    """Write the users, groups and names that every image shares."""
    for name, text in (
        ("passwd", PASSWD),
        ("group", GROUP),
        ("hosts", HOSTS),
        ("hostname", "sandbox\n"),
        ("resolv.conf", ""),
        ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
    ):
        path = root / "etc" / name
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o644)
    for link, target in _SYMLINKS:
        if not os.path.lexists(root / link):
            (root / link).symlink_to(target)
    if os.getuid() == 0:
        os.chown(root / "home/user", 1000, 1000)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore_dangling_symlinks=True)
    elif source.is_file():
        shutil.copyfile(source, target)
        target.chmod(0o644)
