"""Task families: a package each, in a folder for each domain, found by name.

Adding a family is adding a package `<domain>/<slug with underscores>/` that binds `FAMILY`.  Its
programs are source files in its folder `programs/`.  Covers discovery, and families of other
packages (`register`).  Does not import a family before it is asked for.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tmax_gym.axes import DOMAINS
from tmax_gym.errors import SpecError
from tmax_gym.families.contract import Family, World

_REGISTERED: dict[str, Family[World]] = {}


@cache
def slugs() -> tuple[str, ...]:
    """Return the slug of every family, sorted."""
    return tuple(sorted({*_modules(), *_REGISTERED}))


@cache
def family(slug: str) -> Family[World]:
    """Return a family by its slug.  Raises `SpecError` for an unknown one."""
    if slug in _REGISTERED:
        return _REGISTERED[slug]
    module = _modules().get(slug)
    if module is None:
        raise SpecError(f"no task family is called {slug!r}; there are: {', '.join(slugs())}")
    family: Family[World] = import_module(module).FAMILY
    if family.slug != slug:
        raise SpecError(f"{module} binds family {family.slug!r}; its folder says {slug!r}")
    return family


def register(added: Family[Any]) -> None:
    """Make a family from outside this package available by its slug, in this process."""
    _REGISTERED[added.slug] = added
    slugs.cache_clear()
    family.cache_clear()


@cache
def _modules() -> dict[str, str]:
    here = Path(__file__).parent
    return {
        file.parent.name.replace("_", "-"): f"{__name__}.{domain}.{file.parent.name}"
        for domain in DOMAINS
        for file in sorted((here / domain).glob("*/__init__.py"))
    }
