"""FIL-02 bulk rename: files are named after their header lines, and equal names are numbered.

Below `SHORT` only one file is renamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Files, Product
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

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
    followed_by = {  # noqa: RUF012
        "pack-bundle": ("scans", "The archive takes the renamed scans as one bundle."),
        "file-manifest": ("scans", "The archive wants a list of what it gets."),
        "publish-release": ("scans", "Everybody should find the renamed scans in one place."),
    }

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

    def products(self, ctx: Context, world: Batch) -> Mapping[str, Product]:
        """Return the renamed scans."""
        if ctx.level < SHORT:
            return {}
        contents = {
            node.path.removeprefix(f"{world.folder}/"): node.data
            for node in world.after
            if node.data is not None
        }
        return {"scans": Files(world.folder, contents, "scans")}

    def say(self, ctx: Context, world: Batch) -> tuple[Obligation, ...]:
        """Return the naming rule."""
        return _say_short(world) if ctx.level < SHORT else _say_rule(ctx, world)

    def mutants(self, ctx: Context, world: Batch) -> tuple[Attempt, ...]:
        """Return programs that break one rule each."""
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


def _say_short(world: Batch) -> tuple[Obligation, ...]:
    return (
        Obligation(
            "goal",
            f"`{world.old}` has the wrong name. Rename it to `{world.new}` and leave its content "
            f"as it is.",
            "goal",
        ),
    )


def _say_rule(ctx: Context, world: Batch) -> tuple[Obligation, ...]:
    obligations = [
        Obligation(
            "goal",
            f"The scanner only numbers its files, so nobody finds anything in `{world.folder}`. "
            f"Rename the files in this folder after their own header lines.",
            "goal",
        ),
        Obligation(
            "pattern",
            "The new name is `<date>_<site>_<title>.txt`, with the values of the header lines "
            "`Date:`, `Site:` and `Title:` of the file.",
        ),
        Obligation(
            "slug",
            "Site and title are put in lower case. Then each run of characters other than `a-z` "
            "and `0-9` is replaced by a single hyphen, and hyphens at the start and the end are "
            "removed.",
        ),
    ]
    if ctx.level > DAY_FIRST:
        obligations.append(
            Obligation(
                "dates",
                "The date in the name always has the form `YYYY-MM-DD`. Some header lines have it "
                "as `DD/MM/YYYY` instead; convert these.",
            )
        )
    return (
        *obligations,
        Obligation(
            "doubles",
            "If several files get the same name, go through them in byte order of their old "
            "names. The first one gets the plain name, the second one gets `-2` before the "
            "suffix, the third one `-3`, and so on.",
        ),
        Obligation(
            "strangers",
            "A file that lacks one of the three header lines keeps its old name.",
            keys=("lack", "missing", "without", "all three", "not have"),
        ),
        Obligation(
            "keep",
            "Do not change the content of any file, and leave no other files in the folder.",
            "limit",
            keys=("content", "unchanged", "no other files", "nothing else", "only rename"),
        ),
    )


FAMILY = BulkRename()
