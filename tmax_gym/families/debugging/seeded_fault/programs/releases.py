"""Release numbers: parsing, precedence, bumping and ranges, after Semantic Versioning 2.0.

Covers MAJOR.MINOR.PATCH with pre-release and build parts, and the ranges `^`, `~`, `>=`, `<`.
Does not cover ranges with `||` or hyphens.
"""

from __future__ import annotations

from functools import total_ordering


@total_ordering
class Release:
    """One release number, ordered by precedence; the build part has no influence."""

    def __init__(self, text: str) -> None:
        rest, _, self.build = text.partition("+")
        numbers, _, pre = rest.partition("-")
        self.pre = pre.split(".") if pre else []
        parts = numbers.split(".")
        if len(parts) != 3 or not all(part.isdigit() for part in parts):
            raise ValueError(f"{text} is no release number")
        self.numbers = tuple(int(part) for part in parts)

    def key(self) -> tuple[object, ...]:
        """Return what precedence compares, with every identifier of the pre-release part.

        A pre-release comes before its release.
        """
        return (self.numbers, not self.pre, [_identifier(part) for part in self.pre])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self.key() == other.key()

    def __lt__(self, other: Release) -> bool:
        return self.key() < other.key()

    def bump(self, part: str) -> str:
        """Return the next release: `major`, `minor`, or `patch`.

        A smaller part starts again at 0.  The patch after a pre-release is the release that it
        announced: 1.2.3-rc.1 becomes 1.2.3.
        """
        major, minor, patch = self.numbers
        if part == "major":
            return f"{major + 1}.0.0"
        if part == "minor":
            return f"{major}.{minor + 1}.0"
        if part == "patch":
            step = 0 if self.pre else 1
            return f"{major}.{minor}.{patch + step}"
        raise ValueError(f"no part {part}")


def _identifier(part: str) -> tuple[int, int, str]:
    """Return the key of one identifier: numbers by value, and before words."""
    if part.isdigit():
        return (0, int(part), "")
    return (1, 0, part)


def matches(release: Release, wanted: str) -> bool:
    """Return whether a release satisfies every term of a range, as in ">=1.2.0,<2.0.0".

    `^` allows what does not change the leftmost number other than 0: ^1.2.3 is below 2.0.0,
    ^0.2.3 below 0.3.0, ^0.0.3 below 0.0.4.  `~` allows patches only: ~1.2.3 is below 1.3.0.
    For both, a pre-release of the upper limit is outside as well.
    """
    return all(_term(release, term) for term in wanted.split(","))


def _term(release: Release, term: str) -> bool:
    if term.startswith(">="):
        return release >= Release(term[2:])
    if term.startswith("<"):
        return release < Release(term[1:])
    low = Release(term[1:] if term[0] in "^~" else term)
    if term[0] == "^":
        return release >= low and release.numbers < _caret(*low.numbers)
    if term[0] == "~":
        major, minor, _ = low.numbers
        return release >= low and release.numbers < (major, minor + 1, 0)
    return release == low


def _caret(major: int, minor: int, patch: int) -> tuple[int, int, int]:
    if major > 0:
        return (major + 1, 0, 0)
    if minor > 0:
        return (0, minor + 1, 0)
    return (0, 0, patch + 1)


def newest(wanted: str, texts: list[str]) -> str:
    """Return the newest text that matches; a pre-release only where nothing else does.

    Raises ValueError where nothing matches.
    """
    fitting = [text for text in texts if matches(Release(text), wanted)]
    stable = [text for text in fitting if not Release(text).pre]
    if not fitting:
        raise ValueError("nothing matches")
    return max(stable or fitting, key=Release)


class Session:
    """The commands."""

    def run(self, name: str, *words: str) -> str:
        """Return the answer to one command; a ValueError becomes an answer as well."""
        try:
            return self._answer(name, list(words))
        except ValueError as error:
            return f"error: {error}"

    def _answer(self, name: str, words: list[str]) -> str:
        if name == "compare":
            one, other = Release(words[0]), Release(words[1])
            return "=" if one == other else "<" if one < other else ">"
        if name == "order":
            return " ".join(sorted(words, key=Release))
        if name == "bump":
            return Release(words[1]).bump(words[0])
        if name == "matches":
            return "yes" if matches(Release(words[1]), words[0]) else "no"
        if name == "newest":
            return newest(words[0], words[1:])
        raise ValueError(f"no command {name}")
