"""Build contexts: the files of a task's directory that COPY and ADD see, as docker sends them.

`Dockerfile.dockerignore`, or else `.dockerignore`, hides files.  Links, modes and directories stay
as they are; owners and times are not the host's, so that equal files give equal images.
"""

from __future__ import annotations

import io
import posixpath
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tmax_gym.harbor.run.build import dockerfile
from tmax_gym.harbor.tasks import trees
from tmax_gym.harbor.tasks.directory import HarborTask
from tmax_gym.harbor.tasks.trees import Entry

IGNORE = ".dockerignore"
OWN_IGNORE = "Dockerfile.dockerignore"
"""If it is there, `.dockerignore` is not read."""
_SET_ID = 0o6000
_TYPES = {"file": tarfile.REGTYPE, "dir": tarfile.DIRTYPE, "link": tarfile.SYMTYPE}


@dataclass(frozen=True, slots=True)
class Context:
    """The entries of a build context, by their paths in it."""

    entries: Mapping[str, Entry]
    own_rules: bool = False
    """Whether its rules come from `Dockerfile.dockerignore`."""

    @property
    def set_ids(self) -> bool:
        """Return whether a file has a set-user-id or set-group-id bit."""
        return any(e.kind == "file" and e.mode & _SET_ID for e in self.entries.values())

    def pack(self) -> bytes:
        """Return the context as a tar."""
        return packed(self.entries)


def packed(entries: Mapping[str, Entry]) -> bytes:
    """Return entries as a tar, by their paths in it; equal files give equal bytes."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as out:
        for name, entry in entries.items():
            member = tarfile.TarInfo(name)
            member.type, member.mode = _TYPES[entry.kind], entry.mode
            member.linkname = entry.target
            data = entry.path.read_bytes() if entry.kind == "file" else b""
            member.size = len(data)
            out.addfile(member, io.BytesIO(data))
    return raw.getvalue()


def read_context(task: HarborTask, directory: Path) -> Context:
    """Return the build context of one of a task's directories.

    Raises:
        HarborError: Its rules are malformed, or an entry cannot be sent.
    """
    below = directory.relative_to(task.directory).as_posix()
    entries = {e.name.removeprefix(f"{below}/"): e for e in task.entries(below)}
    own = OWN_IGNORE in entries
    rules = dockerfile.ContextRules()
    if (file := OWN_IGNORE if own else IGNORE) in entries:
        # A link may be followed: `entries` has checked that it stays in the task.
        rules = dockerfile.read_rules(trees.read_text(entries[file].path, file))
    kept = {name for name in entries if not rules.hides(name)}
    for name in tuple(kept):  # a hidden directory is needed for exceptions below it
        while (name := posixpath.dirname(name)) and name not in kept:
            kept.add(name)
    return Context({name: entries[name] for name in sorted(kept)}, own)
