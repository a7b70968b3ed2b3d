"""SWE-17 release notes: derive the next version and its notes from the commits since the last one.

The repository has the rules.  The pitfalls are tags of candidates, breaking changes that only the
body of a message announces, and reverted commits.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.repository import Person, Repository

START = 1_705_000_000
RULES = """\
# Releasing

A subject reads `type(scope)!: text`; `(scope)` and `!` may be absent. What counts are the commits
after the latest release: the highest tag `vX.Y.Z` that is in the history of HEAD. Tags with
anything behind the three numbers are candidates and no releases.

- A commit is breaking if its subject has the `!`, or a line of its body begins with
  `BREAKING CHANGE:`.
- The next version raises X where a commit is breaking, else Y where one is a `feat`, else Z.
  The numbers behind the raised one become 0. Below 1.0.0 a breaking commit raises Y only.
@revert
"""
REVERT = """\
- `revert: ...` names in its body the commit that it takes back (`This reverts commit <id>.`).
  Neither of the two counts for anything.
"""
NOTES = """\

## Notes

Sections `## Breaking`, `## Features` (type feat) and `## Fixes` (types fix and perf), in this
order, empty ones left out, no blank lines. A line below is `- scope: text`, or `- text` without a
scope, oldest commit first. A breaking commit stands under Breaking and nowhere else.
"""
FILES = (
    ("NEXT_VERSION", "VERSION", "version.txt", "next.txt"),
    ("NOTES.md", "CHANGES.md", "release.md", "whats_new.md"),
    ("CONTRIBUTORS.txt", "thanks.txt", "AUTHORS", "people.txt"),
)
TYPES = ("feat", "fix", "perf", "docs", "chore", "test", "refactor")
SECTIONS = {"Breaking": (), "Features": ("feat",), "Fixes": ("fix", "perf")}
COLLECT = [
    "last=$(git tag --merged HEAD | grep -E '^v[0-9]+[.][0-9]+[.][0-9]+$' | sort -V | tail -n 1)",
    "git log --reverse --format='%H%x09%an%x09%s' $last..HEAD > /tmp/all.tsv; wc -l /tmp/all.tsv",
    "git log --format=%B $last..HEAD | sed -n 's/^This reverts commit \\(.*\\)[.]$/\\1/p' "
    "> /tmp/gone.txt",
    "grep -vF -f <(cat /tmp/gone.txt; echo none) /tmp/all.tsv | grep -vP '\\trevert: ' "
    "> /tmp/kept.tsv",
    "git log --format=%H -E --grep='^BREAKING CHANGE:' $last..HEAD > /tmp/body.txt; "
    "echo none >> /tmp/body.txt",
    "(grep -P '\\t[a-z]+([(].*[)])?!: ' /tmp/kept.tsv; grep -F -f /tmp/body.txt /tmp/kept.tsv) | "
    "cut -f1 > /tmp/breaking.txt; echo none >> /tmp/breaking.txt",
]
RAISE = """IFS=. read -r x y z <<< ${last#v}
if [ $(wc -l < /tmp/breaking.txt) -gt 1 ] && [ $x -gt 0 ]; then x=$((x + 1)) y=0 z=0
elif [ $(wc -l < /tmp/breaking.txt) -gt 1 ] || cut -f3 /tmp/kept.tsv | grep -q '^feat'
then y=$((y + 1)) z=0
else z=$((z + 1)); fi"""
LINES = "sed -E 's/^[a-z]+[(]([^)]*)[)]!?: /- \\1: /; s/^[a-z]+!?: /- /'"


@dataclass(frozen=True, slots=True)
class Entry:
    """A commit after the last release."""

    kind: str
    scope: str
    text: str
    author: str
    breaking: bool
    counts: bool


@dataclass(frozen=True, kw_only=True)
class Release(World):
    """The decided facts."""

    repo: str
    version_file: str
    notes_file: str
    """"" below the level from which on notes are asked for."""
    people_file: str
    """"" below the level from which on contributors are asked for."""
    version: str
    naive: str
    """A wrong version, as a reader gets it who counts from the wrong tag."""
    notes: tuple[str, ...]
    people: tuple[str, ...]


class ReleaseNotes(Family[Release]):
    """Read the history of a repository by its own rules."""

    id = "SWE-17"
    slug = "release-notes"
    domain = "software_engineering"
    skill = "Mathematical"
    primitives = (
        "Semantic version comparison",
        "Package and dependency management",
        "Structured data parsing and transformation",
        "Diff and patch processing",
    )
    fixtures = ("vendored_package",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "git", "grep", "sed")

    def world(self, ctx: Context) -> Release:
        """Return a repository with its rules."""
        rng = ctx.rng.fork("release")
        noted, signed = ctx.level >= 0.25, ctx.level >= 0.5
        base = (rng.integer(0, 3), rng.integer(1, 11), rng.integer(0, 9))
        repo, entries = _history(ctx, rng, base)
        file = rng.fork("files")
        paths = [ctx.path(file.choice(names)) for names in FILES]
        home = ctx.path(ctx.skin.directory(file))
        counted = [e for e in entries if e.counts]
        return Release(
            nodes=repo.nodes(home),
            outputs=(paths[0], *paths[1:2][:noted], *paths[2:][:signed]),
            repo=home,
            version_file=paths[0],
            notes_file=paths[1] if noted else "",
            people_file=paths[2] if signed else "",
            version=_raised(base, counted),
            naive=f"{base[0]}.{base[1]}.{base[2] + 11}",
            notes=_notes(counted),
            people=tuple(sorted({e.author for e in counted})),
        )

    def oracle(self, ctx: Context, world: Release) -> tuple[str, ...]:
        """Collect the commits that count, then write one output after the other."""
        look = f"cd {world.repo}; fmt -w 100 RELEASING.md; git log --oneline | head -n 5"
        steps = [look, *COLLECT]
        steps += [RAISE, f"echo $x.$y.$z > {world.version_file}"]
        if world.notes_file:
            kept, breaking = "/tmp/kept.tsv", "/tmp/breaking.txt"
            steps.append(f"grep -F -f {breaking} {kept} | cut -f3 | {LINES} > /tmp/Breaking.txt")
            for name, kinds in (("Features", "feat"), ("Fixes", "fix|perf")):
                steps.append(
                    f"grep -vF -f {breaking} {kept} | cut -f3 | grep -E '^({kinds})\\W' | {LINES} "
                    f"> /tmp/{name}.txt"
                )
            steps.append(
                f'for s in Breaking Features Fixes; do [ -s /tmp/$s.txt ] && echo "## $s" && '
                f"cat /tmp/$s.txt; done > {world.notes_file}; rm /tmp/[BF]*.txt"
            )
        if world.people_file:
            steps.append(f"cut -f2 /tmp/kept.tsv | LC_ALL=C sort -u > {world.people_file}")
        return (*steps, "rm /tmp/*.tsv /tmp/gone.txt /tmp/body.txt /tmp/breaking.txt; cd /")

    def checks(self, ctx: Context, world: Release) -> tuple[Check | Gate, ...]:
        """Return the version, the notes and the contributors."""
        checks: list[Check | Gate] = [exact.value("version", world.version_file, world.version)]
        if world.notes_file:
            checks.append(exact.lines("notes", world.notes_file, world.notes, weight=1.5))
        if world.people_file:
            checks.append(exact.lines("people", world.people_file, world.people))
        return tuple(checks)

    def say(self, ctx: Context, world: Release) -> tuple[Obligation, ...]:
        """Return the wanted parts of the release, and their files."""
        rules = f"{world.repo}/RELEASING.md"
        obligations = [
            Obligation(
                "goal",
                f"The git repository `{world.repo}` is due for its next release, which we prepare "
                f"by the rules in `{rules}`. They say which commits count.",
                "goal",
            ),
            Obligation(
                "version",
                f"Find out the version of the next release and write it to `{world.version_file}`, "
                "as a single line of three numbers in the form `4.7.12`, without the `v` of the "
                "tags.",
                "output",
            ),
        ]
        if world.notes_file:
            obligations.append(
                Obligation(
                    "notes",
                    f"Write the notes of the release to `{world.notes_file}`, exactly in the form "
                    f"that `{rules}` describes.",
                    "output",
                )
            )
        if world.people_file:
            obligations.append(
                Obligation(
                    "people",
                    f"Write the authors of all commits that count to `{world.people_file}`, one "
                    "name per line and each name once, sorted in byte order. Names only, without "
                    "e-mail addresses.",
                    "output",
                )
            )
        return tuple(obligations)

    def mutants(self, ctx: Context, world: Release) -> tuple[Attempt, ...]:
        """Return a version that counts commits, one with a v, and notes out of order."""
        right = list(world.notes)
        wrong: dict[str, tuple[str, list[str]]] = {
            "patch too many": (world.naive, right),
            "with a v": (f"v{world.version}", right),
            "newest first": (world.naive, [*right[:1], *right[:0:-1]]),
        }
        return tuple(
            Attempt(name, _files(world, version, notes)) for name, (version, notes) in wrong.items()
        )

    def exploits(self, ctx: Context, world: Release) -> tuple[Attempt, ...]:
        """Return the whole log as notes, and the latest tag as the version."""
        tag = f"git -C {world.repo} tag | tail -n 1 > {world.version_file}"
        log = f"git -C {world.repo} log --format=%s > {world.notes_file or '/tmp/notes'}"
        return (
            Attempt("latest tag, whole log", (tag, log)),
            Attempt("no rules", (f"rm -rf {world.repo}; echo 1.0.0 > {world.version_file}",)),
        )


def _files(world: Release, version: str, notes: list[str]) -> tuple[str, ...]:
    commands = [write_file(world.version_file, version)]
    if world.notes_file:
        commands.append(write_file(world.notes_file, "\n".join(notes)))
    if world.people_file:
        commands.append(write_file(world.people_file, "\n".join(world.people)))
    return tuple(commands)


def _history(ctx: Context, rng: Rng, base: tuple[int, int, int]) -> tuple[Repository, list[Entry]]:
    """Return the repository and the commits after its last release."""
    repo, before, after = Repository(), ctx.knob(3, 6), ctx.knob(5, 30)
    people = [Person(n, f"{ctx.skin.login(n)}@example.org")
              for n in ctx.skin.people(rng.fork("people"), ctx.knob(2, 7))]  # fmt: skip
    release = f"v{base[0]}.{base[1]}.{base[2]}"
    older = f"v{max(base[0] - 1, 0)}.{max(base[1] - 1, 0)}.{max(base[2] - 1, 0)}"
    rules = RULES.replace("@revert", REVERT if ctx.level >= 0.4 else "")
    files = {"RELEASING.md": rules.rstrip("\n") + "\n" + (NOTES if ctx.level >= 0.25 else "")}
    body, ids, entries = "", list[str](), list[Entry]()
    reverted = after // 2 if ctx.level >= 0.4 else -1
    for number in range(before + after):
        r, person = rng.fork("commit", number), rng.fork("who", number).choice(people)
        entry = _entry(ctx, r, person.name, counts=number - before != reverted)
        message = _message(entry, r)
        if number == before + reverted + 2 and reverted >= 0:
            lost = entries[reverted]
            message = f"revert: {lost.text}\n\nThis reverts commit {ids[before + reverted]}."
            entry = Entry("revert", "", lost.text, person.name, False, False)
        body += f"{number}: {message.splitlines()[0]}\n"
        commit = repo.commit({**files, "work.txt": body}, message, author=person,
                           when=START + 5000 * number, parents=tuple(ids[-1:]),
                           branch="main")  # fmt: skip
        ids.append(commit)
        if number >= before:
            entries.append(entry)
        for at, tag in ((0, older), (before - 1, release), (before + 1, f"{release}0-rc.1")):
            if number == at and f"refs/tags/{tag}" not in repo.refs:
                repo.tag(tag, commit)
    return repo, entries


def _entry(ctx: Context, rng: Rng, author: str, *, counts: bool) -> Entry:
    things, event = ctx.skin.thing(rng).plural, ctx.skin.event(rng)
    summary = rng.choice((f"list {things} by place", f"tell apart {event} and others",
                       f"keep {things} over a restart", f"count {things} once",
                       f"show when {event} began"))  # fmt: skip
    scope = rng.choice(("", ctx.skin.directory(rng))) if ctx.level >= 0.3 else ""
    heavy = rng.chance(0.06)
    return Entry(rng.weighted(TYPES, (3, 4, 1, 1, 1, 1, 1)), scope, summary, author, heavy, counts)


def _message(entry: Entry, rng: Rng) -> str:
    """Return the message; its subject or its body announces a breaking change."""
    loud = entry.breaking and rng.chance(0.5)
    scope = f"({entry.scope})" if entry.scope else ""
    subject = f"{entry.kind}{scope}{'!' if loud else ''}: {entry.text}"
    if entry.breaking and not loud:
        return f"{subject}\n\nAsked for by the users.\n\nBREAKING CHANGE: old files are refused."
    return subject


def _raised(base: tuple[int, int, int], entries: list[Entry]) -> str:
    x, y, z = base
    if any(e.breaking for e in entries) and x:
        return f"{x + 1}.0.0"
    if any(e.breaking or e.kind == "feat" for e in entries):
        return f"{x}.{y + 1}.0"
    return f"{x}.{y}.{z + 1}"


def _notes(entries: list[Entry]) -> tuple[str, ...]:
    out: list[str] = []
    for section, kinds in SECTIONS.items():
        rows = [e for e in entries if (e.breaking if not kinds else e.kind in kinds)
                and (not kinds or not e.breaking)]  # fmt: skip
        lines = [f"- {e.scope}: {e.text}" if e.scope else f"- {e.text}" for e in rows]
        out += [f"## {section}", *lines] if lines else []
    return tuple(out)


FAMILY = ReleaseNotes()
