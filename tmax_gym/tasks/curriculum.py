"""Orders tasks of the catalogue from easy to hard, for policies that learn little from failure.

The measure is what is known without a model: the commands of the reference solution, then the
words of the instruction.  It says nothing about ideas: a task of one command may be hard to see.
"""

from __future__ import annotations

from collections.abc import Iterable

from tmax_gym.tasks import catalogue


def curriculum(names: Iterable[str]) -> tuple[str, ...]:
    """Return tasks of the catalogue, those with the fewest commands first.

    Equal ones are in the order of their length, then of their names.

    Raises:
        TaskNotFound: A name is not in the catalogue.
    """
    wanted = sorted(names)
    steps = {name: catalogue.spec(name).steps for name in wanted}
    words = {name: len(text.split()) for name, text in catalogue.instructions(wanted).items()}
    return tuple(sorted(wanted, key=lambda name: (steps[name], words[name], name)))
