"""Redaction policies: which identifiers are masked, how, and where words begin and end.

Covers drawing a policy, applying it, and its description as a file.  Does not cover what makes
an identifier valid (`kinds.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tmax_gym.families.contract import Context
from tmax_gym.families.security.pii_redactor.kinds import (
    CHECKS,
    COUNTRIES,
    GROUPS,
    Address,
    Card,
    Email,
    House,
    Iban,
    Kind,
    Phone,
)
from tmax_gym.families.shared.sheets import flowed
from tmax_gym.rng import Rng

Style = Literal["label", "tail", "head", "number", "part"]
WORD = re.compile(rb"[A-Za-z0-9@._+-]+")
LABELS = ("[{}]", "<{}>", "#{}#", "[redacted {}]", "__{}__")
NAMES = {
    "email": ("EMAIL", "mail"),
    "card": ("CARD", "pan"),
    "iban": ("IBAN", "account"),
    "phone": ("PHONE", "tel"),
    "ipv4": ("ADDRESS", "ip"),
    "house": ("STAFF", "id"),
}


@dataclass(frozen=True, slots=True)
class Mask:
    """The mask of an identifier."""

    style: Style
    count: int = 0
    """Letters and digits that stay (`tail`, `head`)."""
    sign: str = "*"
    """The replacement for each of the other characters, or for a part."""
    label: str = ""
    """The replacement for all of it, with one pair of braces for the number (`number`)."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The kinds that are masked, in the order of the file."""

    rules: tuple[tuple[Kind, Mask], ...]

    def kind(self, name: str) -> tuple[Kind, Mask] | None:
        """Return one rule; None where that kind is left alone."""
        return next((rule for rule in self.rules if rule[0].name == name), None)


def drawn(ctx: Context, rng: Rng) -> Policy:
    """Return the policy of a stage: from two kinds to all six."""
    makers: dict[str, Callable[[Rng], Kind]] = {
        "email": lambda r: Email(_domain(ctx, r) if ctx.level >= 0.3 else ""),
        "card": lambda r: Card(r.choice(GROUPS)),
        "iban": lambda r: Iban(tuple(r.sample(sorted(COUNTRIES), r.integer(2, 4)))),
        "phone": lambda r: _phone(r),
        "ipv4": lambda r: Address(r.chance(0.6)),
        "house": lambda r: _house(ctx, r),
    }
    # One kind with a check digit at least: without one there is nothing to compute.
    checked = rng.choice(("card", "iban", "house"))
    others = rng.shuffled([name for name in makers if name != checked])
    chosen = rng.shuffled([checked, *others[: ctx.knob(1, 5)]])
    form, high = rng.choice(LABELS), rng.integer(0, 1)
    sign = rng.choice(("*", "x", "#", "?", "0"))
    kinds = []
    for name in chosen:
        fork = rng.fork(name)
        label = form.format(NAMES[name][1 - high])
        mask = _mask(fork, name, label=label, sign=sign, late=ctx.level >= 0.4)
        kinds.append((makers[name](fork), mask))
    return Policy(tuple(kinds))


def _domain(ctx: Context, rng: Rng) -> str:
    return ctx.skin.stem(rng).replace("_", "-").lower() + ".example"


def _phone(rng: Rng) -> Phone:
    low = rng.integer(8, 10)
    return Phone(low, low + rng.integer(2, 4))


def _house(ctx: Context, rng: Rng) -> House:
    modulus = rng.choice(sorted(CHECKS))
    size = rng.integer(4, 8)
    weights = rng.choice((
        tuple(range(2, size + 2)),
        tuple(range(size + 1, 1, -1)),
        tuple((1, 3, 7, 9)[n % 4] for n in range(size)),
        tuple(rng.integer(1, 9) for _ in range(size)),
    ))  # fmt: skip
    return House(rng.choice(ctx.skin.codes), rng.choice(("-", ".")), weights, modulus)


def _mask(rng: Rng, name: str, *, label: str, sign: str, late: bool) -> Mask:
    styles: list[Style] = ["label", "tail", "head"]
    styles += ["number", "number"] if late else []
    styles += ["part", "part"] if name in ("email", "ipv4") else []
    style = rng.choice(styles)
    if style == "number":
        label = label[:-1] + "-{}" + label[-1]
    return Mask(style, rng.integer(2, 4), sign, label)


