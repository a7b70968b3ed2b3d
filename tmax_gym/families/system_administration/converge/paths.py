"""Wishes about directories and links: modes, targets, releases, enabled sites and keys.

Covers entries that are replaced as a whole and groups of entries that follow from others, each
with the part of a script that brings it about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tmax_gym.families.system_administration.converge.host import DONE, Tree, Wish, ancestors
from tmax_gym.rng import Rng


@dataclass(frozen=True)
class Folder(Wish):
    """A directory with a mode."""

    path: str
    mode: int
    hows: ClassVar[tuple[str, ...]] = ("mode", "absent")

    @property
    def place(self) -> str:
        """Return the entry."""
        return self.path

    def told(self) -> str:
        """Return the directory and its mode."""
        return f"{self.path} is a directory with mode {self.mode:04o}. Its contents stay."

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put the directory and something in it."""
        if how == "absent":
            return
        _folders(tree, self.path)
        tree[self.path] = ("dir", self.mode if how == DONE else 0o755, "")
        tree[f"{self.path}/{rng.hex(4)}.job"] = ("file", 0o640, rng.hex(20) + "\n")

    def holds(self, tree: Tree) -> bool:
        """Return whether it is one, with its mode."""
        return tree.get(self.path, ("", 0, ""))[:2] == ("dir", self.mode)

    def strip(self, tree: Tree) -> None:
        """Take the directory alone away."""
        tree.pop(self.path, None)

    def script(self) -> str:
        """Return the directory, then the mode."""
        at = f'"$root/{self.path}"'
        return f"[ -d {at} ] || {{ mkdir -p {at}; changed=1; }}\nmode {self.mode:o} {at}"

    def slip(self) -> str:
        """Return a mode that only a new directory gets."""
        at = f'"$root/{self.path}"'
        return f"[ -d {at} ] || {{ install -d -m {self.mode:o} {at}; changed=1; }}"


@dataclass(frozen=True)
class Link(Wish):
    """A symbolic link that replaces what stood there."""

    path: str
    target: str
    hows: ClassVar[tuple[str, ...]] = ("directory", "absent", "file", "dangling")

    @property
    def place(self) -> str:
        """Return the entry."""
        return self.path

    def told(self) -> str:
        """Return the link and its target, as written."""
        return (
            f"{self.path} is a symbolic link whose target is exactly `{self.target}`. It replaces a"
            " file or another link at this path."
        )

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put the link, one to a directory, or a file; the directory stays out of it."""
        other = f"{self.path.rpartition('/')[0]}/{rng.hex(5)}.d"
        _folders(tree, self.path, other)
        tree[other] = ("dir", 0o755, "")
        tree[f"{other}/readme"] = ("file", 0o644, rng.hex(12) + "\n")
        if how == "file":
            tree[self.path] = ("file", 0o644, rng.hex(16) + "\n")
        elif how != "absent":
            targets = {"directory": other.rpartition("/")[2], "dangling": f"{self.target}.old"}
            tree[self.path] = ("link", 0, targets.get(how, self.target))

    def holds(self, tree: Tree) -> bool:
        """Return whether it is that link."""
        return tree.get(self.path) == ("link", 0, self.target)

    def strip(self, tree: Tree) -> None:
        """Take the link away."""
        tree.pop(self.path, None)

    def script(self) -> str:
        """Return the link, unless it is there."""
        return f"symlink '{self.target}' \"$root/{self.path}\""

    def slip(self) -> str:
        """Return a link that is made inside the directory to which the old link points."""
        at = f'"$root/{self.path}"'
        return f"[ -L {at} ] || {{ ln -sf '{self.target}' {at}; changed=1; }}"


@dataclass(frozen=True)
class Current(Wish):
    """A link to the highest release."""

    root: str
    major: int
    hows: ClassVar[tuple[str, ...]] = ("absent", "older", "gone")

    @property
    def path(self) -> str:
        """Return the link."""
        return f"{self.root}/current"

    @property
    def place(self) -> str:
        """Return the entry."""
        return self.path

    def told(self) -> str:
        """Return the rule by which the target is found."""
        return (
            f"{self.path} is a symbolic link to `releases/VERSION`, where VERSION is the highest"
            f" version that has a directory in {self.root}/releases ({self.major}.10 is higher than"
            f" {self.major}.9)."
        )

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put releases on both sides of ten, and the link."""
        minors = sorted({rng.integer(2, 9), 9, 10 + rng.integer(0, 3)})
        versions = [f"{self.major}.{minor}" for minor in minors]
        _folders(tree, f"{self.root}/releases/x")
        for version in versions:
            at = f"{self.root}/releases/{version}"
            tree[at] = ("dir", 0o755, "")
            tree[f"{at}/VERSION"] = ("file", 0o644, f"{version}\n")
        shown = {"older": versions[0], "gone": f"{self.major}.1", DONE: versions[-1]}.get(how)
        if shown:
            tree[self.path] = ("link", 0, f"releases/{shown}")

    def holds(self, tree: Tree) -> bool:
        """Return whether the link leads to the highest that is there."""
        head = f"{self.root}/releases/"
        versions = [
            p.removeprefix(head) for p, e in tree.items() if p.startswith(head) and e[0] == "dir"
        ]
        numbers = [
            tuple(int(n) for n in v.split(".")) for v in versions if v.replace(".", "").isdigit()
        ]
        if not numbers:
            return False
        highest = ".".join(str(n) for n in max(numbers))
        return tree.get(self.path) == ("link", 0, f"releases/{highest}")

    def strip(self, tree: Tree) -> None:
        """Take the link away."""
        tree.pop(self.path, None)

    def script(self) -> str:
        """Return the last of a version sort."""
        return (
            f'highest=$(ls "$root/{self.root}/releases" | sort -V | tail -n 1)\n'
            f'symlink "releases/$highest" "$root/{self.path}"'
        )

    def slip(self) -> str:
        """Return the last of a plain sort."""
        return self.script().replace("sort -V", "sort")


