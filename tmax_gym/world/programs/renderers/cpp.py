"""Programs as C++11."""

from __future__ import annotations

from tmax_gym.world.programs.program import Program
from tmax_gym.world.programs.renderers import c


def render(program: Program) -> str:
    """Return the whole source."""
    return c.render(program, cpp=True)
