"""A task's files on the host: listed safely, filtered by `.harborignore`, and digested.

Anybody may have written a task: it may hold links out of it, cycles, FIFOs, texts that are not
UTF-8, files without end.  Nothing here blocks or follows a link out.  `files` lists contents, links
followed; `entries` lists what a machine gets: files with their modes, directories, links as links.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pathspec import GitIgnoreSpec, PathSpec
from pathspec.patterns.gitignore.basic import GitIgnoreBasicPattern
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from tmax_gym.errors import HarborError

P = TypeVar("P")
TEXT_BYTES = 4 << 20
"""Most that an instruction, a `task.toml` or a manifest may hold."""
MOST_FILES = 100_000
IGNORE_FILE = ".harborignore"
_FILTERED = ("tests", "solution")
"""Directories of a task, or of a step, that `.harborignore` filters."""
_PARTS = ("task.toml", "instruction.md", "README.md", "trajectory.json")
_TREES = ("environment", "tests", "solution", "steps")
_READ_HERE = frozenset(
    f"environment/{name}"
    for name in (
        *("Dockerfile", ".dockerignore", "Dockerfile.dockerignore"),
        *("docker-compose.yaml", "docker-compose.yml"),
    )
)
"""Files of the machine that are read on this host: no link may lead them out of the task."""
_UNPUBLISHED = ("__pycache__/", "*.pyc", ".DS_Store", "*.swp", "*.swo", "*~")
"""What Harbor's digest leaves out where a task has no `.gitignore` (0.25)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a task."""

    path: Path
    """Where it is, below the task's directory; it may be a link within that."""
    name: str
    """Relative to the task's directory, with `/`."""
    executable: bool
    kind: Literal["file", "dir", "link"] = "file"
    mode: int = 0o644
    """Permission bits, without the type."""
    target: str = ""
    """What a symbolic link points to, as written."""


def read_text(path: Path, where: str) -> str:
    """Return a small UTF-8 file's text.

    Raises:
        HarborError: It is absent, no regular file, too large, or not UTF-8.
    """
    data = read_bytes(path, where, limit=TEXT_BYTES)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise HarborError(f"{where} is not UTF-8: {error.reason} at byte {error.start}") from None


def read_bytes(path: Path, where: str, *, limit: int) -> bytes:
    """Return a regular file's content, at most `limit` bytes; never blocks.

    Raises:
        HarborError: It is absent, no regular file, or larger.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise HarborError(f"{where} is no regular file")
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise HarborError(f"{where} is missing") from None
    except IsADirectoryError:
        raise HarborError(f"{where} is no regular file") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        raise HarborError(f"{where} cannot be read: {_reason(error)}") from None
    if len(data) > limit:
        raise HarborError(f"{where} is larger than {limit} bytes")
    return data


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def files(root: Path, below: str) -> tuple[Entry, ...]:
    """Return the files of one of a task's directories, sorted by name; empty where absent.

    Links are followed within the task; `.harborignore` hides what it names below `tests` and
    `solution`.

    Raises:
        HarborError: A link leaves the task or leads in a circle, or an entry is neither a file
            nor a directory.
    """
    return tuple(entry for entry in _walked(root, below, links=False) if entry.kind == "file")


def entries(root: Path, below: str) -> tuple[Entry, ...]:
    """Return what is in one of a task's directories, sorted by name; empty where absent.

    A link arrives as a link.  Below `environment` it may lead nowhere, in a circle or to an
    absolute place: it is the machine's.  Elsewhere one that leads out of its own directory is
    followed within the task.

    Raises:
        HarborError: As `files` does.
    """
    return tuple(_walked(root, below, links=True))


def _walked(root: Path, below: str, *, links: bool) -> list[Entry]:
    real = _resolved(root, root)
    walk = _Walk(real, real / below, links=links)
    return sorted(walk.entries(real / below, ()), key=lambda entry: entry.name)


@dataclass(frozen=True, slots=True)
class _Walk:
    """One walk through a directory of a task."""

    root: Path
    top: Path
    links: bool
    """Whether links are entries; else they are followed."""

    def entries(self, path: Path, above: tuple[Path, ...]) -> Iterator[Entry]:
        """Yield what is at and below a path, the top itself excepted."""
        name = path.relative_to(self.root).as_posix()
        if not os.path.lexists(path) or _hidden(self.root, path, name):
            return
        if path.is_symlink() and (link := self._link(path, name)) is not None:
            yield from link
            return
        real = _resolved(path, self.root)
        try:
            mode = real.stat().st_mode
        except OSError as error:
            raise HarborError(f"{name} cannot be read: {_reason(error)}") from None
        bits = stat.S_IMODE(mode)
        if stat.S_ISREG(mode):
            yield Entry(path, name, bool(mode & 0o111), "file", bits)
        elif not stat.S_ISDIR(mode):
            raise HarborError(f"{name} is neither a file nor a directory")
        elif real in above:
            raise HarborError(f"{name} is a link that leads in a circle")
        else:
            if path != self.top:
                yield Entry(path, name, False, "dir", bits)
            for child in _children(path, name):
                yield from self.entries(child, (*above, real))

    def _link(self, path: Path, name: str) -> tuple[Entry, ...] | None:
        """Return a link as an entry, nothing where it has no content, None to follow it."""
        target = os.readlink(path)
        free = name.startswith("environment/")
        leads = os.path.normpath(path.parent / target)
        if free and not os.path.isabs(target) and not _within(leads, self.root):
            raise HarborError(f"{name} is a link out of the task")
        if name in _READ_HERE:
            _resolved(path, self.root)
        if free and not self.links:
            real = Path(os.path.realpath(path))
            # Harbor's digest has the content of a link to a file, and follows no other link.
            return None if _within(real, self.root) and real.is_file() else ()
        if not free:
            _resolved(path, self.root)  # refuses what leads nowhere, and out of the task
            own = not os.path.isabs(target) and _within(leads, self.top)
            if not self.links or not own or _within(path, leads):
                return None
        return (Entry(path, name, False, "link", 0o777, target),)


def _within(path: Path | str, directory: Path | str) -> bool:
    return Path(path).is_relative_to(directory)


def _children(path: Path, name: str) -> list[Path]:
    try:
        children = sorted(path.iterdir())
    except OSError as error:
        raise HarborError(f"{name} cannot be read: {_reason(error)}") from None
    if len(children) > MOST_FILES:
        raise HarborError(f"{name} has more than {MOST_FILES} entries")
    return children


def _resolved(path: Path, root: Path) -> Path:
    """Return where a path leads; it must stay within the task."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise HarborError(f"{path.name} leads nowhere: {_reason(error)}") from None
    if path != root and not real.is_relative_to(root):
        raise HarborError(f"{path.relative_to(root).as_posix()} is a link out of the task")
    return real


