"""The realiser: makes an instruction from clauses, in the style of a persona and a register.

It may move a part of the facts into a document.  It invents no facts: beyond the clauses it adds
only phrases that are true in every task of a domain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tmax_gym.nodes import Node
from tmax_gym.nodes import text as text_file
from tmax_gym.rng import Rng
from tmax_gym.texts import grammar, phrases
from tmax_gym.texts.asides import led
from tmax_gym.texts.clauses import Clause, Role, expand, sentence
from tmax_gym.texts.grammar import CLOSE, OPEN, strip
from tmax_gym.texts.layout import LAYOUTS, Draft, Said
from tmax_gym.texts.order import ordered
from tmax_gym.texts.personas import Persona, personas
from tmax_gym.texts.skins import Skin

REGISTERS: tuple[str, ...] = (*sorted(LAYOUTS), "terse")
PLAIN = "plain"
"""The register without any choice: the first short form of every clause, in the given order."""
DOCS = "/app/docs"
"""The directory of documents."""
CONTEXT_SHARE = 0.15
"""Largest share of the words for context clauses."""
LONG = 360
"""A text with more words in its clauses has no opener, to stay within `lint.MAX_WORDS`."""
LED = {"email": 0.3, "chat": 0.3, "review": 0.25, "commit": 0.2, "exam": 0.25, "ticket": 0.15,
       "runbook": 0.2}  # fmt: skip
"""The share of sentences with a lead-in, among those that can have one, by register."""
SEALED = ".sealed"
"""The end of the id of the clause about opening a stage's files."""
LISTED = 0.2
TERSE = 1.35
"""The terse register uses frames that are at most this much longer than the short form."""
ENOUGH = 3
"""With so many short forms, the terse register needs no frames."""
POINTED: frozenset[Role] = frozenset({"rule", "format"})
"""The roles that move into a document if the explicitness is `pointer`."""


@dataclass(frozen=True, slots=True)
class Realised:
    """An instruction with its documents."""

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
        clauses: The clauses of all stages, in order; an id "s2.x" belongs to the stage "s2".
        rng: The stream of the text; only forks of it are used.
        skin: Supplies names and nouns.
        domain: Supplies personas and titles.
        register: One of `REGISTERS`, or `PLAIN`; None draws one of `REGISTERS`.
        explicitness: "pointer" moves rules and formats into documents below `DOCS`.

    Raises:
        ValueError: The domain or register is unknown, or a frame is malformed.
    """
    register = register or rng.fork("register").choice(REGISTERS)
    if register not in (*REGISTERS, PLAIN):
        raise ValueError(f"no register {register!r}; there are: {', '.join(REGISTERS)}")
    persona = rng.fork("persona").choice(personas(domain))
    words = {**skin.slots(rng.fork("skin")), "title": persona.title}
    terse = register in ("terse", PLAIN)
    voice = _Voice(register, words)
    parts: list[tuple[Said, ...]] = []
    documents: list[Node] = []
    groups = _stages(clauses)
    last = groups[-1][0] if groups else ""
    for name, stage in groups:
        stream = rng.fork("stage", name)
        order = list(stage) if register == PLAIN else ordered(stage, stream)
        moved = _moved(order, last=name == last) if explicitness == "pointer" else []
        part = [voice.say(c, stream, bool(moved)) for c in order if c not in moved]
        if moved:
            listed = [voice.say(c, stream, False) for c in moved]
            listed = led(listed, stream.fork("led"), words, share=LISTED)
            document = _document(listed, skin, stream, words, taken=[d.path for d in documents])
            documents.append(document)
            part = _with_pointer(part, document.path, stream, words, terse)
        if not terse:
            part = led(part, stream.fork("lead"), words, share=LED[register])
        parts.append(tuple(part))
    parts = parts if terse else _within_share(parts)
    text = _terse(parts) if terse else _laid_out(parts, register, persona, words, domain, rng)
    return Realised(text, register, persona.name, tuple(documents))


def _stages(clauses: Sequence[Clause]) -> list[tuple[str, list[Clause]]]:
    """Group clauses by the stage in their ids, in order of appearance."""
    groups: dict[str, list[Clause]] = {}
    for clause in clauses:
        stage, dot, _ = clause.id.partition(".")
        key = stage if dot and re.fullmatch(r"s\d+", stage) else ""
        groups.setdefault(key, []).append(clause)
    return list(groups.items())


def _moved(stage: Sequence[Clause], *, last: bool) -> list[Clause]:
    """Return the clauses that move into a document, for an earlier stage also its inputs.

    The clause about opening sealed files stays in the text.
    """
    return [
        clause
        for clause in stage
        if clause.role in POINTED
        or (not last and clause.role == "input" and not clause.id.endswith(SEALED))
    ]


@dataclass(frozen=True, slots=True)
class _Voice:
    """Turns clauses into sentences in one register."""

    register: str
    words: Mapping[str, str]

    def say(self, clause: Clause, rng: Rng, pointing: bool) -> Said:
        """Return the text of a clause; `pointing` tells that the rules are in a document."""
        stream = rng.fork("clause", clause.id)
        if self.register == PLAIN:
            frame = (*clause.briefs, *clause.frames)[0]
            marked = expand(frame, None, clause.facts, words=self.words, marked=True)
            return Said(sentence(marked), clause.role, clause.bullet)
        frames = _short(clause) if self.register == "terse" else clause.frames
        if pointing:
            frames = tuple(f for f in frames if "below" not in f and "follow" not in f) or frames
        frame = stream.choice(frames)
        marked = expand(frame, stream, clause.facts, words=self.words, marked=True, vary=True)
        return Said(sentence(marked), clause.role, clause.bullet)


def _short(clause: Clause) -> tuple[str, ...]:
    """Return the short forms of a clause, and its shortest frames if it has few short forms."""
    sizes = {template: _size(template) for template in clause.templates}
    most = max((sizes[brief] for brief in clause.briefs), default=min(sizes.values()))
    short = [template for template, size in sizes.items() if size <= most * TERSE]
    if len(clause.briefs) < ENOUGH:
        short += sorted(sizes, key=lambda template: sizes[template])[: ENOUGH + 1]
    return tuple(dict.fromkeys(short))


@lru_cache(maxsize=65536)
def _size(template: str) -> int:
    """Return the words of a template's first expansion; a slot counts as one word."""
    parts = grammar.parse(template)
    slots = dict.fromkeys(grammar.names(parts), "x")
    return len(grammar.render(parts, slots, pick=lambda _: 0).split())


