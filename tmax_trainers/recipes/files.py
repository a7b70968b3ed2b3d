"""Recipes in YAML: reading, inheritance (`extends:`), overrides (`a.b=c`), and strict checks.

Unknown and repeated keys, wrong types and circles are errors; the message says where, and what
would be right.  `recipe.py` says what the values mean.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from tmax_gym.errors import RecipeError
from tmax_gym.validation import nearest, validated
from tmax_trainers.recipes.recipe import Recipe

PACKAGED = Path(__file__).parent
Row = dict[str, Any]


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Refuses keys that stand twice in one mapping."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Build a mapping whose keys are all different."""
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise RecipeError(f"{key.start_mark}: the key {key.value!r} stands there twice")
            seen.add(key.value)
        return super().construct_mapping(node, deep)


# YAML 1.1 reads 1e-6 as text, 1.2 as a number.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+"), list("-+0123456789")
)


def names() -> tuple[str, ...]:
    """Return the names of the packaged recipes."""
    return tuple(sorted(p.stem for p in PACKAGED.glob("*.yaml")))


def read(recipe: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """Return a recipe by its name or path.

    Args:
        recipe: A packaged name such as `tmax_9b`, or a file.
        overrides: `section.key=value` each; values as in YAML.

    Raises:
        RecipeError: The file is absent or says something that no recipe can say.
    """
    path = find(recipe)
    row = {"name": path.stem} | _inherited(path, ())
    for text in overrides:
        _override(row, text)
    return validated(Recipe, row, where=path.name, error=RecipeError, strict=True)


def find(recipe: str | Path, *, beside: Path | None = None) -> Path:
    """Return the file of a recipe: a path, beside another one, or packaged."""
    given = Path(recipe)
    name = given if given.suffix else given.with_suffix(".yaml")
    tried = [*([beside / name] if beside else []), given, name, PACKAGED / name.name]
    for path in tried:
        if path.is_file():
            return path
    raise RecipeError(f"there is no recipe {str(recipe)!r}. {nearest(given.stem, names())}")


def accelerate(name: str) -> Row:
    """Return a packaged configuration of accelerate.

    Raises:
        RecipeError: There is none of this name.
    """
    path = accelerate_file(name)
    if not path.is_file():
        known = sorted(p.stem for p in path.parent.glob("*.yaml"))
        raise RecipeError(f"cluster.accelerate: there is no {name!r}. {nearest(name, known)}")
    row: Row = yaml.safe_load(path.read_text(encoding="utf-8"))
    return row


def accelerate_file(name: str) -> Path:
    """Return where a packaged configuration of accelerate is, or would be."""
    return PACKAGED / "accelerate" / f"{name}.yaml"


def dump(recipe: Recipe) -> str:
    """Return every value of a recipe as YAML that `read` understands."""
    values = TypeAdapter(Recipe).dump_python(recipe, mode="json")
    return str(yaml.safe_dump(values, sort_keys=False, allow_unicode=True))


def _inherited(path: Path, trail: tuple[Path, ...]) -> Row:
    """Return the mapping of a file over those that it extends."""
    if path in trail:
        circle = " -> ".join(p.name for p in (*trail, path))
        raise RecipeError(f"recipes extend each other in a circle: {circle}")
    try:
        row = yaml.load(path.read_text(encoding="utf-8"), _Loader) or {}
    except yaml.YAMLError as error:
        raise RecipeError(f"{path.name} is no YAML: {error}") from error
    if not isinstance(row, dict):
        raise RecipeError(f"{path.name} must hold keys and values")
    parent = row.pop("extends", None)
    if parent is None:
        return row
    return _merged(_inherited(find(parent, beside=path.parent), (*trail, path)), row)


def _merged(below: Row, above: Row) -> Row:
    """Return `above` over `below`, section by section; a section of null is taken out."""
    out = dict(below)
    for key, value in above.items():
        nested = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = _merged(out[key], value) if nested else value
    return out


def _override(row: Row, text: str) -> None:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise RecipeError(f"an override is written section.key=value, not {text!r}")
    *sections, key = path.strip().split(".")
    for section in sections:
        if row.get(section) is None:
            row[section] = {}
        row = row[section]
        if not isinstance(row, dict):
            raise RecipeError(f"--set {text}: {section!r} is a value and has no keys")
    try:
        row[key] = yaml.load(value, _Loader)
    except yaml.YAMLError as error:
        raise RecipeError(f"--set {text}: the value is no YAML: {error}") from error
