"""Packs a program of this host with its libraries and loader, to run in any sandbox.

It takes dynamic programs of glibc and musl, and static ones, from $PATH or an image that was built
here.  Files that a program reads at run time (locales, terminfo, plug-ins) are not packed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import struct
import subprocess
from functools import lru_cache
from pathlib import Path

from tmax_gym.nodes import Node, directory, text
from tmax_gym.sandboxes import images

_LISTED = re.compile(r"^\s*(?:(\S+) => )?(/\S+) \(0x", re.MULTILINE)
_IMAGES = ("core", "poly")
"""Images of ours that hold the programs of a terminal."""


def portable(name: str, place: str) -> tuple[Node, ...]:
    """Return a program's files, to be put at `place`, where `run` starts it; () if not found."""
    path = shutil.which(name)
    if path and (nodes := _packed(os.path.realpath(path), "", place)):
        return nodes
    for image in _IMAGES:
        root = images.cache_root() / "images" / image / "rootfs"
        program = root / "usr/bin" / name
        if program.is_file() and (nodes := _packed(str(program), str(root), place)):
            return nodes
    return ()


@lru_cache(maxsize=8)
def _packed(program: str, root: str, place: str) -> tuple[Node, ...]:
    """Return the files of a program in a root file system; "" is the host's own."""
    data = Path(program).read_bytes()
    loader = interpreter(data)
    start = [f"{place}/program"]
    files = [directory(place), Node(start[0], data=data, mode=0o755)]
    if loader:
        libraries = _libraries(f"{root}{loader}", program, root)
        if libraries is None:
            return ()
        start = [f"{place}/loader", "--library-path", f"{place}/lib", *start]
        files += [
            Node(f"{place}/loader", data=Path(f"{root}{loader}").read_bytes(), mode=0o755),
            directory(f"{place}/lib"),
            *(Node(f"{place}/lib/{k}", data=p.read_bytes(), mode=0o755)
              for k, p in libraries.items()),
        ]  # fmt: skip
    line = " ".join(shlex.quote(word) for word in start)
    files.append(text(f"{place}/run", f'#!/bin/sh\nexec {line} "$@"\n', mode=0o755))
    return tuple(files)


def _libraries(loader: str, program: str, root: str) -> dict[str, Path] | None:
    """Return a program's libraries by the names that it asks for; None if some are absent."""
    directories = [
        path
        for parent in ("lib", "usr/lib")
        for path in (f"{root}/{parent}", *map(str, Path(f"{root}/{parent}").glob("*-linux-*")))
    ]
    search = ["--library-path", ":".join(directories)] if root else []
    command = [loader, *search, "--list", program]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode or "not found" in done.stdout:
        return None
    libraries = {name: Path(path) for name, path in _LISTED.findall(done.stdout) if name}
    return {name: path for name, path in libraries.items() if path.is_file()}


def interpreter(data: bytes) -> str:
    """Return the loader that an ELF program names, "" for a static one or another format."""
    if data[:4] != b"\x7fELF" or data[4:6] not in (b"\x01\x01", b"\x02\x01"):
        return ""
    # elf(5), 32 or 64 bits: where the program headers are, their size and number, and p_type,
    # p_offset and p_filesz of a header.
    table_at, sizes_at, header = (28, 42, "<II8xI") if data[4] == 1 else (32, 54, "<I4xQ16xQ")
    (table,) = struct.unpack_from("<I" if data[4] == 1 else "<Q", data, table_at)
    size, count = struct.unpack_from("<HH", data, sizes_at)
    for at in range(table, table + size * count, size):
        kind, offset, length = struct.unpack_from(header, data, at)
        if kind == 3:  # PT_INTERP
            return data[offset : offset + length].rstrip(b"\0").decode()
    return ""
