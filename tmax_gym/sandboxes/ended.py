"""A machine that has ended: all that a sandbox does but `get` is refused, or has nothing to do.

*Covers* what is the same for every form in which files of a machine are kept.
*Does not cover* reading them: see `archive.py`, and what trials left in `bench/remains.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import ExecResult, Terminal, User


class EndedSandbox:
    """What is left of a machine; whoever keeps its files adds `get`."""

    id: str

    def freeze(self) -> None:
        """Do nothing: nothing runs."""

    def destroyed(self) -> bool:
        """Return False: how the machine ended is not seen from here."""
        return False

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def put(self, nodes: Iterable[Node]) -> None:
        """Refuse: what is left is read only."""
        raise self._dead()

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> Terminal:
        """Refuse: nothing runs."""
        raise self._dead()

    def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float = 60.0,
        user: User = "root",
        env: Mapping[str, str] | None = None,
        cwd: str = "/",
        max_output: int = 1 << 20,
    ) -> ExecResult:
        """Refuse: nothing runs."""
        raise self._dead()

    def _dead(self) -> SandboxError:
        return SandboxError(f"{self.id} is what is left of a machine: nothing runs in it")
