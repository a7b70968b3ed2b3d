"""The directory and the control groups in which a process has its sandboxes, whatever ends it.

For backends whose sandboxes are processes of another program: Apptainer and gVisor.  A watcher
removes what is there if the process is killed; what the watcher could not remove, because it was
killed too, the next process removes.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Limits
from tmax_gym.sandboxes.host import cgroups, cleanup, instances
from tmax_gym.sandboxes.host.watcher import Watcher

_SERIAL = itertools.count(1)


class OwnerDirectory:
    """Made with the first sandbox, and again with the first one after `close`.

    Args:
        backend: Name of the backend.
        prepare: Called with the new directory, which is empty.
    """

    def __init__(self, backend: str, prepare: Callable[[Path], object] = lambda path: None) -> None:
        self._backend, self._prepare = backend, prepare
        self._lock = threading.Lock()
        self._path: Path | None = None
        self._watcher: Watcher | None = None
        self._numbers = itertools.count(1)

    def path(self) -> Path:
        """Return the directory, watched since it was made.

        Raises:
            SandboxError: Its place belongs to another user.
        """
        with self._lock:
            if self._path is None:
                base = Path(tempfile.gettempdir(), f"tmax-{self._backend}-{os.geteuid()}")
                with contextlib.suppress(FileExistsError):
                    base.mkdir(mode=0o700)
                if os.lstat(base).st_uid != os.geteuid():  # every user may write beside it
                    raise SandboxError(f"{base} belongs to another user; set TMPDIR")
                cleanup.sweep([base], instances.remove_all)
                path = base / f"{cleanup.label()}-{self._backend}{next(_SERIAL)}"
                path.mkdir()
                self._prepare(path)
                cgroups.layout().prepare(path.name)
                self._watcher = Watcher(instances.__file__, str(path))
                self._path = path
            return self._path

    def place(self) -> tuple[int, Path]:
        """Return the number of a new sandbox, and its directory, which is empty."""
        number = next(self._numbers)
        directory = self.path() / str(number)
        directory.mkdir()
        return number, directory

    def groups(self, directory: Path, limits: Limits) -> tuple[str, ...]:
        """Make the control groups of a sandbox, and note them for the watcher."""
        groups = []
        for path, settings, *_ in cgroups.layout().groups(
            f"{self.path().name}/{directory.name}", limits
        ):
            os.mkdir(path)
            groups.append(path)
            for file, value in settings:
                Path(path, file).write_text(value, encoding="ascii")
        (directory / instances.GROUPS_FILE).write_text("\n".join(groups), encoding="utf-8")
        return tuple(groups)

    def close(self) -> None:
        """Remove the directory and the control groups; all sandboxes have ended.  Idempotent."""
        with self._lock:
            watcher, self._watcher = self._watcher, None
            path, self._path = self._path, None
        if watcher:
            watcher.close()
        if path:
            shutil.rmtree(path, ignore_errors=True)
            for parent in cgroups.layout().directories():
                with contextlib.suppress(OSError):
                    os.rmdir(parent / path.name)
