"""Programs of this host that run in any machine of its kind: with their libraries and loader.

Covers dynamic programs of glibc and musl, and static ones, found on $PATH or in an image that was
built here.  Does not cover what a program reads at run time: locales, terminfo, plug-ins.
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
_LENDERS = ("core", "poly")
"""Images of ours that hold the programs of a terminal."""


def portable(name: str, place: str) -> tuple[Node, ...]:
    """Return the files of a program, below `place`; `run` starts it.  Empty where it is nowhere.

    Args:
        name: Of the program.
        place: Where it will lie; the path is part of the files.
    """
    found = shutil.which(name)
    if found and (nodes := _packed(os.path.realpath(found), "", place)):
        return nodes
    for image in _LENDERS:
        root = images.cache_root() / "images" / image / "rootfs"
        program = root / "usr/bin" / name
        if program.is_file() and (nodes := _packed(str(program), str(root), place)):
            return nodes
    return ()


@lru_cache(maxsize=8)
def _packed(program: str, root: str, place: str) -> tuple[Node, ...]:
    """Return a program of a root file system, "" for the host's own."""
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
    """Return the libraries of a program by the names it asks for; None where some are absent."""
    places = [
        path
        for parent in ("lib", "usr/lib")
        for path in (f"{root}/{parent}", *map(str, Path(f"{root}/{parent}").glob("*-linux-*")))
    ]
    words = [loader, *(["--library-path", ":".join(places)] if root else ()), "--list", program]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode or "not found" in done.stdout:
        return None
    found = {asked: Path(path) for asked, path in _LISTED.findall(done.stdout) if asked}
    return {name: path for name, path in found.items() if path.is_file()}


def interpreter(data: bytes) -> str:
    """Return the loader that an ELF program names, "" for a static one or another format."""
    if data[:4] != b"\x7fELF" or data[4:6] not in (b"\x01\x01", b"\x02\x01"):
        return ""
    wide = data[4] == 2
    table = struct.unpack_from("<Q" if wide else "<I", data, 32 if wide else 28)[0]
    size, count = struct.unpack_from("<HH", data, 54 if wide else 42)
    for at in range(table, table + size * count, size):
        if struct.unpack_from("<I", data, at)[0] == 3:  # PT_INTERP
            where, length = (
                (
                    struct.unpack_from("<Q", data, at + 8)[0],
                    struct.unpack_from("<Q", data, at + 32)[0],
                )
                if wide
                else (
                    struct.unpack_from("<I", data, at + 4)[0],
                    struct.unpack_from("<I", data, at + 16)[0],
                )
            )
            return data[where : where + length].rstrip(b"\0").decode()
    return ""
