"""Skins: invented organisations whose nouns, names, units and file names fill a task world.

Covers the vocabulary itself and draws from it. The data stands in the `skins_*` modules, as
text; a skin is parsed on first use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tmax_gym.rng import Rng
from tmax_gym.texts.plurals import plural


@dataclass(frozen=True, slots=True)
class Thing:
    """A countable noun of the trade."""

    singular: str
    plural: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A quantity that the organisation records."""

    name: str
    """In words, as in "wind speed"."""
    unit: str
    """Symbol; "" for a bare count."""
    lo: float
    hi: float
    """Plausible range, ends included."""

    @property
    def column(self) -> str:
        """Return the name as a column, as in "wind_speed"."""
        return slugged(self.name)


@dataclass(frozen=True, slots=True)
class Skin:
    """One kind of organisation; every tuple has at least eight entries."""

    slug: str
    """Identifier, as in "wind-farm"."""
    label: str
    """What kind of place it is, as in "wind farm"."""
    orgs: tuple[str, ...]
    """Names of such organisations."""
    places: tuple[str, ...]
    """Sites, rooms or areas within it."""
    first_names: tuple[str, ...]
    surnames: tuple[str, ...]
    things: tuple[Thing, ...]
    measures: tuple[Measure, ...]
    events: tuple[str, ...]
    """What happens there, as noun phrases in lower case, as in "blade icing"."""
    stems: tuple[str, ...]
    """File names without suffix."""
    directories: tuple[str, ...]
    """Names of single directories."""
    columns: tuple[str, ...]
    """Names of categorical or key columns."""
    codes: tuple[str, ...]
    """Prefixes of identifiers, two to four capitals."""
    jargon: tuple[str, ...]
    """Words that an outsider would have to look up, in lower case or as acronyms."""
    held_out: bool = False
    """Kept for the test split."""

    def org(self, rng: Rng) -> str:
        """Return the name of an organisation."""
        return rng.choice(self.orgs)

    def place(self, rng: Rng) -> str:
        """Return a site, room or area."""
        return rng.choice(self.places)

    def person(self, rng: Rng) -> str:
        """Return a full name."""
        return f"{rng.choice(self.first_names)} {rng.choice(self.surnames)}"

    def people(self, rng: Rng, n: int) -> tuple[str, ...]:
        """Return `n` different full names.

        Raises:
            ValueError: There are fewer than `n`.
        """
        pairs = [f"{first} {last}" for first in self.first_names for last in self.surnames]
        return tuple(rng.sample(pairs, n))

    def login(self, name: str) -> str:
        """Return the account name of a person, as in "ialvik" for Ida Alvik."""
        first, _, last = name.partition(" ")
        return slugged(first[:1] + last).replace("_", "")

    def thing(self, rng: Rng) -> Thing:
        """Return a countable noun."""
        return rng.choice(self.things)

    def measure(self, rng: Rng) -> Measure:
        """Return a recorded quantity."""
        return rng.choice(self.measures)

    def event(self, rng: Rng) -> str:
        """Return something that happens."""
        return rng.choice(self.events)

    def stem(self, rng: Rng) -> str:
        """Return a file name without suffix."""
        return rng.choice(self.stems)

    def directory(self, rng: Rng) -> str:
        """Return the name of one directory."""
        return rng.choice(self.directories)

    def column(self, rng: Rng) -> str:
        """Return the name of a key column."""
        return rng.choice(self.columns)

    def code(self, rng: Rng, *, digits: int = 4) -> str:
        """Return an identifier, as in "WTG-0412"."""
        number = rng.integer(1, 10**digits - 1)
        return f"{rng.choice(self.codes)}-{number:0{digits}d}"

    def term(self, rng: Rng) -> str:
        """Return a word of jargon."""
        return rng.choice(self.jargon)


def slugged(words: str) -> str:
    """Return words as an identifier of lower-case ASCII letters, digits and underscores.

    >>> slugged("Wind speed (hub)")
    'wind_speed_hub'
    """
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def _names(fields: dict[str, str], key: str) -> tuple[str, ...]:
    return tuple(entry.strip() for entry in fields[key].split(",") if entry.strip())


def _thing(entry: str) -> Thing:
    singular, slash, many = entry.partition("/")
    return Thing(singular, many if slash else plural(singular))


def _measure(entry: str) -> Measure:
    name, unit, lo, hi = entry.rsplit(" ", 3)
    return Measure(name, "" if unit == "-" else unit, float(lo), float(hi))


def _parse(block: str) -> Skin:
    """Parse one block: a head `slug | label | name pools [| held out]`, then `key: a, b` lines.

    A line that begins with a blank continues the one above.
    """
    from tmax_gym.texts.skins.people import POOLS

    head, *rest = re.sub(r"\n +", " ", block.strip()).splitlines()
    slug, label, pools, *flags = (part.strip() for part in head.split("|"))
    fields = {key.strip(): value for key, _, value in (line.partition(":") for line in rest)}
    chosen = [POOLS[name.strip()] for name in pools.split(",")]
    return Skin(
        slug=slug,
        label=label,
        orgs=_names(fields, "orgs"),
        places=_names(fields, "places"),
        first_names=tuple(dict.fromkeys(" ".join(pool[0] for pool in chosen).split())),
        surnames=tuple(dict.fromkeys(" ".join(pool[1] for pool in chosen).split())),
        things=tuple(_thing(entry) for entry in _names(fields, "things")),
        measures=tuple(_measure(entry) for entry in _names(fields, "measures")),
        events=_names(fields, "events"),
        stems=_names(fields, "stems"),
        directories=_names(fields, "dirs"),
        columns=_names(fields, "columns"),
        codes=_names(fields, "codes"),
        jargon=_names(fields, "jargon"),
        held_out="held out" in flags,
    )


@lru_cache(maxsize=1)
def _by_slug() -> dict[str, Skin]:
    from tmax_gym.texts.skins import culture, public, science, trade

    blocks = "\n\n".join(module.SKINS.strip() for module in (culture, public, science, trade))
    found = [_parse(block) for block in blocks.split("\n\n")]
    return {one.slug: one for one in sorted(found, key=lambda one: one.slug)}


def skins() -> tuple[Skin, ...]:
    """Return every skin, sorted by slug."""
    return tuple(_by_slug().values())


def skin(slug: str) -> Skin:
    """Return one skin.

    Raises:
        ValueError: There is no such skin.
    """
    try:
        return _by_slug()[slug]
    except KeyError:
        raise ValueError(f"no skin {slug!r}; there are: {', '.join(_by_slug())}") from None
