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
from tmax_gym.axes import CommandComplexity, Fixture, Language, Split, VerifierKind
from tmax_gym.families.contract import UNLOCK, Family, World
from tmax_gym.rng import Rng
from tmax_gym.tasks.bands import BANDS, Band, band_of
from tmax_gym.tasks.quotas import quotas
from tmax_gym.tasks.spec import StageRef, TaskSpec
from tmax_gym.texts.skins import Skin, skins

HELD_OUT_SALT = 2839
HELD_OUT_SHARE = 10
"""One family in so many is held out, by a hash of its name: none changes sides when another is
added.  The salt was drawn until every domain had at least one."""
SOURCES: tuple[tuple[str, int], ...] = (
    ("matryoshka", 23),
    ("regime-shift", 7),
    ("scoreboard", 8),
    ("sealed-archive", 20),
)
"""Families that earlier stages are made of, with about how many commands each takes.  A list, not
a search: a plan stays what it is when a family is added."""
HEAVY = 15
POLYGLOT: frozenset[Language] = frozenset({"cpp", "go", "rust", "multi"})
"""Languages whose compilers only the image `poly` has."""
REGISTERS = ("email", "ticket", "chat", "runbook", "review", "commit", "exam")
Cell = tuple[Fixture, VerifierKind, Language]


@dataclass(frozen=True, slots=True)
class Slot:
    """What decides one task of a family."""

    family: Family[World]
    number: int
    skin: Skin
    cell: Cell
    band: Band


def held_out(slug: str) -> bool:
    """Return whether no training split contains a family."""
    if any(slug == source for source, _ in SOURCES):
        return False
    return Rng("held out", HELD_OUT_SALT, slug).integer(1, HELD_OUT_SHARE) == 1


def plan(*, per_family: int | None = None, most: int | None = None) -> Iterator[TaskSpec]:
    """Yield the spec of every task of the catalogue, family by family, without digests.

    A spec depends on its family and its number alone: not on how many there are, nor on which
    other families exist.

    Args:
        per_family: The first so many of every family, instead of its quota.
        most: As for `quotas.quotas`.
    """
    for slug, quota in sorted(quotas(most).items()):
        made = families.family(slug)
        dressed = Rng("plan", slug, "skins").shuffled(skins())
        cells = Rng("plan", slug, "cells").shuffled(_cells(made))
        for number in range(quota if per_family is None else per_family):
            yield _spec(
                Slot(
                    made,
                    number,
                    dressed[number % len(dressed)],
                    cells[(number // 2 + number // len(BANDS)) % len(cells)],
                    band_of(slug, number),
                )
            )


def single(
    slug: str,
    *,
    seed: int,
    level: float = 0.0,
    register: str = "plain",
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
        primitives=made.trained(language),
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
    complexity, low, high, stages = slot.band
    fixture, verifier, language = slot.cell
    chain = _chain(slot.family, stages, rng.fork("chain"), heavy=complexity == "intricate")
    carried = [f for ref in chain[:-1] if (f := _carried(ref.family, rng))]
    short = complexity == "short"
    return TaskSpec(
        name=f"{slug}.{slot.skin.slug}-{slot.number:04d}",
        domain=slot.family.domain,
        skill=slot.family.skill,
        primitives=slot.family.trained(language),
        persona="",
        language=language,
        complexity=complexity,
        commands=_commands(slot.family, language),
        fixture=carried[0] if carried and fixture == "text_only" else fixture,
        verifier=verifier,
        skin=slot.skin.slug,
        register="terse" if short and rng.fork("r").chance(0.25) else _register(rng),
        explicitness=_explicitness(rng, stages=len(chain), short=short),
        plan=chain,
        seed=rng.fork("seed").bits(48),
        level=round(low + (high - low) * rng.fork("level").uniform(), 3),
        image="poly" if language in POLYGLOT else "core",
        split=_split(slot),
    )


def _explicitness(rng: Rng, *, stages: int, short: bool) -> Literal["explicit", "pointer"]:
    """Return where the rules stand: long chains need documents to stay readable."""
    share = {1: 0.3, 2: 0.6}.get(stages, 1.0)
    pointed = stages > 2 or (not short and rng.fork("e").chance(share))
    return "pointer" if pointed else "explicit"


def _register(rng: Rng) -> str:
    return rng.fork("register").choice(REGISTERS)


def _commands(family: Family[World], language: Language) -> CommandComplexity:
    if "multi_protocol" in family.verifiers:
        return "services"
    return "bash" if language in ("bash", "any") else "code"


def _split(slot: Slot) -> Split:
    if held_out(slot.family.slug) or slot.skin.held_out:
        return "test"
    return "val" if slot.number % 20 == 19 else "train"


def _carried(slug: str, rng: Rng) -> Fixture | None:
    """Return the artefact kind in which an earlier stage delivers its value, if it is one."""
    kinds = [f for f in families.family(slug).fixtures if f != "text_only"]
    return rng.fork("carrier", slug).choice(kinds) if kinds else None


def _chain(sink: Family[World], stages: int, rng: Rng, *, heavy: bool) -> tuple[StageRef, ...]:
    """Return a plan of up to `stages` stages, each needed by the next one.

    One of the earlier stages takes many commands if `heavy`, else none does.
    """
    chosen = [sink]
    ports: list[str] = []
    for depth in range(1, stages):
        links = _links(chosen[0], used=[f.slug for f in chosen])
        wanted = depth == stages - 1 and heavy and not any(_weight(f.slug) for f in chosen[:-1])
        fitting = [link for link in links if _weight(link[0].slug) == wanted]
        if depth == 1 and heavy:
            fitting = links
        source, port = rng.fork("link", depth).choice(fitting or links)
        chosen.insert(0, source)
        ports.insert(0, port)
    refs = [StageRef(chosen[0].slug)]
    for index, (family, port) in enumerate(zip(chosen[1:], ports, strict=True)):
        source = chosen[index]
        refs.append(StageRef(family.slug, ((port, index, _output(source, family, port)),)))
    return tuple(refs)


def _weight(slug: str) -> bool:
    return dict(SOURCES).get(slug, 0) >= HEAVY


def _links(sink: Family[World], *, used: Sequence[str]) -> list[tuple[Family[World], str]]:
    """Return (source family, port of `sink`) for every way to put a stage before `sink`."""
    found: list[tuple[Family[World], str]] = []
    for slug, _ in SOURCES:
        if slug in used:
            continue
        source = families.family(slug)
        kinds: set[Literal["secret", "scalar"]] = {p.type for p in source.produces.values()}
        ports = [port for port, asked in sorted(sink.consumes.items()) if asked.type in kinds]
        found += [(source, port) for port in ports] or [(source, UNLOCK)]
    return found


def _output(source: Family[World], sink: Family[World], port: str) -> str:
    """Return the output port of `source` that fits."""
    wanted = sink.consumes[port].type if port in sink.consumes else None
    return next(o for o, p in sorted(source.produces.items()) if wanted in (None, p.type))
