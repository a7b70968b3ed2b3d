"""Reference stitchers of the log-stitcher family, in Python, in Bash with gawk, and in C.

Each takes a folder, reads its list and its sheet, and prints the stitched lines.  Covers every
variant of the commands by substitution.  Does not cover drawing: see `edits.py`.
"""

from __future__ import annotations

from dataclasses import asdict

from tmax_gym.axes import Language
from tmax_gym.families.file_operations.log_stitcher.edits import Plan
from tmax_gym.families.shared.programs import program_text


def program(plan: Plan, language: Language, *, decode: bool = True) -> str:
    """Return a stitcher; without `decode` it takes every log for ISO-8859-1."""
    body = _PROGRAMS[language]
    if not decode:
        for asked in ("open(path, encoding=encoding)", '-f "$encoding"', '"UTF-8", encoding'):
            body = body.replace(asked, _LATIN[asked])
    facts = {k: int(v) if isinstance(v, bool) else v for k, v in asdict(plan).items()}
    for name, value in facts.items():
        body = body.replace(f"@{name}", str(value))
    return body


_LATIN = {
    "open(path, encoding=encoding)": 'open(path, encoding="ISO-8859-1")',
    '-f "$encoding"': "-f ISO-8859-1",
    '"UTF-8", encoding': '"UTF-8", "ISO-8859-1"',
}
_PYTHON = program_text(__package__, "main.py")
_BASH = program_text(__package__, "main.sh")
_PROGRAMS = {"python": _PYTHON, "bash": _BASH, "c": program_text(__package__, "main.c")}
