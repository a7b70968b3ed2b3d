"""Redaction policies: which identifiers are masked, how, and where words begin and end.

Covers drawing a policy, applying it, and its description as a file.  Does not cover what makes
an identifier valid (`kinds.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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
    lines = ["Redaction policy", ""]
    for number, (kind, mask) in enumerate(policy.rules, start=1):
        lines += [f"{number}. {kind.name}", *(f"   {sentence}" for sentence in _form(kind))]
        first, *more = _said(kind, mask)
        lines += [f"   mask: {first}", *(f"     {sentence}" for sentence in more), ""]
    return "\n".join(lines)


def _form(kind: Kind) -> Iterator[str]:
    """Yield what makes a word one of a kind."""
    match kind:
        case Email(kept):
            yield "One @.  Before it: letters, digits and . _ + -, first and last a letter or a"
            yield "digit, no two dots in a row.  After it: two labels or more with a dot between"
            yield "two, of letters, digits and hyphens, none empty, none with a hyphen at either"
            yield "end; the last label has two letters or more and nothing else."
            if kept:
                yield f"Addresses with exactly {kept} behind the @ stay as they are."
        case Card(groups):
            shape = "-".join(str(n) for n in groups)
            yield f"{sum(groups)} digits, in one piece or in groups of {shape}, a hyphen between"
            yield "two groups; the check of Luhn holds (from the right, every second digit is"
            yield "doubled, less 9 where that exceeds 9: the sum is a multiple of 10)."
        case Iban(countries):
            sizes = ", ".join(f"{c} {COUNTRIES[c]}" for c in countries)
            yield "Two capitals for the country, two digits, then digits and capitals.  Only"
            yield f"these countries count, with these lengths in total: {sizes}."
            yield "The first four characters moved to the end and each letter written as its"
            yield "number (A 10 ... Z 35), the whole leaves the remainder 1 modulo 97."
        case Phone(low, high):
            yield "+ and a digit 1-9, then digits; single hyphens may stand between digits."
            yield f"There are {low} to {high} digits in all."
        case Address(private):
            yield "Four numbers from 0 to 255 with dots between, none with a zero in front."
            if private:
                yield "Those beginning with 10. or 192.168. stay as they are."
        case House(prefix, joint, weights, modulus):
            yield f"{prefix}, then {joint} and {len(weights)} digits, then {joint} and a check"
            yield f"character: the digits times {' '.join(str(w) for w in weights)}, added up,"
            yield f"modulo {modulus}, pick it from {CHECKS[modulus]} (the first is for 0)."


def _said(kind: Kind, mask: Mask) -> Iterator[str]:
    """Yield what becomes of a kind."""
    match mask.style:
        case "label":
            yield f"{mask.label} in place of it"
        case "number":
            one = mask.label.replace("{}", "1")
            yield f"{one} in place of the first {kind.name} of an input,"
            yield f"{mask.label.replace('{}', '2')} for the next different one, and so on; the"
            yield "same one, letter for letter, gets its number again"
        case "part" if kind.name == "email":
            yield f"{mask.sign * 3} in place of what stands before the @"
        case "part":
            yield f"{mask.sign} in place of the third and of the fourth number"
        case "tail":
            yield f"{mask.sign} in place of every letter and digit but the last {mask.count}"
        case "head":
            yield f"{mask.sign} in place of every letter and digit but the first {mask.count}"
