"""Evidence held in memory: files as a mapping, programs as Python functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tmax_gym.checks.check import BadOutput, Case, Exchange, Outcome, Program, Reply
from tmax_gym.nodes import Node


@dataclass
class MemoryEvidence:
    """Implements `checks.Evidence` without a sandbox."""

    nodes: dict[str, Node] = field(default_factory=dict)
    program: Callable[[Case], Outcome] | None = None
    replies: tuple[Reply, ...] = ()

    def node(self, path: str) -> Node:
        if path not in self.nodes:
            raise BadOutput(f"{path} does not exist")
        return self.nodes[path]

    def read(self, path: str, *, limit: int = 8 << 20) -> bytes:
        data = self.node(path).data
        if data is None or len(data) > limit:
            raise BadOutput(f"{path} cannot be read")
        return data

    def tree(self, root: str) -> tuple[Node, ...]:
        return tuple(n for p, n in sorted(self.nodes.items()) if p == root or p.startswith(root))

    def run(
        self,
        program: Program,
        cases: Sequence[Case],
        *,
        timeout: float = 5.0,
        chained: int = 0,
    ) -> tuple[Outcome, ...]:
        if self.program is None:
            raise BadOutput(f"{program.path} does not exist")
        return tuple(self.program(case) for case in cases)

    def talk(
        self, start: str, script: Sequence[Exchange], *, roots: tuple[str, ...] = ("/app",)
    ) -> tuple[Reply, ...]:
        return self.replies


def holding(**files: str | bytes) -> MemoryEvidence:
    """Return evidence with files `/app/<name>`; a double underscore stands for a dot."""
    nodes = {}
    for name, data in files.items():
        path = "/app/" + name.replace("__", ".")
        nodes[path] = Node(path, data=data.encode() if isinstance(data, str) else data)
    return MemoryEvidence(nodes)
