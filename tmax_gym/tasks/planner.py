"""Plans every task of the catalogue as a spec, before any of them is expanded.

It chooses cell (fixture, verifier, language), skin, level and voice evenly, with chance from named
streams only.  Every task is planned as one stage; `chain.py` puts follow-ups after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tmax_gym import families
from tmax_gym.axes import CommandComplexity, Fixture, Language, Split, VerifierKind, Voice
from tmax_gym.families.contract import Family, World
from tmax_gym.rng import Rng
from tmax_gym.tasks.bands import BANDS, Band, band_of
from tmax_gym.tasks.quotas import quotas
from tmax_gym.tasks.spec import StageRef, TaskSpec
from tmax_gym.texts.personas import personas
from tmax_gym.texts.skins import Skin, skins

HELD_OUT_SALT = 2839
HELD_OUT_SHARE = 10
"""One family in so many is held out, by a hash of its name, so that a new family changes no other.
The salt was drawn again until every domain had at least one."""
POLYGLOT: frozenset[Language] = frozenset({"cpp", "go", "rust", "multi"})
"""Languages whose compilers are only in the image `poly`."""
VOICES: tuple[tuple[Voice, int], ...] = (
    ("statement", 60), ("ticket", 10), ("email", 10), ("chat", 10), ("specification", 5),
    ("short", 5),
)  # fmt: skip
"""How many of a hundred tasks are written in each voice."""
Cell = tuple[Fixture, VerifierKind, Language]


@dataclass(frozen=True, slots=True)
class Slot:
    """Everything that decides one task of a family."""

    family: Family[World]
    number: int
    skin: Skin
    cell: Cell
    band: Band


def held_out(slug: str) -> bool:
    """Return whether a family is in no training split; follow-ups are never held out."""
    if slug in families.follow_up_slugs():
        return False
    return Rng("held out", HELD_OUT_SALT, slug).integer(1, HELD_OUT_SHARE) == 1


def plan(*, per_family: int | None = None, most: int | None = None) -> Iterator[TaskSpec]:
    """Yield the spec of every task of the catalogue, family by family, without digests.

    A spec depends only on its family and its number, not on other tasks or families.  `per_family`
    replaces the quota of every family; `most` is as for `quotas.quotas`.
    """
    for slug, quota in sorted(quotas(most).items()):
        family = families.family(slug)
        shuffled = Rng("plan", slug, "skins").shuffled(skins())
        cells = Rng("plan", slug, "cells").shuffled(_cells(family))
        for number in range(quota if per_family is None else per_family):
            yield _spec(
                Slot(
                    family,
                    number,
                    shuffled[number % len(shuffled)],
                    cells[(number // 2 + number // len(BANDS)) % len(cells)],
                    band_of(slug, number),
                )
            )


def single(
    slug: str,
    *,
    seed: int,
    level: float = 0.0,
    voice: Voice = "statement",
    skin: str | None = None,
    split: Split = "train",
) -> TaskSpec:
    """Return a one-stage task of a family outside the catalogue, for unlimited practice."""
    family = families.family(slug)
    rng = Rng("single", slug, seed)
    fixture, verifier, language = rng.fork("cell").choice(_cells(family))
    skin_slug = skin or rng.fork("skin").choice([s for s in skins() if not s.held_out]).slug
    return TaskSpec(
        name=f"{slug}.{skin_slug}-x{seed}",
        domain=family.domain,
        skill=family.skill,
        primitives=family.trained(language),
        persona=rng.fork("persona").choice(personas(family.domain)).name,
        language=language,
        complexity="short",
        commands="bash",
        fixture=fixture,
        verifier=verifier,
        skin=skin_slug,
        voice=voice,
        plan=(StageRef(slug),),
        seed=seed,
        level=level,
        image="poly" if language in POLYGLOT else "core",
        split=split,
    )


def _cells(family: Family[World]) -> list[Cell]:
    return [
        (fixture, verifier, language)
        for fixture in family.fixtures
        for verifier in family.verifiers
        for language in family.languages
    ]


def _spec(slot: Slot) -> TaskSpec:
    slug = slot.family.slug
    rng = Rng("plan", slug, slot.number)
    complexity, low, high = slot.band
    fixture, verifier, language = slot.cell
    return TaskSpec(
        name=f"{slug}.{slot.skin.slug}-{slot.number:04d}",
        domain=slot.family.domain,
        skill=slot.family.skill,
        primitives=slot.family.trained(language),
        persona=rng.fork("persona").choice(personas(slot.family.domain)).name,
        language=language,
        complexity=complexity,
        commands=_commands(slot.family, language),
        fixture=fixture,
        verifier=verifier,
        skin=slot.skin.slug,
        voice=_voice(rng, short=complexity == "short"),
        plan=(StageRef(slug),),
        seed=rng.fork("seed").bits(48),
        level=round(low + (high - low) * rng.fork("level").uniform(), 3),
        image="poly" if language in POLYGLOT else "core",
        split=_split(slot),
    )


def _voice(rng: Rng, *, short: bool) -> Voice:
    """Draw a voice; a short task has too few rules for a document of its own."""
    place = rng.fork("voice").integer(0, 99)
    for voice, share in VOICES:
        if place < share:
            return "statement" if short and voice == "short" else voice
        place -= share
    raise AssertionError("the shares of the voices sum to 100")


def _commands(family: Family[World], language: Language) -> CommandComplexity:
    if "multi_protocol" in family.verifiers:
        return "services"
    return "bash" if language in ("bash", "any") else "code"


def _split(slot: Slot) -> Split:
    if held_out(slot.family.slug) or slot.skin.held_out:
        return "test"
    return "val" if slot.number % 20 == 19 else "train"
