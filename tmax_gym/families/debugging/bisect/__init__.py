"""DBG-01 bisect: one commit of a long history broke a tool; name it and repair the tip.

Commit messages do not help: the bad commit has a harmless message, other commits sound guilty,
and some do not run at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    Program,
    fraction,
    prints,
    unchanged,
)
from tmax_gym.families import products
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.debugging.bisect import tool
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.repository import Person, Repository

START = 1_690_000_000
HIDDEN = 5
FILES = (
    ("case", "input", "shown", "sample"),
    ("expected", "wanted", "right", "as_before"),
    ("ISSUE", "ticket", "complaint", "bug"),
    ("report", "culprit", "finding", "blame"),
)
FIELD_TEXTS = {
    "commit": "`commit` is the full id of the first bad commit",
    "author": "`author` is the name of its author",
    "parent": "`parent` is the full id of its parent commit",
    "release": "`release` is the lowest version tag that contains it",
    "since": "`since` is the number of commits on the branch that came after it, as an integer",
}
CHECK = """\
python3 -c 'compile(open("tool.py").read(), "tool.py", "exec")' || exit 125
diff <(python3 tool.py < {case}) {expected}
"""


@dataclass(frozen=True, kw_only=True)
class History(World):
    """The decided facts."""

    repo: str
    issue: str
    case: str
    expected: str
    report: str
    good: str
    """Tag of a release that was right."""
    answers: dict[str, object]
    decoy: str
    """A commit that sounds guilty."""
    fault: int
    mend: bool
    inputs: tuple[tuple[str, str], ...]


class Bisect(Family[History]):
    """Find the first bad commit of a history, and repair the tip."""

    id = "DBG-01"
    slug = "bisect"
    domain = "debugging"
    skill = "Debugging"
    primitives = (
        "Git bisection for regression finding",
        "Minimal reproducible example creation",
        "Regression test construction",
        "Git history forensics and secret recovery",
    )
    fixtures = ("vendored_package",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "git", "jq", "python3")
    followed_by = {  # noqa: RUF012
        "fill-notice": ("report", "Users want to hear which change broke the tool."),
        "metrics-file": ("report", "We keep a record of regressions and of how they came in."),
        "patch-file": ("repair", "The maintainers of other checkouts want the repair as a patch."),
        "batch-run": ("tool", "The reports that the broken tool made have to be made again."),
        "make-target": ("tool", "The reports are made every night from whatever has changed."),
    }

    def world(self, ctx: Context) -> History:
        """Return a repository, an issue, and an input with its right output."""
        rng = ctx.rng.fork("history")
        names, fault, numbers = _drawn(ctx, rng)
        limit = numbers[0]
        repo, facts, decoy = _history(ctx, rng.fork("commits"), numbers, fault)
        tries = (tool.entries(rng.fork("shown", n), names, limit) for n in range(40))
        shown = next(one for one in tries if _shows(one, numbers, fault))
        file = rng.fork("files")
        case, expected = (ctx.path(f"{file.choice(names)}.txt") for names in FILES[:2])
        issue = ctx.path(file.choice(FILES[2]) + ".md")
        report = ctx.path(file.choice(FILES[3]) + ".json")
        home = ctx.path(ctx.skin.directory(file))
        mend = ctx.level >= 0.45
        asked = ("commit", "author", "parent", "release", "since")[: 1 + round(4 * ctx.level)]
        drawn = (tool.entries(rng.fork("hidden", n), names, limit) for n in range(8 * HIDDEN))
        hidden = [one for one in drawn if _shows(one, numbers, fault)][:HIDDEN]
        report_ = (
            f"# Since a while {tool.FAULTS[fault][2]}\n\n{ctx.skin.person(rng)}: {case} should "
        )
        report_ += f"give what is in {expected}. Release v1.0 was right.\n"
        nodes = [*repo.nodes(home), text(case, shown), text(issue, report_)]
        nodes.append(text(expected, tool.answers(shown, numbers)))
        return History(
            nodes=tuple(nodes),
            outputs=(report,),
            repo=home,
            issue=issue,
            case=case,
            expected=expected,
            report=report,
            good="v1.0",
            answers={name: facts[name] for name in asked},
            decoy=decoy,
            fault=fault,
            mend=mend,
            inputs=tuple((one, tool.answers(one, numbers)) for one in hidden) if mend else (),
        )

    def oracle(self, ctx: Context, world: History) -> tuple[str, ...]:
        """Return `git bisect run`, the facts of the commit that it finds, and the repair."""
        check = CHECK.format(case=world.case, expected=world.expected)
        steps = [
            f"cat {world.issue}; git clone -q {world.repo} /tmp/hunt; cd /tmp/hunt; "
            "git log --oneline | wc -l",
            write_file("/tmp/check.sh", check),
            f"git bisect start HEAD {world.good} > /dev/null",
            "git bisect run bash /tmp/check.sh | tail -n 3",
            "bad=$(git rev-parse refs/bisect/bad); git bisect reset 2> /dev/null; git show --stat "
            "$bad",
            f"jq -n --arg v $bad '{{commit: $v}}' > {world.report}",
        ]
        commands = {
            "author": "git show -s --format=%an $bad",
            "parent": "git rev-parse $bad^",
            "release": "git tag --contains $bad | sort -V | head -n 1",
            "since": "git rev-list --count $bad..HEAD",
        }
        for name in list(world.answers)[1:]:
            kind = "argjson" if name == "since" else "arg"
            steps.append(
                f"value=$({commands[name]}); jq --{kind} v \"$value\" '.{name} = $v' "
                f"{world.report} > /tmp/r.json; mv /tmp/r.json {world.report}"
            )
        if world.mend:
            right, wrong, _ = tool.FAULTS[world.fault]
            for mark in "*[]":
                wrong = wrong.replace(mark, f"\\{mark}")
            steps.append(f"cd {world.repo}; sed -i 's|{wrong}|{right}|' tool.py; git diff")
            steps.append("bash /tmp/check.sh")
        return (*steps, "cd /; rm -rf /tmp/check.sh /tmp/hunt")

    def checks(self, ctx: Context, world: History) -> tuple[Check | Gate, ...]:
        """Return the report, which needs the right commit, and the tool on other inputs."""
        issue = [n for n in world.nodes if n.path in (world.issue, world.case, world.expected)]
        checks: list[Check | Gate] = [
            unchanged("issue", issue),
            Check("report", "exact_text", lambda e: _reported(e, world), 2.0),
        ]
        if world.mend:
            checks.append(Check("tool", "fuzz_equivalence", lambda e: _mended(e, world)))
        return tuple(checks)

    def products(self, ctx: Context, world: History) -> Mapping[str, products.Product]:
        """Return the report, and the repaired tool where it has to be repaired."""
        fields = {name: v for name, v in world.answers.items() if isinstance(v, str | int)}
        report = products.Record(world.report, fields, "regression")
        if not world.mend:
            return {"report": report}
        source = f"{world.repo}/tool.py"
        before = next(node.data or b"" for node in world.nodes if node.path == source)

        names, _, numbers = _drawn(ctx, ctx.rng.fork("history"))

        def case(rng: Rng) -> products.Case:
            stdin = tool.entries(rng, names, numbers[0])
            return products.Case(stdin.encode(), tool.answers(stdin, numbers).encode())

        return {
            "report": report,
            "tool": products.Program(source, f"python3 {source}", case, "lists of entries"),
            "repair": products.Edits(world.repo, {"tool.py": before}, "tool"),
        }

    def say(self, ctx: Context, world: History) -> tuple[Obligation, ...]:
        """Return the symptom, the report, and what has to be repaired."""
        fields = "; ".join(FIELD_TEXTS[name] for name in world.answers)
        obligations = [
            Obligation(
                "goal",
                f"A commit in the git repository `{world.repo}` broke `tool.py`. Release "
                f"`{world.good}` was right, the tip of the branch is wrong. Find the first bad "
                f"commit and report it in `{world.report}`.",
                "goal",
            ),
            Obligation(
                "symptom",
                f"`{world.issue}` describes the symptom: if `tool.py` reads `{world.case}` on "
                f"standard input, it should print exactly what is in `{world.expected}`.",
                "input",
            ),
            Obligation(
                "history",
                "Some commits may not run at all, and such a commit is neither good nor bad. "
                "Do not trust the commit messages.",
                keys=("message", "not run", "neither", "syntax", "mislead"),
            ),
            Obligation(
                "fields",
                f"`{world.report}` is a JSON object: {fields}.",
                "format",
            ),
        ]
        if len(world.answers) > 1:
            obligations.append(
                Obligation(
                    "commit",
                    "If `commit` is wrong, the other fields of the report do not count.",
                    "grading",
                )
            )
        if world.mend:
            obligations.append(
                Obligation(
                    "mend",
                    f"Then repair `{world.repo}/tool.py` in the work tree, and keep everything "
                    f"else that changed since `{world.good}`. You may commit the repair, but you "
                    f"do not have to. We will run this file by itself on other inputs of the same "
                    f"kind as `{world.case}`.",
                    "output",
                )
            )
        obligations.append(
            Obligation(
                "keep",
                f"Do not change `{world.issue}`, `{world.case}` and `{world.expected}`.",
                "limit",
            )
        )
        return tuple(obligations)

    def mutants(self, ctx: Context, world: History) -> tuple[Attempt, ...]:
        """Return reports that name a commit that sounds guilty, the one before, or the tip."""
        commits = {
            "sounds guilty": world.decoy,
            "a commit early": f"$(git -C {world.repo} rev-parse {world.answers['commit']}^)",
            "tip": f"$(git -C {world.repo} rev-parse HEAD)",
        }
        rest = json.dumps(world.answers)
        return tuple(
            Attempt(
                name,
                (f"jq --arg v {commit} '.commit = $v' <<< '{rest}' > {world.report}",),
            )
            for name, commit in commits.items()
        )

    def exploits(self, ctx: Context, world: History) -> tuple[Attempt, ...]:
        """Return a report with every commit at once, and one without a commit."""
        everyone = f"git -C {world.repo} rev-list --all"
        return (
            Attempt("every commit", (f"jq -n --arg v \"$({everyone})\" '{{commit: $v}}' "
                                     f"> {world.report}",)),
            Attempt("no commit", (f"echo '{{\"since\": 0}}' > {world.report}",)),
        )  # fmt: skip


def _drawn(ctx: Context, rng: Rng) -> tuple[list[str], int, tuple[int, int]]:
    """Return the names in the inputs, the fault, and the limit and the rate of the tool."""
    names = [p.partition(" ")[0].lower() for p in ctx.skin.people(rng.fork("names"), 12)]
    names = sorted(set(names))[:5]
    fault, limit = rng.integer(0, len(tool.FAULTS) - 1), rng.integer(20, 90) * 10 + 3
    return names, fault, (limit, rng.choice((3, 7, 9)))


def _history(
    ctx: Context, rng: Rng, numbers: tuple[int, int], fault: int
) -> tuple[Repository, dict[str, object], str]:
    """Return the repository, the facts of the bad commit, and a decoy."""
    repo, count = Repository(), ctx.knob(9, 38)
    people = [Person(name, f"{ctx.skin.login(name)}@example.org")
              for name in ctx.skin.people(rng.fork("people"), 4)]  # fmt: skip
    guilty = rng.integer(count // 3, count - 4)
    broken = set(rng.sample(range(2, guilty - 1), 1)) if ctx.level >= 0.6 else set()
    broken |= {guilty + 2} if ctx.level >= 0.6 else set()
    releases = {1: "v1.0", guilty - 1: "v1.1", (guilty + count) // 2 + 1: "v1.2"}
    stems = rng.shuffled(sorted(set(ctx.skin.stems)))
    notes, extras = f"# {ctx.skin.org(rng)}\n", ""
    ids: list[str] = []
    for number in range(count):
        r = rng.fork(number)
        stem = stems[number % len(stems)]
        if r.chance(0.5) or number == guilty:
            extras += f'\n\ndef note_{stem}_{number}(value):\n    return f"{stem}: {{value}}"\n'
        notes += f"- {r.choice(tool.MESSAGES).lower()} ({stem})\n"
        body = tool.source(f"1.{number}", numbers, extras,
                           faults=(fault,) if number >= guilty else ())  # fmt: skip
        if number in broken:
            body = body.replace("def report(lines):", "def report(lines:", 1)
        sounds = number in (guilty - 2, guilty + 1)
        message = r.choice(tool.DECOYS if sounds else tool.MESSAGES)
        commit = repo.commit(
            {"tool.py": body, "NOTES.md": notes},
            message if number else "First version",
            author=r.choice(people),
            when=START + 7000 * number,
            parents=tuple(ids[-1:]),
            branch="main",
        )
        if number in releases:
            repo.tag(releases[number], commit)
        ids.append(commit)
    facts: dict[str, object] = {"commit": ids[guilty], "parent": ids[guilty - 1]}
    facts["author"] = _author(repo, ids[guilty])
    later = [name for number, name in sorted(releases.items()) if number >= guilty]
    facts["release"], facts["since"] = later[0], count - 1 - guilty
    return repo, facts, ids[guilty + 1]


def _shows(entries: str, numbers: tuple[int, int], fault: int) -> bool:
    return tool.answers(entries, numbers) != tool.answers(entries, numbers, fault=fault)


def _author(repo: Repository, commit: str) -> str:
    """Return the author's name of a commit."""
    line = repo.objects[commit].split(b"\nauthor ", 1)[1]
    return line.partition(b" <")[0].decode()


def _reported(evidence: Evidence, world: History) -> float:
    """Return the share of right fields; raise `BadOutput` without the right commit."""
    report = exact.read_json(evidence, world.report)
    if not isinstance(report, dict) or report.get("commit") != world.answers["commit"]:
        raise BadOutput(f"{world.report} does not name the commit")
    return fraction(
        sum(tolerance.same(report.get(k), v) for k, v in world.answers.items()), len(world.answers)
    )


def _mended(evidence: Evidence, world: History) -> float:
    """Return the share of hidden inputs with the right output; the broken tool gets 0."""
    cases = [Case(stdin=stdin.encode()) for stdin, _ in world.inputs]
    program = Program(f"{world.repo}/tool.py", "python", roots=(f"{world.repo}/tool.py",))
    outcomes = evidence.run(program, cases)
    right = sum(
        o.exit_code == 0 and prints(o.stdout.lstrip(), wanted.lstrip().encode())
        for o, (_, wanted) in zip(outcomes, world.inputs, strict=True)
    )
    return fraction(right, len(cases))


FAMILY = Bisect()
