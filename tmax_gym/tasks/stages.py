"""Builds the stages of a plan in order; each stage is a family or a follow-up with its inputs.

A follow-up works on a product of an earlier stage.  In older chains, the connector `unlock`
encrypts a stage's files with a value of an earlier stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tmax_gym import families
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate
from tmax_gym.errors import SpecError
from tmax_gym.families.contract import (
    UNLOCK,
    Artifact,
    Context,
    Family,
    Following,
    Part,
    Port,
    World,
)
from tmax_gym.families.products import Product
from tmax_gym.nodes import Node, digest
from tmax_gym.rng import Rng
from tmax_gym.tasks.spec import StageRef, TaskSpec
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import skin
from tmax_gym.world.archives import sealed, tar

T = TypeVar("T")
HASHES = ("sha256", "sha384", "sha512", "sha224")
PRODUCT = "product"
"""The input of a follow-up: a product of an earlier stage, by its name."""
SUFFIXES = ("tar.enc", "tar.aes", "sealed", "locked", "enc", "tar.ssl", "safe", "bin")


@dataclass(frozen=True, slots=True)
class Seal:
    """How the files of a stage are encrypted."""

    iterations: int
    """Rounds of PBKDF2, which take milliseconds."""
    hashed: str
    suffix: str

    @property
    def command(self) -> str:
        """Return the call of openssl that encrypts, without files and password."""
        return f"openssl enc -aes-256-ctr -pbkdf2 -iter {self.iterations} -md {self.hashed}"


@dataclass(frozen=True, slots=True)
class Stage:
    """One family or follow-up in one task."""

    family: Part[Any, World]
    ctx: Context
    world: World
    key: Artifact | None = None
    """The password of this stage's files if they are sealed."""
    why: str = ""
    """The sentence that says why somebody wants this follow-up."""

    @property
    def seal(self) -> Seal:
        """Return the parameters of the encryption, drawn from the stage's stream."""
        rng = self.ctx.rng.fork("seal parameters")
        return Seal(rng.integer(200, 1199), rng.choice(HASHES), rng.choice(SUFFIXES))

    @property
    def sealed_path(self) -> str:
        """Return the path of the sealed files."""
        return f"{self.ctx.home}.{self.seal.suffix}"

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Return the files at the start."""
        if self.key is None:
            return self.world.nodes
        inside = [replace(n, path=n.path.lstrip("/")) for n in self.world.nodes]
        salt, seal = self.ctx.rng.fork("salt").bytes(8), self.seal
        body = sealed(
            tar(inside), self.key.value, salt=salt, iterations=seal.iterations, hashed=seal.hashed
        )
        # The digest covers the content: a database is identified by its statements, not its bytes.
        return (Node(self.sealed_path, data=body, canonical=digest(inside).encode() + salt),)

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the programs that the reference solution needs."""
        return (*self.family.tools, *(("openssl", "tar") if self.key else ()))

    def oracle(self) -> tuple[str, ...]:
        """Return the reference solution of this stage."""
        return self.after_opening(self.family.oracle(self.ctx, self.world))

    def after_opening(self, commands: Sequence[str]) -> tuple[str, ...]:
        """Return commands, with one before them that opens the files if they are sealed."""
        if self.key is None:
            return tuple(commands)
        opening = (
            f"{self.seal.command} -d "
            f"-in {self.sealed_path} -pass pass:{self.key.shell} | tar -x -f - -C /"
        )
        return (opening, *commands)

    def checks(self) -> tuple[Check | Gate, ...]:
        """Return the checks and gates.

        While the files are sealed, gates hold and checks score nothing: nobody can have spoilt or
        removed files that are not there yet.
        """
        items = self.family.checks(self.ctx, self.world)
        return items if self.key is None else tuple(_once_open(i, self.ctx.home) for i in items)

    def obligations(self) -> tuple[Obligation, ...]:
        """Return what the instruction must say about this stage; ids begin with its number."""
        every = self.family.say(self.ctx, self.world)
        if self.key is not None:
            every = (_say_sealed(self, self.key), *every)
        if self.why:
            every = (Obligation("why", self.why, "situation"), *every)
        return tuple(replace(one, id=f"s{self.ctx.index}.{one.id}") for one in every)


