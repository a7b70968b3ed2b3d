"""The facts of the converge family: the names, numbers and lines that its wishes are made of.

Every kind of wish is drawn at most once, so that no two wishes of a host contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tmax_gym.families.contract import Context
from tmax_gym.families.system_administration.converge.accounts import (
    ACCOUNTS,
    Gone,
    Locked,
    Member,
    Present,
)
from tmax_gym.families.system_administration.converge.environment import (
    ENVIRONMENTS,
    SearchPath,
    Snippet,
    Unset,
    Variable,
)
from tmax_gym.families.system_administration.converge.host import Wish
from tmax_gym.families.system_administration.converge.paths import (
    PATHS,
    Current,
    Enabled,
    Folder,
    Keys,
    Link,
)
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import slugged

PREAMBLE = """\
# Desired state

All paths are relative to the root of a host. The points can be handled in any order. Create parent
directories where they are missing. Edit all files as plain text. Everything that is not mentioned
here stays as it is, including lines and their order, files, links and modes.

"""
"""The head of the description of a host."""
SHELLS = ("/bin/bash", "/bin/sh", "/usr/bin/zsh", "/usr/bin/fish")
MODES = (0o2775, 0o1777, 0o750, 0o700, 0o2770)


@dataclass(frozen=True, slots=True)
class Names:
    """Names on the hosts of this organisation."""

    logins: Sequence[str]
    people: Sequence[str]
    words: Sequence[str]


def wishes(ctx: Context, rng: Rng) -> tuple[Wish, ...]:
    """Return the points of a description, at least one of every group."""
    people = ctx.skin.people(rng.fork("people"), 20)
    by_login = {ctx.skin.login(person)[:9]: person for person in people}
    words = sorted({slugged(d).replace("_", "-") for d in ctx.skin.directories})
    names = Names(
        tuple(by_login), tuple(by_login.values()), rng.fork("words").sample(words, len(words))
    )
    wishes: list[Wish] = []
    for number, group in enumerate((ACCOUNTS, ENVIRONMENTS, PATHS)):
        kinds: list[type[Wish]] = rng.fork("kinds", number).sample(
            group, ctx.knob(1, len(group) - 1)
        )
        for kind in kinds:
            r = rng.fork(kind.__name__)
            wishes.append((_PATHS if kind in PATHS else _LINES)[kind](r, names))
    return tuple(wishes)


def _present(rng: Rng, names: Names) -> Wish:
    return Present(names.logins[0], rng.integer(1100, 1900), names.people[0], rng.choice(SHELLS))


def _member(rng: Rng, names: Names) -> Wish:
    # The same person as the account, where both are asked for.
    return Member(names.words[0], rng.integer(400, 499), names.logins[0])


def _gone(rng: Rng, names: Names) -> Wish:
    return Gone(names.logins[1], rng.integer(2000, 2900), names.words[1])


def _locked(rng: Rng, names: Names) -> Wish:
    return Locked(names.logins[2], rng.integer(200, 399))


def _key(names: Names, number: int, suffix: str) -> str:
    return f"{names.words[number].upper().replace('-', '_')}_{suffix}"


def _variable(rng: Rng, names: Names) -> Wish:
    suffix, value = rng.choice(
        (
            ("HOME", f"/srv/{names.words[2]}"),
            ("PORT", str(rng.integer(2000, 9900))),
            ("REGION", f"{names.words[3]}-{rng.integer(1, 4)}"),
            ("LOG_LEVEL", rng.choice(("info", "warning", "debug"))),
        )
    )
    return Variable(_key(names, 2, suffix), value)


def _unset(rng: Rng, names: Names) -> Wish:
    return Unset(_key(names, 3, rng.choice(("TOKEN", "PROXY", "DEBUG", "OPTS"))))


def _search(rng: Rng, names: Names) -> Wish:
    return SearchPath(f"/opt/{names.words[4]}/bin", rng.chance(0.5))


def _snippet(rng: Rng, names: Names) -> Wish:
    lines = rng.sample(
        (
            f"umask {rng.choice(('027', '077', '002'))}",
            f"export EDITOR={rng.choice(('vim', 'nano', 'vi'))}",
            f"export {_key(names, 5, 'DATA')}=/var/lib/{names.words[5]}",
            f'[ -d "$HOME/{names.words[5]}" ] && cd "$HOME/{names.words[5]}"',
            f"alias {names.words[5][:3]}='ls -l /var/lib/{names.words[5]}'",
            f"export TMOUT={rng.integer(3, 30) * 60}",
        ),
        rng.integer(2, 4),
    )
    body = "".join(f"{line}\n" for line in lines)
    return Snippet(f"etc/profile.d/{names.words[5]}.sh", body)


_Maker = Callable[[Rng, Names], Wish]
_LINES: dict[type[Wish], _Maker] = {
    Present: _present,
    Member: _member,
    Gone: _gone,
    Locked: _locked,
    Variable: _variable,
    Unset: _unset,
    SearchPath: _search,
    Snippet: _snippet,
}
_PATHS: dict[type[Wish], _Maker] = {
    Link: lambda rng, names: Link(
        f"etc/{names.words[0]}/active.conf",
        rng.choice((f"../../srv/{names.words[6]}/site.conf", f"/usr/share/{names.words[6]}.conf")),
    ),
    Folder: lambda rng, names: Folder(
        f"var/{rng.choice(('spool', 'lib', 'cache'))}/{names.words[1]}", rng.choice(MODES)
    ),
    Current: lambda rng, names: Current(f"srv/{names.words[2]}", rng.integer(1, 8)),
    Enabled: lambda rng, names: Enabled(f"etc/{names.words[3]}", tuple(names.words[4:8])),
    Keys: lambda rng, names: Keys(f"etc/{names.words[4]}/keys"),
}
