"""Recipes in YAML: reading, inheritance (`extends:`), overrides (`a.b=c`), and strict checks.

Covers unknown and repeated keys, wrong types and circles, each with a message that says where
and what instead.  Does not cover what the values mean: see `recipe.py`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from tmax_gym.errors import RecipeError
from tmax_trainers.recipes.recipe import Recipe

PACKAGED = Path(__file__).parent
T = TypeVar("T")
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
    return parse(Recipe, row, where=path.name)


def find(recipe: str | Path, *, beside: Path | None = None) -> Path:
    """Return the file of a recipe: a path, beside another one, or packaged."""
    given = Path(recipe)
    name = given if given.suffix else given.with_suffix(".yaml")
    tried = [*([beside / name] if beside else []), given, name, PACKAGED / name.name]
    for path in tried:
        if path.is_file():
            return path
    raise RecipeError(f"there is no recipe {str(recipe)!r}. {_near(given.stem, names())}")


def dump(recipe: Recipe) -> str:
    """Return every value of a recipe as YAML that `read` understands."""
    return str(yaml.safe_dump(_plain(asdict(recipe)), sort_keys=False, allow_unicode=True))


def parse(kind: type[T], row: Mapping[str, Any], *, where: str) -> T:
    """Return the dataclass of a mapping.  Raises `RecipeError` where a key or value is wrong."""
    if not isinstance(row, Mapping):
        raise RecipeError(f"{where} must hold keys and values, not {row!r}")
    types = get_type_hints(kind)
    known = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    for key in row:
        if key not in known:
            raise RecipeError(f"{where} has no key {key!r}. {_near(str(key), known)}")
    for f in fields(kind):  # type: ignore[arg-type]
        if f.default is MISSING and f.default_factory is MISSING and f.name not in row:
            raise RecipeError(f"{where} lacks the key {f.name!r}")
    values = {k: _value(types[k], v, where=f"{where}: {k}") for k, v in row.items()}
    try:
        return kind(**values)
    except ValueError as error:
        raise RecipeError(f"{where}: {error}") from error


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


def _value(kind: Any, value: Any, *, where: str) -> Any:
    """Return a value as its type, or say what was expected."""
    if get_origin(kind) in (Union, UnionType):
        if value is None and NoneType in get_args(kind):
            return None
        (kind,) = [k for k in get_args(kind) if k is not NoneType]
    if is_dataclass(kind):
        return parse(kind, value, where=where)  # type: ignore[arg-type]
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            choice = ", ".join(map(str, get_args(kind)))
            raise RecipeError(f"{where} is {value!r}; it must be one of: {choice}")
        return value
    if get_origin(kind) is tuple:
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise RecipeError(f"{where} is {value!r}; it must be a list, such as [a, b]")
        return tuple(_value(get_args(kind)[0], v, where=where) for v in value)
    return _scalar(kind, value, where=where)


def _scalar(kind: type, value: Any, *, where: str) -> Any:
    if kind is float and not isinstance(value, bool):
        # YAML 1.1 reads 1e-6 as text: it wants 1.0e-6.
        if isinstance(value, int | float):
            return float(value)
        try:
            return float(str(value))
        except ValueError:
            pass
    elif isinstance(value, kind) and isinstance(value, bool) == (kind is bool):
        return value
    raise RecipeError(f"{where} is {value!r}; it must be of type {kind.__name__}")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value


def _near(name: str, known: Iterable[str]) -> str:
    listed = sorted(known)
    found = difflib.get_close_matches(name, listed, n=2, cutoff=0.5)
    return f"Did you mean {' or '.join(found)}?" if found else f"There are: {', '.join(listed)}"
