"""Builds the stages of a plan in order: the task's family first, then its follow-ups.

A follow-up works on a product of an earlier stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tmax_gym import families
from tmax_gym.errors import SpecError
from tmax_gym.families.contract import Context, Family, Following, Part, World
from tmax_gym.families.products import Product
from tmax_gym.rng import Rng
from tmax_gym.tasks.spec import TaskSpec
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import skin


@dataclass(frozen=True, slots=True)
class Stage:
    """One family or follow-up in one task."""

    family: Part[Any, World]
    ctx: Context
    world: World
    why: str = ""
    """The sentence that says why somebody wants this follow-up."""

    def obligations(self) -> tuple[Obligation, ...]:
        """Return what the instruction must say about this stage; ids begin with its number."""
        every = self.family.say(self.ctx, self.world)
        if self.why:
            every = (Obligation("why", self.why, "situation"), *every)
        return tuple(replace(one, id=f"s{self.ctx.index}.{one.id}") for one in every)


def build_stages(spec: TaskSpec) -> tuple[Stage, ...]:
    """Return the stages of a plan, in its order."""
    stages: list[Stage] = []
    homes = _homes(spec)
    for index, home in enumerate(homes):
        stages.append(_follow_up(spec, index, stages, home) if index else _family(spec, home))
    return tuple(stages)


def _follow_up(spec: TaskSpec, index: int, stages: Sequence[Stage], home: str) -> Stage:
    """Return the stage of a follow-up, with the product that it works on."""
    ref = spec.plan[index]
    if ref.product is None:
        raise SpecError(f"task {spec.name}: the follow-up {ref.family} names no product to work on")
    source, name = ref.product
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


def _family(spec: TaskSpec, home: str) -> Stage:
    """Return the stage of the task's own family."""
    family: Family[World] = families.family(spec.plan[0].family)
    ctx = Context(
        rng=Rng(spec.seed, "stage", 0, family.slug),
        skin=skin(spec.skin),
        level=spec.level,
        language=spec.language,
        fixture=spec.fixture,
        verifier=spec.verifier,
        home=home,
    )
    return Stage(family, ctx, family.world(ctx))


def _homes(spec: TaskSpec) -> list[str]:
    if len(spec.plan) == 1:
        return ["/app"]
    names = Rng(spec.seed, "homes").sample(sorted(set(skin(spec.skin).directories)), len(spec.plan))
    return [f"/app/{name}" for name in names]
