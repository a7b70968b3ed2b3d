"""Build contexts: what of a task's directory COPY and ADD see, as docker's client sends it.

Covers `.dockerignore` and, before it, `Dockerfile.dockerignore`; links, modes and directories as
they are; owners and times are not the host's, so that equal files give equal images.
Does not cover contexts from repositories.
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
"""Its rules win over those of `.dockerignore`."""
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
        """Return the context as a tar; equal files give equal bytes."""
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as out:
            for name, entry in self.entries.items():
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
    found = {e.name.removeprefix(f"{below}/"): e for e in task.entries(below)}
    own = OWN_IGNORE in found
    rules = dockerfile.ContextRules()
    if (file := OWN_IGNORE if own else IGNORE) in found:
        # A link is followed: `entries` has seen that it stays in the task.
        rules = dockerfile.read_rules(trees.read_text(found[file].path, file))
    kept = {name for name in found if not rules.hides(name)}
    for name in tuple(kept):  # a directory that is hidden comes with what is excepted below it
        while (name := posixpath.dirname(name)) and name not in kept:
            kept.add(name)
    return Context({name: found[name] for name in sorted(kept)}, own)
