"""SYS-12 space crisis: delete all files that the policy allows, and report them.

Below `SHORT` the files of one pattern in one directory are deleted.  Above, three rules with
exceptions decide, in a tree that has files which only look as if a rule covered them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Evidence, Gate, metric_threshold
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Files, Product, Table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
HEADER = ("rule", "files", "bytes")
DAY = 86_400
CUTOFF = 1_709_251_200
"""2024-03-01 00:00 UTC, the date that the policy names."""


@dataclass(frozen=True, kw_only=True)
class Crisis(World):
    """The decided facts."""

    root: str
    pattern: str = ""
    report: str = ""
    keep: str = ""
    generations: int = 0
    doomed: tuple[Node, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()


class SpaceCrisis(Family[Crisis]):
    """Delete old temporary files, high-numbered logs, and caches except for a list."""

    id = "SYS-12"
    slug = "space-crisis"
    domain = "system_administration"
    skill = "Filesystem"
    primitives = (
        "Disk quota and storage monitoring",
        "Backup and restore strategies",
        "Text processing pipelines (awk, sed, grep)",
    )
    fixtures = ("text_only",)
    verifiers = ("metric_threshold",)
    languages = ("any", "bash")
    tools = ("bash", "find", "awk", "grep", "python3")
    followed_by = {  # noqa: RUF012
        "file-manifest": ("kept", "We want an inventory of what is left on the disk."),
        "pack-bundle": ("kept", "What is left should be backed up before the disk is replaced."),
        "lookup-join": ("freed", "Every retention rule has an owner who must hear about it."),
    }

    def world(self, ctx: Context) -> Crisis:
        """Return a small tree of files that fill a disk."""
        return _one_directory(ctx) if ctx.level < SHORT else _full_tree(ctx)

    def oracle(self, ctx: Context, world: Crisis) -> tuple[str, ...]:
        """Return one rm, or one find for each rule, a report, and one rm."""
        if ctx.level < SHORT:
            return (f"rm {world.root}/{world.pattern}",)
        return (
            f"find {world.root} -type f -printf '%s %p\\n' | numfmt --to=iec; cat {world.keep}",
            f"cd {world.root}; truncate -s 0 /tmp/list",
            "find $PWD -type f -name '*.tmp' ! -newermt '2024-03-01 UTC' | sed 's/^/temp /' "
            ">> /tmp/list",
            "find $PWD -type f -name '*.log.[0-9]*' | while read -r f; do "
            f'[ "${{f##*.}}" -gt {world.generations} ] && echo "rotated $f"; done >> /tmp/list',
            f"find $PWD -type f -path '*/cache/*' | grep -vxFf {world.keep} | sed 's/^/cache /' "
            ">> /tmp/list",
            "awk '!seen[$2]++' /tmp/list > /tmp/once",
            "while read -r rule f; do echo $rule $(stat -c %s $f); done < /tmp/once > /tmp/sizes",
            f"echo {','.join(HEADER)} > {world.report}",
            "for r in temp rotated cache; do awk -v r=$r -v OFS=, "
            "'$1 == r { n++; b += $2 } END { print r, n + 0, b + 0 }' /tmp/sizes; done "
            f">> {world.report}",
            "cut -d' ' -f2 /tmp/once | xargs rm; rm /tmp/list /tmp/once /tmp/sizes; cd /app",
        )

    def alternative(self, ctx: Context, world: Crisis) -> tuple[str, ...] | None:
        """Return the same in Python, or find -delete."""
        if ctx.level < SHORT:
            return (f"find {world.root} -maxdepth 1 -name '{world.pattern}' -delete",)
        return (write_file("/tmp/free.py", _python(world)), "python3 /tmp/free.py")

    def checks(self, ctx: Context, world: Crisis) -> tuple[Check | Gate, ...]:
        """Return checks of the freed bytes and of the report, and a gate for what must stay."""
        doomed = {n.path: len(n.data or b"") for n in world.doomed}
        kept = {n.path: n.data for n in world.nodes if n.path not in doomed and n.kind == "file"}
        total = sum(doomed.values())

        def holds(evidence: Evidence) -> bool:
            files = {n.path: n.data for n in (*evidence.tree(world.root), *_list(evidence, world))}
            return all(files.get(path) == data for path, data in kept.items())

        def freed(evidence: Evidence) -> float:
            left = {n.path for n in evidence.tree(world.root)}
            return sum(size for path, size in doomed.items() if path not in left) / total

        share = metric_threshold("freed", freed, base=0.0, threshold=1.0, weight=2.0)
        gate = Gate("kept", holds)
        if ctx.level < SHORT:
            return (gate, share)
        return (gate, share, exact.rows("report", world.report, world.rows, header=HEADER))

    def products(self, ctx: Context, world: Crisis) -> Mapping[str, Product]:
        """Return the files that are left, and the report."""
        doomed = {node.path for node in world.doomed}
        head = f"{world.root}/"
        left = {
            node.path.removeprefix(head): node.data or b""
            for node in world.nodes
            if node.path.startswith(head) and node.kind == "file" and node.path not in doomed
        }
        kept = Files(world.root, left, "files")
        if ctx.level < SHORT:
            return {"kept": kept}
        rows = tuple(tuple(str(cell) for cell in row) for row in world.rows)
        return {"kept": kept, "freed": Table(world.report, HEADER, rows, "retention rules")}

    def say(self, ctx: Context, world: Crisis) -> tuple[Obligation, ...]:
        """Return what may be deleted, what must stay, and the report."""
        return _say_short(world) if ctx.level < SHORT else _say_policy(world)

    def mutants(self, ctx: Context, world: Crisis) -> tuple[Attempt, ...]:
        """Return solutions that each misread one rule."""
        if ctx.level < SHORT:
            suffix = world.pattern[1:]
            return (
                Attempt("too much", (f"rm {world.root}/*",)),
                Attempt("one only", (f"rm $(ls {world.root}/{world.pattern} | head -n 1)",)),
                Attempt("look-alikes", (f"rm {world.root}/*{suffix}*",)),
            )
        program = _python(world)
        wrong = {
            "age ignored": program.replace(f"< {CUTOFF}", "< 1e12"),
            "list ignored": program.replace("and path not in keep", ""),
            "one generation too few": program.replace(
                f"> {world.generations}", f">= {world.generations}"
            ),
            "no report": program.split("with open", maxsplit=1)[0] + "\n[os.remove(p) for p in d]",
        }
        return tuple(
            Attempt(name, (write_file("/tmp/free.py", body), "python3 /tmp/free.py"))
            for name, body in wrong.items()
        )

    def exploits(self, ctx: Context, world: Crisis) -> tuple[Attempt, ...]:
        """Return a solution that deletes everything, and a report without the work."""
        report = world.report or f"{ctx.home}/report.csv"
        return (
            Attempt("everything", (f"find {world.root} -type f -delete",)),
            Attempt("report only", (f"echo {','.join(HEADER)} > {report}",)),
        )


def _list(evidence: Evidence, world: Crisis) -> tuple[Node, ...]:
    return evidence.tree(world.keep) if world.keep else ()


def _python(world: Crisis) -> str:
    facts = {
        "@keep": repr(world.keep),
        "@root": repr(world.root),
        "@cutoff": str(CUTOFF),
        "@generations": str(world.generations),
        "@report": repr(world.report),
    }
    program = program_text(__package__, "main.py")
    for mark, fact in facts.items():
        program = program.replace(mark, fact)
    return program


def _one_directory(ctx: Context) -> Crisis:
    rng = ctx.rng.fork("one")
    root = ctx.path(ctx.skin.directory(rng))
    suffix = rng.choice(("tmp", "bak", "old", "part", "swp"))
    stems = rng.sample(sorted(set(ctx.skin.stems)), 5)
    doomed = tuple(text(f"{root}/{s}.{suffix}", "x" * rng.integer(40, 60)) for s in stems[:3])
    kept = (
        text(f"{root}/{stems[3]}.{suffix}2", "k" * 50),
        text(f"{root}/{stems[4]}.csv", "a,b\n"),
        text(f"{root}/{stems[0]}.csv", "c,d\n"),
    )
    return Crisis(
        nodes=(*doomed, *kept),
        outputs=(),
        root=root,
        pattern=f"*.{suffix}",
        doomed=doomed,
    )


def _full_tree(ctx: Context) -> Crisis:
    root, keep = ctx.path("data"), ctx.path("keep.txt")
    generations = ctx.rng.fork("generations").integer(2, 5)
    rng = ctx.rng.fork("tree")
    temp: list[Node] = []
    rotated: list[Node] = []
    cache: list[Node] = []
    stay: list[Node] = []
    listed: list[str] = []
    for number, name in enumerate(_directories(ctx, rng)):
        r = rng.fork("directory", number)
        base, stem = f"{root}/{name}", ctx.skin.stem(r)
        temp.append(_file(r, f"{base}/{stem}.tmp", days=-r.integer(1, 200)))
        stay.append(_file(r, f"{base}/{stem}_new.tmp", days=r.integer(1, 200)))
        stay.append(_file(r, f"{base}/{stem}.tmpl", days=-90))
        for age in range(1, generations + 1 + r.integer(1, 3)):
            file = _file(r, f"{base}/{stem}.log.{age}", days=-age)
            (rotated if age > generations else stay).append(file)
        cache.append(_file(r, f"{base}/cache/{r.hex(6)}.bin", days=3))
        stay.append(_file(r, f"{base}/cache/{r.hex(6)}.pin", days=3))
        listed.append(stay[-1].path)
        cache.append(_file(r, f"{base}/cache/{stem}.tmp", days=9))
        stay.append(_file(r, f"{base}/cached.csv", days=-9))
    rules = (("temp", temp), ("rotated", rotated), ("cache", cache))
    rows = tuple((r, len(ns), sum(len(n.data or b"") for n in ns)) for r, ns in rules)
    report = ctx.path("freed.csv")
    return Crisis(
        nodes=(*temp, *rotated, *cache, *stay, text(keep, "\n".join(sorted(listed)) + "\n")),
        outputs=(report,),
        root=root,
        report=report,
        keep=keep,
        generations=generations,
        doomed=(*temp, *rotated, *cache),
        rows=rows,
    )


def _directories(ctx: Context, rng: Rng) -> list[str]:
    names = sorted(set(ctx.skin.directories))
    count = ctx.knob(2, 12)
    tops = rng.sample(names, min(count, len(names)))
    return tops + [f"{tops[i]}/{tops[-1 - i]}" for i in range(count - len(tops))]


def _file(rng: Rng, path: str, *, days: int) -> Node:
    body = rng.fork("body", path).hex(rng.fork("size", path).integer(20, 900))
    return text(path, body, mtime=CUTOFF + days * DAY + 3600)


def _say_short(world: Crisis) -> tuple[Obligation, ...]:
    return (
        Obligation(
            "goal",
            f"The disk is full. Delete the `{world.pattern}` files in `{world.root}`, and leave "
            f"all other files there as they are.",
            "goal",
        ),
    )


def _say_policy(world: Crisis) -> tuple[Obligation, ...]:
    return (
        Obligation(
            "goal",
            f"We are running out of disk space in `{world.root}`. Delete every file there that one "
            f"of our three retention rules covers, and report in `{world.report}` what you "
            f"deleted.",
            "goal",
        ),
        Obligation(
            "temp",
            "`temp` covers files that have a name ending in `.tmp` and were last modified before "
            "`2024-03-01 00:00 UTC`.",
        ),
        Obligation(
            "rotated",
            f"`rotated` covers rotated logs, which are named `<name>.log.<number>`, if the number "
            f"is greater than {world.generations}.",
        ),
        Obligation(
            "cache",
            f"`cache` covers every file that is somewhere below a directory called `cache`, except "
            f"for the paths that are listed in `{world.keep}`, one per line.",
        ),
        Obligation(
            "nothing",
            "Leave all other files as they are. Do not remove any directories, even if they end up "
            "empty.",
            "limit",
            keys=("directory", "directories", "folders"),
        ),
        Obligation(
            "report",
            f"The report is a CSV file with the header `{','.join(HEADER)}` and one line for each "
            f"rule, in the order `temp`, `rotated`, `cache`. `files` is the number of files that "
            f"were deleted by the rule, and `bytes` is their total size. If two rules cover a "
            f"file, count it only for the first of them in this order.",
            "format",
        ),
    )


FAMILY = SpaceCrisis()
