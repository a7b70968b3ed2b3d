"""What a template must keep in every expansion, for tests of clauses and families."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause
from tmax_gym.texts.grammar import Call, Choice, Literal, Part, Slot, parse
from tmax_gym.texts.variants import varied


def faults(clause: Clause) -> tuple[str, ...]:
    """Return what is wrong with a clause, whatever its expansion."""
    problems = []
    for name, value in sorted(clause.facts.items()):
        if not value:
            problems.append(f"{clause.id}: the fact {name!r} is empty")
        for template in clause.templates:
            if name not in certain(parse(template)) and value not in template:
                problems.append(f"{clause.id}: {template!r} may leave out the fact {name!r}")
    if clause.role == "context" and clause.facts:
        problems.append(f"{clause.id}: context may be dropped, so it cannot carry facts")
    return tuple(problems)


def certain(parts: tuple[Part, ...]) -> frozenset[str]:
    """Return the slots that every expansion uses."""
    slots: set[str] = set()
    for part in parts:
        match part:
            case Slot(name):
                slots.add(name)
            case Choice(options):
                slots |= frozenset.intersection(*(certain(option) for option in options))
            case Call(_, args):
                for arg in args:
                    if len(arg) == 1 and isinstance(arg[0], Literal):
                        slots.add(arg[0].text)
                    slots |= certain(arg)
            case Literal():
                pass
    return frozenset(slots)


def fixed_run(template: str) -> int:
    """Return the longest run of words that is the same in every expansion.

    A run of 13 words recurs, word for word, in every task that uses the frame.

    >>> fixed_run("Sort {source} by the second column, then {write|put} it back")
    5
    """
    stretches = "".join(_skeleton(varied(template))).split("\0")
    return max(len(stretch.split()) for stretch in stretches)


def forms(template: str) -> int:
    """Return the number of different expansions of a template, its slots left aside.

    >>> forms("Sort {source}{| in place}, {then|and} {write|put} it back")
    8
    """
    return _forms(varied(template))


def _forms(parts: tuple[Part, ...]) -> int:
    ways = 1
    for part in parts:
        if isinstance(part, Choice):
            ways *= sum(_forms(option) for option in part.options)
    return ways


def _skeleton(parts: tuple[Part, ...]) -> list[str]:
    return [part.text if isinstance(part, Literal) else "\0" for part in parts]
