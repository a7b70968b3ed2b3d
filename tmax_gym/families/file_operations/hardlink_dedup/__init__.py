"""FIL-03 hardlink dedup: equal files become hard links to the oldest one.

Below `SHORT` one named copy is replaced.  Above, the oldest file is kept, protected folders and
small files are left out, and files of equal size need not have equal content.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Evidence, Gate, fraction, metric_threshold
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
DAY = 86_400
EPOCH = 1_700_000_000
HEADER = ("kept", "links", "bytes")
PYTHON = program_text(__package__, "main.py")


@dataclass(frozen=True, kw_only=True)
class Copies(World):
    """The decided facts."""

    root: str
    groups: tuple[tuple[str, ...], ...]
    """Paths of equal files, the one to keep first."""
    report: str = ""
    protected: tuple[str, ...] = ()
    least: int = 0


class HardlinkDedup(Family[Copies]):
    """Group files by content, keep the oldest, link the others to it."""

    id = "FIL-03"
    slug = "hardlink-dedup"
    domain = "file_operations"
    skill = "Navigation"
    primitives = (
        "Symbolic and hard link management",
        "Recursive directory traversal",
        "Filesystem mount and path manipulation",
        "Manifest and checksum generation",
    )
    fixtures = ("text_only",)
    verifiers = ("metric_threshold", "exact_text")
    languages = ("any", "bash")
    tools = ("bash", "find", "python3")
    followed_by = {  # noqa: RUF012
        "export-diff": ("report", "The last run left a report too; we want to know what is new."),
        "sqlite-load": ("report", "We keep the reports of all runs in one database."),
        "json-feed": ("report", "The team that pays for the storage reads JSON only."),
        "group-report": ("report", "Somebody asks how the savings are spread over the groups."),
    }

    def world(self, ctx: Context) -> Copies:
        """Return two equal files, or a tree of originals, copies and look-alikes."""
        return _pair(ctx) if ctx.level < SHORT else _tree(ctx)

    def oracle(self, ctx: Context, world: Copies) -> tuple[str, ...]:
        """Return a listing by digest, and one link command for each group."""
        links = [
            "; ".join(f"ln -f {first} {path}" for path in rest) for first, *rest in world.groups
        ]
        if ctx.level < SHORT:
            first, other = world.groups[0]
            return (f"ls -li {world.root}", f"cmp {first} {other}", *links)
        sizes = {n.path: len(n.data or b"") for n in world.nodes}
        rows = [
            f"echo {first},{len(rest)},{len(rest) * sizes[first]} >> {world.report}"
            for first, *rest in sorted(world.groups)
        ]
        return (
            f"cd $(realpath {world.root}) && find . -type f -size +{world.least - 1}c | head -n 60",
            "find $PWD -type f -printf '%T@ %s ' -exec b2sum {} \\; | sort -k3,3 -k1,1n",
            *links,
            f"cd /app; echo {','.join(HEADER)} > {world.report}",
            *rows,
        )

    def alternative(self, ctx: Context, world: Copies) -> tuple[str, ...] | None:
        """Return the same in Python, or a removal and a link."""
        if ctx.level < SHORT:
            first, other = world.groups[0]
            return (f"rm {other} && ln {first} {other}",)
        return (write_file("/tmp/dedup.py", _program(world)), "python3 /tmp/dedup.py")

    def checks(self, ctx: Context, world: Copies) -> tuple[Check | Gate, ...]:
        """Return the saved share and the report; content and separate files are gates."""
        before = {n.path: n for n in world.nodes}
        alone = set(before) - {path for group in world.groups for path in group}

        def holds(evidence: Evidence) -> bool:
            files = {n.path: n for n in evidence.tree(world.root) if n.kind == "file"}
            same = all(p in files and files[p].data == n.data for p, n in before.items())
            inodes = [n.inode for n in files.values()]
            return same and all(inodes.count(files[p].inode) == 1 for p in alone)

        def saved(evidence: Evidence) -> float:
            after = {n.path: n for n in evidence.tree(world.root)}
            return _saved(world, before, after)

        exactly = ctx.verifier == "exact_text"
        share = metric_threshold(
            "saved", saved, base=0.0, threshold=1.0, weight=1.0 if exactly else 3.0
        )
        gate = Gate("content", holds)
        if ctx.level < SHORT:
            return (gate, share)
        report = exact.rows(
            "report", world.report, _reported(world), header=HEADER, weight=3.0 if exactly else 1.0
        )
        return (gate, share, report)

    def products(self, ctx: Context, world: Copies) -> Mapping[str, Product]:
        """Return the report."""
        if ctx.level < SHORT:
            return {}
        rows = tuple((kept, str(links), str(saved)) for kept, links, saved in _reported(world))
        return {"report": Table(world.report, HEADER, rows, "kept files")}

    def say(self, ctx: Context, world: Copies) -> tuple[Obligation, ...]:
        """Return the meaning of equal, the file to keep, and what stays."""
        return _say_pair(world) if ctx.level < SHORT else _say_tree(world)

    def mutants(self, ctx: Context, world: Copies) -> tuple[Attempt, ...]:
        """Return symbolic links, wrong kept files, and missing rules."""
        first, *rest = world.groups[0]
        if ctx.level < SHORT:
            return (
                Attempt("symbolic", (f"ln -sf {first} {rest[0]}",)),
                Attempt("removed", (f"rm {rest[0]}",)),
                Attempt("wrong way", (f"ln -f {rest[0]} {first}",)),
            )
        program = _program(world)
        wrong = {
            "youngest kept": program.replace(
                "sorted(paths, key", "sorted(paths, reverse=True, key"
            ),
            "symbolic": program.replace("os.link", "os.symlink"),
            "by size": program.replace(
                'hashlib.sha256(open(path, "rb").read()).hexdigest()', "os.path.getsize(path)"
            ),
            "small too": program.replace(">= LEAST", ">= 0"),
            "protected too": program.replace("+ p +", "+ 'no such folder' +"),
        }
        return tuple(
            Attempt(name, (write_file("/tmp/dedup.py", body), "python3 /tmp/dedup.py"))
            for name, body in wrong.items()
        )

    def exploits(self, ctx: Context, world: Copies) -> tuple[Attempt, ...]:
        """Return everything linked to one file, all copies gone, a bare report."""
        first = world.groups[0][0]
        report = world.report or f"{ctx.home}/report.csv"
        return (
            Attempt("one for all", (f"find {world.root} -type f -exec ln -f {first} {{}} \\;",)),
            Attempt("deleted", (f"find {world.root} -type f ! -path {first} -delete",)),
            Attempt("report only", (f"echo {','.join(HEADER)} > {report}",)),
        )


def _saved(world: Copies, before: Mapping[str, Node], after: Mapping[str, Node]) -> float:
    """Return the share of bytes whose copies are links to the right file."""
    done = total = 0
    for first, *rest in world.groups:
        keeper = after.get(first)
        for path in rest:
            size = len(before[path].data or b"")
            total += size
            now = after.get(path)
            if keeper and now and now.inode == keeper.inode and now.mtime == before[first].mtime:
                done += size
    return fraction(done, total)


def _reported(world: Copies) -> list[tuple[str, int, int]]:
    """Return the rows of the report: path kept, links made, bytes saved."""
    sizes = {node.path: len(node.data or b"") for node in world.nodes}
    return [(f, len(rest), len(rest) * sizes[f]) for f, *rest in sorted(world.groups)]


def _say_pair(world: Copies) -> tuple[Obligation, ...]:
    ((first, copy),) = world.groups
    return (
        Obligation(
            "goal",
            f"`{copy}` has the same content as `{first}`. Replace it by a hard link to `{first}`, "
            f"which must keep its content and its modification time.",
            "goal",
        ),
    )


def _say_tree(world: Copies) -> tuple[Obligation, ...]:
    protected = " and ".join(f"`{path}`" for path in world.protected)
    return (
        Obligation(
            "goal",
            f"Much of `{world.root}` is there more than once. Find files with the same content, "
            f"whatever they are called, keep one of them and replace the others by hard links to "
            f"it.",
            "goal",
        ),
        Obligation(
            "keep",
            "Of files with the same content, keep the one with the oldest modification time. It "
            "must not change, and neither must its modification time.",
            keys=("oldest", "earliest", "modified first", "mtime", "modification time"),
        ),
        Obligation(
            "protected",
            f"Leave out all files below {protected} (paths relative to `{world.root}`), even if "
            f"they have the same content as another file: they must be linked neither to another "
            f"file nor to each other.",
        ),
        Obligation(
            "small",
            f"Leave out all files of fewer than {world.least} bytes in the same way.",
        ),
        Obligation(
            "report",
            f"Then write `{world.report}`, a CSV file with the header `{','.join(HEADER)}` and "
            f"one row for each file that was kept and has new links. `kept` is its full path, "
            f"`links` is the number of files that became links to it, and `bytes` is the sum of "
            f"the sizes of these files. Sort the rows by `kept` in byte order.",
            "output",
        ),
        Obligation(
            "content",
            "Afterwards every path must still be there with the content that it has now, and all "
            "files that are left out or have no copy must still be files of their own.",
            "limit",
            keys=("content", "still be there", "unchanged", "nothing else", "no other file"),
        ),
    )


def _program(world: Copies) -> str:
    named = {
        "ROOT": world.root,
        "REPORT": world.report,
        "PROTECTED": world.protected,
        "LEAST": world.least,
    }
    return "".join(f"{name} = {value!r}\n" for name, value in named.items()) + PYTHON


def _pair(ctx: Context) -> Copies:
    rng = ctx.rng.fork("pair")
    root = ctx.path(ctx.skin.directory(rng))
    one, two, three = rng.sample(sorted(set(ctx.skin.stems)), 3)
    body = "".join(f"{ctx.skin.code(rng)} {ctx.skin.event(rng)}\n" for _ in range(12))
    first, copy = f"{root}/{one}.txt", f"{root}/{two}.txt"
    nodes = (
        text(first, body, mtime=EPOCH),
        text(copy, body, mtime=EPOCH + rng.integer(1, 90) * DAY),
        text(f"{root}/{three}.txt", body[::-1], mtime=EPOCH),
    )
    return Copies(nodes=nodes, outputs=(), root=root, groups=((first, copy),))


def _tree(ctx: Context) -> Copies:
    rng = ctx.rng.fork("tree")
    root, least = ctx.path("store"), rng.integer(3, 6) * 32
    names = rng.sample(sorted(set(ctx.skin.directories)), 5)
    protected = (names[-1],) if ctx.level < 0.6 else (names[-1], f"{names[0]}/live")
    open_folders = [*names[:4], f"{names[1]}/old", f"{names[2]}/old/{names[3]}"]
    nodes: list[Node] = []
    groups: list[tuple[str, ...]] = []
    for number in range(ctx.knob(2, 13)):
        r = rng.fork("group", number)
        body = _body(r, least + r.integer(1, 300))
        days = r.sample(range(400), 4)
        files = [
            text(_name(ctx, r, folder, root=root), body, mtime=EPOCH + day * DAY)
            for folder, day in zip(r.sample(open_folders, r.integer(2, 4)), days, strict=False)
        ]
        ordered = sorted(files, key=lambda n: n.mtime)
        groups.append(tuple(n.path for n in ordered))
        look_alike = body[:-1] + ("#" if body[-1] != "#" else "+")
        where = r.choice(open_folders)
        extra = [text(_name(ctx, r, where, root=root), look_alike, mtime=EPOCH)]
        extra.append(text(_name(ctx, r, protected[number % len(protected)], root=root), body))
        small = _body(r.fork("small"), least - 1 - r.integer(0, 20))
        for place in r.sample(open_folders, 2):
            extra.append(text(_name(ctx, r, place, root=root), small, mtime=EPOCH - DAY))
        nodes += [*files, *extra]
    report = ctx.path("links.csv")
    return Copies(
        nodes=tuple(nodes),
        outputs=(report,),
        root=root,
        groups=tuple(groups),
        report=report,
        protected=protected,
        least=least,
    )


def _name(ctx: Context, rng: Rng, folder: str, *, root: str) -> str:
    return f"{root}/{folder}/{ctx.skin.stem(rng)}_{rng.secret(5)}.dat"


def _body(rng: Rng, size: int) -> str:
    return rng.hex(size)


FAMILY = HardlinkDedup()
