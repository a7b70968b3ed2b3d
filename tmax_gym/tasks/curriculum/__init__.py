"""Orders tasks of the catalogue from easy to hard, for policies that learn little from failure.

The measures are the commands of the reference solution, then the words of the instruction, then
how often a strong language model solved tasks of the family (`blind_trials.py`).  The first two say
nothing about ideas: a task of one command may be hard to see.  The third only parts tasks that are
equal in both, because a family has few trials, nearly all of which succeeded.
"""

from __future__ import annotations

from collections.abc import Iterable

from tmax_gym.tasks import catalogue
from tmax_gym.tasks.curriculum import blind_trials


def curriculum(names: Iterable[str]) -> tuple[str, ...]:
    """Return tasks of the catalogue, those with the fewest commands first.

    Equal ones are in the order of their length, then of the pass rate of their family in blind
    trials, highest first, then of their names.

    Raises:
        TaskNotFound: A name is not in the catalogue.
    """
    wanted = sorted(names)
    specs = {name: catalogue.spec(name) for name in wanted}
    words = {name: len(text.split()) for name, text in catalogue.instructions(wanted).items()}
    rates = blind_trials.family_rates({spec.family for spec in specs.values()})

    def ease(name: str) -> tuple[int, int, float, str]:
        spec = specs[name]
        return spec.steps, words[name], -rates[spec.family], name

    return tuple(sorted(wanted, key=ease))
