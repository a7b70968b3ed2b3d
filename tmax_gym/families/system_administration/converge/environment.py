"""Wishes about the environment: variables, the search path and profile snippets.

Covers lines of the environment file and whole files of profile.d, each with the part of a script
that brings it about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tmax_gym.families.system_administration.converge.host import (
    DONE,
    ENVIRONMENT,
    Tree,
    Wish,
    add,
    lines,
    rewrite,
)
from tmax_gym.rng import Rng


@dataclass(frozen=True)
class Variable(Wish):
    """A variable that every session has."""

    key: str
    value: str
    hows: ClassVar[tuple[str, ...]] = ("other", "absent", "twice")

    def told(self) -> str:
        """Return the assignment."""
        return (
            f"{ENVIRONMENT} has the line `{self.key}={self.value}` exactly once, at any position,"
            f" and no other line that sets `{self.key}`. Lines that begin with `#` set nothing."
        )

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put the line, older ones, and two that only look like it."""
        right = f"{self.key}={self.value}"
        planted = {
            "other": (f"{self.key}={self.value}.old",),
            "twice": (f"{self.key}=", right),
            DONE: (right,),
        }.get(how, ())
        for line in (*planted, f"#{self.key}={self.value}", f"{self.key}_FALLBACK=none"):
            add(tree, rng, ENVIRONMENT, line=line)

    def holds(self, tree: Tree) -> bool:
        """Return whether the one line is right."""
        settings = [x for x in lines(tree, ENVIRONMENT) if x.startswith(f"{self.key}=")]
        return settings == [f"{self.key}={self.value}"]

    def strip(self, tree: Tree) -> None:
        """Take every assignment away."""
        kept = [x for x in lines(tree, ENVIRONMENT) if not x.startswith(f"{self.key}=")]
        rewrite(tree, ENVIRONMENT, kept)

    def script(self) -> str:
        """Return a filter that puts one line in the place of the first and drops the others."""
        return (
            f"awk -v key='{self.key}=' -v line='{self.key}={self.value}' '\n"
            "    index($0, key) == 1 { if (!seen++) print line; next }\n"
            "    { print }\n"
            "    END { if (!seen) print line }\n"
            f'\' "$root/{ENVIRONMENT}" > "$new"; put "$root/{ENVIRONMENT}"'
        )

    def slip(self) -> str:
        """Return a line that is added unless the file has some such text."""
        file, line = f'"$root/{ENVIRONMENT}"', f"{self.key}={self.value}"
        return f"grep -q '{line}' {file} || {{ echo '{line}' >> {file}; changed=1; }}"


