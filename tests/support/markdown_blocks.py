"""Code blocks of the documentation: what is printed there, and why a block does not run."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<mark>[^>]+?) -->\n)?"
    r"```(?P<language>\w*)\n(?P<text>.*?)^```$"
    r'(?:\n\n```text title="Output"\n(?P<output>.*?)^```$)?',
    re.MULTILINE | re.DOTALL,
)
_INCLUDED = re.compile(r'^--8<-- "(.+)"$', re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str
    output: str
    """What the page says that the block prints; empty if it says nothing."""
    mark: str
    """Why no test runs it, from a comment above it: `<!-- not run: reason -->`."""

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def included(self) -> tuple[str, ...]:
        """The files that the site shows here."""
        return tuple(_INCLUDED.findall(self.text))

    @property
    def code(self) -> str:
        """The text as the site shows it."""
        return _INCLUDED.sub(lambda line: (ROOT / line[1]).read_text("utf-8").rstrip(), self.text)

    @property
    def commands(self) -> str:
        """What is typed: a `console` block also has a prompt before it and outputs below it."""
        return "".join(line for typed, line in self._lines() if typed)

    @property
    def printed(self) -> str:
        """The output that stands in the block itself or right below it."""
        return self.output or "".join(line for typed, line in self._lines() if not typed)

    def _lines(self) -> list[tuple[bool, str]]:
        """Return each line, and whether it is typed."""
        if self.language != "console":
            return [(True, line) for line in self.text.splitlines(keepends=True)]
        lines: list[tuple[bool, str]] = []
        for line in self.text.splitlines(keepends=True):
            goes_on = bool(lines) and lines[-1][0] and lines[-1][1].endswith("\\\n")
            lines.append((goes_on or line.startswith("$ "), line.removeprefix("$ ")))
        return lines


def blocks(page: Path) -> tuple[Block, ...]:
    """Return the fenced blocks of a Markdown page in order, without those that show an output."""
    text = page.read_text("utf-8")
    return tuple(
        Block(
            page,
            line=text.count("\n", 0, match.start("language")) + 1,
            language=match["language"],
            text=match["text"],
            output=match["output"] or "",
            mark=match["mark"] or "",
        )
        for match in _BLOCK.finditer(text)
    )
