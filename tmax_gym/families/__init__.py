"""Task families: a package each, in a folder for each domain, found by name.

Adding a family is adding a package `<domain>/<slug with underscores>/` that binds `FAMILY`.  Its
programs are source files in its folder `programs/`.  A follow-up is a package
`follow_ups/<slug>/` that binds `FOLLOW_UP`.  Covers discovery, and families of other packages
(`register`).  Does not import a family before it is asked for.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tmax_gym.axes import DOMAINS
from tmax_gym.errors import SpecError
from tmax_gym.families.contract import Family, FollowUp, Part, World

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


@cache
def follow_up_slugs() -> tuple[str, ...]:
    """Return the slug of every follow-up, sorted."""
    return tuple(sorted(_packages("follow_ups")))


@cache
def follow_up(slug: str) -> FollowUp[Any, World]:
    """Return a follow-up by its slug.  Raises `SpecError` for an unknown one."""
    module = _packages("follow_ups").get(slug)
    if module is None:
        known = ", ".join(follow_up_slugs())
        raise SpecError(f"no follow-up is called {slug!r}; there are: {known}")
    follow_up: FollowUp[Any, World] = import_module(module).FOLLOW_UP
    if follow_up.slug != slug:
        raise SpecError(f"{module} binds follow-up {follow_up.slug!r}; its folder says {slug!r}")
    return follow_up


def part(slug: str) -> Part[Any, World]:
    """Return a family or a follow-up by its slug.  Raises `SpecError` for an unknown one."""
    return follow_up(slug) if slug in follow_up_slugs() else family(slug)


def register(added: Family[Any]) -> None:
    """Make a family from outside this package available by its slug, in this process."""
    _REGISTERED[added.slug] = added
    slugs.cache_clear()
    family.cache_clear()


@cache
def _modules() -> dict[str, str]:
    return {slug: module for d in DOMAINS for slug, module in _packages(d).items()}


@cache
def _packages(folder: str) -> dict[str, str]:
    """Return the module of every package in a folder of this one, by its slug."""
    here = Path(__file__).parent
    return {
        file.parent.name.replace("_", "-"): f"{__name__}.{folder}.{file.parent.name}"
        for file in sorted((here / folder).glob("*/__init__.py"))
    }