@dataclass(frozen=True)
class Unset(Wish):
    """A variable that no session may have any longer."""

    key: str
    hows: ClassVar[tuple[str, ...]] = ("once", "twice")

    def told(self) -> str:
        """Return the variable that must not be set."""
        return f"{ENVIRONMENT} has no line that sets `{self.key}`. Comments about it stay."

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put assignments, a comment, and a longer name."""
        times = {"once": 1, "twice": 2}.get(how, 0)
        settings = [f"{self.key}={rng.hex(5)}" for _ in range(times)]
        for line in (*settings, f"# {self.key} was dropped", f"{self.key}_V2=on"):
            add(tree, rng, ENVIRONMENT, line=line)

    def holds(self, tree: Tree) -> bool:
        """Return whether the file exists and nothing in it sets the variable."""
        settings = lines(tree, ENVIRONMENT)
        return bool(settings) and not any(line.startswith(f"{self.key}=") for line in settings)

    def strip(self, tree: Tree) -> None:
        """Take every assignment away."""
        kept = [x for x in lines(tree, ENVIRONMENT) if not x.startswith(f"{self.key}=")]
        rewrite(tree, ENVIRONMENT, kept)

    def script(self) -> str:
        """Return a filter."""
        return f'grep -v \'^{self.key}=\' "$root/{ENVIRONMENT}" > "$new"; put "$root/{ENVIRONMENT}"'

    def slip(self) -> str:
        """Return a filter that takes the comment and the longer name as well."""
        return f'grep -v {self.key} "$root/{ENVIRONMENT}" > "$new"; put "$root/{ENVIRONMENT}"'


@dataclass(frozen=True)
class SearchPath(Wish):
    """A directory on the search path."""

    folder: str
    last: bool
    hows: ClassVar[tuple[str, ...]] = ("place", "absent", "twice")

    def told(self) -> str:
        """Return the place on the path."""
        return (
            f'The line `PATH="..."` in {ENVIRONMENT} lists `{self.folder}` exactly once, as its '
            f"{'last' if self.last else 'first'} entry. The other entries keep their order."
        )

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put a path, with a directory of a longer name on it."""
        entries = ["/usr/local/bin", "/usr/bin", "/bin", f"{self.folder}-tools"]
        entries = rng.shuffled(entries)
        middle = rng.integer(1, 3)
        if how in ("place", "twice"):
            entries.insert(middle, self.folder)
        if how in ("twice", DONE):
            entries.insert(len(entries) if self.last else 0, self.folder)
        add(tree, rng, ENVIRONMENT, line=f'PATH="{":".join(entries)}"')

    def _entries(self, tree: Tree) -> list[list[str]]:
        settings = [x for x in lines(tree, ENVIRONMENT) if x.startswith("PATH=")]
        return [line.removeprefix('PATH="').removesuffix('"').split(":") for line in settings]

    def holds(self, tree: Tree) -> bool:
        """Return whether the one path has it once, at its end."""
        entries = self._entries(tree)
        return (
            len(entries) == 1
            and entries[0].count(self.folder) == 1
            and entries[0][-1 if self.last else 0] == self.folder
        )

    def strip(self, tree: Tree) -> None:
        """Take it off the path."""
        kept = []
        for line in lines(tree, ENVIRONMENT):
            if line.startswith('PATH="') and line.endswith('"'):
                entries = line.removeprefix('PATH="').removesuffix('"').split(":")
                line = f'PATH="{":".join(e for e in entries if e != self.folder)}"'
            kept.append(line)
        rewrite(tree, ENVIRONMENT, kept)

    def script(self) -> str:
        """Return the path without it, and it at the end."""
        joined = f"$kept:{self.folder}" if self.last else f"{self.folder}:$kept"
        return (
            f'path=$(sed -n \'s/^PATH="\\(.*\\)"$/\\1/p\' "$root/{ENVIRONMENT}")\n'
            f"kept=$(tr : '\\n' <<< \"$path\" | grep -vxF '{self.folder}' | paste -sd :)\n"
            f'sed "s|^PATH=.*|PATH=\\"{joined}\\"|" "$root/{ENVIRONMENT}" > "$new"; '
            f'put "$root/{ENVIRONMENT}"'
        )

    def slip(self) -> str:
        """Return an addition unless it is on the path somewhere."""
        edit = f's|"$|:{self.folder}"|' if self.last else f's|"|"{self.folder}:|'
        return (
            f"if grep -q '^PATH=.*{self.folder}' \"$root/{ENVIRONMENT}\"; then :; else\n"
            f'    sed \'/^PATH=/{edit}\' "$root/{ENVIRONMENT}" > "$new"; '
            f'put "$root/{ENVIRONMENT}"\nfi'
        )


@dataclass(frozen=True)
class Snippet(Wish):
    """A file that every login shell reads."""

    path: str
    body: str
    hows: ClassVar[tuple[str, ...]] = ("older", "absent", "mode", "longer")

    @property
    def place(self) -> str:
        """Return the entry."""
        return self.path

    def told(self) -> str:
        """Return mode and lines."""
        shown = "".join(f"\n      {line}" for line in self.body.splitlines())
        return f"{self.path} has mode 0644 and exactly these lines, not indented:\n{shown}\n"

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put the file, an older one, or one that nobody else can read."""
        body, mode = self.body, 0o600 if how == "mode" else 0o644
        if how == "older":
            body = "".join(f"{line}\n" for line in body.splitlines()[:-1])
        if how == "longer":
            body += f"# {rng.hex(6)}\n"
        if how != "absent":
            tree[self.path.rpartition("/")[0]] = ("dir", 0o755, "")
            tree[self.path] = ("file", mode, body)

    def holds(self, tree: Tree) -> bool:
        """Return whether mode and lines are right."""
        return tree.get(self.path) == ("file", 0o644, self.body)

    def strip(self, tree: Tree) -> None:
        """Take the file away."""
        tree.pop(self.path, None)

    def script(self) -> str:
        """Return the lines, and the mode."""
        return (
            f"cat > \"$new\" <<'EOF'\n{self.body}EOF\n"
            f'put "$root/{self.path}"; mode 644 "$root/{self.path}"'
        )

    def slip(self) -> str:
        """Return the lines where there is no file."""
        return (
            f"cat > \"$new\" <<'EOF'\n{self.body}EOF\n"
            f'[ -e "$root/{self.path}" ] || put "$root/{self.path}"'
        )


ENVIRONMENTS: tuple[type[Wish], ...] = (Variable, Snippet, SearchPath, Unset)
