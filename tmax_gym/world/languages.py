"""Program trees as source text, by the name of the language in a task's axes.

Covers the six languages with a renderer.  Does not cover file names and compilers: those are in
`toolchains.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tmax_gym.world import (
    render_bash,
    render_c,
    render_cpp,
    render_go,
    render_python,
    render_rust,
)
from tmax_gym.world.program import Program

RENDERERS: Mapping[str, Callable[[Program], str]] = {
    "bash": render_bash.render,
    "c": render_c.render,
    "cpp": render_cpp.render,
    "go": render_go.render,
    "python": render_python.render,
    "rust": render_rust.render,
}


def render(program: Program, language: str) -> str:
    """Return a complete program that reads standard input and prints what `run` returns."""
    if language not in RENDERERS:
        raise ValueError(f"no renderer for {language!r}; there are {sorted(RENDERERS)}")
    return RENDERERS[language](program)
