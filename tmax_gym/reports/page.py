"""Reports as one HTML file without scripts, fonts or network: text, tables, plots, episodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tmax_gym.trajectory import Trajectory

SHOWN = 20_000
"""Largest number of characters of one output or reply."""
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
STYLE = """
:root { --line: #d8dee4; --soft: #f6f8fa; --ink: #1b1f24; --dim: #57606a; }
* { box-sizing: border-box; }
body { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1rem 6rem; color: var(--ink);
  background: #fff; font: 16px/1.5 system-ui, -apple-system, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; overflow-wrap: anywhere; }
.note, .legend { color: var(--dim); font-size: .875rem; max-width: 48rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { color: var(--dim); font-weight: 600; vertical-align: bottom; }
svg { max-width: 100%; height: auto; display: block; }
.heat { border-collapse: separate; border-spacing: 2px; }
.heat th, .heat td { border: 0; padding: .15rem .5rem; }
.heat th[scope=row] { font-weight: 400; position: sticky; left: 0; background: #fff;
  max-width: 22rem; overflow: hidden; text-overflow: ellipsis; }
.heat thead th:not(:first-child) { text-align: center; }
.heat td { text-align: center; min-width: 5rem; }
.heat .absent { background: repeating-linear-gradient(45deg, #fff 0 4px, #eef0f2 4px 8px); }
.heat .ungraded { background: #fff3cd; }
.heat a { color: inherit; text-decoration: none; padding: 0 .08rem; }
.heat a:hover, .heat a:focus { outline: 2px solid #0072b2; }
.dots { letter-spacing: .05em; font-size: .85em; }
details.trial { border: 1px solid var(--line); border-radius: 6px; margin: .35rem 0; }
details.trial > summary { cursor: pointer; padding: .4rem .7rem; overflow-wrap: anywhere; }
details.trial[open] > summary { background: var(--soft); border-bottom: 1px solid var(--line); }
details.trial:has(:target) { border-color: #0072b2; box-shadow: 0 0 0 2px #0072b255; }
.inside { padding: 0 .7rem .3rem; scroll-margin-top: 3rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .875rem;
  margin: .6rem 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: .25rem 0; padding: .5rem .7rem; background: var(--soft); border-radius: 4px;
  font: .8rem/1.45 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
pre.command { background: #eaf3fb; border-left: 4px solid #0072b2; }
pre.reply { background: #fff; border-left: 4px solid var(--line); color: var(--dim); }
pre.instruction { background: #fbf8ee; }
.step { margin: .9rem 0; } .time { color: var(--dim); font-size: .8rem; }
.bad, .fault { color: #a4291c; } .parts { margin: .8rem 0; }
.summary { color: var(--dim); margin: 0; } .figure { margin: 1rem 0; }
@media (max-width: 40rem) { body { font-size: 15px; } .wide { margin: 0 -1rem; padding: 0 1rem; }
  .heat th[scope=row] { max-width: 11rem; } dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .3rem; } .figure { overflow-x: auto; } .figure svg { min-width: 620px; } }
@media print { details.trial { break-inside: avoid; } }
"""


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs, separated by empty lines."""

    body: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text below a head; the first column names the row."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse rows that are not as wide as the head."""
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError(f"every row must have {len(self.head)} cells, as the head has")


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot of `svg.py`, which has its own title."""

    svg: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Episodes:
    """Trajectories that fold out."""

    trajectories: tuple[Trajectory, ...]
    title: str = ""
    instructions: tuple[tuple[str, str], ...] = ()
    """(task, instruction), shown above episodes of the task."""


Section = Text | Table | Plot | Episodes


def write_html(path: str | Path, title: str, sections: Sequence[Section]) -> None:
    """Write a page; directories are made."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    parts = [f"<h1>{escape(title)}</h1>", *map(section_html, sections)]
    # Terminal output may hold halves of surrogate pairs, which have no bytes in UTF-8.
    file.write_bytes(document(title, parts).encode("utf-8", "replace"))


def document(title: str, parts: Sequence[str]) -> str:
    """Return a page around the HTML of its parts."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def section_html(section: Section) -> str:
    """Return the HTML of a section."""
    match section:
        case Text():
            paragraphs = section.body.strip().split("\n\n")
            return _titled(section.title, "\n".join(f"<p>{escape(p)}</p>" for p in paragraphs))
        case Table():
            return _titled(section.title, _table(section) + _note(section.note))
        case Plot():
            # A plot inside HTML needs no namespace.
            svg = section.svg.replace(NAMESPACE, "")
            return f'<div class="figure">{svg}</div>{_note(section.note)}'
        case Episodes():
            texts = dict(section.instructions)
            folded = (_episode(t, texts.get(t.task, "")) for t in section.trajectories)
            return _titled(section.title, "\n".join(folded))


def fold(head: str, body: Iterator[str], *, anchor: str = "") -> str:
    """Return HTML that folds out below its head."""
    # The anchor is inside, because browsers fold out the element that a link leads into.
    inside = f'<div class="inside" id="{anchor}">' if anchor else '<div class="inside">'
    return (
        f'<details class="trial"><summary>{head}</summary>\n{inside}\n'
        + "\n".join(body)
        + "\n</div></details>"
    )


def steps_html(
    trajectory: Trajectory, times: Sequence[tuple[float, float]] = (), *, shown: int = SHOWN
) -> Iterator[str]:
    """Yield the steps of an episode; `times` has when each was typed and ended."""
    for number, step in enumerate(trajectory.steps):
        yield '<div class="step">'
        if times:
            typed, ended = times[number]
            failed = step.exit_code not in (0, None)
            code = f' <b class="bad">exit {step.exit_code}</b>' if failed else ""
            yield (
                f'<span class="time">{number + 1}. +{typed:.1f} s, '
                f"took {ended - typed:.1f} s{code}</span>"
            )
        if step.reply and step.reply != step.action:
            yield output_html(step.reply, kind="reply", shown=shown)
        if step.action:
            yield output_html(step.action, kind="command", shown=shown)
        yield output_html(step.observation, kind="output", shown=shown) + "</div>"


def checks_html(trajectory: Trajectory) -> str:
    """Return the score of every check as a table; "" if there is none."""
    if not trajectory.parts:
        return ""
    return _table(Table(("check", "score"), tuple((n, f"{s:.3f}") for n, s in trajectory.parts)))


def output_html(text: str, *, kind: str = "", shown: int = SHOWN) -> str:
    """Return terminal text as it is, cut in the middle if it is long."""
    return f'<pre class="{kind}">{escape(_cut(text, shown))}</pre>'


def _titled(title: str, body: str) -> str:
    return f"<h2>{escape(title)}</h2>\n{body}" if title else body


def _note(note: str) -> str:
    return f'\n<p class="note">{escape(note)}</p>' if note else ""


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return (
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>'
        "</table></div>"
    )


def _episode(played: Trajectory, instruction: str) -> str:
    reward = "not graded" if played.reward is None else f"reward {played.reward:.3f}"
    head = (
        f"{escape(played.task)} · {escape(played.agent)} · seed {played.seed} · "
        f"{len(played.steps)} steps · {played.ending} · {reward}"
    )

    def body() -> Iterator[str]:
        if instruction:
            yield output_html(instruction, kind="instruction")
        yield from steps_html(played)
        yield checks_html(played)
        if played.message:
            yield f'<p class="fault">{escape(played.message)}</p>'

    return fold(head, body())


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"
