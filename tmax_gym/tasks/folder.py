"""Where the catalogue is stored."""

from __future__ import annotations

from pathlib import Path


def root() -> Path:
    """Return the directory of the stored catalogue, in the wheel or beside the package."""
    here = Path(__file__).parent.parent  # the package
    inside = here / "env_specs"
    return inside if inside.is_dir() else here.parent / "env_specs"


def texts() -> Path:
    """Return the directory of the stored texts, a file for each family."""
    return root() / "texts"
