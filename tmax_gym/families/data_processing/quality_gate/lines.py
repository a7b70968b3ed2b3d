"""The one rule on lines of a short quality gate, with lines that fit it and lines that do not."""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.data_processing.quality_gate.rules import STATES
from tmax_gym.rng import Rng


@dataclass(frozen=True, slots=True)
class Single:
    """A rule that a line keeps or breaks."""

    kind: int
    prefix: str
    words: tuple[str, ...]
    fields: int
    digits: int
    evil: tuple[str, ...] = ()
    """Hidden inputs with one wrong line."""
    clean: tuple[str, ...] = ()

    @property
    def pattern(self) -> str:
        """Return the rule as a regular expression."""
        return (
            f"^{self.prefix}-[0-9]{{{self.digits}}}$",
            f"^({'|'.join(self.words)})$",
            f"^[a-z]+(,[a-z]+){{{self.fields - 1}}}$",
        )[self.kind]

    @property
    def wanted(self) -> str:
        """Return what a good line is, as the rest of a sentence."""
        one, two, three = self.words
        return (
            f"`{self.prefix}-` followed by exactly {self.digits} digits, and nothing else",
            f"exactly one of the words `{one}`, `{two}` and `{three}`",
            f"exactly {self.fields} words of the lower-case letters a to z, with a single comma "
            "and no blank between two words",
        )[self.kind]

    def fitting(self, rng: Rng) -> str:
        """Return a line that keeps the rule."""
        return (
            f"{self.prefix}-{rng.secret(self.digits, '0123456789')}",
            rng.choice(self.words),
            ",".join(rng.secret(rng.integer(1, 5), "abcdefgh") for _ in range(self.fields)),
        )[self.kind]

    def raw(self, rng: Rng) -> str:
        """Return lines as they come in: one of them breaks the rule."""
        lines = [self.fitting(rng) for _ in range(rng.integer(6, 9))]
        lines.insert(rng.integer(1, 5), rng.choice(_spoilt(lines[0])[:4]))
        return "\n".join(lines) + "\n"


def single(rng: Rng, prefix: str) -> Single:
    """Return a rule with hidden inputs."""
    kind = rng.integer(0, 2)
    words, fields, digits = rng.sample(STATES, 3), rng.integer(3, 6), rng.integer(3, 5)
    plain = Single(kind, prefix, tuple(words), fields, digits)
    evil, clean = [], []
    for n in range(12):
        r = rng.fork("file", n)
        line = plain.fitting(r)
        lines = [line] * r.integer(1, 3)
        clean.append("\n".join(lines) + "\n")
        evil.append("\n".join([*lines, _spoilt(line)[n % 6], line]) + "\n")
    return Single(kind, prefix, tuple(words), fields, digits, tuple(evil), tuple(clean))


def _spoilt(line: str) -> tuple[str, ...]:
    """Return six lines that barely fail where `line` passes."""
    return (line + "0", "x " + line, line[:-1] + "!", line.upper() + "A", "", line + ",")
