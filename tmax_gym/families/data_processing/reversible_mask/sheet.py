"""The sheet on which the reversible-mask family prescribes its scheme, with worked examples."""

from __future__ import annotations

from tmax_gym.families.data_processing.reversible_mask.masking import Column, Scheme, applied, cell
from tmax_gym.families.shared.sheets import flowed
from tmax_gym.rng import Rng

_CHECK = {
    1: "The check digit follows Luhn's rule. Go leftwards from the digit before the check digit, "
    "and double the first digit, the third one and so on. If a doubled digit is more than 9, "
    "subtract 9 from it. Add up all digits, doubled or not. The check digit is the one that makes "
    "this sum, together with the check digit, a multiple of 10.",
    2: "The check digit follows a rule of alternating weights. Go leftwards from the digit before "
    "the check digit, and multiply the digits by 3, 1, 3, 1 and so on. Add up the products. The "
    "check digit is the one that makes this sum, together with the check digit, a multiple of 10.",
    3: "The check digit follows a rule of positions. Go from left to right without the check "
    "digit, and multiply the first digit by 1, the second one by 2 and so on. Add up the "
    "products, and take the remainder of the sum modulo 11. The check digit is this remainder "
    "modulo 10.",
}
_MIX = (
    "`h := (h XOR v) * {m}`",
    "`h := h * {m} + v`",
    "`h := h + v`, then `h := h XOR (h << 13)`, `h := h XOR (h >> 17)` and `h := h XOR (h << 5)`",
)
_SHEET = """# Reversible mask

## Columns

{columns}

In a column of digits only the digits change, and in a column of letters only the letters. Where the
list says that the first one is kept, or more than one, these do not change either: count the digits
and the letters of the cell together, from the left. All other characters stay as they are, and so
do all columns that are not listed. Capital letters stay capital, and small letters stay small.

Letters are A to Z and a to z. Tables are in UTF-8; letters with marks and letters of other
alphabets stay as they are and are not counted.

{checks}

## Cells

The digits of a cell that change form a sequence of numbers in base 10, from left to right. The
letters of a cell that change form another sequence in base 26, where a and A are 0. Each of the two
sequences is changed by itself, in the rounds below. A sequence with fewer than two members stays as
it is.

## Rounds

A sequence has n members. Its left half has {middle} members, and its right half has the
others. There are {rounds} rounds, numbered r = 1 to {rounds}. The {side} half changes in odd
rounds, and the {other} half in even rounds. In each round:

1. Start with `h := key + r * {step}`.
{named}
{number}. Mix in every member of the half that does not change, increased by 1, from left to right.
{moved}

To restore a cell, go through the rounds from the last one to the first one, and subtract instead of
adding.

## Mixing in

To mix in a value v, compute {mix}. After that, always compute `h := h XOR (h >> {shift})`.
h is an unsigned number of 32 bits at all times: after every operation, drop the bits that do not
fit.

## Examples

{examples}
"""


def sheet(scheme: Scheme, rng: Rng) -> str:
    """Return the text."""
    examples = [_example(scheme, column, rng) for column in scheme.columns]
    named = "2. Mix in every byte of the column's name, from left to right." if scheme.named else ""
    number = 3 if scheme.named else 2
    return flowed(
        _SHEET.format(
            columns="\n".join(_column(column) for column in scheme.columns),
            checks=_checks(scheme),
            middle="n / 2, rounded up," if scheme.longer else "n / 2, rounded down,",
            rounds=scheme.rounds,
            side="right" if scheme.right else "left",
            other="left" if scheme.right else "right",
            step=scheme.step,
            named=named,
            number=number,
            moved=_moved(scheme, number + 1),
            mix=_MIX[scheme.mix].format(m=scheme.multiplier),
            shift=scheme.shift,
            examples="\n".join(examples),
        ).replace("\n\n" + f"{number}. ", f"\n{number}. ")
    )


def _column(column: Column) -> str:
    kinds = " and ".join(
        name for name, here in (("digits", column.digits), ("letters", column.letters)) if here
    )
    first = "one is" if column.keep == 1 else f"{column.keep} are"
    keep = f"; the first {first} kept" if column.keep else ""
    check = "; the last digit is a check digit" if column.check else ""
    return f"- `{column.name}`: {kinds}{keep}{check}"


def _checks(scheme: Scheme) -> str:
    kinds = sorted({column.check for column in scheme.columns} - {0})
    if not kinds:
        return ""
    rules = " ".join(_CHECK[kind] for kind in kinds)
    return (
        f"{rules}\n\nA check digit is never changed by the rounds. Instead, it is computed again "
        "from the new values of the other digits, including the kept ones. If a cell of such a "
        "column has fewer than two digits or a wrong check digit, it becomes the word `invalid`, "
        "both in masking and in restoring."
    )


def _moved(scheme: Scheme, number: int) -> str:
    if scheme.single:
        return (
            f"{number}. Then take the members of the half that changes from left to right. They "
            "have the numbers 1, 2 and so on. For each, mix in its number, and then add `h >> 16` "
            "to the member, modulo the base."
        )
    return (
        f"{number}. Then read the half that changes as one number in the base, with the most "
        "significant member first, and add h to it, modulo the base to the power of its length."
    )


def _example(scheme: Scheme, column: Column, rng: Rng) -> str:
    plain, key = cell(rng, column), rng.integer(1000, 99_999)
    done = applied(scheme, ((column.name,), (plain,)), key, undo=False)[1][0]
    return f"- With the key {key}, `{column.name}` changes from `{plain}` to `{done}`."
