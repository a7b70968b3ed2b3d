"""Libraries of the seeded-fault family: their text with faults, their answers, and scripts.

The sources are the files in `programs/`: real code, handed to the agent as text.
Does not cover which libraries and faults there are: see `faults.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng

TOOL = program_text(__package__, "tool.py")


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong line."""

    right: str
    """The line as it should be, without its indent; it occurs once."""
    wrong: str
    focus: str
    """Command that shows it."""
    symptom: str
    """The complaint of a user."""
    recipe: str = ""
    """Commands that show it where chance rarely would, with slots."""


@dataclass(frozen=True, slots=True)
class Library:
    """A vendored package of one module."""

    name: str
    about: str
    faults: tuple[Fault, ...]
    draw: Callable[[Rng, str], str]
    """Returns one command: its name decided, its arguments drawn."""
    slots: Callable[[Rng], dict[str, object]]
    """Returns values for the slots of a recipe."""
    commands: tuple[str, ...]
    """All of them, the more frequent ones several times."""

    def source(self, *injected: Fault) -> str:
        """Return the module's text with these faults in it."""
        return _patched(self.name, injected)

    def answers(self, script: str, *injected: Fault) -> str:
        """Return the output of the tool for a script, with these faults in the library."""
        session = _namespace(self.name, injected)["Session"]()
        return "".join(f"{session.run(*line.split())}\n" for line in script.splitlines())

    def script(self, rng: Rng, fault: Fault) -> str:
        """Return a script of commands that is likely to show a fault, among other things."""
        picked = [*self.commands[:2], *(rng.choice(self.commands) for _ in range(2))]
        if not fault.recipe:
            picked += [rng.choice((fault.focus, *self.commands)), fault.focus, fault.focus]
        lines = [self.draw(rng, name) for name in picked]
        return "\n".join((*lines, *fault.recipe.format(**self.slots(rng)).splitlines())) + "\n"


@cache
def _patched(name: str, injected: tuple[Fault, ...]) -> str:
    text = program_text(__package__, f"{name}.py")
    for fault in injected:
        if text.count(f" {fault.right}\n") != 1:
            raise ValueError(f"{name}: {fault.right!r} is not one line of the library")
        text = text.replace(f" {fault.right}\n", f" {fault.wrong}\n")
    return text


@cache
def _namespace(name: str, injected: tuple[Fault, ...]) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": name}
    exec(compile(_patched(name, injected), f"{name}.py", "exec"), namespace)  # our own module
    return namespace
