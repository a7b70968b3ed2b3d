"""What the instruction of the quality-gate family says."""

from __future__ import annotations

from tmax_gym.texts.obligations import Obligation

UNSEEN = ("not seen", "unseen", "hidden", "other input", "other tables", "other lines")
"""Words of which any one says that the inputs of the tests are different ones."""
INTERFACE = (
    Obligation(
        "table",
        "The program reads the table from standard input. The first line is a heading and is not "
        "checked. Every other line is a row, with `;` between fields and without quotes.",
        "input",
    ),
    Obligation(
        "first",
        "Try the rules on a row in the order of the sheet. The first rule that the row breaks is "
        "the reason why it is rejected, and later rules are not tried on it.",
        keys=("first rule", "order of the sheet", "in order", "sheet order", "earliest rule"),
    ),
    Obligation(
        "lines",
        "For every rejected row, print a line such as `7 R2` to standard output, in the order of "
        "the rows: the number of the line, a blank, and the name of the rule. The heading is line "
        "1.",
        "format",
    ),
    Obligation(
        "summary",
        "The last line of output gives the numbers of accepted and rejected rows, as in "
        "`12 accepted, 3 rejected`. The exit status is 0 if no row was rejected, and 1 otherwise.",
        "format",
    ),
    Obligation(
        "other",
        "We will test it with other tables that you have not seen. They are all in plain ASCII.",
        "grading",
        UNSEEN,
    ),
    Obligation(
        "keep",
        "Do not change the sheet and the example.",
        "limit",
        ("not change", "unchanged", "as it is", "as they are", "untouched", "not modify"),
    ),
)


def short(kind: str, program: str, *, wanted: str, sample: str) -> tuple[Obligation, ...]:
    """Return the obligations of a task with one rule for lines.

    Args:
        kind: The kind of program, with its article.
        program: Its path.
        wanted: What a good line is, as the rest of a sentence.
        sample: Path of a sample of lines.
    """
    return (
        Obligation(
            "goal",
            f"Write {kind}, `{program}`, that reads lines from standard input and checks whether "
            "every line is good.",
            "goal",
        ),
        Obligation(
            "lines",
            f"`{sample}` is a sample of the lines that come in. Not all of them are good.",
            "input",
        ),
        Obligation("wanted", f"A line is good if it is {wanted}."),
        Obligation(
            "status",
            "The program exits with status 0 if every line is good, and with status 1 if one or "
            "more are not.",
            "format",
        ),
        Obligation(
            "other",
            "We will test it with other lines that you have not seen.",
            "grading",
            UNSEEN,
        ),
    )


def whole(
    kind: str, program: str, *, sheet: str, example: tuple[str, str]
) -> tuple[Obligation, ...]:
    """Return the obligations of a task with a sheet of rules; `example` is a table, its report."""
    table, report = example
    return (
        Obligation(
            "goal",
            f"Write {kind}, `{program}`, that checks the rows of a table against the rules in "
            f"`{sheet}` and reports the rows that break a rule.",
            "goal",
        ),
        Obligation(
            "sample",
            f"`{table}` is an example of a table, and `{report}` is exactly what must be printed "
            "for it.",
            "input",
        ),
        *INTERFACE,
    )