def _document(
    clauses: Sequence[Said],
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
    lines = [f"- {strip(one.text)}" if listed else strip(one.text) for one in clauses]
    return text_file(path, f"# {head}\n\n" + ("\n" if listed else "\n\n").join(lines) + "\n")


def _with_pointer(
    part: Sequence[Said], path: str, rng: Rng, words: Mapping[str, str], terse: bool
) -> list[Said]:
    """Return a part with a sentence that names the document, after goal and input."""
    stream = rng.fork("pointer")
    frame = stream.choice(phrases.SHORT_POINTERS if terse else phrases.POINTERS)
    marked = expand(frame, stream, {"doc": path}, words=words, marked=True)
    pointer = Said(sentence(marked), "rule", False)
    early = ("context", "goal", "input")
    first = [one for one in part if one.role in early]
    return [*first, pointer, *(one for one in part if one.role not in early)]


def _within_share(parts: Sequence[tuple[Said, ...]]) -> list[tuple[Said, ...]]:
    """Drop context clauses, the last first, until they are within `CONTEXT_SHARE`."""
    kept = [list(part) for part in parts]

    def count(only: bool) -> int:
        counted = [one for part in kept for one in part if not only or one.role == "context"]
        return sum(len(strip(one.text).split()) for one in counted)

    while count(True) > CONTEXT_SHARE * count(False):
        index = max(i for i, part in enumerate(kept) if any(o.role == "context" for o in part))
        at = max(i for i, one in enumerate(kept[index]) if one.role == "context")
        del kept[index][at]
    return [tuple(part) for part in kept if part]


def _terse(parts: Sequence[tuple[Said, ...]]) -> str:
    texts = [" ".join(strip(o.text) for o in part if o.role != "context") for part in parts]
    return "\n\n".join(texts)


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
    """Put backticks around paths without quotes or backticks."""
    path = re.compile(f"(?<![`'\"]){OPEN}(/[^\\s`{CLOSE}]+){CLOSE}(?![`'\"/])")
    return path.sub(r"`\1`", text)
