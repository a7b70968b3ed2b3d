"""Wishes about accounts: lines of passwd and group.

Covers accounts that shall exist, be locked or be gone, and members of groups, each with the part of
a script that brings it about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tmax_gym.families.system_administration.converge.host import (
    DONE,
    GROUP,
    PASSWD,
    Tree,
    Wish,
    add,
    lines,
    named,
    rewrite,
    without_member,
)
from tmax_gym.rng import Rng

NOLOGIN = "/usr/sbin/nologin"


@dataclass(frozen=True)
class Present(Wish):
    """An account with all its fields."""

    name: str
    number: int
    person: str
    shell: str
    hows: ClassVar[tuple[str, ...]] = ("shell", "absent", "home", "number")

    @property
    def line(self) -> str:
        """Return its line."""
        number = self.number
        return f"{self.name}:x:{number}:{number}:{self.person}:/home/{self.name}:{self.shell}"

    def told(self) -> str:
        """Return the account, field by field."""
        return (
            f"Account `{self.name}` has exactly one line in {PASSWD}, at any position: password "
            f"field `x`, uid and gid {self.number}, comment `{self.person}`, home "
            f"`/home/{self.name}`, shell `{self.shell}`."
        )

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Add its line, or one with a wrong field; also add a line with a similar name."""
        line = {
            "shell": self.line.rpartition(":")[0] + ":/bin/false",
            "home": self.line.replace(":/home/", ":/srv/home/"),
            "number": self.line.replace(f":{self.number}:", f":{self.number + 4000}:"),
            DONE: self.line,
        }.get(how)
        if line:
            add(tree, rng, PASSWD, line=line)
        add(tree, rng, PASSWD, line=self.line.replace(self.name, f"{self.name}2"))

    def holds(self, tree: Tree) -> bool:
        """Return whether its one line is right."""
        return named(tree, PASSWD, self.name) == [self.line.split(":")]

    def strip(self, tree: Tree) -> None:
        """Take its lines away."""
        rewrite(tree, PASSWD, [x for x in lines(tree, PASSWD) if x.split(":")[0] != self.name])

    def script(self) -> str:
        """Return a replacement in place, or a new last line."""
        return (
            f"awk -F: -v name={self.name} -v line='{self.line}' '\n"
            "    $1 == name { if (!seen++) print line; next }\n"
            "    { print }\n"
            "    END { if (!seen) print line }\n"
            f'\' "$root/{PASSWD}" > "$new"; put "$root/{PASSWD}"'
        )

    def slip(self) -> str:
        """Return a line that is added only if there is none, without a look at a wrong one."""
        file = f'"$root/{PASSWD}"'
        return f"grep -q '^{self.name}:' {file} || {{ echo '{self.line}' >> {file}; changed=1; }}"


