"""The realiser: clauses become an instruction in somebody's voice.

Covers the choice of persona, register, frames and order, the part of the facts that moves
into a document, and the terse register. Does not invent facts: beyond the clauses it adds
only phrases that hold in every task of a domain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.files import Node
from tmax_gym.files import text as text_file
from tmax_gym.words import phrases
from tmax_gym.words.clauses import Clause, Role, expand, sentence
from tmax_gym.words.grammar import CLOSE, OPEN, strip
from tmax_gym.words.layout import LAYOUTS, Draft, Said
from tmax_gym.words.personas import Persona, personas
from tmax_gym.words.skins import Skin
from tmax_gym.world.rng import Rng

REGISTERS: tuple[str, ...] = (*sorted(LAYOUTS), "terse")
DOCS = "/app/docs"
"""Where documents go."""
CONTEXT_SHARE = 0.15
"""Largest share of words that context clauses may take (tasks.md section 3.5)."""
LONG = 360
"""Words of clauses from which on a text, held to 420 words, begins without an opener."""
POINTED: frozenset[Role] = frozenset({"rule", "format"})
"""Roles that the `pointer` explicitness moves into a document."""
ORDERS: tuple[tuple[Role, ...], ...] = (
    ("context", "goal", "input", "rule", "format", "output", "constraint"),
    ("context", "input", "goal", "rule", "format", "output", "constraint"),
    ("context", "goal", "input", "output", "format", "rule", "constraint"),
    ("context", "goal", "input", "constraint", "rule", "format", "output"),
    ("context", "input", "rule", "goal", "format", "output", "constraint"),
)
"""Goal first, situation first, output early, constraints early, steps first."""
_DEICTIC = re.compile(r"\b(?:below|above|following|next|then|that|those|this|these)\b", re.I)


@dataclass(frozen=True, slots=True)
class Realised:
    """An instruction and what belongs to it."""

    text: str
    register: str
    persona: str
    documents: tuple[Node, ...] = ()
    """Files that the text points to."""


def realise(
    clauses: Sequence[Clause],
    *,
    rng: Rng,
    skin: Skin,
    domain: str,
    register: str | None = None,
    explicitness: Literal["explicit", "pointer"] = "explicit",
) -> Realised:
    """Return the instruction that says `clauses`, the same for the same arguments.

    Args:
        clauses: Of all stages, in order; an id "s2.x" belongs to the stage "s2".
        rng: The stream of the words; only forks of it are read.
        skin: Supplies names and nouns.
        domain: Supplies personas and titles.
        register: One of `REGISTERS`; None draws one.
        explicitness: "pointer" moves rules and formats into documents below `DOCS`.

    Raises:
        ValueError: The domain or register is unknown, or a frame is malformed.
    """
    register = register or rng.fork("register").choice(REGISTERS)
    if register not in REGISTERS:
        raise ValueError(f"no register {register!r}; there are: {', '.join(REGISTERS)}")
    persona = rng.fork("persona").choice(personas(domain))
    words = {**skin.slots(rng.fork("skin")), "title": persona.title}
    terse = register == "terse"
    parts: list[tuple[Said, ...]] = []
    documents: list[Node] = []
    for name, stage in _stages(clauses):
        stream = rng.fork("stage", name)
        order = list(stage) if terse else _ordered(stage, stream)
        moved = [c for c in order if explicitness == "pointer" and c.role in POINTED]
        said = [_say(c, stream, words, terse, bool(moved)) for c in order if c not in moved]
        if moved:
            told = [_say(c, stream, words, terse, False) for c in moved]
            document = _document(told, skin, stream, words, taken=[d.path for d in documents])
            documents.append(document)
            said = _with_pointer(said, document.path, stream, words, terse)
        parts.append(tuple(said))
    parts = parts if terse else _within_share(parts)
    text = _terse(parts) if terse else _laid_out(parts, register, persona, words, domain, rng)
    return Realised(text, register, persona.name, tuple(documents))


def _stages(clauses: Sequence[Clause]) -> list[tuple[str, list[Clause]]]:
    """Group clauses by the stage in their ids, stages in order of appearance."""
    groups: dict[str, list[Clause]] = {}
    for clause in clauses:
        stage, dot, _ = clause.id.partition(".")
        key = stage if dot and re.fullmatch(r"s\d+", stage) else ""
        groups.setdefault(key, []).append(clause)
    return list(groups.items())


def _ordered(stage: Sequence[Clause], rng: Rng) -> list[Clause]:
    """Return the clauses of a stage in one of `ORDERS`; within a role, order is kept.

    Rules come before the goal only where neither refers to what stands around it.
    """
    offered = ORDERS
    crucial = [c for c in stage if c.role in ("goal", "rule", "input")]
    if any(_DEICTIC.search(frame) for c in crucial for frame in c.frames):
        offered = ORDERS[:4:2]
    order = rng.fork("order").choice(offered)
    return sorted(stage, key=lambda clause: order.index(clause.role))


def _say(clause: Clause, rng: Rng, words: Mapping[str, str], terse: bool, pointing: bool) -> Said:
    stream = rng.fork("clause", clause.id)
    if terse:
        frame = clause.brief or clause.frames[0]
        marked = expand(frame, None, clause.facts, words=words, marked=True)
    else:
        frames = clause.frames
        if pointing:
            frames = tuple(f for f in frames if "below" not in f and "follow" not in f) or frames
        frame = stream.choice(frames)
        marked = expand(frame, stream, clause.facts, words=words, marked=True, vary=True)
    return Said(sentence(marked), clause.role, clause.bullet)


def _document(
    told: Sequence[Said],
    skin: Skin,
    rng: Rng,
    words: Mapping[str, str],
    *,
    taken: Sequence[str],
) -> Node:
    """Return the Markdown file that holds the moved clauses of one stage."""
    stream = rng.fork("document")
    kind = stream.choice(("rules", "notes", "conventions", "spec", "guide"))
    names = [f"{DOCS}/{stem}_{kind}.md" for stem in stream.shuffled(skin.stems)]
    path = next(name for name in names if name not in taken)
    head = sentence(expand(stream.choice(phrases.DOC_HEADS), stream, {}, words=words), stop="")
    listed = stream.chance(0.6)
    lines = [f"- {strip(one.text)}" if listed else strip(one.text) for one in told]
    return text_file(path, f"# {head}\n\n" + ("\n" if listed else "\n\n").join(lines) + "\n")


def _with_pointer(
    said: Sequence[Said], path: str, rng: Rng, words: Mapping[str, str], terse: bool
) -> list[Said]:
    """Return `said` with the sentence that names the document, after goal and input."""
    stream = rng.fork("pointer")
    frame = "Rules: {doc}." if terse else stream.choice(phrases.POINTERS)
    marked = expand(frame, None if terse else stream, {"doc": path}, words=words, marked=True)
    pointer = Said(sentence(marked), "rule", False)
    early = ("context", "goal", "input")
    first = [one for one in said if one.role in early]
    return [*first, pointer, *(one for one in said if one.role not in early)]


def _within_share(parts: Sequence[tuple[Said, ...]]) -> list[tuple[Said, ...]]:
    """Drop context clauses, from the last, until they take `CONTEXT_SHARE` of the words."""
    kept = [list(part) for part in parts]

    def count(only: bool) -> int:
        said = [one for part in kept for one in part if not only or one.role == "context"]
        return sum(len(strip(one.text).split()) for one in said)

    while count(True) > CONTEXT_SHARE * count(False):
        index = max(i for i, part in enumerate(kept) if any(o.role == "context" for o in part))
        at = max(i for i, one in enumerate(kept[index]) if one.role == "context")
        del kept[index][at]
    return [tuple(part) for part in kept if part]


def _terse(parts: Sequence[tuple[Said, ...]]) -> str:
    told = [" ".join(strip(o.text) for o in part if o.role != "context") for part in parts]
    return "\n\n".join(told)


def _laid_out(
    parts: Sequence[tuple[Said, ...]],
    register: str,
    persona: Persona,
    words: Mapping[str, str],
    domain: str,
    rng: Rng,
) -> str:
    stream = rng.fork("opener")
    opener = sentence(expand(stream.choice(persona.openers), stream, {}, words=words))
    if sum(len(strip(one.text).split()) for part in parts for one in part) > LONG:
        opener = ""
    draft = Draft(opener, tuple(parts), words, domain, rng.fork("layout"))
    text = LAYOUTS[register](draft)
    if rng.fork("code").chance(0.5):
        text = _as_code(text)
    return strip(text)


def _as_code(text: str) -> str:
    """Put backticks around paths that stand alone in the text."""
    path = re.compile(f"(?<![`'\"]){OPEN}(/[^\\s`{CLOSE}]+){CLOSE}(?![`'\"/])")
    return path.sub(r"`\1`", text)
