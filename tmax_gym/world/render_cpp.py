"""Programs as C++11."""

from __future__ import annotations

from tmax_gym.world import render_c
from tmax_gym.world.program import Program


def render(program: Program) -> str:
    """Return the whole source."""
    return render_c.render(program, cpp=True)