def masked(word: str, mask: Mask, number: int) -> str:
    """Return the replacement of an identifier."""
    match mask.style:
        case "label":
            return mask.label
        case "number":
            return mask.label.replace("{}", str(number))
        case "part" if "@" in word:
            return mask.sign * 3 + word[word.index("@") :]
        case "part":
            return ".".join([*word.split(".")[:2], mask.sign, mask.sign])
    places = [n for n, c in enumerate(word) if c.isalnum()]
    stay = places[-mask.count :] if mask.style == "tail" else places[: mask.count]
    return "".join(c if n in stay or n not in places else mask.sign for n, c in enumerate(word))


def redacted(policy: Policy, data: bytes) -> bytes:
    """Return a text with its identifiers masked and all else as it was."""
    seen: dict[str, dict[str, int]] = {}

    def turned(match: re.Match[bytes]) -> bytes:
        raw = match[0].decode()
        core = raw.lstrip("._-").rstrip("._-+")
        for kind, mask in policy.rules:
            if kind.valid(core):
                numbers = seen.setdefault(kind.name, {})
                number = numbers.setdefault(core, len(numbers) + 1)
                at = len(raw) - len(raw.lstrip("._-"))
                done = raw[:at] + masked(core, mask, number) + raw[at + len(core) :]
                return done.encode()
        return match[0]

    return WORD.sub(turned, data)


def sheet(policy: Policy) -> str:
    """Return the file that describes a policy."""
    parts = ["# Redaction policy"]
    for number, (kind, mask) in enumerate(policy.rules, start=1):
        parts += [f"## {number}. {kind.name}", _form(kind), f"Mask: {_said(kind, mask)}"]
    return flowed("\n\n".join(parts))


def _form(kind: Kind) -> str:
    """Return what makes a word one of a kind."""
    match kind:
        case Email(kept):
            stays = (
                f" Addresses with exactly `{kept}` after the `@` stay as they are." if kept else ""
            )
            return (
                "An address has exactly one `@`. The part before it consists of letters, digits "
                "and the characters `._+-`, begins and ends with a letter or a digit, and has no "
                "two dots in a row. The part after it consists of at least two labels, separated "
                "by dots. A label consists of letters, digits and hyphens, is not empty, and "
                "neither begins nor ends with a hyphen. The last label consists of at least two "
                f"letters and nothing else.{stays}"
            )
        case Card(groups):
            shape = "-".join(str(n) for n in groups)
            return (
                f"A number has {sum(groups)} digits, either without hyphens or in groups of "
                f"{shape} digits separated by single hyphens. The Luhn check must hold: the "
                "second, fourth, sixth digits and so on, counted from the right, are doubled, and "
                "9 is subtracted from each result above 9; the sum of all digits is then a "
                "multiple of 10."
            )
        case Iban(countries):
            sizes = ", ".join(f"{c} {COUNTRIES[c]}" for c in countries)
            return (
                "A number begins with two capital letters for the country and two digits, followed "
                "by digits and capital letters. Only these countries count, with these total "
                f"lengths: {sizes}. Move the first four characters to the end and replace each "
                "letter with its number (A is 10, B is 11, and so on up to Z, which is 35). The "
                "resulting number modulo 97 must be 1."
            )
        case Phone(low, high):
            return (
                "A number begins with `+` and a digit from 1 to 9, followed by more digits. Single "
                f"hyphens are allowed between digits. A number has {low} to {high} digits in total."
            )
        case Address(private):
            stays = " Addresses that begin with `10.` or `192.168.` stay as they are." * private
            return (
                "An address consists of four numbers from 0 to 255, separated by dots and without "
                f"leading zeros.{stays}"
            )
        case House(prefix, joint, weights, modulus):
            return (
                f"A number consists of `{prefix}`, `{joint}`, {len(weights)} digits, `{joint}` "
                "again and a check character. To get the check character, multiply the digits by "
                f"{', '.join(str(w) for w in weights)} in this order, add up the products, and "
                f"take the sum modulo {modulus}. The result is a position in `{CHECKS[modulus]}`, "
                "counted from 0."
            )
    raise AssertionError(f"there is no kind {kind.name}")


def _said(kind: Kind, mask: Mask) -> str:
    """Return what becomes of a kind."""
    match mask.style:
        case "label":
            return f"replace all of it with `{mask.label}`."
        case "number":
            one, two = (mask.label.replace("{}", number) for number in "12")
            return (
                f"replace the first one in the input with `{one}`, the next different one with "
                f"`{two}`, and so on. If exactly the same one occurs again, it gets the same "
                "number again."
            )
        case "part" if kind.name == "email":
            return f"replace everything before the `@` with `{mask.sign * 3}`."
        case "part":
            return f"replace the third and the fourth number with `{mask.sign}` each."
    end = "last" if mask.style == "tail" else "first"
    return f"replace every letter and digit except the {end} {mask.count} with `{mask.sign}`."
