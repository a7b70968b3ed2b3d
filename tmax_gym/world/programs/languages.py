"""Write program trees as source text in one of six languages.

File names and compilers are in `toolchains.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tmax_gym.world.programs.program import Program
from tmax_gym.world.programs.renderers import bash, c, cpp, go, python, rust

RENDERERS: Mapping[str, Callable[[Program], str]] = {
    "bash": bash.render,
    "c": c.render,
    "cpp": cpp.render,
    "go": go.render,
    "python": python.render,
    "rust": rust.render,
}


def render(program: Program, language: str) -> str:
    """Return a complete program that reads standard input and prints the output of `run`."""
    if language not in RENDERERS:
        raise ValueError(f"no renderer for {language!r}; there are {sorted(RENDERERS)}")
    return RENDERERS[language](program)
