"""SYS-12 space crisis: delete all files that the policy allows, and report them.

Below `SHORT` one pattern in one directory goes.  Above, three rules with exceptions decide,
over a tree in which every rule has look-alikes that must stay.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Evidence, Gate, metric_threshold
from tmax_gym.families.contract import Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.shared import delivered
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

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
    """Temporary files by age, rotated logs by number, caches but for a list."""

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
    produces = {"bytes": Port("secret")}  # noqa: RUF012

    def world(self, ctx: Context) -> Crisis:
        """Return a full disk, in small."""
        return _one_directory(ctx) if ctx.level < SHORT else _full_tree(ctx)

    def oracle(self, ctx: Context, world: Crisis) -> tuple[str, ...]:
        """Return rm alone, or one find a rule, a report, and one rm."""
        if ctx.level < SHORT:
            return (f"rm {world.root}/{world.pattern}",)
        return (
            f"find {world.root} -type f | head -n 40; cat {world.keep}",
            f"cd {world.root}; : > /tmp/list",
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
        """Return the freed share and the report; what must stay is a gate."""
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

    def say(self, ctx: Context, world: Crisis) -> tuple[Clause, ...]:
        """Return what may go, what must stay, and the report."""
        return _say_short(world) if ctx.level < SHORT else _say_policy(world)

    def mutants(self, ctx: Context, world: Crisis) -> tuple[Attempt, ...]:
        """Return one misread rule at a time."""
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
        """Return the empty disk, and the report without the work."""
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
    left = sum(len(n.data or b"") for n in kept)
    phrase = f"the number of bytes that are left in {root}"
    return Crisis(
        nodes=(*doomed, *kept),
        outputs=(),
        root=root,
        pattern=f"*.{suffix}",
        doomed=doomed,
        produces={"bytes": ctx.stored("secret", left, phrase, read=f"cat {root}/* | wc -c")},
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
        produces={"bytes": delivered.column(ctx, report, "bytes", header=HEADER, rows=rows)},
    )


def _directories(ctx: Context, rng: Rng) -> list[str]:
    names = sorted(set(ctx.skin.directories))
    count = ctx.knob(2, 12)
    tops = rng.sample(names, min(count, len(names)))
    return tops + [f"{tops[i]}/{tops[-1 - i]}" for i in range(count - len(tops))]


def _file(rng: Rng, path: str, *, days: int) -> Node:
    body = rng.fork("body", path).hex(rng.fork("size", path).integer(20, 900))
    return text(path, body, mtime=CUTOFF + days * DAY + 3600)


def _say_short(world: Crisis) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "{Delete|Remove} the {pattern} files {in|from} {root} and nothing else.",
                "{root} is full of {pattern} files: {remove|delete} exactly those.",
                "{Free|Make} some room: {every|each} {pattern} file directly in {root} "
                "can go, the rest stays.",
                "{Clear|Rid} {root} of its {pattern} files. Keep everything else.",
                "{Throw out|Get rid of} {all|the} {pattern} files {in|from} {root}, and "
                "{touch|delete} nothing {more|else}.",
                "{Only|Just} the {pattern} files {in|of} {root} are "
                "{rubbish|superfluous}: {delete|remove} {them|these} and {leave|keep} "
                "the rest.",
            ),
            facts={"pattern": world.pattern, "root": world.root},
            role="goal",
            brief="Delete the {pattern} files in {root}.",
        ),
    )


def _say_policy(world: Crisis) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "{root} is {nearly|almost} full. {Free|Delete} everything that {the|our} "
                "retention policy allows, and {leave|write} an account in {report}.",
                "Apply our retention policy to {root}: delete {all that may go|whatever "
                "may go}, report to {report}.",
                "We are about to run out of space under {root}; remove {whatever|all "
                "that} the {rules|policy} below {allow|allows} and write {report}.",
                "Clean {root} by the rules, {all the way|completely}, and "
                "{record|account for} it in {report}.",
                "{There is|We have} hardly any room {left|} {below|under} {root}: delete "
                "{what|all that} our rules {release|let go} and {list|account for} it in "
                "{report}.",
                "{Purge|Clean out} {root} {as far as|as much as} the retention rules "
                "{permit|allow}, {with|leaving} an account of it {in|as} {report}.",
            ),
            facts={"root": world.root, "report": world.report},
            role="goal",
            brief="Delete from {root} what the policy allows; report to {report}.",
        ),
        Clause(
            "temp",
            (
                "{rule}: files whose name ends in {suffix}, last {modified|changed} before {date}.",
                "{rule} covers names ending in {suffix} with a modification time before {date}.",
                "{Under|By} {rule} {fall|go} files with {suffix} at the end of their "
                "names and {a|any} {last modification|modification time} before {date}.",
                "{rule} {means|is for} {files|any file} {in|ending in} {suffix} "
                "{that|which} {was|were} last {modified|written} before {date}.",
                "{Names|Files} that end in {suffix} and {date from|have a modification "
                "time} before {date} {are|fall under} {rule}.",
                "{rule} {takes|gets} {everything|all} whose name ends in {suffix}, "
                "{provided|if} it was last {modified|changed} before {date}.",
            ),
            facts={"rule": "`temp`", "suffix": "`.tmp`", "date": "2024-03-01 00:00 UTC"},
            bullet=True,
        ),
        Clause(
            "rotated",
            (
                "{rule}: rotated logs ({name}) with a number above {count}.",
                "{rule} covers files {named|called} {name} where the number is "
                "{greater|larger} than {count}.",
                "Rotated logs, {name}, {fall|go} under {rule} {if|when} their number "
                "{exceeds|is above} {count}.",
                "{rule} {is|means} {name} with {any|a} number {beyond|above} {count}{, "
                "rotated logs that is|}.",
                "{Where|If} the number in {name} is {over|above} {count}, the {file|log} "
                "{belongs to|is for} {rule}.",
                "{rule} {takes|gets} {each|every} {name} {of which|whose} number is "
                "{over|more than} {count}.",
            ),
            facts={
                "rule": "`rotated`",
                "name": "`<name>.log.<number>`",
                "count": str(world.generations),
            },
            bullet=True,
        ),
        *_say_rest(world),
    )


def _say_rest(world: Crisis) -> tuple[Clause, ...]:
    return (
        Clause(
            "cache",
            (
                "{rule}: every file below a directory {called|named} {folder}, except "
                "the paths listed in {keep}.",
                "{rule} covers all files below any {folder} directory; {keep} "
                "{lists|has} the exceptions, one path a line.",
                "{Whatever|Any file that} lies below {some|a} directory {named|of the "
                "name} {folder} {is|falls under} {rule}, {unless|save where} {keep} "
                "{lists|has} its path.",
                "{rule} {takes|means} files below directories {called|with the name} "
                "{folder}, {at any depth|however deep}, {but not|without} those "
                "{in|listed in} {keep}, one path a line.",
                "{Below|Under} {folder} directories {all|every} file is {rule}, "
                "{but|though} {paths|the paths} in {keep} {are exempt|stay}.",
                "{All|Everything} {below|under} a {folder} directory {belongs to|counts "
                "as} {rule}; {what|only what} {keep} {names|lists}, a path {a|per} line, "
                "{is|stays} exempt.",
            ),
            facts={"rule": "`cache`", "folder": "`cache`", "keep": world.keep},
            bullet=True,
        ),
        Clause(
            "nothing",
            (
                "Nothing else may be {touched|changed}: directories stay, and so does "
                "every other file.",
                "Leave all other files as they are, and keep the directories.",
                "{Directories|The directories}, also {empty|emptied} ones, and all other "
                "files {stay|remain}.",
                "{Keep|Leave} the directories, {and|along with} {every|each} other file, "
                "{as they are|untouched}.",
                "{Delete|Remove} no directory and no other file.",
                "{Other|All other} files and {all|the} directories are {to stay|not to "
                "be touched}.",
            ),
            role="constraint",
        ),
        Clause(
            "report",
            (
                "The report is CSV with the header {header} and {one|a} line for each of "
                "{rules}, in this order; a file that two rules {cover|take} {counts|is "
                "counted} for the first of them.",
                "Report as CSV: {header}, {then|and then} {rules} in that order, "
                "{with|giving} the number and the total size of the {deleted files|files "
                "deleted}; a file {covered|taken} twice {counts|is counted} once, "
                "{under|for} the earlier rule.",
                "{As|In} CSV, {header} {first|on top}, {then|and} one line {per|for "
                "each} rule, {rules} in {this|that} order, {with|giving} {how many files "
                "were deleted|the number of files it deleted} and their {size in "
                "total|total size}. A file {of|under} two rules {counts|is counted} "
                "{for|under} the {first|earlier}.",
                "The report has the header {header} and {three lines|a line each}, "
                "{rules}, in {this|exactly this} order: {number|how many} and "
                "{total|summed} size of {what|the files that} went. {Count|Put} a file "
                "{only once|once}, under the first rule {that covers it|to cover it}.",
                "{Per|For each} rule, {rules} in order, {one|a} CSV line below {header}: "
                "{how many|number of} files deleted and {their|the} bytes {in "
                "all|altogether}; where two rules {cover|take} {a|one} file, {only|just} "
                "the first {counts|claims} it.",
            ),
            facts={
                "header": f"`{','.join(HEADER)}`",
                "rules": "`temp`, `rotated`, `cache`",
            },
            role="format",
        ),
    )


FAMILY = SpaceCrisis()
