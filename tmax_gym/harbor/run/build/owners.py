"""Owners of files in `COPY --chown`: numbers, or names that the image knows.

A form about which docker's builders disagree is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tmax_gym.errors import ImageError
from tmax_gym.sandboxes import Sandbox


class Owner(NamedTuple):
    """A user and a group, by number."""

    uid: int
    gid: int


def owner_of(sandbox: Sandbox, wanted: str) -> Owner:
    """Return the owner that `user`, `user:group`, `uid` or `uid:gid` means in a sandbox.

    Raises:
        ImageError: A name is not known there, or builders disagree about its group.
    """
    user, sign, group = wanted.partition(":")
    if not user or (sign and not group):
        raise ImageError(f"the image could not be built: --chown={wanted} is no user:group")
    users, groups = _table(sandbox, "passwd"), _table(sandbox, "group")
    uid = _number(user, users, wanted)
    if group:
        return Owner(uid, _number(group, groups, wanted))
    if user.isdecimal():
        return Owner(uid, uid)
    primary = users[user][1]
    # BuildKit takes the user's own group, Docker's first builder the group of the same name.
    if groups.get(user, (primary,))[0] != primary:
        raise ImageError(
            f"the image could not be built: --chown={wanted} names no group, and builders "
            f"differ about it: write --chown={wanted}:{wanted}"
        )
    return Owner(uid, primary)


def _number(name: str, table: Mapping[str, tuple[int, ...]], wanted: str) -> int:
    if name.isdecimal():
        return int(name)
    if name not in table:
        raise ImageError(f"the image could not be built: --chown={wanted}: there is no {name}")
    return table[name][0]


def _table(sandbox: Sandbox, file: str) -> dict[str, tuple[int, ...]]:
    """Return the numbers of every name in /etc/passwd or /etc/group of the image."""
    text = b"".join(n.data or b"" for n in sandbox.get([f"/etc/{file}"]))
    table: dict[str, tuple[int, ...]] = {}
    for line in text.decode(errors="replace").splitlines():
        name, *rest = line.split(":")
        if numbers := tuple(int(part) for part in rest[1:3] if part.isdecimal()):
            table.setdefault(name, numbers)
    return table
