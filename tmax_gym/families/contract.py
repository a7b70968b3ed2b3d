"""The contract of families and follow-ups: what each of them gives to a task, and from what.

A *family* is a kind of situation.  Planned with a seed it becomes the first *stage* of a task: a
world, a reference solution, checks, obligations, mistakes and cheats.  A *follow-up* becomes a
later stage of the same task and works on what an earlier one leaves behind (`products.py`).

Covers the contract.  Does not cover composition (`tasks/compose.py`) or planning
(`tasks/planner.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from tmax_gym.axes import Domain, Fixture, Language, VerifierKind
from tmax_gym.checks.check import Check, Gate
from tmax_gym.families.products import Product
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import Skin


@dataclass(frozen=True, slots=True)
class Context:
    """The inputs of a family when one of its stages is made."""

    rng: Rng
    """The stage's own stream; fork it by name for everything drawn."""
    skin: Skin
    level: float
    """Difficulty in [0, 1]."""
    language: Language
    fixture: Fixture
    verifier: VerifierKind
    home: str
    """Directory of this stage, without a trailing slash: `/app` or one below it."""
    index: int = 0
    """Position in the plan."""

    def path(self, *parts: str) -> str:
        """Return a path below `home`."""
        return "/".join((self.home, *parts))

    def knob(self, low: int, high: int) -> int:
        """Return the whole number that lies `level` of the way from `low` to `high`."""
        return low + round(self.level * (high - low))


@dataclass(frozen=True, kw_only=True)
class World:
    """The files and facts of a stage.  Families extend it with the facts they decided.

    Hidden cases that take some milliseconds to draw may be a `Later`: a reset does not need them.
    """

    nodes: tuple[Node, ...]
    """Files in place before the first command."""
    outputs: tuple[str, ...]
    """Absolute paths that the agent is asked to make."""
    hidden: tuple[str, ...] = ()
    """Values that neither the text nor any file may show in plain sight."""
    setup: tuple[str, ...] = ()
    """Commands that finish the world (rarely needed: they cost time at every reset)."""
    volatile: tuple[str, ...] = ()
    """Paths whose content may differ between two runs of the oracle."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A wrong way: a plausible mistake, or a cheat."""

    name: str
    commands: tuple[str, ...]


P = TypeVar("P", bound=Product)
W = TypeVar("W", bound=World)
C = TypeVar("C", bound=Context)


@dataclass(frozen=True, slots=True)
class Following(Context, Generic[P]):
    """The inputs of a follow-up: the product that it works on, too."""

    product: P = field(kw_only=True)


class Part(ABC, Generic[C, W]):
    """What families and follow-ups have in common: the content of one stage."""

    slug: ClassVar[str]
    tools: ClassVar[tuple[str, ...]] = ("bash",)
    """Programs that the oracle needs, beyond coreutils, in any language."""
    followed_by: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """Which follow-ups suit: the slug of each, the product it works on, and one sentence that says
    why somebody wants it, true in every skin."""

    @abstractmethod
    def world(self, ctx: C) -> W:
        """Return the files and the decided facts."""

    @abstractmethod
    def oracle(self, ctx: C, world: W) -> tuple[str, ...]:
        """Return the commands of the reference solution, one a step of the agent's shell.

        They use nothing that an agent could not see.
        """

    @abstractmethod
    def checks(self, ctx: C, world: W) -> tuple[Check | Gate, ...]:
        """Return the checks; ids are unique within the stage."""

    @abstractmethod
    def say(self, ctx: C, world: W) -> tuple[Obligation, ...]:
        """Return what the instruction must say, in the order of the plain text."""

    @abstractmethod
    def mutants(self, ctx: C, world: W) -> tuple[Attempt, ...]:
        """Return at least three complete, plausible, wrong solutions; each scores below 1."""

    @abstractmethod
    def exploits(self, ctx: C, world: W) -> tuple[Attempt, ...]:
        """Return cheats; each scores at most 0.05."""

    def products(self, ctx: C, world: W) -> Mapping[str, Product]:
        """Return what later stages can work on, by a short name of its own."""
        return {}

    def alternative(self, ctx: C, world: W) -> tuple[str, ...] | None:
        """Return a second, different solution where there is one; it scores 1 as well."""
        return None


class Family(Part[Context, W]):
    """A kind of situation: a package below a domain, with one instance named `FAMILY`."""

    id: ClassVar[str]
    """Catalogue id, for example `SEC-02`."""
    domain: ClassVar[Domain]
    skill: ClassVar[str]
    """Skill type of the taxonomy."""
    primitives: ClassVar[tuple[str, ...]]
    """Primitive skills of the taxonomy that every task trains."""
    primitives_in: ClassVar[Mapping[Language, tuple[str, ...]]] = {}
    """More of them, that only tasks in a language train; a task has three to five."""
    fixtures: ClassVar[tuple[Fixture, ...]]
    verifiers: ClassVar[tuple[VerifierKind, ...]]
    languages: ClassVar[tuple[Language, ...]]

    def trained(self, language: Language) -> tuple[str, ...]:
        """Return the primitive skills of a task in a language."""
        return (*self.primitives, *self.primitives_in.get(language, ()))


class FollowUp(Part[Following[P], W]):
    """Work on a product of an earlier stage: a package below `follow_ups/`, named `FOLLOW_UP`.

    It writes nothing outside its own home, so that the checks of the earlier stage still hold.
    """

    works_on: ClassVar[type[Product]]
    """The kind of product that it needs."""

    def suits(self, product: P) -> bool:
        """Return whether a product of the right kind also has the right size and shape."""
        return True


def write_file(path: str, content: str, *, mode: str = "") -> str:
    """Return a shell command that writes a text file by a here-document.

    The delimiter is chosen so that no line of the content equals it.
    """
    mark = "END"
    while mark in content.split("\n"):
        mark += "_"
    body = content if content.endswith("\n") else content + "\n"
    command = f"cat > {path} <<'{mark}'\n{body}{mark}"
    return f"{command}\nchmod {mode} {path}" if mode else command
