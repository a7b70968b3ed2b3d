"""The plain text of a task: the sentences of its obligations, in paragraphs.

It is used until an author has written a better one.  A short request says only what is wanted, and
points to a document in the world that says everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tmax_gym.nodes import Node
from tmax_gym.nodes import text as text_file
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation, Role

DOCUMENTS = "/app/docs"
"""The directory of documents."""
NAMES = ("requirements.md", "rules.md", "specification.md", "details.md", "agreed.md")
DOCUMENTED: frozenset[Role] = frozenset({"input", "rule", "format", "output", "limit", "grading"})
"""The roles that stand only in the document of a short request: all but situation and goal."""
LISTED = 3
"""So many rules one after another become a list."""
_PARAGRAPH: dict[Role, str] = {
    "situation": "what", "goal": "what", "input": "what", "rule": "rules", "format": "output",
    "output": "output", "limit": "limits", "grading": "limits",
}  # fmt: skip


def plain_text(stages: Sequence[Sequence[Obligation]]) -> str:
    """Return the sentences of all stages as paragraphs."""
    return "\n\n".join(part for obligations in stages for part in paragraphs(obligations))


def paragraphs(obligations: Sequence[Obligation]) -> list[str]:
    """Return the paragraphs of one stage; many rules in a row become a list."""
    parts = []
    for kind, run in groupby(obligations, key=lambda one: _PARAGRAPH[one.role]):
        sentences = [one.sentence for one in run]
        if kind == "rules" and len(sentences) >= LISTED:
            parts.append("\n".join(f"- {sentence}" for sentence in sentences))
        else:
            parts.append(_flowing(sentences))
    return parts


def documented(
    obligations: Sequence[Obligation], rng: Rng
) -> tuple[tuple[Obligation, ...], Node | None]:
    """Return the obligations that a short request keeps, and the document that has all of them.

    The request gets one more obligation: it must name the document, which has a chapter for each
    stage.  If the goal says it all, there is no document.
    """
    if not any(one.role in DOCUMENTED for one in obligations):
        return tuple(obligations), None
    path = f"{DOCUMENTS}/{rng.choice(NAMES)}"
    stages = [list(some) for _, some in groupby(obligations, key=_stage)]
    parts = ["# Requirements"]
    for number, stage in enumerate(stages, start=1):
        parts += [f"## Part {number}"] if len(stages) > 1 else []
        parts += paragraphs(stage)
    body = "\n\n".join(parts) + "\n"
    pointer = Obligation("document", f"All the details are in `{path}`.", "input")
    kept = [one for one in obligations if one.role not in DOCUMENTED]
    return (*kept, pointer), text_file(path, body)


def _stage(one: Obligation) -> str:
    """Return the stage to which an obligation belongs: ids begin with it, as in `s1.goal`."""
    return one.id.rpartition(".")[0]


def _flowing(sentences: Sequence[str]) -> str:
    """Return sentences as one paragraph; a fenced block stands by itself."""
    text = ""
    for sentence in sentences:
        gap = "\n\n" if "```" in sentence or text.endswith("```") else " "
        text += (gap if text else "") + sentence
    return text
