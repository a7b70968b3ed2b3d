"""Host trees of the converge family: entries, lines of account files, and what a wish is.

Covers trees as data, planting lines in them, and what is left of a tree beside some wishes.
Does not cover the wishes themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from tmax_gym.nodes import Node, directory, link, text
from tmax_gym.rng import Rng

PASSWD, GROUP, ENVIRONMENT = "etc/passwd", "etc/group", "etc/environment"
DONE = "done"
"""The state of a wish that is already fulfilled."""
Entry = tuple[str, int, str]
"""Kind (file, dir, link), mode, content or target."""
Tree = dict[str, Entry]
"""Path below the root of a host to what is there."""


class Wish(ABC):
    """One part of the desired state."""

    hows: ClassVar[tuple[str, ...]]
    """Ways in which a host may not fulfil it; `slip` does not handle the first one."""

    @property
    def place(self) -> str:
        """Return the entry that it owns as a whole; "" for a wish about lines."""
        return ""

    @abstractmethod
    def told(self) -> str:
        """Return the sentence of the description."""

    @abstractmethod
    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Add the wish's objects to a tree: fulfilled, or in one of the wrong states `hows`."""

    @abstractmethod
    def holds(self, tree: Tree) -> bool:
        """Return whether a tree fulfils the wish."""

    @abstractmethod
    def strip(self, tree: Tree) -> None:
        """Remove the wish's objects from a tree; a script must keep the rest."""

    @abstractmethod
    def script(self) -> str:
        """Return the part of a script that fulfils it."""

    @abstractmethod
    def slip(self) -> str:
        """Return the part with a typical mistake."""


def lines(tree: Tree, path: str) -> list[str]:
    """Return the lines of a file, none where there is no file."""
    kind, _, body = tree.get(path, ("", 0, ""))
    return body.removesuffix("\n").split("\n") if kind == "file" and body else []


def rewrite(tree: Tree, path: str, kept: Iterable[str]) -> None:
    """Give a file other lines, where it is one; its mode stays."""
    kind, mode, _ = tree.get(path, ("", 0, ""))
    if kind == "file":
        tree[path] = ("file", mode, "".join(f"{line}\n" for line in kept))


def add(tree: Tree, rng: Rng, path: str, *, line: str) -> None:
    """Put a line somewhere into a file."""
    lines_ = lines(tree, path)
    lines_.insert(rng.integer(0, len(lines_)), line)
    rewrite(tree, path, lines_)


def named(tree: Tree, path: str, name: str) -> list[list[str]]:
    """Return the fields of the lines whose first field is a name."""
    return [f for line in lines(tree, path) if (f := line.split(":"))[0] == name]


def without_member(line: str, name: str) -> str:
    """Return a line of etc/group without a member."""
    head, colon, members = line.rpartition(":")
    return head + colon + ",".join(m for m in members.split(",") if m != name)


def ancestors(path: str) -> list[str]:
    """Return the directories above a path, inside the host."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def rest(tree: Tree, wishes: Sequence[Wish]) -> Tree:
    """Return the paths that a script may not change."""
    left = dict(tree)
    for wish in wishes:
        wish.strip(left)
    for above in {a for wish in wishes for a in ancestors(wish.place)}:
        left.pop(above, None)
    return left


def as_nodes(tree: Tree, root: str) -> tuple[Node, ...]:
    """Return a tree as files of a world."""
    nodes = [directory(root)]
    for path in sorted(tree):
        kind, mode, body = tree[path]
        at = f"{root}/{path}"
        nodes.append(
            directory(at, mode=mode)
            if kind == "dir"
            else link(at, body)
            if kind == "link"
            else text(at, body, mode=mode)
        )
    return tuple(nodes)


def as_tree(nodes: Sequence[Node], root: str) -> Tree:
    """Return the tree that was read back."""
    return {
        node.path.removeprefix(f"{root}/"): (
            node.kind,
            0 if node.kind == "link" else node.mode & 0o7777,
            node.target if node.kind == "link" else (node.data or b"").decode("utf-8", "replace"),
        )
        for node in nodes
        if node.path != root
    }