def _hidden(root: Path, path: Path, name: str) -> bool:
    """Return whether the `.harborignore` files on the way to a path hide it."""
    parts = name.split("/")
    if parts[-1] == IGNORE_FILE:
        return True
    top = 0 if parts[0] in _FILTERED else 2 if parts[0] == "steps" else -1
    if top < 0 or len(parts) <= top or parts[top] not in _FILTERED:
        return False
    verdict = False
    for depth in range(top + 1, len(parts)):
        rules = _rules(root.joinpath(*parts[:depth]))
        below = "/".join(parts[depth:])
        rule = rules.check_file(f"{below}/" if path.is_dir() else below).include
        verdict = verdict if rule is None else rule
    return verdict


def _rules(directory: Path) -> GitIgnoreSpec:
    file = directory / IGNORE_FILE
    lines = read_text(file, IGNORE_FILE).splitlines() if file.is_file() else ()
    return GitIgnoreSpec(_patterns(GitIgnoreSpecPattern, lines))


def _patterns(kind: Callable[[str], P], lines: Iterable[str]) -> Iterator[P]:
    """Yield the pattern of each line, except malformed lines, which git ignores."""
    for line in lines:
        with suppress(ValueError, re.error):  # re.error: a range that runs backwards, as [z-a]
            yield kind(line)


def digest(root: Path) -> str:
    """Return `sha256:…` over a task's files, by Harbor's rule for packages.

    Raises:
        HarborError: As `files` does.
    """
    real = _resolved(root, root)
    kept = [Entry(real / part, part, False) for part in _PARTS if (real / part).is_file()]
    kept += [e for tree in _TREES for e in files(real, tree) if not _below_link(real, e.name)]
    own = real / ".gitignore"
    lines = read_text(own, ".gitignore").splitlines() if own.is_file() else _UNPUBLISHED
    # What Harbor takes here: a file below an excluded directory can come back, unlike in git.
    rules = PathSpec(_patterns(GitIgnoreBasicPattern, lines))
    total = hashlib.sha256()
    for entry in sorted(kept, key=lambda e: e.name):
        if not rules.match_file(entry.name):
            total.update(f"{entry.name}\0{_sha256(entry.path)}\n".encode(errors="surrogateescape"))
    return f"sha256:{total.hexdigest()}"


def _below_link(root: Path, name: str) -> bool:
    """Return whether a file is reached by a link to a directory, which Harbor does not follow."""
    parts = name.split("/")[:-1]
    return any(root.joinpath(*parts[: n + 1]).is_symlink() for n in range(len(parts)))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
