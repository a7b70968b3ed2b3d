"""A validator for the part of JSON Schema that Harbor's schemas use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

DIRECTORY = Path(__file__).parent.parent / "data" / "harbor_schemas"
KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "integer": (int,),
    "number": (int, float),
}
KNOWN = {"$defs", "$ref", "additionalProperties", "anyOf", "const", "default", "deprecated",
         "discriminator", "enum", "exclusiveMinimum", "format", "items", "maximum", "minItems",
         "minLength", "minimum", "oneOf", "pattern", "properties", "required", "type",
         "writeOnly"}  # fmt: skip


@cache
def schema(name: str) -> dict[str, Any]:
    """Return a schema: task, job_config, job_result, trial_result or atif."""
    loaded: dict[str, Any] = json.loads((DIRECTORY / f"{name}.json").read_text())
    return loaded


def faults(value: object, name: str) -> list[str]:
    """Return the faults of a value under the schema of this name."""
    root = schema(name)
    return list(_faults(value, root, root, "$"))


def _faults(value: Any, rule: Any, root: dict[str, Any], at: str) -> Iterator[str]:
    if rule is True:
        return
    assert set(rule) <= KNOWN, f"the validator knows no {set(rule) - KNOWN}"
    if "$ref" in rule:
        yield from _faults(value, root["$defs"][rule["$ref"].rsplit("/", 1)[1]], root, at)
    for choice in ("anyOf", "oneOf"):
        if choice in rule:
            tried = [list(_faults(value, option, root, at)) for option in rule[choice]]
            if all(tried):
                yield f"{at}: none of the choices: {min(tried, key=len)}"
    if "type" in rule and (
        not isinstance(value, KINDS[rule["type"]])
        or (isinstance(value, bool) and rule["type"] in ("integer", "number"))
    ):
        yield f"{at}: {value!r} is no {rule['type']}"
        return
    yield from _value_faults(value, rule, at)
    if isinstance(value, dict):
        yield from _object_faults(value, rule, root, at)
    if isinstance(value, list):
        if len(value) < rule.get("minItems", 0):
            yield f"{at}: too short"
        for i, item in enumerate(value):
            yield from _faults(item, rule.get("items", True), root, f"{at}[{i}]")


def _value_faults(value: Any, rule: Any, at: str) -> Iterator[str]:
    if "enum" in rule and value not in rule["enum"]:
        yield f"{at}: {value!r} is none of {rule['enum']}"
    if "const" in rule and value != rule["const"]:
        yield f"{at}: {value!r} is not {rule['const']!r}"
    if isinstance(value, int | float) and (
        value < rule.get("minimum", value)
        or value > rule.get("maximum", value)
        or value <= rule.get("exclusiveMinimum", value - 1)
    ):
        yield f"{at}: {value} is out of range"
    if isinstance(value, str):
        if len(value) < rule.get("minLength", 0):
            yield f"{at}: too short"
        if "pattern" in rule and not re.search(rule["pattern"], value):
            yield f"{at}: {value!r} does not match {rule['pattern']}"
        if rule.get("format") == "uuid" and not re.fullmatch(r"[0-9a-f-]{36}", value):
            yield f"{at}: {value!r} is no UUID"
        if rule.get("format") == "date-time":
            datetime.fromisoformat(value.replace("Z", "+00:00"))


def _object_faults(value: Any, rule: Any, root: dict[str, Any], at: str) -> Iterator[str]:
    known = rule.get("properties", {})
    yield from (f"{at}.{key} is missing" for key in rule.get("required", ()) if key not in value)
    for key, inside in value.items():
        if key in known:
            yield from _faults(inside, known[key], root, f"{at}.{key}")
        elif rule.get("additionalProperties", True) is False:
            yield f"{at}.{key} is unknown"
        else:
            yield from _faults(inside, rule.get("additionalProperties", True), root, f"{at}.{key}")
