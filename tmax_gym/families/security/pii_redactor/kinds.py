"""Personal identifiers of six kinds: validity rules, drawn examples, and lookalikes.

Covers form and check digits; a word is judged as a whole.  Does not cover where words begin and
end, nor masks (`policy.py`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.rng import Rng

DIGITS = "0123456789"
COUNTRIES = {"DE": 22, "NL": 18, "NO": 15, "BE": 16, "AT": 20, "CH": 21, "DK": 18, "SE": 24,
             "PT": 25, "FI": 18}  # fmt: skip
"""Length of an IBAN by country (ISO 13616 registry)."""
GROUPS = ((4, 4, 4, 4), (4, 6, 5), (5, 5, 5), (6, 6, 4), (4, 4, 4, 4, 2))
CHECKS = {11: "0123456789X", 23: "TRWAGMYFPDXBNJZSQVHLCKE", 10: DIGITS, 7: "ABCDEFG",
          19: "BCDFGHJKLMNPQRSTVWX"}  # fmt: skip
"""Check characters by the modulus that picks one."""


class Kind(ABC):
    """One kind of identifier."""

    name: str

    @abstractmethod
    def valid(self, word: str) -> bool:
        """Return whether a word is one, and not among those that stay."""

    @abstractmethod
    def drawn(self, rng: Rng) -> str:
        """Return a valid one."""

    @abstractmethod
    def decoys(self, rng: Rng) -> tuple[str, ...]:
        """Return words that look like one and are none."""


@dataclass(frozen=True)
class Email(Kind):
    """An address; those of one domain may stay."""

    kept: str
    name = "email"

    def valid(self, word: str) -> bool:
        """Return whether a word is an address that is to be masked."""
        local, _, domain = word.partition("@")
        labels = domain.split(".")
        return (
            domain != ""
            and bool(re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._+-]*[A-Za-z0-9])?", local))
            and ".." not in local
            and len(labels) > 1
            and all(re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?", x) for x in labels)
            and bool(re.fullmatch(r"[A-Za-z]{2,}", labels[-1]))
            and domain != self.kept
        )

    def drawn(self, rng: Rng) -> str:
        """Return an address."""
        first, last = (rng.secret(rng.integer(2, 6), "aeiklmnorstu") for _ in range(2))
        joint = rng.choice((".", "_", "+", "-", ""))
        return f"{first}{joint}{last}@{self._domain(rng)}"

    def _domain(self, rng: Rng) -> str:
        name = rng.secret(rng.integer(3, 6), "abdeilmnorst")
        more = rng.choice(("", "", "mail.", "x1-"))
        return f"{more}{name}.{rng.choice(('org', 'net', 'example', 'no', 'co.uk'))}"

    def decoys(self, rng: Rng) -> tuple[str, ...]:
        """Return addresses with one thing wrong, and one that stays."""
        local, _, domain = self.drawn(rng).partition("@")
        stem = domain.partition(".")[0]
        decoys = [f"{local}@{stem}", f"{local}@@{domain}", f"{local[0]}..{local}@{domain}",
                f"{local}@{stem}.n", f"{local}@{stem}.c0m", f"{local}.@{domain}", f"@{domain}",
                f"{local}@{stem}-.org", f"{local}@{stem}..org"]  # fmt: skip
        return (*decoys, *([f"{local}@{self.kept}"] * 2 if self.kept else []))


@dataclass(frozen=True)
class Card(Kind):
    """A payment card: digits in groups or in one piece, with the check of Luhn."""

    groups: tuple[int, ...]
    checked: bool = True
    name = "card"

    def valid(self, word: str) -> bool:
        """Return whether a word is a card number."""
        digits = word.replace("-", "")
        shapes = (digits, self._grouped(digits))
        sound = re.fullmatch(r"[0-9]+", digits) and len(digits) == sum(self.groups)
        return bool(sound) and word in shapes and (not self.checked or luhn(digits) == 0)

    def _grouped(self, digits: str) -> str:
        ends = [sum(self.groups[:n]) for n in range(len(self.groups) + 1)]
        return "-".join(digits[a:b] for a, b in pairwise(ends))

    def drawn(self, rng: Rng) -> str:
        """Return a card number."""
        body = str(rng.integer(2, 6)) + rng.secret(sum(self.groups) - 2, DIGITS)
        digits = body + str(-luhn(body + "0") % 10)
        return self._grouped(digits) if rng.chance(0.6) else digits

    def decoys(self, rng: Rng) -> tuple[str, ...]:
        """Return a wrong check digit, a digit too many or too few, and groups that are not so."""
        card = self.drawn(rng)
        digits = card.replace("-", "")
        other = card[:-1] + str((int(card[-1]) + rng.integer(1, 9)) % 10)
        return (other, other, _raised(card, rng), digits[:3] + "-" + digits[3:],
                "0" + digits, digits + str(-luhn(digits + "0") % 10) + "-0")  # fmt: skip


@dataclass(frozen=True)
class Iban(Kind):
    """A bank account (IBAN): a known country, its length, remainder 1 modulo 97."""

    countries: tuple[str, ...]
    checked: bool = True
    name = "iban"

    def valid(self, word: str) -> bool:
        """Return whether a word is an account number."""
        form = re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]+", word)
        known = word[:2] in self.countries and len(word) == COUNTRIES.get(word[:2])
        return bool(form) and known and (not self.checked or mod97(word) == 1)

    def drawn(self, rng: Rng) -> str:
        """Return an account number."""
        return self._made(rng, rng.choice(self.countries))

    def _made(self, rng: Rng, country: str, more: int = 0) -> str:
        alphabet = rng.choice((DIGITS, DIGITS, DIGITS + "ABCDEFGH"))
        body = rng.secret(COUNTRIES[country] - 4 + more, alphabet)
        return f"{country}{98 - mod97(f'{country}00{body}'):02d}{body}"

    def decoys(self, rng: Rng) -> tuple[str, ...]:
        """Return wrong checks, a wrong length, small letters, and another country."""
        iban = self.drawn(rng)
        foreign = rng.choice([c for c in COUNTRIES if c not in self.countries])
        near = next((n for n in range(4, len(iban) - 1) if iban[n] != iban[n + 1]), 4)
        swapped = iban[:near] + iban[near + 1] + iban[near] + iban[near + 2 :]
        decoys = [self._made(rng, foreign), self._made(rng, foreign)]
        decoys += [self._made(rng, iban[:2], more) for more in (-1, 1)]
        return (_raised(iban, rng), swapped, iban.lower(), *decoys)


@dataclass(frozen=True)
class Phone(Kind):
    """A number in international form: a plus sign, digits, single hyphens."""

    low: int
    high: int
    name = "phone"

    def valid(self, word: str) -> bool:
        """Return whether a word is a phone number."""
        count = sum(c in DIGITS for c in word)
        form = word[:1] == "+" and re.fullmatch(r"\+[1-9][0-9]*(?:-[0-9]+)*", word)
        return bool(form) and self.low <= count <= self.high

    def drawn(self, rng: Rng) -> str:
        """Return a phone number."""
        return self._made(rng, rng.integer(self.low, self.high))

    def _made(self, rng: Rng, count: int) -> str:
        digits = str(rng.integer(1, 9)) + rng.secret(count - 1, DIGITS)
        for at in sorted(rng.sample(range(2, count - 1), rng.integer(0, 2)), reverse=True):
            digits = digits[:at] + "-" + digits[at:]
        return "+" + digits

    def decoys(self, rng: Rng) -> tuple[str, ...]:
        """Return too few or many digits, no plus sign, a zero first, and two hyphens in a row."""
        phone = self.drawn(rng)
        short, long = self._made(rng, self.low - 1), self._made(rng, self.high + 1)
        return (short, long, phone[1:], "+0" + phone[2:], f"{phone[:3]}--{phone[3:]}",
                f"{phone[:4]}.{phone[4:]}", "+" + phone)  # fmt: skip


@dataclass(frozen=True)
class Address(Kind):
    """An IPv4 address; private ones may stay."""

    private: bool
    name = "ipv4"

    def valid(self, word: str) -> bool:
        """Return whether a word is an address that is to be masked."""
        parts = word.split(".")
        if len(parts) != 4 or not all(re.fullmatch(r"0|[1-9][0-9]{0,2}", p) for p in parts):
            return False
        numbers = [int(p) for p in parts]
        inside = numbers[0] == 10 or numbers[:2] == [192, 168]
        return max(numbers) < 256 and not (self.private and inside)

    def drawn(self, rng: Rng) -> str:
        """Return an address."""
        lows = (11, 0, 0, 1)
        return ".".join(str(rng.integer(low, 191)) for low in lows)

    def decoys(self, rng: Rng) -> tuple[str, ...]:
        """Return numbers too large, zeros in front, three or five numbers, and private ones."""
        a, b, c, d = self.drawn(rng).split(".")
        decoys = [f"{a}.{256 + int(b)}.{c}.{d}", f"{a}.0{b}.{c}.{d}", f"{a}.{b}.{c}",
                f"{a}.{b}.{c}.{d}.{a}", f"{a}..{c}.{d}", f"v{a}.{b}.{c}.{d}"]  # fmt: skip
        return (*decoys, *([f"10.{b}.{c}.{d}", f"192.168.{c}.{d}"] if self.private else []))


@dataclass(frozen=True)
class House(Kind):
    """A number of the house's own: a prefix, digits, and a check character from weights."""

    prefix: str
    joint: str
    weights: tuple[int, ...]
    modulus: int
    checked: bool = True
    name = "house"

    def valid(self, word: str) -> bool:
        """Return whether a word is such a number."""
        start = len(self.prefix) + len(self.joint)
        digits = word[start : start + len(self.weights)]
        form = re.fullmatch(r"[0-9]+", digits) and len(digits) == len(self.weights)
        if not form or word[: len(self.prefix)] != self.prefix:
            return False
        check = self._check(digits) if self.checked else word[-1:]
        return word == self._joined(digits, check) and check in CHECKS[self.modulus]

    def _joined(self, digits: str, check: str) -> str:
        return self.joint.join((self.prefix, digits, check))

    def _check(self, digits: str) -> str:
        total = sum(w * int(d) for w, d in zip(self.weights, digits, strict=True))
        return CHECKS[self.modulus][total % self.modulus]

    def drawn(self, rng: Rng) -> str:
        """Return such a number."""
        digits = rng.secret(len(self.weights), DIGITS)
        return self._joined(digits, self._check(digits))

    def decoys(self, rng: Rng) -> tuple[str, ...]:
        """Return a wrong check, other digits, small letters, another prefix or joint."""
        digits = rng.secret(len(self.weights), DIGITS)
        check = self._check(digits)
        wrong = rng.choice([c for c in CHECKS[self.modulus] if c != check])
        right = self._joined(digits, check)
        turned = self.prefix[::-1] + right[len(self.prefix) :]
        return (self._joined(digits, wrong), self._joined(digits, wrong), right.lower(),
                right.replace(self.joint, "_"), self._joined(digits + "0", check),
                *([turned] if turned != right else []))  # fmt: skip


def luhn(digits: str) -> int:
    """Return the sum of Luhn modulo 10; 0 for a sound number."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 * (doubled > 9)
    return total % 10


def mod97(iban: str) -> int:
    """Return the remainder by ISO 7064."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97


def _raised(word: str, rng: Rng) -> str:
    """Return a word with one of its last digits changed."""
    at = rng.choice([n for n, c in enumerate(word) if c in DIGITS and n > 3])
    return word[:at] + str((int(word[at]) + rng.integer(1, 9)) % 10) + word[at + 1 :]