def build_stages(spec: TaskSpec) -> tuple[Stage, ...]:
    """Return the stages of a plan, in its order."""
    stages: list[Stage] = []
    homes = _homes(spec)
    for index, ref in enumerate(spec.plan):
        if ref.family in families.follow_up_slugs():
            stages.append(_follow_up(spec, index, stages, homes[index]))
        else:
            stages.append(_family(spec, index, stages, homes[index]))
    return tuple(stages)


def _follow_up(spec: TaskSpec, index: int, stages: Sequence[Stage], home: str) -> Stage:
    """Return the stage of a follow-up, with the product that it works on."""
    ref = spec.plan[index]
    (_, source, name), *_ = ref.inputs
    before = stages[source]
    follow_up = families.follow_up(ref.family)
    products = before.family.products(before.ctx, before.world)
    declared = before.family.followed_by.get(ref.family)
    if declared is None or name not in products:
        raise SpecError(
            f"task {spec.name}: {follow_up.slug} cannot follow {before.family.slug}, which has the "
            f"products {sorted(products)} and names {sorted(before.family.followed_by)}"
        )
    ctx: Following[Product] = Following(
        rng=Rng(spec.seed, "stage", index, ref.family),
        skin=skin(spec.skin),
        level=spec.level,
        language=spec.language,
        fixture="text_only",
        verifier=spec.verifier,
        home=home,
        index=index,
        product=products[name],
    )
    return Stage(follow_up, ctx, follow_up.world(ctx), why=declared[1])


def _family(spec: TaskSpec, index: int, stages: Sequence[Stage], home: str) -> Stage:
    """Return the stage of a family, with values of earlier stages."""
    ref = spec.plan[index]
    family: Family[World] = families.family(ref.family)
    given = {port: stages[source].world.produces[output] for port, source, output in ref.inputs}
    key = given.pop(UNLOCK, None)
    ctx = Context(
        rng=Rng(spec.seed, "stage", index, ref.family),
        skin=skin(spec.skin),
        level=spec.level,
        language=_supported(spec.language, family.languages),
        fixture=_supported(spec.fixture, family.fixtures),
        verifier=_supported(spec.verifier, family.verifiers),
        home=home,
        index=index,
        given=given,
        wanted=_wanted(spec.plan, index),
    )
    world = family.world(ctx)
    if set(world.produces) != set(family.produces):
        raise SpecError(
            f"task {spec.name}: family {family.slug} promises {sorted(family.produces)} "
            f"and yields {sorted(world.produces)}"
        )
    return Stage(family, ctx, world, key)


def _supported(asked: T, offered: Sequence[T]) -> T:
    """Return the task's value if this family supports it, else the family's first one."""
    return asked if asked in offered else offered[0]


def _homes(spec: TaskSpec) -> list[str]:
    if len(spec.plan) == 1:
        return ["/app"]
    names = Rng(spec.seed, "homes").sample(sorted(set(skin(spec.skin).directories)), len(spec.plan))
    return [f"/app/{name}" for name in names]


def _wanted(plan: Sequence[StageRef], index: int) -> dict[str, Port]:
    """Return the ports of later stages that use the outputs of stage `index`."""
    return {
        output: families.family(ref.family).consumes[port]
        for ref in plan
        for port, source, output in ref.inputs
        if source == index and port not in (UNLOCK, PRODUCT)
    }


def _once_open(item: Check | Gate, home: str) -> Check | Gate:
    def holds(evidence: Evidence) -> bool:
        assert isinstance(item, Gate)
        return not evidence.tree(home) or item.holds(evidence)

    def score(evidence: Evidence) -> float:
        assert isinstance(item, Check)
        if not evidence.tree(home):
            raise BadOutput(f"{home} is still sealed")
        return item.score(evidence)

    return Gate(item.id, holds) if isinstance(item, Gate) else replace(item, score=score)


def _say_sealed(stage: Stage, key: Artifact) -> Obligation:
    return Obligation(
        "sealed",
        f"The files of this part are in `{stage.sealed_path}`, a tar archive with paths relative "
        f"to `/` that was encrypted with `{stage.seal.command}`; the passphrase is {key.phrase}.",
        "input",
    )
