"""Layouts: each of the seven written registers turns a `Draft` of sentences into a message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from tmax_gym.rng import Rng
from tmax_gym.texts import phrases
from tmax_gym.texts.clauses import Role, expand, sentence
from tmax_gym.texts.grammar import CLOSE, OPEN, strip

_JOINABLE = re.compile(
    r"(?:The|A|An|All|Any|Each|Every|No|Both|Only|It|Its|They|Their|This|That|These|Those|There|"
    r"If|When|Where|Write|Keep|Use|Put|Leave|Drop|Skip|Give|Treat|Count|Sort|Take|Do|Make|"
    r"Lines?|Rows?|Fields?|Files?|Names?|Values?|Times?) "
)


@dataclass(frozen=True, slots=True)
class Said:
    """A clause as text."""

    text: str
    """Whole sentences, with slot values between marks."""
    role: Role
    bullet: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """The parts that a layout arranges."""

    opener: str
    """Why there is this work; "" if the text is long without it."""
    parts: tuple[tuple[Said, ...], ...]
    """The clauses of each stage, in order."""
    words: Mapping[str, str]
    """Values for the slots of fixed phrases: `Skin.slots` and `title`."""
    domain: str
    rng: Rng

    def phrase(self, name: str, options: Sequence[str], *, stop: str = "") -> str:
        """Return one fixed phrase, always the same for the same `name`."""
        rng = self.rng.fork("phrase", name)
        return sentence(expand(rng.choice(options), rng, {}, words=self.words), stop=stop)

    def headline(self) -> str:
        """Return a title of the domain, without a full stop."""
        return self.phrase("title", phrases.TITLES[self.domain])


def prose(clauses: Sequence[Said], rng: Rng) -> str:
    """Return clauses as one paragraph; some neighbours become one sentence."""
    out: list[str] = []
    for one in clauses:
        text = one.text
        short = out and len(strip(out[-1]).split()) < 11 and len(strip(text).split()) < 11
        if short and _can_join(out[-1], text) and rng.chance(0.5):
            out[-1] = f"{out[-1][:-1]}; {text[0].lower()}{text[1:]}"
        else:
            out.append(text)
    return " ".join(_coreferred(out, rng))


def _can_join(first: str, second: str) -> bool:
    single = first.endswith(".") and not re.search(r"[.!?;:] ", strip(first))
    return single and ";" not in second and bool(_JOINABLE.match(second))


def _coreferred(sentences: Sequence[str], rng: Rng) -> list[str]:
    """Write "that file" for the path that the sentence before names as its only one."""
    path = re.compile(f"{OPEN}(/[^{CLOSE}]*\\.[a-z0-9]+){CLOSE}")
    out = list(sentences)
    for at in range(1, len(out)):
        before, here = path.findall(sentences[at - 1]), path.findall(sentences[at])
        if len(before) == len(here) == 1 and before == here and rng.chance(0.5):
            mention = re.compile(f"(?<= )(in|of|from) {OPEN}{re.escape(here[0])}{CLOSE}")
            out[at] = mention.sub(r"\1 that file", out[at], count=1)
    return out


def body(draft: Draft, *, mark: str = "-", lists: bool = True) -> str:
    """Return every part as paragraphs; runs of bullet clauses become lists."""
    labels = _labels(draft)
    blocks: list[str] = []
    for index, part in enumerate(draft.parts):
        rng = draft.rng.fork("body", index)
        chunks = _chunks(part) if lists else [(False, list(part))]
        pieces: list[str] = []
        for is_list, chunk in chunks:
            if is_list:
                lead = draft.phrase(f"lead{index}", phrases.LEADS)
                pieces.append("\n".join([lead, *(f"{mark} {one.text}" for one in chunk)]))
            else:
                pieces.append(prose(chunk, rng))
        blocks.append(labels[index] + "\n\n".join(pieces))
    return _joined(blocks)


def _labels(draft: Draft) -> list[str]:
    if len(draft.parts) == 1:
        return [""]
    style = draft.rng.fork("labels").choice(phrases.PARTS)
    if len(draft.parts) > len(style):
        style = phrases.PARTS[2]
    return [f"{style[index]} " for index in range(len(draft.parts))]


def _chunks(part: Sequence[Said]) -> list[tuple[bool, list[Said]]]:
    """Split a part into runs; two or more bullet clauses in a row make a list."""
    runs: list[tuple[bool, list[Said]]] = []
    for one in part:
        if runs and runs[-1][0] == one.bullet:
            runs[-1][1].append(one)
        else:
            runs.append((one.bullet, [one]))
    merged: list[tuple[bool, list[Said]]] = []
    for bullet, run in runs:
        is_list = bullet and len(run) > 1
        if merged and not merged[-1][0] and not is_list:
            merged[-1][1].extend(run)
        else:
            merged.append((is_list, run))
    return merged


def email(draft: Draft) -> str:
    """Return an email: greeting, situation, request, signature."""
    blocks = [
        draft.phrase("greeting", phrases.GREETINGS),
        draft.opener,
        body(draft, lists=draft.rng.fork("lists").chance(0.6)),
        draft.phrase("closer", phrases.CLOSERS),
    ]
    if draft.rng.fork("subject").chance(0.4):
        blocks.insert(0, f"Subject: {draft.headline()}")
    return _joined(blocks)


def ticket(draft: Draft) -> str:
    """Return a ticket: title, description, and a list of criteria for each part."""
    described: list[str] = []
    accepted: list[str] = []
    labels = _labels(draft)
    for index, part in enumerate(draft.parts):
        first = [one for one in part if one.role in ("context", "goal", "input")]
        rest = [one for one in part if one.role not in ("context", "goal", "input")]
        if first:
            described.append(labels[index] + prose(first, draft.rng.fork("ticket", index)))
        if rest:
            label = [labels[index].strip()] if labels[index] else []
            accepted.append("\n".join([*label, *(f"- {one.text}" for one in rest)]))
    who = expand("Reporter: {person}, {title}", None, {}, words=draft.words)
    blocks = [draft.headline(), who, draft.opener, *described]
    if accepted:
        heading = draft.phrase("acceptance", phrases.ACCEPTANCE)
        gap = "\n\n" if len(draft.parts) > 1 else "\n"
        blocks.append(gap.join([f"{heading}:", *accepted]))
    return _joined(blocks)


def _joined(blocks: Sequence[str]) -> str:
    return "\n\n".join(block for block in blocks if block)


def chat(draft: Draft) -> str:
    """Return chat messages of one or two sentences, with the time before each."""
    rng = draft.rng.fork("chat")
    minute = rng.integer(8 * 60, 16 * 60)
    name = draft.words["first"]
    lines = []
    labels = _labels(draft)
    messages = [draft.opener] if draft.opener else []
    for index, part in enumerate(draft.parts):
        at = 0
        while at < len(part):
            size = rng.integer(1, 2)
            message = prose(part[at : at + size], rng)
            messages.append((labels[index] if at == 0 else "") + message)
            at += size
    for message in messages:
        lines.append(f"[{minute // 60:02d}:{minute % 60:02d}] {name}: {message}")
        minute += rng.integer(0, 3)
    return "\n".join(lines)


def runbook(draft: Draft) -> str:
    """Return a runbook: title, scope, numbered steps."""
    blocks = [f"# {draft.headline()}", draft.phrase("scope", phrases.SCOPES)]
    labels = [label.strip(" ()").rstrip(".") for label in _labels(draft)]
    for index, part in enumerate(draft.parts):
        intro = [one for one in part if one.role in ("context", "goal")]
        steps = [one for one in part if one.role not in ("context", "goal")]
        if labels[index]:
            label = labels[index]
            blocks.append(f"## {f'Part {label}' if label.isdigit() else label}")
        if intro:
            blocks.append(prose(intro, draft.rng.fork("runbook", index)))
        if len(steps) == 1:
            blocks.append(steps[0].text)
        elif steps:
            blocks.append("\n".join(f"{n}. {one.text}" for n, one in enumerate(steps, start=1)))
    return _joined(blocks)


def review(draft: Draft) -> str:
    """Return a review: reviewer, remark, points."""
    blocks = [draft.phrase("review", phrases.REVIEWS), draft.opener]
    labels = _labels(draft)
    for index, part in enumerate(draft.parts):
        rng = draft.rng.fork("review", index)
        lead = [one for one in part if not one.bullet]
        points = [one for one in part if one.bullet]
        lead, points = (lead, points) if len(points) > 1 else (list(part), [])
        blocks.append(labels[index] + prose(lead, rng))
        if points:
            blocks.append("\n".join(f"* {one.text}" for one in points))
    return _joined(blocks)


def commit(draft: Draft) -> str:
    """Return a commit message: subject line, body, trailer."""
    subject = draft.headline()
    rng = draft.rng.fork("commit")
    blocks = [subject, body(draft, mark="*")]
    if rng.chance(0.5):
        blocks.insert(1, draft.opener)
    blocks.append(draft.phrase("trailer", phrases.TRAILERS))
    return _joined(blocks)


def exam(draft: Draft) -> str:
    """Return an exam question: scenario, then lettered or plain tasks."""
    scenario = draft.phrase("scenario", phrases.SCENARIOS, stop=".")
    rng = draft.rng.fork("exam")
    heading = (
        f"Question {rng.integer(1, 9)}" if rng.chance(0.5) else f"Exercise: {draft.headline()}"
    )
    plain = len(draft.parts) > 1 or rng.chance(0.4)
    part = draft.parts[0]
    if plain or not 3 <= len(part) <= len(ascii_lowercase):
        return "\n\n".join([heading, scenario, body(draft)])
    items = [f"({letter}) {one.text}" for letter, one in zip(ascii_lowercase, part, strict=False)]
    return "\n\n".join([heading, scenario, "\n".join(items)])


LAYOUTS: dict[str, Callable[[Draft], str]] = {
    layout.__name__: layout for layout in (email, ticket, chat, runbook, review, commit, exam)
}
