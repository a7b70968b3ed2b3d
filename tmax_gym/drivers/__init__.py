"""Scripts that run inside the run sandbox, under its trusted interpreter, as root.

They hold no expected value and decide nothing: they run what the agent made, unprivileged,
and report bytes.  Standard library only; nothing here is imported by the package.
"""

from __future__ import annotations

from importlib.resources import files


def source(name: str) -> str:
    """Return the source text of a driver, for `python3 -I -S -c`."""
    return files(__name__).joinpath(f"{name}.py").read_text(encoding="utf-8")
