"""The guide of the template-mill family, as it lies in the world: only what its templates use."""

from __future__ import annotations

from tmax_gym.families.data_processing.template_mill.language import NARROW, WIDE, Plan


def guide(plan: Plan) -> str:
    """Return the guide of a world: what its templates use, and no more."""
    spare = "; where that language lacks it, the phrase of `en`"
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
    chapters = "\n".join(part for feature, part in _PARTS if feature in ("", *plan.features))
    for name, value in facts.items():
        chapters = chapters.replace(name, value)
    return chapters


_OVER = {
    "keep": "A cell that is wider stays as it is.",
    "cut": "Of a cell that is wider, as many\n  characters are kept, from the left, as fit; then "
    "blanks fill up as before.",
    "dots": "Of a cell that is wider, as many\n  characters are kept, from the left, as fit in one "
    "column less; then comes `…`, and blanks fill up\n  as before.",
}
_PARTS = (
    (
        "",
        """# The letter mill

All files are UTF-8, tables have tabs between their cells. Whatever is read is composed first:
`compose.tsv` lists a character, a mark and what both become together. Going through a text from
the left, a character whose predecessor (as it has become so far) forms such a pair with it is
merged into that predecessor.

For each row of `rows.tsv`, below its heading, `letter.tpl` makes one letter; between two letters
stands a line `<between>`. The language of a row is its cell `lang`.

## Templates

A line that begins with `§` controls, and is never printed. Any other line is printed, with its
slots, `‹` to `›`, replaced:

- `‹field›` is the row's cell of that column.""",
    ),
    (
        "width",
        """\
- `‹field:9›` is that cell in 9 columns, blanks at its right end, and `‹field:>9›` the same with
  blanks at its left end. Characters from <wide> take two columns, those from
  <marks> none, others one. <over>""",
    ),
    (
        "",
        """\
- `‹=key›` is that phrase in the row's language, by `phrases.tsv` (key, language, text)<spare>.
  Slots within it are replaced too.""",
    ),
    (
        "plural",
        """\
- `‹=key field›` is a phrase, its forms divided by `|`; the number in that cell, n, says which
  one is meant. The lines of `plurals.tsv` for the language <lang> are tried from the top: form,
  modulus, low, high, exception. A line holds if n modulo the modulus (n itself, if that is 0) is
  from low to high, and n modulo 100 does not lie in the exception (both ends belong to it, `-` is
  none). The first one that holds names the form, counted from 1; if none does, it is the last.""",
    ),
    (
        "",
        """\
- `§ if #topic` ... `§ end`: these lines only if the topic applies to the row's note.
  `§ if field` asks whether that cell is not empty. Blocks may stand in each other.""",
    ),
    ("not", "- A `!` before a condition, as in `if !#topic`, turns it round."),
    ("else", "- Lines between `§ else` and `§ end` are for when the condition fails."),
    (
        "each",
        """\
- `§ each items` ... `§ end`: these lines once for every item of that cell, none if it is empty.
  The cell is `label*quantity`, with `;` between two items; inside the block `‹it›` is the label,
  `‹qty›` the quantity, `‹no›` its number, from 1.""",
    ),
    (
        "",
        """
## Topics

The cell `note` is cut into tokens: it is composed, every character that `fold.tsv` lists is
replaced by what stands beside it (by nothing, if nothing does), `A` to `Z` become `a` to `z`, and
what remains is split at blanks and at each of <splits>.
Nothing else splits; empty tokens do not count.

`topics.tsv` has topic, least number, and phrases with `;` between them. Phrases are cut into
tokens in the same way. A phrase occurs in a note if its tokens stand there one directly after the
other; a token that ends in `*` stands for any token that begins with what is before the `*`. A
topic applies if at least that number of its phrases occur.
""",
    ),
)
"""Parts of the guide, each for a feature or for all: ‹ and › stand for the brackets of slots, § for
the mark of control."""
