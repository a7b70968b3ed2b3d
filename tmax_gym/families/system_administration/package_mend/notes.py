"""The packaging notes of the package-mend family."""

from __future__ import annotations


def notes(version: str, needed: str) -> str:
    """Return the packaging notes."""
    return f"""\
# Packaging notes

- `tree/` is what gets installed, from the root of the file system. It is right as it is.
- `FILES` has one line for each file of `tree/`: mode in four octal digits, the first 16 digits of
  its SHA-256, path below `tree/`; sorted by path. Nothing else is listed, and nothing twice.
- `control` has the fields Package, Version, Installed-Size, Depends and User, in this order.
  The release in preparation is {version}, without a revision. Installed-Size is the sum of the
  sizes of all files of `tree/`, in bytes. Depends is `bash, coreutils, {needed}`.
- `unit` starts the daemon from where `tree/` has it, as the user that `control` names.
"""
