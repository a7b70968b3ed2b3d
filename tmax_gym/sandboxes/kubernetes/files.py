"""Reads and writes a pod's files by programs in it, whose inputs and outputs are tar streams.

The programs are copies that the agent cannot change, and no link is followed in any component.
Freeze a machine before its files are read, as a running agent could change them meanwhile.
Does not cover: entries whose path is longer than 4,095 bytes; sockets, which tar leaves out.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import TOTAL_FACTOR, Node, absolute
from tmax_gym.sandboxes import ExecResult
from tmax_gym.sandboxes.docker.tar_stream import Reader, Spent, pack, parents
from tmax_gym.sandboxes.kubernetes import scripts

_SECONDS = 120.0
"""For all files of a machine to come or go."""
_HEADERS = 3 << 10
"""Bytes of a tar for each entry besides its content: a header, a long name, and filling."""


class Runs(Protocol):
    """Runs a script in the pod, by a bash of ours."""

    def __call__(self, script: str, *, stdin: bytes, timeout: float, cap: int) -> ExecResult:
        """Return how it ended, with as many bytes of its output as `cap`."""


def put(run: Runs, nodes: Iterable[Node], *, pristine: bool) -> None:
    """Create these entries and missing parents.

    Args:
        run: Runs a script.
        nodes: The entries.
        pristine: Whether no agent has acted yet, so that parents need no look.

    Raises:
        SandboxError: A parent is a link or a file, or the disk is full.
    """
    nodes = tuple(nodes)
    if not nodes:
        return
    data = pack(nodes)
    above = [] if pristine else sorted({up for node in nodes for up in parents(node.path)})
    done = run(scripts.write(above, len(data)), stdin=data, timeout=_SECONDS, cap=1 << 16)
    if done.exit_code:
        told = done.stderr.decode(errors="replace").strip()
        if scripts.refused(done.exit_code):
            raise SandboxError(
                f"nothing was written: {told!a} is no directory any more.  Stage files before the "
                "agent acts, or below a directory of their own"
            )
        raise SandboxError(f"{len(nodes)} entries could not be written: {told[-500:]}")


def get(run: Runs, paths: Sequence[str], *, max_bytes: int, max_nodes: int) -> tuple[Node, ...]:
    """Return what is at and below these paths, sorted, as far as the caps allow."""
    wanted: dict[str, list[str]] = {}
    for path in sorted({absolute(path) for path in paths}):
        above = ["/", *parents(path)] if path != "/" else []
        if not any(up in wanted for up in above):  # else it comes with that directory
            wanted[path] = parents(path)
    cap = TOTAL_FACTOR * max_bytes + max_nodes * _HEADERS + (1 << 20)
    script = scripts.read(wanted, max_bytes=max_bytes, max_nodes=max_nodes)
    done = run(script, stdin=b"", timeout=_SECONDS, cap=cap)
    if done.timed_out:
        raise SandboxError(f"{len(wanted)} paths could not be read in {_SECONDS:g} s")
    reader = Reader(max_bytes, max_nodes)
    with suppress(Spent, tarfile.TarError):  # the rest is beyond a cap
        reader.read([done.stdout], "/")
    for node in _large(done.stderr):
        if len(reader.nodes) < max_nodes:
            reader.nodes[node.path] = node
    return tuple(reader.nodes[path] for path in sorted(reader.nodes))


def _large(listed: bytes) -> Iterator[Node]:
    """Yield the files that were described in place of being sent."""
    for line in listed.split(b"\0")[:-1]:
        mode, uid, gid, size, time, inode, path = os.fsdecode(line).split(" ", 6)
        yield Node(
            path, "file", None, int(mode, 8), int(uid), int(gid),
            size=int(size), inode=int(inode), mtime=int(float(time)),
        )  # fmt: skip
