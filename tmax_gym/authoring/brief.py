"""Briefs: all that an author needs to write the text of a task, and nothing that gives it away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tmax_gym.axes import Voice
from tmax_gym.rng import Rng
from tmax_gym.tasks.compose import Task
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.personas import personas
from tmax_gym.texts.plain import plain_text
from tmax_gym.texts.skins import skin

VOICES: Mapping[Voice, str] = MappingProxyType({
    "statement": "a direct statement of the task: prose in the imperative, with a list where there "
    "are several rules; no greeting, no signature",
    "ticket": "an issue in a tracker: a short title line, then what was seen and what is wanted",
    "email": "an e-mail to a colleague: a greeting, the matter, a closing with the name",
    "chat": "a few chat messages of whole sentences, a blank line between two of them; no names "
    "or times in front",
    "specification": "a part of a README or a specification: headings or lists, impersonal",
    "short": "a very short request of one to three sentences that points to the document",
})  # fmt: skip
_LENGTH: Mapping[Voice, float] = {"email": 1.2, "ticket": 1.1, "specification": 1.0}
"""Length of a text as a multiple of the plain one, where it is not the same."""
MOST_HIDDEN = 8
"""Hidden values in a brief; lists of hundreds would help nobody."""
HOW = """\
Write the instruction of each task below, as one competent person would write it for a colleague.

- Say everything under "must say", in your own words and in any order that reads well. What stands
  between backticks must appear exactly as it is (keep the backticks for paths, names and formats),
  and numbers must appear as well.
- Add nothing that changes the task: no hints how to do it, no further rules, no invented files.
- Plain words and usual word order. Nobody should have to read a sentence twice. A column or a file
  is always called the same.
- Vary opening, order, sentence shapes and length from task to task. Don't begin with the name of
  the organisation or with "We have". The situation is background: use as much of it as helps.
- Keep to the voice of each task and to about the length that is given.
"""


def brief(task: Task) -> str:
    """Return what an author needs for one task, as text."""
    return "\n".join(_lines(task))


def _lines(task: Task) -> Iterator[str]:
    spec = task.spec
    rng = Rng(spec.seed, "author")
    own = skin(spec.skin)
    title = next(p.title for p in personas(spec.domain) if p.name == spec.persona)
    yield f"=== {spec.name}"
    yield f"voice: {VOICES[spec.voice]}"
    yield f"who asks: {own.person(rng)}, {title} at {own.org(rng)} ({own.label}), {own.place(rng)}"
    yield f"length: about {length(task)} words"
    yield "must say:"
    for one in task.obligations:
        yield f"- [{one.id}] {one.sentence}{_covered(one)}"
    hidden = [value for value in task.hidden if len(value) > 2][:MOST_HIDDEN]
    if hidden:
        yield f"must not appear: {', '.join(map(repr, hidden))}"


def length(task: Task) -> int:
    """Return the words to aim at, rounded to tens; voices and tasks differ."""
    words = len(plain_text([task.obligations]).split())
    spread = 0.85 + 0.3 * Rng(task.spec.seed, "length").uniform()
    return max(20, 10 * round(words * _LENGTH.get(task.spec.voice, 1.0) * spread / 10))


def _covered(one: Obligation) -> str:
    return f" (use one of: {', '.join(one.keys)})" if one.keys else ""
