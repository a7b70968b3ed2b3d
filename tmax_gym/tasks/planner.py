"""Plans every task of the catalogue as a spec, before any of them is expanded.

It chooses cell (fixture, verifier, language), skin, level, voice and chain evenly, with chance
from named streams only.

A task of a family in `FOLLOWED` is planned as one stage, and `chain.py` puts follow-ups after it.
The chain of another one ends in the family that names the task: each earlier stage produces
something that a later one needs, a *parameter* for one of its ports, or the key that *unlocks* its
files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym import families
from tmax_gym.axes import CommandComplexity, Fixture, Language, Split, VerifierKind, Voice
from tmax_gym.families.contract import UNLOCK, Family, World
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
SOURCES: tuple[tuple[str, int], ...] = (
    ("matryoshka", 23),
    ("regime-shift", 7),
    ("scoreboard", 8),
    ("sealed-archive", 20),
)
"""Families that can be earlier stages, with the approximate number of their commands.  The list is
fixed, so that a new family changes no plan."""
FOLLOWED = frozenset((
    "affine-align", "audio-dropouts", "backup-bug", "bad-gateway", "beat-note",
    "bill-of-materials", "bisect", "blink-codes", "breach-timeline", "bulk-rename",
    "business-questions", "calendar-math", "carve", "chart-reader", "closed-agent", "contract-api",
    "converge", "cross-service-trail", "dag-runner", "drifting-sums", "drop-folder", "dump-desk",
    "edge-filter", "edge-parser", "exact-monte-carlo", "form-batch", "frame-order", "frozen-model",
    "grid-archive", "hardening-baseline", "hardlink-dedup", "hidden-predicate", "intake-gate",
    "keyset-api", "leak-fix", "ledger-clean", "log-keeper", "log-stitcher", "matryoshka",
    "mutant-hunter", "odd-grammar", "package-mend", "passage-board", "port-module", "push-policy",
    "quality-gate", "ranked-search", "reel-cut", "regime-shift", "release-notes", "resample",
    "rollup-drift", "rule-set", "safe-extract", "schema-etl", "scoreboard", "scoring-service",
    "sealed-archive", "seeded-bootstrap", "seeded-fault", "serial-keygen", "shard-balance",
    "shrink-it", "sign-error", "space-crisis", "stencil", "template-mill", "tile-gateway",
    "tiny-vm", "token-auditor", "tone-poll", "tone-telemetry", "tracer-video", "traversal-guard",
    "trust-chain", "unit-police", "unknown-packer", "weak-cipher", "will-not-start", "wire-frames",
))  # fmt: skip
"""Families whose tasks have follow-ups in place of chains.  Each is proven in this form; the others
change with their proofs."""
HEAVY = 15
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
    if slug in families.follow_up_slugs() or any(slug == source for source, _ in SOURCES):
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
    complexity, low, high, stages = slot.band
    fixture, verifier, language = slot.cell
    chain: tuple[StageRef, ...] = (StageRef(slug),)
    if slug not in FOLLOWED:
        chain = _chain(slot.family, stages, rng.fork("chain"), heavy=complexity == "intricate")
    carried = [f for ref in chain[:-1] if (f := _carried(ref.family, rng))]
    return TaskSpec(
        name=f"{slug}.{slot.skin.slug}-{slot.number:04d}",
        domain=slot.family.domain,
        skill=slot.family.skill,
        primitives=slot.family.trained(language),
        persona=rng.fork("persona").choice(personas(slot.family.domain)).name,
        language=language,
        complexity=complexity,
        commands=_commands(slot.family, language),
        fixture=carried[0] if carried and fixture == "text_only" else fixture,
        verifier=verifier,
        skin=slot.skin.slug,
        voice=_voice(rng, short=complexity == "short"),
        plan=chain,
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


def _carried(slug: str, rng: Rng) -> Fixture | None:
    """Return the kind of file in which an earlier stage hides its value, if any."""
    kinds = [f for f in families.family(slug).fixtures if f != "text_only"]
    return rng.fork("carrier", slug).choice(kinds) if kinds else None


def _chain(sink: Family[World], stages: int, rng: Rng, *, heavy: bool) -> tuple[StageRef, ...]:
    """Return a plan of up to `stages` stages, each needed by the next one.

    If `heavy`, one of the earlier stages takes many commands, else none does.
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
    links: list[tuple[Family[World], str]] = []
    for slug, _ in SOURCES:
        if slug in used:
            continue
        source = families.family(slug)
        kinds: set[Literal["secret", "scalar"]] = {p.type for p in source.produces.values()}
        ports = [port for port, asked in sorted(sink.consumes.items()) if asked.type in kinds]
        links += [(source, port) for port in ports] or [(source, UNLOCK)]
    return links


def _output(source: Family[World], sink: Family[World], port: str) -> str:
    """Return the output port of `source` that fits the input port of `sink`."""
    wanted = sink.consumes[port].type if port in sink.consumes else None
    return next(o for o, p in sorted(source.produces.items()) if wanted in (None, p.type))
