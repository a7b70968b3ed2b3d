"""The sheet on which the reversible-mask family prescribes its scheme, with worked examples."""

from __future__ import annotations

from textwrap import wrap

from tmax_gym.families.data_processing.reversible_mask.masking import Column, Scheme, applied, cell
from tmax_gym.rng import Rng

_CHECK = {
    1: "Luhn: from the digit left of the check digit leftwards, double every second digit "
    "beginning with the first one met, take 9 off what exceeds 9, add all digits up; the check "
    "digit makes the total a multiple of 10",
    2: "alternating: from the digit left of the check digit leftwards, weigh the digits 3, 1, 3, "
    "1, ... and add up; the check digit makes the total a multiple of 10",
    3: "positions: from the left, multiply the 1st digit by 1, the 2nd by 2 and so on, without the "
    "check digit itself; add up, take the remainder by 11, and of that the remainder by 10",
}
_MIX = (
    "h := (h XOR v) * {m}",
    "h := h * {m} + v",
    "h := h + v, then h := h XOR (h << 13), h := h XOR (h >> 17), h := h XOR (h << 5)",
)


def sheet(scheme: Scheme, rng: Rng) -> str:
    """Return the text."""
    examples = [_example(scheme, column, rng) for column in scheme.columns]
    return "\n".join(
        [
            "REVERSIBLE MASK",
            "",
            "1. Columns",
            *(_column(column) for column in scheme.columns),
            "   Letters are A-Z and a-z here: tables are UTF-8, and letters with marks or of other",
            "   alphabets stay as they are and do not count.",
            "   A column of digits changes digits only, one of letters letters only. Kept are the",
            "   first so many digits and letters of a cell, counted together. All other characters",
            "   stay where they are, and so does a column that is not listed. Capitals stay",
            "   capitals, small letters small.",
            *_checks(scheme),
            "",
            "2. Cells",
            "   The digits of a cell that change are one sequence in base 10, from left to right;",
            "   its letters that change another one in base 26, a or A being 0. Each is turned by",
            "   itself as in 3; a sequence of fewer than two stays as it is.",
            "",
            "3. Rounds",
            f"   The left half has {_middle(scheme)} of the n members, the right half the others.",
            f"   Rounds r = 1 to {scheme.rounds}: the {_side(scheme)} half changes in odd rounds, "
            "the other one in even rounds.",
            f"   h := key + r * {scheme.step}.",
            *_named(scheme),
            "   Mix in each member of the half that does not change, plus 1, from left to right.",
            *_moved(scheme),
            "   Restoring goes through the rounds from the last to the first and subtracts.",
            "",
            "4. Mixing in a value v",
            f"   {_MIX[scheme.mix].format(m=scheme.multiplier)};",
            f"   and after that always h := h XOR (h >> {scheme.shift}).",
            "   h has 32 bits without a sign: what does not fit is cut off at once, all along.",
            "",
            "5. Examples",
            *examples,
            "",
        ]
    )


def _column(column: Column) -> str:
    kinds = " and ".join(
        name for name, here in (("digits", column.digits), ("letters", column.letters)) if here
    )
    keep = f"; the first {column.keep} kept" if column.keep else ""
    check = "; the last digit is a check digit" if column.check else ""
    return f"   - {column.name}: {kinds}{keep}{check}"


def _checks(scheme: Scheme) -> list[str]:
    kinds = sorted({column.check for column in scheme.columns} - {0})
    lines = [
        line
        for kind in kinds
        for line in wrap(f"   Check digits are {_CHECK[kind]}.", 88, subsequent_indent="   ")
    ]
    if lines:
        lines += [
            "   A check digit is never turned, but computed again from what the other digits",
            "   (kept ones too) have become. A cell of such a column with fewer than two digits,",
            "   or with a wrong check digit, becomes the word invalid, in both directions.",
        ]
    return lines


def _middle(scheme: Scheme) -> str:
    return "n / 2, rounded up," if scheme.longer else "n / 2, rounded down,"


def _side(scheme: Scheme) -> str:
    return "right" if scheme.right else "left"


def _named(scheme: Scheme) -> list[str]:
    if not scheme.named:
        return []
    return ["   Mix in each byte of the column's name, from left to right."]


def _moved(scheme: Scheme) -> list[str]:
    if scheme.single:
        return [
            "   Then, for members 1, 2, ... of the half that changes: mix in that number, and add",
            "   h >> 16 to the member, modulo the base.",
        ]
    return [
        "   Then read the half that changes as one number in the base, most significant member",
        "   first, and add h to it, modulo base^length.",
    ]


def _example(scheme: Scheme, column: Column, rng: Rng) -> str:
    plain, key = cell(rng, column), rng.integer(1000, 99_999)
    done = applied(scheme, ((column.name,), (plain,)), key, undo=False)[1][0]
    return f"   key {key}, {column.name}: '{plain}' -> '{done}'"
