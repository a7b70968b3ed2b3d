"""Recorded calls of the tone-poll family: pressed keys, their sound, and a decoder.

Touch tones are sampled at 4 kHz and cached by key and level.  There is no noise, because the
difficulty is in the count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng
from tmax_gym.world.media import wav

RATE, TONE, GAP = 4000, 60, 40
"""Samples per second, and milliseconds of a key and of the silence after it."""
LEVELS = (350, 520, 700)


@dataclass(frozen=True, slots=True)
class Call:
    """One recording."""

    file: str
    caller: str
    option: int

    @property
    def keys(self) -> str:
        """Return the pressed keys."""
        return f"{self.caller}*{self.option}#"


@cache
def _key(key: str, level: int) -> tuple[int, ...]:
    return tuple(wav.dtmf(wav.Voice(RATE, level), key, ms=TONE, gap=GAP))


def sound(call: Call, rng: Rng) -> bytes:
    """Return the recording of a call."""
    level = rng.choice(LEVELS)
    samples: list[int] = [0] * (RATE * rng.integer(10, 90) // 1000)
    for key in call.keys:
        samples += _key(key, level)
    return wav.wav(wav.Voice(RATE, level), samples)


@dataclass(frozen=True, slots=True)
class Poll:
    """All calls in order, the voters and the options."""

    calls: tuple[Call, ...]
    voters: tuple[tuple[str, str], ...]
    """The number and the region of every voter."""
    options: tuple[tuple[int, str], ...]
    """The number and the name of every option."""
    last: bool
    """Whether the last vote of a caller counts instead of the first."""

    def counted(self) -> list[Call]:
        """Return the calls that count."""
        known, numbers = dict(self.voters), dict(self.options)
        valid = [c for c in self.calls if c.caller in known and c.option in numbers]
        chosen: dict[str, Call] = {}
        for call in valid:
            if self.last or call.caller not in chosen:
                chosen[call.caller] = call
        return [c for c in valid if chosen[c.caller] is c]

    def tally(self) -> list[tuple[str, int]]:
        """Return (option's name, votes), most votes first, then by name."""
        counted = [c.option for c in self.counted()]
        rows = [(name, counted.count(number)) for number, name in self.options]
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def regions(self) -> list[tuple[str, str, int]]:
        """Return (region, option's name, votes) where there are any, sorted."""
        home, names = dict(self.voters), dict(self.options)
        pairs = [(home[c.caller], names[c.option]) for c in self.counted()]
        return [(*pair, pairs.count(pair)) for pair in sorted(set(pairs))]

    def dropped(self) -> list[tuple[str, int]]:
        """Return (reason, calls) for the three reasons."""
        known, numbers = dict(self.voters), dict(self.options)
        unknown = sum(c.caller not in known for c in self.calls)
        invalid = sum(c.caller in known and c.option not in numbers for c in self.calls)
        repeated = len(self.calls) - unknown - invalid - len(self.counted())
        return [("invalid", invalid), ("repeated", repeated), ("unknown", unknown)]


def drawn(rng: Rng, names: list[str], regions: list[str], *, count: int) -> Poll:
    """Return a poll in which every option gets a vote and the order of double votes matters."""
    options = tuple(enumerate(names, start=1))
    for attempt in range(200):
        r = rng.fork("attempt", attempt)
        callers = sorted({f"{r.integer(1000, 9999)}" for _ in range(count)})
        cut = max(2, len(callers) - 1 - count // 8)
        voters = tuple((caller, r.choice(regions)) for caller in r.shuffled(callers)[:cut])
        calls: list[Call] = []
        for number in range(1, count + 1):
            again = number > count // 2 and r.chance(0.5)
            caller = r.choice([c.caller for c in calls]) if again else r.choice(callers)
            invalid = r.chance(0.1)
            option = len(names) + 1 if invalid else r.integer(1, len(names))
            calls.append(Call(f"call{number:02d}.wav", caller, option))
        poll = Poll(tuple(calls), voters, options, r.chance(0.5))
        other = Poll(tuple(calls), voters, options, not poll.last)
        whole = [c for c in calls if c.option <= len(names)]
        tally = poll.tally()
        plain = sorted((n, sum(c.option == k for c in whole)) for k, n in options)
        if min(v for _, v in tally) > 0 and tally != other.tally() and sorted(tally) != plain:
            return poll
    raise ValueError(f"no telling poll of {count} calls in 200 draws")


DECODE = program_text(__package__, "decode.py")
