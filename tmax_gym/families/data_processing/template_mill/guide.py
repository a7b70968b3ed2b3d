"""The guide of the template-mill family, as it lies in the world: only what its templates use."""

from __future__ import annotations

from tmax_gym.families.data_processing.template_mill.language import NARROW, WIDE, Plan
from tmax_gym.families.shared.sheets import flowed


def guide(plan: Plan) -> str:
    """Return the guide of a world: what its templates use, and no more."""
    spare = ", or the phrase in `en` if this language does not have it"
    facts = {
        "<between>": plan.between,
        "<wide>": ", ".join(f"U+{low:04X} to U+{high:04X}" for low, high in WIDE),
        "<marks>": f"U+{NARROW[0]:04X} to U+{NARROW[1]:04X}",
        "<over>": _OVER[plan.over],
        "<spare>": spare if "fallback" in plan.features else "",
        "<lang>": "of that phrase" if "fallback" in plan.features else "of the row",
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
    "keep": "A cell that is wider stays as it is.",
    "cut": "If a cell is wider, keep as many characters from the left as fit, and then fill up "
    "with blanks as before.",
    "dots": "If a cell is wider, keep as many characters from the left as fit into one column "
    "less, put `…` after them, and then fill up with blanks as before.",
}
_PARTS = (
    (
        "",
        """# The letter mill

All files are in UTF-8, and tables have tabs between their cells. Every text that is read is
composed first: each line of `compose.tsv` has a character, a mark, and the character that the two
become together. Go through the text from the left. If the character before the current one, in its
present form, and the current one are such a pair, replace both by the character that they become.

`rows.tsv` has a header, which no other table has, and for each row below it `letter.tpl` makes one
letter. Put a line `<between>` between two letters. The language of a row is its cell `lang`.

## Templates

A line that begins with `§` is a command and is never printed. Every other line is printed. Its
slots, which are written between `‹` and `›`, are replaced:

- `‹field›` is replaced by the cell of the row in this column.""",
    ),
    (
        "width",
        """\
- `‹field:9›` is replaced by this cell in a width of 9 columns, filled up with blanks on the right,
  and `‹field:>9›` by the same with the blanks on the left. Characters from <wide> take two columns,
  characters from <marks> take none, and all others take one. <over>""",
    ),
    (
        "",
        """\
- `‹=key›` is replaced by the phrase with this key in the language of the row, from `phrases.tsv`
  (columns key, language, text)<spare>. Slots in the phrase are replaced too.""",
    ),
    (
        "plural",
        """\
- `‹=key field›` is replaced by one form of a phrase whose forms are separated by `|`. Which form
  it is depends on the number n in the cell. `plurals.tsv` has the columns language, form, modulus,
  low, high and exception. Go through its lines for the language <lang> from the top. A line
  matches if n modulo the modulus, or n itself if the modulus is 0, is from low to high, and n
  modulo 100 is not in the exception. Both ends of an exception belong to it, and `-` means that
  there is none. The first line that matches gives the form, counted from 1. If no line matches,
  use the last form.""",
    ),
    (
        "no plural",
        "- No template uses `plurals.tsv` or a phrase that contains `|`.",
    ),
    (
        "",
        """\
- The lines between `§ if #topic` and `§ end` are only printed if the topic applies to the note of
  the
  row. `§ if field` means that this cell is not empty. Such blocks can be inside each other.""",
    ),
    ("not", "- A `!` before a condition, as in `if !#topic`, means its opposite."),
    (
        "else",
        "- The lines between `§ else` and `§ end` are printed if the condition is not true.",
    ),
    (
        "each",
        """\
- The lines between `§ each items` and `§ end` are printed once for every item of this cell, so not
  at all if the cell is empty. The cell has items of the form `label*quantity` with `;` between two
  of them. Inside the block, `‹it›` is the label, `‹qty›` is the quantity, and `‹no›` is the number
  of the
  item, counted from 1.""",
    ),
    (
        "",
        """
## Topics

The cell `note` is divided into tokens as follows. First it is composed. Then every character that
`fold.tsv` lists is replaced by the text next to it in that table, which can be empty. `A` to `Z`
become `a` to `z`. The result is split at blanks and at each of <splits>, and at nothing else. Empty
tokens do not count.

`topics.tsv` has a topic, a least number, and phrases with `;` between them. Phrases are divided
into tokens in the same way. A phrase occurs in a note if its tokens are in the note directly after
each other. A token that ends in `*` stands for any token that begins with what is before the `*`.
A topic applies to a note if at least the given number of its phrases occur in it.
""",
    ),
)
"""Parts of the guide, each for a feature or for all: ‹ and › stand for the brackets of slots, § for
the mark of control."""
