"""Plans: which tasks the catalogue holds, as specs, before any of them is expanded.

Covers the choice of cell (fixture, verifier, language), skin, level, register and chain for
every task, evenly and without chance outside named streams.  Does not cover expansion.

A chain ends in the family that names the task.  Its earlier stages deliver what a later one
cannot do without: a *parameter* for one of its ports, or the key that *unlocks* its files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym import families
from tmax_gym.algebra import UNLOCK, Family, World
from tmax_gym.spec import (
    CommandComplexity,
    Complexity,
    Fixture,
    Language,
    Split,
    StageRef,
    TaskSpec,
    VerifierKind,
)
from tmax_gym.words.skins import Skin, skins
from tmax_gym.world.rng import Rng

PER_FAMILY = 92
"""Tasks planned a family: 18 families x 92 = 1,656."""
HELD_OUT = ("cross-service-trail", "intake-gate")
"""Families that no training split contains (a tenth of them)."""
BANDS: tuple[tuple[Complexity, float, float, int], ...] = (
    ("short", 0.0, 0.18, 1),
    ("moderate", 0.25, 0.55, 1),
    ("complex", 0.5, 0.85, 2),
    ("intricate", 0.7, 1.0, 3),
)
"""(aimed-at complexity, lowest level, highest level, stages), taken in turn."""
REGISTERS = ("email", "ticket", "chat", "runbook", "review", "commit", "exam")
Cell = tuple[Fixture, VerifierKind, Language]


@dataclass(frozen=True, slots=True)
class Slot:
    """What decides one task of a family."""

    family: Family[World]
    number: int
    skin: Skin
    cell: Cell
    band: tuple[Complexity, float, float, int]


def plan(*, per_family: int = PER_FAMILY) -> Iterator[TaskSpec]:
    """Yield the spec of every task of the catalogue, family by family, without digests."""
    for slug in families.slugs():
        made = families.family(slug)
        dressed = Rng("plan", slug, "skins").shuffled(skins())
        cells = Rng("plan", slug, "cells").shuffled(_cells(made))
        for number in range(per_family):
            yield _spec(
                Slot(
                    made,
                    number,
                    dressed[number % len(dressed)],
                    cells[(number // len(BANDS)) % len(cells)],
                    BANDS[number % len(BANDS)],
                )
            )


def single(
    slug: str,
    *,
    seed: int,
    level: float = 0.0,
    register: str = "terse",
    skin: str | None = None,
    split: Split = "train",
) -> TaskSpec:
    """Return an uncatalogued one-stage task of a family: practice material without an end."""
    made = families.family(slug)
    rng = Rng("single", slug, seed)
    fixture, verifier, language = rng.fork("cell").choice(_cells(made))
    dressed = skin or rng.fork("skin").choice([s for s in skins() if not s.held_out]).slug
    return TaskSpec(
        name=f"{slug}.{dressed}-x{seed}",
        domain=made.domain,
        skill=made.skill,
        primitives=made.primitives,
        persona="",
        language=language,
        complexity="short",
        commands="bash",
        fixture=fixture,
        verifier=verifier,
        skin=dressed,
        register=register,
        explicitness="explicit",
        plan=(StageRef(slug),),
        seed=seed,
        level=level,
        image="core",
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
    complexity, low, high, stages = slot.band
    fixture, verifier, language = slot.cell
    chain = _chain(slot.family, stages, rng.fork("chain"))
    carried = [f for ref in chain[:-1] if (f := _carried(ref.family, rng))]
    short = complexity == "short"
    return TaskSpec(
        name=f"{slug}.{slot.skin.slug}-{slot.number:04d}",
        domain=slot.family.domain,
        skill=slot.family.skill,
        primitives=slot.family.primitives,
        persona="",
        language=language,
        complexity=complexity,
        commands=_commands(slot.family, language),
        fixture=carried[0] if carried and fixture == "text_only" else fixture,
        verifier=verifier,
        skin=slot.skin.slug,
        register="terse" if short and rng.fork("r").chance(0.5) else _register(rng),
        explicitness=_explicitness(rng, stages=len(chain), short=short),
        plan=chain,
        seed=rng.fork("seed").bits(48),
        level=round(low + (high - low) * rng.fork("level").uniform(), 3),
        image="core",
        split=_split(slot),
    )


def _explicitness(rng: Rng, *, stages: int, short: bool) -> Literal["explicit", "pointer"]:
    """Return where the rules stand: long chains need documents to stay readable."""
    pointed = stages > 2 or (not short and rng.fork("e").chance(0.3))
    return "pointer" if pointed else "explicit"


def _register(rng: Rng) -> str:
    return rng.fork("register").choice(REGISTERS)


def _commands(family: Family[World], language: Language) -> CommandComplexity:
    if "multi_protocol" in family.verifiers:
        return "services"
    return "bash" if language in ("bash", "any") else "code"


def _split(slot: Slot) -> Split:
    if slot.family.slug in HELD_OUT or slot.skin.held_out:
        return "test"
    return "val" if slot.number % 20 == 19 else "train"


def _carried(slug: str, rng: Rng) -> Fixture | None:
    """Return the artefact kind in which an earlier stage delivers its value, if it is one."""
    kinds = [f for f in families.family(slug).fixtures if f != "text_only"]
    return rng.fork("carrier", slug).choice(kinds) if kinds else None


def _chain(sink: Family[World], stages: int, rng: Rng) -> tuple[StageRef, ...]:
    """Return a plan of up to `stages` stages, each needed by the next one."""
    chosen = [sink]
    ports: list[str] = []
    for depth in range(1, stages):
        links = _links(chosen[0], used=[f.slug for f in chosen])
        if not links:
            break  # every family that yields something is in the chain already
        source, port = rng.fork("link", depth).choice(links)
        chosen.insert(0, source)
        ports.insert(0, port)
    refs = [StageRef(chosen[0].slug)]
    for index, (family, port) in enumerate(zip(chosen[1:], ports, strict=True)):
        source = chosen[index]
        refs.append(StageRef(family.slug, ((port, index, _output(source, family, port)),)))
    return tuple(refs)


def _links(sink: Family[World], *, used: Sequence[str]) -> list[tuple[Family[World], str]]:
    """Return (source family, port of `sink`) for every way to put a stage before `sink`."""
    found: list[tuple[Family[World], str]] = []
    for slug in families.slugs():
        source = families.family(slug)
        if slug in used or slug in HELD_OUT or not source.produces:
            continue
        kinds: set[Literal["secret", "scalar"]] = {p.type for p in source.produces.values()}
        ports = [port for port, asked in sorted(sink.consumes.items()) if asked.type in kinds]
        found += [(source, port) for port in ports] or [(source, UNLOCK)]
    return found


def _output(source: Family[World], sink: Family[World], port: str) -> str:
    """Return the output port of `source` that fits."""
    wanted = sink.consumes[port].type if port in sink.consumes else None
    return next(o for o, p in sorted(source.produces.items()) if wanted in (None, p.type))
