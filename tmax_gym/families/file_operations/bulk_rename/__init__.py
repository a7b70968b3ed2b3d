"""FIL-02 bulk rename: files named after what their first lines say, collisions and all.

Below `SHORT` one file gets another name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

SHORT = 0.2
DAY_FIRST = 0.5
"""Level above which half of the dates are written day first."""

PYTHON = program_text(__package__, "main.py")


@dataclass(frozen=True, kw_only=True)
class Batch(World):
    """The decided facts."""

    folder: str
    old: str = ""
    new: str = ""
    after: tuple[Node, ...] = ()


class BulkRename(Family[Batch]):
    """Name files by date, site and title; number equal names; leave other files alone."""

    id = "FIL-02"
    slug = "bulk-rename"
    domain = "file_operations"
    skill = "Transformation"
    primitives = (
        "Bulk file renaming",
        "Text transformation with sed/awk/vim",
        "Metadata-based file search",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "sed", "python3")

    def world(self, ctx: Context) -> Batch:
        """Return a folder of scans, or a folder with one misnamed file."""
        return _one_file(ctx) if ctx.level < SHORT else _scans(ctx)

    def oracle(self, ctx: Context, world: Batch) -> tuple[str, ...]:
        """Return mv, or a loop over the files in order."""
        if ctx.level < SHORT:
            return (f"mv {world.old} {world.new}",)
        return (
            f"cd {world.folder}; head -n 4 $(ls | head -n 3)",
            'slug() { printf %s "$1" | LC_ALL=C tr A-Z a-z | '
            "LC_ALL=C sed -E 's/[^a-z0-9]+/-/g; s/^-//; s/-$//'; }",
            'field() { sed -n "s/^$1: //p" "$2" | head -n 1; }',
            "declare -A used",
            program_text(__package__, "rename.sh").removesuffix("\n"),
            "ls; cd /app; unset used",
        )

    def alternative(self, ctx: Context, world: Batch) -> tuple[str, ...] | None:
        """Return the same in Python, or a copy and a removal."""
        if ctx.level < SHORT:
            return (f"cp -p {world.old} {world.new} && rm {world.old}",)
        return (write_file("/tmp/name.py", _program(world)), "python3 /tmp/name.py")

    def checks(self, ctx: Context, world: Batch) -> tuple[Check | Gate, ...]:
        """Return the resulting folder, entry by entry."""
        if ctx.level < SHORT:
            return (Check("moved", "exact_text", lambda evidence: _moved(evidence, world)),)
        return (exact.tree("names", world.folder, world.after, initial=world.nodes),)

    def say(self, ctx: Context, world: Batch) -> tuple[Clause, ...]:
        """Return the naming rule."""
        return _say_short(world) if ctx.level < SHORT else _say_rule(ctx, world)

    def mutants(self, ctx: Context, world: Batch) -> tuple[Attempt, ...]:
        """Return one broken clause of the rule at a time."""
        if ctx.level < SHORT:
            return (
                Attempt("copied", (f"cp {world.old} {world.new}",)),
                Attempt("emptied", (f"mv {world.old} {world.new}; : > {world.new}",)),
                Attempt("linked", (f"mv {world.old} /tmp/x; ln -s /tmp/x {world.new}",)),
            )
        program = _program(world)
        wrong = {
            "doubles overwrite": program.replace("> 1:", "> 99:"),
            "case kept": program.replace("words.lower()", "words").replace("a-z0-9", "A-Za-z0-9"),
            "every character a hyphen": program.replace("0-9]+", "0-9]"),
            "order reversed": program.replace('listdir("."))', 'listdir("."), reverse=True)'),
        }
        return tuple(
            Attempt(name, (write_file("/tmp/name.py", body), "python3 /tmp/name.py"))
            for name, body in wrong.items()
        )

    def exploits(self, ctx: Context, world: Batch) -> tuple[Attempt, ...]:
        """Return right names without the right content, and an empty folder."""
        names = world.new or " ".join(n.path for n in world.after)
        return (
            Attempt("names only", (f"rm -f {world.folder}/*; touch {names}",)),
            Attempt("gone", (f"rm -rf {world.folder}/*",)),
        )


def _moved(evidence: Evidence, world: Batch) -> float:
    wanted = next(n.data for n in world.nodes if n.path == world.old)
    if evidence.tree(world.old):
        raise BadOutput(f"{world.old} still exists")
    folder = evidence.tree(world.new.rpartition("/")[0])
    if not any(node.path == world.new and node.kind == "file" for node in folder):
        raise BadOutput(f"{world.new} is no file: a link does not rename one")
    return float(evidence.read(world.new) == wanted)


def _program(world: Batch) -> str:
    return f"FOLDER = {world.folder!r}\n{PYTHON}"


def _one_file(ctx: Context) -> Batch:
    rng = ctx.rng.fork("one")
    stems = rng.sample(sorted(set(ctx.skin.stems)), 3)
    suffix = rng.choice(("txt", "csv", "log"))
    old, new = ctx.path(f"{stems[0]}.{suffix}"), ctx.path(f"{stems[1]}.{suffix}")
    nodes = (text(old, f"{ctx.skin.code(rng)}\n"), text(ctx.path(f"{stems[2]}.{suffix}"), "x\n"))
    return Batch(nodes=nodes, outputs=(new,), folder=ctx.home, old=old, new=new)


def _scans(ctx: Context) -> Batch:
    folder = ctx.path(ctx.skin.directory(ctx.rng.fork("folder")))
    before: list[Node] = []
    named: dict[str, str] = {}
    heads = _heads(ctx)
    for number, (date, shown, site, title) in enumerate(heads):
        r = ctx.rng.fork("scan", number)
        body = f"Site: {site}\nDate: {shown}\nTitle: {title}\n\n{ctx.skin.event(r)} {r.hex(8)}\n"
        if number % 7 == 5:
            body = body.replace("Title: ", "Subject: ")
        node = text(f"{folder}/scan{r.integer(0, 899) * 100 + number:05d}.txt", body)
        before.append(node)
        if "Title: " in body:
            named[node.path] = f"{date}_{_slug(site)}_{_slug(title)}"
    after, used = [], dict[str, int]()
    for node in sorted(before, key=lambda n: n.path):
        name = named.get(node.path)
        if name is None:
            after.append(node)
            continue
        used[name] = used.get(name, 0) + 1
        tail = f"-{used[name]}" if used[name] > 1 else ""
        after.append(replace(node, path=f"{folder}/{name}{tail}.txt"))
    return Batch(nodes=tuple(before), outputs=(folder,), folder=folder, after=tuple(after))


def _heads(ctx: Context) -> list[tuple[str, str, str, str]]:
    """Return (date, date as written, site, title); the first two collide."""
    heads: list[tuple[str, str, str, str]] = []
    for number in range(ctx.knob(8, 80)):
        r = ctx.rng.fork("head", number)
        year, month, day = r.integer(2018, 2025), r.integer(1, 12), r.integer(1, 28)
        title = _title(ctx, r)
        date = f"{year}-{month:02d}-{day:02d}"
        shown = date
        if ctx.level > DAY_FIRST and r.chance(0.5):
            shown = f"{day:02d}/{month:02d}/{year}"
        heads.append((date, shown, ctx.skin.place(r), title))
    date, shown, site, title = heads[0]
    heads[1] = (date, date, site, title.upper())
    heads[2] = (date, date, site, title.replace(" ", "  "))
    return heads


def _title(ctx: Context, rng: Rng) -> str:
    event, thing = ctx.skin.event(rng), ctx.skin.thing(rng).singular
    return rng.choice(
        (
            f"{event.capitalize()} ({thing})",
            f"{thing}: {event}!",
            f"{event} / {thing}",
            f"{event} – {thing}",
        )
    )


def _slug(words: str) -> str:
    kept = "".join(c if c.isascii() and c.isalnum() else " " for c in words.lower())
    return "-".join(kept.split())


def _say_short(world: Batch) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "{Rename|Move} {old} to {new}.",
                "{old} has the wrong name; it should be {new}.",
                "{Please give|Give} {old} its right name, {new}.",
                "{old} becomes {new}, {content as it is|its content unchanged}.",
                "{From now on|As of today} {old} {is|is to be} called {new}.",
                "{The right|The proper} name of {old} is {new}: {rename|change} it.",
            ),
            facts={"old": world.old, "new": world.new},
            role="goal",
            brief="Rename {old} to {new}.",
        ),
    )


def _say_rule(ctx: Context, world: Batch) -> tuple[Clause, ...]:
    clauses = (
        Clause(
            "goal",
            (
                "{Rename|Name} the files in {folder} after {their own headers|what their "
                "first lines say}.",
                "The scanner numbers its files; {rename|name} those in {folder} by "
                "{content|what is in them}.",
                "{Every|Each} file in {folder} needs a name that {says|tells} what is in it.",
                "Give the files in {folder} {proper|speaking} names, {taken from|made "
                "of} their header lines.",
                "{Numbers|Scanner numbers} {say|tell} nothing: {name|rename} the files "
                "in {folder} {by|after} their {headers|first lines}.",
                "{Nobody can|One cannot} {find|tell} anything in {folder} by its names. "
                "{Take|Derive} {new|better} ones from the {headers|header lines} of the "
                "files.",
            ),
            facts={"folder": world.folder},
            role="goal",
            brief="Rename the files in {folder} by their headers.",
        ),
        Clause(
            "pattern",
            (
                "The new name is {pattern}, {from|out of} the header lines {lines}.",
                "{Build|Form} {pattern} out of the header lines {lines}.",
                "{pattern} is {how|the form in which} a file is {named|called}, "
                "{after|from} its lines {lines}.",
                "{From|Out of} the lines {lines} {comes|you make} the {new|} name, {pattern}.",
                "{lines} {in|at} the head of a file {supply|give} {its|the} name, {pattern}.",
                "{Combine|Put together} {lines} of {each|the} header {to|as} {pattern}.",
            ),
            facts={"pattern": "`<date>_<site>_<title>.txt`", "lines": "`Date:`, `Site:`, `Title:`"},
            role="format",
        ),
        *_say_details(),
    )
    return clauses if ctx.level <= DAY_FIRST else (*clauses, _say_dates())


def _say_details() -> tuple[Clause, ...]:
    return (
        Clause(
            "slug",
            (
                "Site and title go in lower case, with {every|each} run of characters "
                "other than {kept} {turned into|replaced by} one hyphen, and no hyphen "
                "at either end.",
                "In site and title, lower-case everything, replace {each|every} run of "
                "anything but {kept} by a single hyphen and strip hyphens from both ends.",
                "{Lower-case|Put in lower case} site and title; {whatever is not|all that is "
                "outside} {kept} {becomes|turns into} a hyphen, {one for a whole "
                "run|a single one for each run}, and {none|no hyphen} {is left|stays} "
                "{at the ends|at either end}.",
                "{Of|From} site and title, in lower case, keep {kept}; {a run|each run} "
                "of {other|any other} characters {is|becomes} one hyphen, "
                "{those|hyphens} at {the|both} ends {are dropped|fall away}.",
                "{Only|Just} {kept} {survive|remain} in site and title, which are "
                "lower-cased {first|before}: {any|each} {run|stretch} of "
                "{something|anything} else {gives|becomes} a single hyphen, but never "
                "{at the start or end|at either end}.",
                "{For|In} the site and the title {use|take} lower case and "
                "{exchange|replace} each run of characters {beyond|that are not} {kept} "
                "{for|by} one hyphen; {trim|strip} hyphens {at|from} both ends.",
            ),
            facts={"kept": "`a-z` and `0-9`"},
            bullet=True,
        ),
        Clause(
            "doubles",
            (
                "Where several files get the same name, go by their old names in byte "
                "order: the first keeps it, the next {ones|} get {two}, {three} and so "
                "on before the suffix.",
                "Doubles are numbered in byte order of the {old|former} names: none for "
                "the first, then {two}, {three} and so on, before the suffix.",
                "{The same|One} name for several? {In|Going in} byte order of {the old "
                "names|what they were called}, the first {goes without|gets nothing}, "
                "{the others|later ones} {add|get} {two}, {three} and so {forth|on} "
                "{before|in front of} the suffix.",
                "{Files|Several files} {that|which} {come out|end up} with {one|the "
                "same} name {are|get} numbered {before|ahead of} the suffix, {two}, "
                "{three} {and so on|onward}, {except|but not} the first {by|in} byte "
                "order of {their|the} old names.",
                "{Before|In front of} the suffix {goes|comes} {two}, {three} and so on "
                "for the second, third and {later|further} file of {the same|one} name, "
                "{taken|counted} in byte order of {their|the} old names; the first {has "
                "no number|stays without}.",
                "{Take|Go through} the files in byte order of {their|the} old names; {a "
                "name|any name} {used|taken} {already|before} gets {two}, {the next "
                "time|then} {three} {and so on|and so forth}, {before|in front of} its "
                "suffix.",
            ),
            facts={"two": "`-2`", "three": "`-3`"},
            bullet=True,
        ),
        Clause(
            "strangers",
            (
                "A file that lacks {one|any} of the three lines keeps its name.",
                "Leave files alone that do not have all three lines.",
                "{Where|If} {one|any} of the three lines is {missing|absent}, the file "
                "{keeps|stays with} its name.",
                "{Without|Lacking} all three lines, a file {is not renamed|keeps its old name}.",
                "{Files|Those} {missing|without} one of the three lines {stay|are left} "
                "as they are.",
                "{All three lines|The three lines} {must be there|are needed}; "
                "{otherwise|else} {leave|keep} the {old|} name.",
            ),
            bullet=True,
        ),
    )


def _say_dates() -> Clause:
    return Clause(
        "dates",
        (
            "Dates go in as {iso}; some {of them |}are {written|given} {dmy}.",
            "Write dates as {iso}, {also|even} those that come as {dmy}.",
            "{iso} is {wanted|the form} for dates, {even where|though} {the header "
            "says|some headers have} {dmy}.",
            "{Turn|Convert} {dmy} {into|to} {iso} in names.",
            "{Some|A few} dates {read|come as} {dmy}; {in|for} the name, {make|write} them {iso}.",
            "{Whether|No matter if} a date {comes|is given} as {dmy} or not, {it "
            "goes|put it} in as {iso}.",
        ),
        facts={"iso": "`YYYY-MM-DD`", "dmy": "`DD/MM/YYYY`"},
        bullet=True,
    )


FAMILY = BulkRename()
