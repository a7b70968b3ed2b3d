"""What the runs of a task depend on, as one digest: world, commands, what checks compare with.

Covers evidence that outlives new words: a proof ran commands in a world and compared what they
left with hidden values, and no sentence of the instruction took part.  Checks are functions; what
they hold (hidden cases, expected bytes, thresholds) is read from their closures.  Does not cover
the code of functions, which differs between Pythons: `GENERATOR` stands for it.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from tmax_gym.algebra import Attempt
from tmax_gym.files import Node, digest
from tmax_gym.task import Task

_INLINED = re.compile(r"<(list|dict|set)comp>\.")
"""Python 3.12 has no functions of comprehensions any more (PEP 709)."""
_PLAIN = frozenset((int, str, float, bool, type(None)))


def ran(task: Task, attempts: Sequence[Attempt] = ()) -> str:
    """Return 16 hex digits of all that the oracle's, nobody's and these attempts' runs depend on.

    What stands in documents of rules is part of the words, and counts only where there are
    attempts: a cheat may hand in any file.
    """
    told = () if attempts else task.documents
    world = digest(replace(n, data=b"") if n.path in told else n for n in task.nodes)
    return of((world, task.setup, task.oracle, task.checks, task.gates, tuple(attempts)))


def of(value: object) -> str:
    """Return 16 hex digits of a value: the same for equal values in every process.

    Raises `TypeError` for a value whose content nothing tells.
    """
    return _known(value, ()).hex()


def _known(value: object, above: tuple[int, ...]) -> bytes:
    if id(value) in above:  # a function that calls itself
        return b"above"
    total = hashlib.blake2b(type(value).__qualname__.encode(), digest_size=8)
    for part in _parts(value, (*above, id(value))):
        total.update(len(part).to_bytes(8, "big") + part)
    return total.digest()


def _parts(value: object, above: tuple[int, ...]) -> Iterator[bytes]:
    """Yield what tells a value from others of its type."""

    def inner(values: Iterable[object]) -> Iterator[bytes]:
        return (_known(one, above) for one in values)

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
            yield f"{getattr(value, '__module__', '')}.{value.__name__}".encode()
        case functools.partial():
            yield from inner((value.func, value.args, value.keywords))
        case MethodType():
            yield from inner((value.__func__, value.__self__))
        case FunctionType():
            yield f"{value.__module__}.{_INLINED.sub('', value.__qualname__)}".encode()
            yield from inner((value.__defaults__, value.__kwdefaults__, _held(value)))
        case _:
            yield from inner(_content(value))


def _held(function: FunctionType) -> dict[str, object]:
    """Return what a function took from where it was made, by name."""
    names, cells = function.__code__.co_freevars, function.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}


def _content(value: object) -> list[object]:
    """Return what an object of a class holds."""
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    slots = sorted({s for kind in type(value).__mro__ for s in getattr(kind, "__slots__", ())})
    held = getattr(value, "__dict__", None)
    if not slots and held is None:
        raise TypeError(f"a check holds a {type(value).__name__}, and nothing tells what is in it")
    return [[getattr(value, slot, None) for slot in slots], held]
