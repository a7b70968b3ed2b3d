"""Fingerprints: one hash of everything that a task's runs depend on (world, commands, checks).

Stored proofs use it: a proof ran commands in a world and compared the files they left with hidden
values, and the words of the instruction took no part.  So a proof stays valid while the
fingerprint stays the same.  Checks are functions; the values they hold (hidden cases, expected
bytes, thresholds) are read from their closures.

A fingerprint does not depend on where code lives: functions and classes of this project count by
their name inside their module, and closed-over values count without the names of their variables.
So modules can move and variables can be renamed.  Limits: the code of functions is not hashed,
since bytecode differs between Python versions (raise `GENERATOR` when code changes its meaning),
and two closed-over values that trade places go unnoticed.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from tmax_gym.families.contract import Attempt
from tmax_gym.later import Later
from tmax_gym.nodes import Node, digest
from tmax_gym.tasks.compose import Task

_INLINED = re.compile(r"<(list|dict|set)comp>\.")
"""Comprehensions are no functions any more since Python 3.12 (PEP 709)."""
_PROJECT = __name__.partition(".")[0]
_PLAIN = frozenset((int, str, float, bool, type(None)))


def ran(task: Task, attempts: Sequence[Attempt] = ()) -> str:
    """Hash everything that can change the result of the oracle, the no-op and these attempts.

    Returns 16 hex digits.  A document with rules belongs to the words of a task, so it does not
    count: no attempt names it.
    """
    return of(
        (
            digest(task.world_nodes),
            task.setup,
            task.oracle,
            task.checks,
            task.gates,
            tuple(attempts),
        )
    )


def of(value: object) -> str:
    """Hash a value into 16 hex digits, which are the same for equal values in every process.

    Raises:
        TypeError: The content of a value cannot be read, as of an iterator.
    """
    return _known(value, ()).hex()


def _known(value: object, above: tuple[int, ...]) -> bytes:
    if isinstance(value, Later):  # counts as what it computes
        return _known(value.values(), above)
    if id(value) in above:  # a function that calls itself
        return b"above"
    total = hashlib.blake2b(type(value).__qualname__.encode(), digest_size=8)
    for part in _parts(value, (*above, id(value))):
        total.update(len(part).to_bytes(8, "big") + part)
    return total.digest()


def _parts(value: object, above: tuple[int, ...]) -> Iterator[bytes]:
    """Yield the bytes that distinguish a value from others of its type."""

    def inner(values: Iterable[object]) -> Iterator[bytes]:
        return (_known(value, above) for value in values)

    match value:
        case None | bool() | int() | float() | complex() | str():
            yield ascii(value).encode()
        case bytes() | bytearray():
            yield bytes(value)
        case Node():
            yield digest([value]).encode()
        case tuple() | list() | range():
            plain = _PLAIN.issuperset(map(type, value))
            yield from [ascii(list(value)).encode()] if plain else inner(value)
        case Mapping():
            yield from sorted(inner(value.items()))
        case set() | frozenset():
            yield from sorted(inner(value))
        case re.Pattern():
            yield from inner((value.pattern, value.flags))
        case type() | ModuleType() | BuiltinFunctionType():
            yield _name(getattr(value, "__module__", None) or "", value.__name__)
        case functools.partial():
            yield from inner((value.func, value.args, value.keywords))
        case MethodType():
            yield from inner((value.__func__, value.__self__))
        case FunctionType():
            yield _name(value.__module__, _INLINED.sub("", value.__qualname__))
            yield from inner((value.__defaults__, value.__kwdefaults__))
            yield from sorted(inner(c.cell_contents for c in value.__closure__ or ()))
        case _:
            yield from inner(_content(value))


def _name(module: str, name: str) -> bytes:
    """Return the name of code, without its module if the code is this project's own."""
    if module.split(".")[0] == _PROJECT:
        return name.encode()
    if name.split(".")[0] == _PROJECT:  # a module of ours: its file may move
        return name.rpartition(".")[2].encode()
    return f"{module}.{name}".encode()


def _content(value: object) -> list[object]:
    """Return the values of an object's fields, slots and attributes."""
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    slots = sorted({s for kind in type(value).__mro__ for s in getattr(kind, "__slots__", ())})
    held = getattr(value, "__dict__", None)
    if not slots and held is None:
        raise TypeError(f"a check holds a {type(value).__name__}, whose content cannot be read")
    return [[getattr(value, slot, None) for slot in slots], held]
