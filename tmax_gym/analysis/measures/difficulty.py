"""Estimate how hard tasks are, without a model.

A score D in [0, 1] combines what a solution needs, and `answer_bits` estimates the entropy of the
hidden values.  How hard a task is for a given model is not covered: the weights of D are fixed,
not fitted to results.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.analysis.measures.programs import Profile
from tmax_gym.tasks.commands import count_commands
from tmax_gym.tasks.compose import Task
from tmax_gym.tasks.spec import TaskSpec

HARDEST = (60, 24, 12, 15, 8, 1.0)
"""The values at which each term of D is largest: commands, tools, depth, checks, hidden facts,
strictness."""
ALPHABET = 95
PRIOR = 0.05
"""Pseudo-count of every printable character in the character model of hidden values."""
FEWEST = 16
"""The character model is used if there are at least so many other values."""
_KIND = re.compile(r"[A-Z]{2,5}-")
"""The prefix of a code, which names its kind and is visible in the world."""


@dataclass(frozen=True, slots=True)
class Features:
    """The properties of a task that make it hard."""

    commands: int
    """Simple commands of the reference solution."""
    tools: int
    """Different programs in it."""
    depth: int
    """Length of the longest chain of stages in which each works on the one before."""
    checks: int
    hidden: int
    """Facts that are not in the instruction: hidden values, and rules in documents."""
    strict: float
    """Weight of the checks without partial credit.  A metric's threshold is not stored, so metrics
    count 0 and D is a lower bound."""
    size: int
    """Bytes of the world."""

    @property
    def score(self) -> float:
        """Return D, scaled so that `HARDEST` is 1."""
        terms = (self.commands, self.tools, self.depth, self.checks, self.hidden, self.strict)
        largest = _weighted(HARDEST)
        return _weighted(tuple(map(min, terms, HARDEST))) / largest


def _weighted(terms: Sequence[float]) -> float:
    commands, tools, depth, checks, hidden, strict = terms
    return (
        0.30 * math.log2(1 + commands)
        + 0.15 * math.log2(1 + tools)
        + 0.20 * depth / 12
        + 0.10 * math.log2(1 + checks)
        + 0.15 * hidden / 8
        + 0.10 * strict
    )


def features(task: Task, runs: Profile) -> Features:
    """Return the properties of a task; `runs` is the profile of its solution."""
    unsaid = {
        literal
        for stage in task.stages
        for one in stage.obligations()
        for literal in one.literals
        if literal not in task.instruction
    }
    return Features(
        commands=count_commands(task.oracle),
        tools=len(set(runs.programs)),
        depth=depth(task.spec),
        checks=len(task.checks),
        hidden=len(unsaid | set(task.hidden)),
        strict=sum(c.weight for c in task.checks if c.kind != "metric_threshold"),
        size=sum(len(node.data or b"") for node in task.nodes),
    )


def depth(spec: TaskSpec) -> int:
    """Return the length of the longest chain of stages in which each works on the one before."""
    reached: list[int] = []
    for stage in spec.plan:
        reached.append(1 + (reached[stage.product[0]] if stage.product else 0))
    return max(reached, default=0)


def answer_bits(values: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, float]:
    """Return, by task, the bits of information in its hidden values for a guesser.

    The guesser knows the form: the class of each character (digit, small letter, capital, other),
    and the characters at the same place in other tasks' values of that kind.  The smaller of both
    code lengths counts, so this is an upper estimate.  `values` are (kind of value, value) by task.
    """
    models: dict[str, Counter[tuple[int, str]]] = {}
    members: Counter[str] = Counter()
    for own in values.values():
        for kind, value in own:
            members[kind] += 1
            models.setdefault(kind, Counter()).update(enumerate(value))
    return {
        task: sum(_bits(value, models[kind], members[kind] - 1) for kind, value in sorted(set(own)))
        for task, own in values.items()
        if own
    }


def _bits(value: str, model: Counter[tuple[int, str]], others: int) -> float:
    """Return the code length of a value, given how many `others` the model has seen."""
    prefix = _KIND.match(value)
    total = 0.0
    for place, char in enumerate(value):
        if prefix and place < prefix.end():
            continue
        bits = math.log2(_class_size(char))
        if others >= FEWEST:
            count = model[place, char] - 1  # without this very value
            chance = (count + PRIOR) / (others + PRIOR * ALPHABET)
            bits = min(bits, -math.log2(chance))
        total += bits
    return total


def _class_size(char: str) -> int:
    if char.isdigit():
        return 10
    return 26 if char.isalpha() else ALPHABET - 62