@dataclass(frozen=True)
class Gone(Wish):
    """An account that has to be removed, with its memberships."""

    name: str
    number: int
    group: str
    hows: ClassVar[tuple[str, ...]] = ("both", "member", "account")

    def told(self) -> str:
        """Return the files that it must not be in."""
        return (
            f"Account `{self.name}` does not exist: it has no line in {PASSWD} and is in no member"
            f" list in {GROUP}. All groups stay, even one with the same name."
        )

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Add its line, its memberships, or both; also add an account with a similar name."""
        tail = f":x:{self.number}:{self.number}::/home/{self.name}:/bin/bash"
        if how in ("both", "account"):
            add(tree, rng, PASSWD, line=self.name + tail)
        add(tree, rng, PASSWD, line=f"{self.name}s{tail}")
        members = [f"{self.name}s", *([self.name] if how in ("both", "member") else []), "backup"]
        line = f"{self.group}:x:{self.number + 7}:{','.join(rng.shuffled(members))}"
        add(tree, rng, GROUP, line=line)
        add(tree, rng, GROUP, line=f"{self.name}:x:{self.number}:")

    def holds(self, tree: Tree) -> bool:
        """Return whether both files exist and neither names it."""
        listed = [m for line in lines(tree, GROUP) for m in line.rpartition(":")[2].split(",")]
        there = PASSWD in tree and GROUP in tree
        return there and self.name not in listed and not named(tree, PASSWD, self.name)

    def strip(self, tree: Tree) -> None:
        """Take it out of both files."""
        rewrite(tree, PASSWD, [x for x in lines(tree, PASSWD) if x.split(":")[0] != self.name])
        rewrite(tree, GROUP, [without_member(line, self.name) for line in lines(tree, GROUP)])

    def script(self) -> str:
        """Return one filter for each file."""
        return (
            f'grep -v \'^{self.name}:\' "$root/{PASSWD}" > "$new"; put "$root/{PASSWD}"\n'
            f"awk -F: -v OFS=: -v name={self.name} '{{\n"
            '    n = split($4, member, ","); left = ""\n'
            "    for (i = 1; i <= n; i++)\n"
            '        if (member[i] != name) left = left (left == "" ? "" : ",") member[i]\n'
            "    $4 = left; print\n"
            f'}}\' "$root/{GROUP}" > "$new"; put "$root/{GROUP}"'
        )

    def slip(self) -> str:
        """Return a filter of one file only."""
        return f'grep -v \'^{self.name}:\' "$root/{PASSWD}" > "$new"; put "$root/{PASSWD}"'


@dataclass(frozen=True)
class Member(Wish):
    """A group that has a member, among others."""

    group: str
    number: int
    member: str
    hows: ClassVar[tuple[str, ...]] = ("none", "others", "alone", "similar")

    def told(self) -> str:
        """Return the group and its member."""
        return (
            f"Group `{self.group}` (gid {self.number}, password field `x`) has one line in {GROUP},"
            f" and its member list has `{self.member}` exactly once, at any position. Other members"
            " stay, in the same order."
        )

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put the group without the member, or no group."""
        members = {
            "others": "daemon,backup",
            "alone": "",
            "similar": f"{self.member}2,backup",
            DONE: f"backup,{self.member}",
        }.get(how)
        if members is not None:
            add(tree, rng, GROUP, line=f"{self.group}:x:{self.number}:{members}")
        add(tree, rng, GROUP, line=f"{self.group}-ro:x:{self.number + 1}:backup")

    def holds(self, tree: Tree) -> bool:
        """Return whether the one line of the group names the member once."""
        groups = named(tree, GROUP, self.group)
        return (
            len(groups) == 1
            and groups[0][1:3] == ["x", str(self.number)]
            and groups[0][-1].split(",").count(self.member) == 1
        )

    def strip(self, tree: Tree) -> None:
        """Take the member out, and the group where it is then empty."""
        kept = []
        for line in lines(tree, GROUP):
            if line.split(":")[0] == self.group:
                line = without_member(line, self.member)
                if line.endswith(":"):
                    continue
            kept.append(line)
        rewrite(tree, GROUP, kept)

    def script(self) -> str:
        """Return an addition to the list, or a new group."""
        return (
            f"awk -F: -v OFS=: -v group={self.group} -v member={self.member} '\n"
            '    $1 == group { seen = 1; if (index("," $4 ",", "," member ",") == 0)\n'
            '        $4 = $4 == "" ? member : $4 "," member }\n'
            "    { print }\n"
            f'    END {{ if (!seen) print group, "x", {self.number}, member }}\n'
            f'\' "$root/{GROUP}" > "$new"; put "$root/{GROUP}"'
        )

    def slip(self) -> str:
        """Return an addition at the end of a line, without a look at the line."""
        return (
            f'sed \'s/^\\({self.group}:.*\\)$/\\1,{self.member}/\' "$root/{GROUP}" > "$new"; '
            f'put "$root/{GROUP}"'
        )


@dataclass(frozen=True)
class Locked(Wish):
    """An account that nobody can log in to."""

    name: str
    number: int
    hows: ClassVar[tuple[str, ...]] = ("/bin/bash", "/bin/sh", "")

    def told(self) -> str:
        """Return the shell, and what stays."""
        return f"Account `{self.name}` has the shell `{NOLOGIN}`. Its other fields stay the same."

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put the account, and one whose name is longer."""
        shell = NOLOGIN if how == DONE else how
        tail = f":x:{self.number}:{self.number}:{rng.hex(4)}:/var/lib/{self.name}"
        add(tree, rng, PASSWD, line=f"{self.name}{tail}:{shell}")
        add(tree, rng, PASSWD, line=f"{self.name}-admin{tail}:/bin/bash")

    def holds(self, tree: Tree) -> bool:
        """Return whether its shell is the one that refuses logins."""
        return [fields[-1] for fields in named(tree, PASSWD, self.name)] == [NOLOGIN]

    def strip(self, tree: Tree) -> None:
        """Leave everything but the shell."""
        kept = [
            line.rpartition(":")[0] if line.split(":")[0] == self.name else line
            for line in lines(tree, PASSWD)
        ]
        rewrite(tree, PASSWD, kept)

    def script(self) -> str:
        """Return another last field."""
        return (
            f'awk -F: -v OFS=: \'$1 == "{self.name}" {{ $7 = "{NOLOGIN}" }} {{ print }}\' '
            f'"$root/{PASSWD}" > "$new"; put "$root/{PASSWD}"'
        )

    def slip(self) -> str:
        """Return an edit that matches every account whose name begins in the same way."""
        return (
            f'sed \'s|^\\({self.name}.*:\\)[^:]*$|\\1{NOLOGIN}|\' "$root/{PASSWD}" > "$new"; '
            f'put "$root/{PASSWD}"'
        )


ACCOUNTS: tuple[type[Wish], ...] = (Present, Member, Gone, Locked)
