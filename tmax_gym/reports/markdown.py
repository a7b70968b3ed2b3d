"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from tmax_gym.reports.page import Table


def to_markdown(table: Table) -> str:
    """Return a table in Markdown, every line ended."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |\n"

    rule = "|" + "---|" * len(table.head) + "\n"
    return line(table.head) + rule + "".join(line(row) for row in table.rows)
