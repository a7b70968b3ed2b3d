"""Programs of families: source files in the folder `programs/` of each family.

Such a file is text for an agent's machine.  It is never imported; CI formats and compiles it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def program_text(package: str, name: str) -> str:
    """Return the file `programs/NAME` of a family; modules pass their own `__package__`."""
    return files(package).joinpath("programs", name).read_text(encoding="utf-8")
