"""Programs of families: source files in the folder `programs/` of each family.

Such a file is text for an agent's machine.  Nothing imports it; tests compile it and check its
format.  Where tasks differ it has holes, each with a sample, so that the file is a program as it
stands: `/*@name*/12/*@*/` in C, C++, Go and Rust; whole lines between `#(@name` and `#)` in
Python, Bash and awk, and in Python `HOLE("@name")` for a value.  A file of which programs are put
together has sections, each below a line `//@ name`, `#@ name` or (SQL) `--@ name`; what stands
elsewhere only makes it compile.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

HOLE = re.compile(
    r"""/\*(@\w+@?)\*/(.*?)/\*@\*/|HOLE\("(@\w+@?)"\)|^\#\((@\w+)\n(.*?)\n\#\)$""",
    re.DOTALL | re.MULTILINE,
)

SECTION = re.compile(r"^(?://|#|--)@ ?(\w*)\n", re.MULTILINE)


@cache
def program_text(package: str, name: str) -> str:
    """Return the file `programs/NAME` of a family, with each hole as `@name`.

    Modules pass their own `__package__`.
    """
    source = files(package).joinpath("programs", name).read_text(encoding="utf-8")
    return HOLE.sub(lambda hole: hole[1] or hole[3] or hole[4], source)


def program_sections(package: str, name: str) -> dict[str, str]:
    """Return the sections of the file `programs/NAME` of a family by name."""
    _, *parts = SECTION.split(program_text(package, name))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    sections.pop("", None)
    return sections
