"""The guide of the template-mill family, as it lies in the world: only what its templates use."""

from __future__ import annotations

from tmax_gym.families.data_processing.template_mill.language import NARROW, WIDE, Plan
from tmax_gym.families.shared.sheets import flowed


def guide(plan: Plan) -> str:
    """Return the guide of a world: what its templates use, and no more."""
    spare = " If the phrase is missing in that language, the one in `en` is used."
    facts = {
        "<between>": plan.between,
        "<wide>": ", ".join(f"U+{low:04X} to U+{high:04X}" for low, high in WIDE),
        "<marks>": f"U+{NARROW[0]:04X} to U+{NARROW[1]:04X}",
        "<over>": _OVER[plan.over],
        "<spare>": spare if "fallback" in plan.features else "",
        "<lang>": "of the phrase" if "fallback" in plan.features else "of the row",
        "<splits>": " ".join(f"`{one}`" for one in plan.splits if one != " "),
        "\u2039": plan.open,
        "\u203a": plan.close,
        "\u00a7": plan.control,
    }
    features = ("", *plan.features, *(() if "plural" in plan.features else ("no plural",)))
    chapters = "\n".join(part for feature, part in _PARTS if feature in features)
    for name, value in facts.items():
        chapters = chapters.replace(name, value)
    return flowed(chapters)


_OVER = {
    "keep": "A cell that is wider than that stays as it is.",
    "cut": "If a cell is wider than that, keep as many characters from the left as fit, and then "
    "pad as before.",
    "dots": "If a cell is wider than that, keep as many characters from the left as fit into one "
    "column less, append `…`, and then pad as before.",
}
_PARTS = (
    (
        "",
        """# The letter mill

All files are in UTF-8, and the cells of tables are separated by tabs. Every text that is read is
composed first: each line of `compose.tsv` has a character, a mark, and the character into which
these two combine. Go through the text from left to right. If the last character of the result so
far and the current character are such a pair, the combined character replaces the last one.
Otherwise, the current character is appended to the result.

`rows.tsv` has a header, which no other table has, and `letter.tpl` makes one letter for each row
below it. Put a line `<between>` between two letters. The language of a row is in its cell `lang`.

## Templates

A line that begins with `§` is a command and is never printed. Every other line is printed, with its
slots replaced. Slots are written between `‹` and `›`. Templates name only columns, phrases and
topics that exist.

- `‹field›` is replaced by the cell of the row in the column `field`.""",
    ),
    (
        "width",
        """\
- `‹field:9›` is replaced by this cell, padded with blanks on the right to a width of 9 columns on
  the screen. `‹field:>9›` is the same with the blanks on the left. <over> Characters from <wide>
  take two columns, characters from <marks> take none, and all others take one.""",
    ),
    (
        "",
        """\
- `‹=key›` is replaced by the phrase with this key in the language of the row. `phrases.tsv` has the
  columns key, language and text.<spare> Slots in the phrase are replaced too.""",
    ),
    (
        "plural",
        """\
- `‹=key field›` is replaced by one form of such a phrase, whose forms are separated by `|`. The
  number n in the cell `field` decides which form. `plurals.tsv` has the columns language, form,
  modulus, low, high and exception. Go through its lines for the language <lang> from top to bottom.
  Let r be n modulo the modulus, or n itself if the modulus is 0. A line matches if r is at least
  low and at most high, and n modulo 100 is not in the exception. Both ends of an exception belong
  to it, and `-` means that there is none. The first line that matches gives the form, counted from
  1. If no line matches, use the last form.""",
    ),
    (
        "no plural",
        "- No template uses `plurals.tsv` or a phrase that contains `|`.",
    ),
    (
        "",
        """\
- The lines between `§ if #topic` and `§ end` are printed only if the topic applies to the note of
  the row. With `§ if field`, they are printed only if the cell `field` is not empty. Blocks can be
  nested.""",
    ),
    ("not", "- A `!` negates the condition after it, as in `§ if !#topic`."),
    (
        "else",
        """\
- A block that begins with `§ if` can have a line `§ else`. Then the lines before it are printed if
  the condition is true, and the lines after it are printed if it is not.""",
    ),
    (
        "each",
        """\
- The lines between `§ each items` and `§ end` are printed once for each item in the cell `items`,
  so not at all if the cell is empty. Items have the form `label*quantity` and are separated by `;`,
  and labels do not contain `*`. Inside the block, `it` (the label), `qty` (the quantity) and `no`
  (the number of the item, counted from 1) can be used like columns, as in `‹it›`.""",
    ),
    (
        "",
        """
## Topics

The cell `note` is divided into tokens as follows. First it is composed. Then every character that
is listed in `fold.tsv` is replaced by the text next to it in that table, which can be empty. `A` to
`Z` become `a` to `z`. The result is split at blanks and at each of <splits>, and at nothing else.
Empty tokens are dropped.

Each line of `topics.tsv` has a topic, a minimum number, and phrases that are separated by `;`.
These phrases are divided into tokens in the same way. A phrase occurs in a note if its tokens occur
there consecutively and in this order. A token of a phrase that ends in `*` matches every token that
begins with what is before the `*`. A topic applies to a note if at least the minimum number of its
phrases occur in it, where each phrase counts once.
""",
    ),
)
"""Parts of the guide, each for a feature or for all: ‹ and › stand for the brackets of slots, § for
the mark of control."""
