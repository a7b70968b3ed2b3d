"""Frozen dataclasses as JSON: absent fields are left out, keys are sorted.

Covers dataclasses, mappings, tuples and plain values.  Does not cover reading them back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from tmax_gym.errors import HarborError


def as_json(value: object) -> object:
    """Return a value of dataclasses as one of lists, dicts and plain values.

    Raises:
        HarborError: A number is not finite, which JSON cannot say.
    """
    if is_dataclass(value) and not isinstance(value, type):
        found = ((f.name, getattr(value, f.name)) for f in fields(value))
        return {name: as_json(inner) for name, inner in found if inner is not None}
    if isinstance(value, Mapping):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise HarborError(f"{value} cannot be written as JSON: a number must be finite")
    return value


def dumps(value: object) -> str:
    """Return a dataclass as a JSON text."""
    return json.dumps(as_json(value), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
