"""SYS-20 package mend: a vendored service package with mistakes in its control files.

There are wrong digests, modes, dependencies and paths.  Each mistake has its own place, and the
packaging notes describe the right state.  The more difficult the task, the more mistakes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, fraction, unchanged
from tmax_gym.checks.exact import read_text
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.products import Edits, Files, Product, Table
from tmax_gym.families.system_administration.package_mend.notes import notes
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

ALMOST = 0.9
"""Reward of all repairs in the wrong order."""
LISTED = ("digest", "missing", "stale", "mode", "twice")
CONTROL = ("version", "size", "depends", "user", "unit")


@dataclass(frozen=True, slots=True)
class Mend:
    """One mistake: what the check wants, and how to correct it."""

    name: str
    file: str
    wanted: tuple[str, ...]
    """Lines that must be there."""
    barred: tuple[str, ...]
    """Lines that must not be there."""
    repair: str


@dataclass(frozen=True, kw_only=True)
class Package(World):
    """The decided facts."""

    root: str
    mends: tuple[Mend, ...]
    right: tuple[tuple[str, tuple[str, ...]], ...]
    """The lines of each control file when all is well."""
    given: tuple[Node, ...]


class PackageMend(Family[Package]):
    """Compare the list, the control fields and the unit with the tree."""

    id = "SYS-20"
    slug = "package-mend"
    domain = "system_administration"
    skill = "Configuration"
    primitives = (
        "System config file management",
        "Service lifecycle management (systemd, init)",
        "Permission and ACL management",
        "Rolling and staged deployments",
    )
    fixtures = ("vendored_package",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "sed", "sha256sum")
    followed_by = {  # noqa: RUF012
        "pack-bundle": ("package", "The repaired package goes to a customer as one archive."),
        "publish-release": ("package", "The repaired package can be released now."),
        "patch-file": ("repair", "The vendor wants to see what we had to correct."),
        "git-commit": ("repair", "Vendored packages are under version control here."),
        "export-diff": ("list", "We want to know what has changed since the previous release."),
    }

    def world(self, ctx: Context) -> Package:
        """Return the package."""
        rng = ctx.rng.fork("package")
        root, name = ctx.path("package"), ctx.skin.stem(rng).replace("_", "-")
        payload = _payload(ctx, rng, root, name)
        entries = {n.path.removeprefix(f"{root}/tree/"): n for n in payload}
        version = f"{rng.integer(1, 4)}.{rng.integer(0, 19)}.{rng.integer(0, 9)}"
        user = f"{name.split('-')[0][:8]}d"
        size = sum(len(n.data or b"") for n in payload)
        files = tuple(_entry(path, entries[path]) for path in sorted(entries))
        control = (
            f"Package: {name}",
            f"Version: {version}",
            f"Installed-Size: {size}",
            "Depends: bash, coreutils, python3",
            f"User: {user}",
        )
        unit = (
            "[Service]",
            f"ExecStart=/usr/lib/{name}/{name}d",
            f"User={user}",
            f"EnvironmentFile=/etc/{name}/{name}.conf",
        )
        right = {"FILES": files, "control": control, "unit": unit}
        kinds = [*rng.sample(LISTED, len(LISTED)), *rng.sample(CONTROL, len(CONTROL))]
        chosen = rng.shuffled(kinds)[: ctx.knob(1, len(kinds))]
        broken = {file: list(lines) for file, lines in right.items()}
        paths = rng.sample(sorted(entries), len(LISTED))
        mends = []
        for kind in chosen:
            path = paths[LISTED.index(kind)] if kind in LISTED else ""
            line = next((f for f in files if path and f.endswith(f" {path}")), "")
            mends.append(_spoil(rng.fork(kind), kind, broken, root=root, line=line))
        given = (*payload, text(f"{root}/NOTES.md", notes(version, "python3")))
        sources = [
            text(f"{root}/{file}", "\n".join(lines) + "\n") for file, lines in broken.items()
        ]
        return Package(
            nodes=(*given, *sources),
            outputs=(root,),
            root=root,
            mends=tuple(mends),
            right=tuple(right.items()),
            given=given,
        )

    def oracle(self, ctx: Context, world: Package) -> tuple[str, ...]:
        """Return a look at the files, a comparison, and one repair for each mistake."""
        listing = "find . -type f -exec sha256sum {} +; find . -type f -printf '%m %P %s\\n'"
        repairs = [mend.repair for mend in world.mends]
        if ctx.rng.fork("way").chance(0.5):
            listing = listing.replace(" %s", "") + "; find . -type f -exec du -cb {} + | tail -n 1"
            repairs = [r.replace("cp /tmp/f ", "install -m 644 /tmp/f ") for r in repairs]
        return (
            f"cat {world.root}/NOTES.md {world.root}/control {world.root}/unit {world.root}/FILES",
            f"cd {world.root}/tree && ({listing}); cd /app",
            *repairs,
        )

    def checks(self, ctx: Context, world: Package) -> tuple[Check | Gate, ...]:
        """Return the share of corrected mistakes, if all other lines are as before."""
        right = dict(world.right)
        mine = {line for m in world.mends for line in (*m.wanted, *m.barred)}

        def score(evidence: Evidence) -> float:
            contents = {
                file: read_text(evidence, f"{world.root}/{file}").rstrip("\n").split("\n")
                for file in right
            }
            for file, lines in right.items():
                kept = [line for line in lines if line not in mine]
                if [line for line in contents[file] if line not in mine] != kept:
                    raise BadOutput(f"{file} has lines that nobody asked for")
            done = sum(
                all(contents[m.file].count(line) == 1 for line in m.wanted)
                and not any(line in contents[m.file] for line in m.barred)
                for m in world.mends
            )
            whole = all(contents[file] == list(lines) for file, lines in right.items())
            share = fraction(done, len(world.mends))
            return share if whole or share < 1.0 else ALMOST

        return (unchanged("tree", world.given), Check("mended", "exact_text", score))

    def products(self, ctx: Context, world: Package) -> Mapping[str, Product]:
        """Return the package, its edited control files, and its list of files."""
        right = {file: "".join(f"{line}\n" for line in lines) for file, lines in world.right}
        at = len(world.root) + 1
        contents = {node.path[at:]: node.data or b"" for node in world.nodes}
        before = {file: contents[file] for file in right}
        contents |= {file: body.encode() for file, body in right.items()}
        rows = tuple(tuple(line.split(" ")) for line in dict(world.right)["FILES"])
        columns = ("mode", "digest", "path")
        return {
            "package": Files(world.root, contents, "package files"),
            "repair": Edits(world.root, before, "package"),
            "list": Table(
                f"{world.root}/FILES", columns, rows, "files", separator=" ", header=False
            ),
        }

    def say(self, ctx: Context, world: Package) -> tuple[Obligation, ...]:
        """Return the symptom, where the rules are and what must stay."""
        return (
            Obligation(
                "goal",
                f"The installer rejects the vendored package `{world.root}`, because there are "
                f"mistakes in its control files `FILES`, `control` and `unit`. Find and correct "
                f"all of them, so that the three files agree with the packaging notes "
                f"`{world.root}/NOTES.md` and with the files in `tree/`.",
                "goal",
            ),
            Obligation(
                "keep",
                "The notes and everything below `tree/` are right. Do not change them, not even "
                "the modes of the files.",
                "limit",
            ),
            Obligation(
                "lines",
                "Change only the lines that are wrong. All other lines must keep their wording and "
                "their order, and we check them too.",
                "limit",
                keys=("only", "other lines", "untouched", "unchanged", "order"),
            ),
        )

    def mutants(self, ctx: Context, world: Package) -> tuple[Attempt, ...]:
        """Return repairs that leave one mistake, or break something else."""
        repairs = tuple(mend.repair for mend in world.mends)
        files, control = f"{world.root}/FILES", f"{world.root}/control"
        return (
            Attempt("last one left", repairs[:-1] or (f"touch {files}",)),
            Attempt("list emptied", (*repairs, f": > {files}")),
            Attempt("field lost", (*repairs, f"sed -i /^Package/d {control}")),
            Attempt("list unsorted", (*repairs, f"sort -r {files} > /tmp/r; cp /tmp/r {files}")),
        )

    def exploits(self, ctx: Context, world: Package) -> tuple[Attempt, ...]:
        """Return a package without control files, and one without a tree."""
        return (
            Attempt("no control data", (f"rm {world.root}/FILES {world.root}/control",)),
            Attempt("tree removed", (f"rm -r {world.root}/tree",)),
        )


def _payload(ctx: Context, rng: Rng, root: str, name: str) -> list[Node]:
    stems = rng.sample(sorted(set(ctx.skin.stems)), 6)
    bodies = [
        (f"usr/lib/{name}/{name}d", f"#!/bin/bash\n# serves {ctx.skin.thing(rng).plural}\n", 0o755),
        (f"etc/{name}/{name}.conf", f"place={ctx.skin.place(rng)}\n", 0o640),
        *(
            (f"usr/share/{name}/{s}.txt", f"{ctx.skin.event(rng)}\n{rng.hex(30)}\n", 0o644)
            for s in stems
        ),
    ]
    return [text(f"{root}/tree/{path}", body, mode=mode) for path, body, mode in bodies]


def _entry(path: str, node: Node) -> str:
    return f"{node.mode:04o} {hashlib.sha256(node.data or b'').hexdigest()[:16]} {path}"


def _spoil(rng: Rng, kind: str, broken: dict[str, list[str]], *, root: str, line: str) -> Mend:
    """Put one mistake into the lines, and return its correction."""
    if kind in LISTED:
        return _spoil_list(rng, kind, broken["FILES"], file=f"{root}/FILES", line=line)
    name, place = {
        "version": ("control", 1),
        "size": ("control", 2),
        "depends": ("control", 3),
        "user": ("unit", 2),
        "unit": ("unit", 1),
    }[kind]
    good = broken[name][place]
    bad = {
        "version": f"{good}-{rng.integer(1, 9)}",
        "size": good + str(rng.integer(0, 9)),
        "depends": good.rpartition(",")[0],
        "user": "User=root",
        "unit": good.replace("/usr/lib/", "/usr/local/lib/"),
    }[kind]
    broken[name][place] = bad
    repair = f"sed -i '{place + 1}s|.*|{good}|' {root}/{name}"
    return Mend(kind, name, (good,), (bad,), repair)


def _spoil_list(rng: Rng, kind: str, lines: list[str], *, file: str, line: str) -> Mend:
    mode, digest, path = line.split()
    place = lines.index(line)
    if kind == "missing":
        lines.remove(line)
        sort = f"sort -k3 {file} > /tmp/f; cp /tmp/f {file}; rm /tmp/f"
        return Mend(kind, "FILES", (line,), (), f"echo {line} >> {file}; LC_ALL=C {sort}")
    if kind == "stale":
        extra = f"0644 {rng.hex(16)} {path}.old"
        lines.insert(place + 1, extra)
        return Mend(kind, "FILES", (), (extra,), f"sed -i '\\|{path}.old$|d' {file}")
    if kind == "twice":
        extra = f"{mode} {rng.hex(16)} {path}"
        lines.insert(place + 1, extra)
        return Mend(
            kind, "FILES", (line,), (extra,), f"sed -i '/^{extra.replace('/', '.')}$/d' {file}"
        )
    bad = (
        f"{mode} {rng.hex(16)} {path}"
        if kind == "digest"
        else f"{'0777' if mode != '0777' else '0700'} {digest} {path}"
    )
    lines[place] = bad
    return Mend(kind, "FILES", (line,), (bad,), f"sed -i 's|^{bad}$|{line}|' {file}")


FAMILY = PackageMend()