@dataclass(frozen=True)
class Enabled(Wish):
    """Links that follow from the files that are available."""

    root: str
    names: tuple[str, ...]
    hows: ClassVar[tuple[str, ...]] = ("both", "missing", "stale")

    @property
    def path(self) -> str:
        """Return the directory of links."""
        return f"{self.root}/enabled"

    @property
    def place(self) -> str:
        """Return the entry."""
        return self.path

    def told(self) -> str:
        """Return which links there are."""
        return (
            f"For every file NAME in {self.root}/available that matches `*.conf`, {self.path} has a"
            " symbolic link NAME to `../available/NAME`. It has no other symbolic links. Files in"
            " it that are not links stay."
        )

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put files, and links to most of them or to what is no longer there."""
        _folders(tree, f"{self.root}/available/x", f"{self.path}/x")
        kept = rng.sample(self.names, rng.integer(2, len(self.names)))
        for number, name in enumerate(kept):
            tree[f"{self.root}/available/{name}.conf"] = ("file", 0o644, rng.hex(10) + "\n")
            if number or how not in ("missing", "both"):
                tree[f"{self.path}/{name}.conf"] = ("link", 0, f"../available/{name}.conf")
        tree[f"{self.root}/available/README"] = ("file", 0o644, rng.hex(10) + "\n")
        tree[f"{self.path}/{rng.hex(4)}.note"] = ("file", 0o644, "local\n")
        if how in ("stale", "both"):
            old = rng.hex(5)
            tree[f"{self.path}/{old}.conf"] = ("link", 0, f"../available/{old}.conf")
            tree[f"{self.path}/README"] = ("link", 0, "../available/README")

    def _links(self, tree: Tree) -> dict[str, str]:
        head = f"{self.path}/"
        return {
            p.removeprefix(head): entry[2]
            for p, entry in tree.items()
            if p.startswith(head) and entry[0] == "link"
        }

    def holds(self, tree: Tree) -> bool:
        """Return whether the links are those of the files."""
        head = f"{self.root}/available/"
        files = [p.removeprefix(head) for p in tree if p.startswith(head) and p.endswith(".conf")]
        return bool(files) and self._links(tree) == {f: f"../available/{f}" for f in files}

    def strip(self, tree: Tree) -> None:
        """Take the links away, and the directory, which may be new."""
        for name in self._links(tree):
            tree.pop(f"{self.path}/{name}")
        tree.pop(self.path, None)

    def script(self) -> str:
        """Return commands that remove links without a file, and then make every link."""
        return (
            f"have=$(find \"$root/{self.path}\" -maxdepth 1 -type l -printf '%f\\n' | sort)\n"
            f"want=$(find \"$root/{self.root}/available\" -maxdepth 1 -name '*.conf' "
            "-printf '%f\\n' | sort)\n"
            'for name in $(comm -23 <(echo "$have") <(echo "$want")); do\n'
            f'    rm "$root/{self.path}/$name"; changed=1\ndone\n'
            f'for name in $want; do symlink "../available/$name" "$root/{self.path}/$name"; done'
        )

    def slip(self) -> str:
        """Return the links, without a look at those that must go."""
        lines = self.script().split("\n")
        return "\n".join((lines[1], lines[-1]))


@dataclass(frozen=True)
class Keys(Wish):
    """Files that only their owner reads."""

    root: str
    hows: ClassVar[tuple[str, ...]] = ("deep", "top", "both")

    def told(self) -> str:
        """Return which files it is about."""
        return (
            f"Every regular file below {self.root}, at any depth, has mode 0600. Directories keep"
            " their modes."
        )

    def plant(self, tree: Tree, rng: Rng, how: str) -> None:
        """Put keys on two levels, some of them open."""
        _folders(tree, f"{self.root}/x")
        inner = f"{self.root}/{rng.hex(4)}"
        tree[inner] = ("dir", 0o750, "")
        wrong = {"deep": (inner,), "top": (self.root,), "both": (inner, self.root)}.get(how, ())
        for folder in (self.root, inner):
            for number in range(2):
                mode = 0o644 if folder in wrong and number == 0 else 0o600
                tree[f"{folder}/{rng.hex(6)}.key"] = ("file", mode, rng.hex(24) + "\n")

    def _files(self, tree: Tree) -> list[str]:
        return [p for p, e in tree.items() if p.startswith(f"{self.root}/") and e[0] == "file"]

    def holds(self, tree: Tree) -> bool:
        """Return whether there are files and all of them are private."""
        paths = self._files(tree)
        return bool(paths) and all(tree[path][1] == 0o600 for path in paths)

    def strip(self, tree: Tree) -> None:
        """Leave everything but the modes."""
        for path in self._files(tree):
            tree[path] = ("file", 0, tree[path][2])

    def script(self) -> str:
        """Return one search for those that are open."""
        where = f'"$root/{self.root}" -type f ! -perm 600'
        return (
            f'if [ -n "$(find {where})" ]; then\n'
            f"    find {where} -exec chmod 600 {{}} +; changed=1\nfi"
        )

    def slip(self) -> str:
        """Return the first level only."""
        return self.script().replace(" -type f", " -maxdepth 1 -type f")


PATHS: tuple[type[Wish], ...] = (Link, Folder, Current, Enabled, Keys)


def _folders(tree: Tree, *paths: str) -> None:
    """Put the directories above some paths."""
    for path in paths:
        for above in ancestors(path):
            tree.setdefault(above, ("dir", 0o755, ""))
