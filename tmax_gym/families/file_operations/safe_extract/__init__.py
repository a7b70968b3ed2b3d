"""FIL-15 safe extract: which tar archives may be unpacked, and which would break out.

The policy is in a file, one rule a line; the more difficult the task, the more rules.  Below
`SHORT` the archives are a listing of names, and one rule applies.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks.check import Case, Check, Gate, Program, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.file_operations.safe_extract.rules import (
    FRAME,
    KNOWN,
    LINES,
    RULE,
    honest,
    policy,
    spoilt,
    tarball,
)
from tmax_gym.families.shared.marks import verdicts
from tmax_gym.nodes import Node, prose
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
SUFFIX = {"python": "py", "bash": "sh"}
NAMES = {"python": "Python", "bash": "Bash"}


@dataclass(frozen=True, kw_only=True)
class Gatekeeper(World):
    """The decided facts."""

    program: str
    policy: str = ""
    samples: str = ""
    rules: tuple[str, ...] = ()
    limit: int = 0
    batches: tuple[tuple[tuple[bytes, bool], ...], ...] = ()
    """Hidden archives (or listings), each with whether it is harmless."""


class SafeExtract(Family[Gatekeeper]):
    """Absolute names, climbing names, links that lead out, traps behind links, odd kinds."""

    id = "FIL-15"
    slug = "safe-extract"
    domain = "file_operations"
    skill = "Archives"
    primitives = (
        "Archive integrity verification",
        "Archive creation and extraction",
        "Filesystem mount and path manipulation",
        "Symbolic and hard link management",
    )
    fixtures = ("text_only",)
    verifiers = ("adversarial_corpus",)
    languages = ("python", "bash")
    tools = ("bash", "python3", "tar", "awk")

    def world(self, ctx: Context) -> Gatekeeper:
        """Return a policy with example archives, and hidden archives."""
        program = ctx.path(f"vet.{SUFFIX[ctx.language]}")
        rng = ctx.rng.fork("vet")
        if ctx.level < SHORT:
            return _listings(ctx, program)
        rules = ("climb", *rng.sample(KNOWN[1:], ctx.knob(1, len(KNOWN) - 1)))
        rules = tuple(rule for rule in KNOWN if rule in rules)
        limit = rng.integer(6, 12)
        archives = []
        for number in range(3 * len(rules) + 6):
            r = rng.fork("hidden", number)
            members = honest(ctx, r, limit=limit)
            fine = number >= 2 * len(rules)
            if not fine:
                members = spoilt(r, members, rule=rules[number // 2], limit=limit)
            archives.append((tarball(members), fine))
        mixed = rng.fork("order").shuffled(archives)
        half = len(mixed) // 2
        sheet, samples = ctx.path("POLICY"), ctx.path("samples")
        shown = [honest(ctx, rng.fork("shown", n), limit=limit) for n in range(2)]
        shown.append(spoilt(rng.fork("bad"), shown[1], rule=rules[0], limit=limit))
        nodes = (
            prose(sheet, policy(rules, limit)),
            *(
                Node(f"{samples}/{name}.tar", data=tarball(members))
                for name, members in zip(("fine1", "fine2", "bad1"), shown, strict=True)
            ),
        )
        return Gatekeeper(
            nodes=nodes,
            outputs=(program,),
            program=program,
            policy=sheet,
            samples=samples,
            rules=rules,
            limit=limit,
            batches=(tuple(mixed[:half]), tuple(mixed[half:])),
        )

    def oracle(self, ctx: Context, world: Gatekeeper) -> tuple[str, ...]:
        """Return the frame, then one file a rule."""
        if ctx.level < SHORT:
            return (
                write_file(world.program, LINES[ctx.language]),
                f"chmod 755 {world.program}",
                f"{_run(ctx, world)} {world.samples}/*.txt",
            )
        return (
            f"cat {world.policy}; for f in {world.samples}/*.tar; do tar -tvf $f; done",
            *self._built(ctx, world, skip=""),
            f"{_run(ctx, world)} {world.samples}/*.tar",
        )

    def checks(self, ctx: Context, world: Gatekeeper) -> tuple[Check | Gate, ...]:
        """Return the two-sided corpus, a few archives a run."""
        cases = []
        for number, batch in enumerate(world.batches):
            paths = [f"/tmp/b{number}/{n:03d}.in" for n in range(len(batch))]
            files = [Node(p, data=body) for p, (body, _) in zip(paths, batch, strict=True)]
            cases.append(Case(argv=tuple(paths), nodes=tuple(files)))
        corpus = verdicts(
            "corpus",
            Program(world.program, ctx.language, roots=(ctx.home,)),
            cases,
            wanted=[[fine for _, fine in batch] for batch in world.batches],
            words=("accept", "reject"),
        )
        return (unchanged("policy", world.nodes), corpus)

    def say(self, ctx: Context, world: Gatekeeper) -> tuple[Obligation, ...]:
        """Return the interface; the rules stand in the policy."""
        language = NAMES[ctx.language]
        unseen = ("unseen", "not seen", "n't seen", "hidden", "other", "further")
        if ctx.level < SHORT:
            return (
                Obligation(
                    "goal",
                    f"Write a {language} program `{world.program}` that judges lists of archive "
                    f"members. Its arguments are the paths of one or more files, each of which has "
                    f"one member name per line.",
                    "goal",
                ),
                Obligation(
                    "rule",
                    "For each file, in the order of the arguments, it prints one line: `reject` if "
                    "any name in the file has a path segment that is exactly `..`, and `accept` "
                    "otherwise. Segments are the parts between slashes. The exit status is always "
                    "0.",
                    "format",
                ),
                Obligation(
                    "samples",
                    f"There are two examples in `{world.samples}`, which must not be changed: "
                    f"`fine.txt` must be accepted and `bad.txt` must be rejected.",
                    "input",
                ),
                Obligation(
                    "judged",
                    "We will run it on lists that you have not seen, with such names and with "
                    "harmless ones that look similar.",
                    "grading",
                    keys=unseen,
                ),
            )
        return (
            Obligation(
                "situation",
                "People send us tar archives, and some of those would write outside the directory "
                "in which they are unpacked.",
                "situation",
                keys=("archives", "unpack", "extract"),
            ),
            Obligation(
                "goal",
                f"Write a {language} program `{world.program}` that decides by the rules in "
                f"`{world.policy}` which archives may be unpacked.",
                "goal",
            ),
            Obligation(
                "samples",
                f"There are examples in `{world.samples}`: `fine1.tar` and `fine2.tar` must be "
                f"accepted, and `bad1.tar` must be rejected.",
                "input",
            ),
            Obligation(
                "interface",
                "The program gets the paths of one or more archives as arguments. For each "
                "archive, in the order of the arguments, it prints one line, either `accept` or "
                "`reject`. The exit status is always 0.",
                "format",
            ),
            Obligation(
                "keep",
                "Do not change the policy or the examples. The program may load other files that "
                "you put beside it.",
                "limit",
                keys=("not change", "n't change", "unchanged", "as they are", "untouched"),
            ),
            Obligation(
                "judged",
                "We will run the program on archives that you have not seen, bad ones and harmless "
                "ones that only look suspicious. Rejecting a harmless archive counts as much as "
                "accepting a bad one.",
                "grading",
                keys=unseen,
            ),
        )

    def mutants(self, ctx: Context, world: Gatekeeper) -> tuple[Attempt, ...]:
        """Return rules that were forgotten or misread."""
        if ctx.level < SHORT:
            body = LINES[ctx.language]
            wrong = (
                body.replace("(^|/)", "^"),
                body.replace("(/|$)", ""),
                body.replace("(^|/)", "").replace("(/|$)", ""),
            )
            return tuple(
                Attempt(f"pattern {n}", (write_file(world.program, w),))
                for n, w in enumerate(wrong)
            )
        skipped = (world.rules[-1], "climb")
        attempts = [Attempt(f"without {r}", self._built(ctx, world, skip=r)) for r in skipped]
        loose = tuple(
            c.replace("'..'", "'...'").replace("\\.\\.", "\\.\\.\\.")
            for c in self._built(ctx, world, skip="")
        )
        turned = tuple(
            c.replace("accept", "ok").replace("reject", "no")
            for c in self._built(ctx, world, skip="")
        )
        return (*attempts, Attempt("three dots", loose), Attempt("other words", turned))

    def exploits(self, ctx: Context, world: Gatekeeper) -> tuple[Attempt, ...]:
        """Return programs that do not look inside."""
        python = ctx.language == "python"
        one = "import sys\nfor f in sys.argv[1:]: print({!r})\n"
        loop = "for f; do echo {}; done\n"
        sizes = (
            "import os, sys\nfor f in sys.argv[1:]: print('accept' if len(f) % 2 else 'reject')\n"
            if python
            else "for f; do [ $((${#f} % 2)) = 1 ] && echo accept || echo reject; done\n"
        )
        return tuple(
            Attempt(name, (write_file(world.program, body),))
            for name, body in (
                ("accept all", (one if python else loop).format("accept")),
                ("reject all", (one if python else loop).format("reject")),
                ("by name length", sizes),
            )
        )

    def _built(self, ctx: Context, world: Gatekeeper, *, skip: str) -> tuple[str, ...]:
        """Return the commands that write the program and its rules but one."""
        folder, suffix = ctx.path("vet.d"), SUFFIX[ctx.language]
        files = [
            write_file(
                f"{folder}/{number:02d}_{rule}.{suffix}",
                RULE[ctx.language][rule].replace("@limit", str(world.limit)),
            )
            for number, rule in enumerate(world.rules)
            if rule != skip
        ]
        return (f"mkdir -p {folder}", write_file(world.program, FRAME[ctx.language]), *files)


def _run(ctx: Context, world: Gatekeeper) -> str:
    return f"{'python3' if ctx.language == 'python' else 'bash'} {world.program}"


def _listings(ctx: Context, program: str) -> Gatekeeper:
    """Return two example lists of names, and hidden ones, of which half climb."""
    rng, samples = ctx.rng.fork("short"), ctx.path("samples")
    batch = [_listing(ctx, rng.fork("list", number), number) for number in range(16)]
    shown = [_listing(ctx, rng.fork("shown", number), number) for number in range(2)]
    return Gatekeeper(
        nodes=tuple(
            Node(f"{samples}/{name}.txt", data=body)
            for name, (body, _) in zip(("fine", "bad"), shown, strict=True)
        ),
        outputs=(program,),
        program=program,
        samples=samples,
        batches=(tuple(rng.shuffled(batch)),),
    )


def _listing(ctx: Context, rng: Rng, number: int) -> tuple[bytes, bool]:
    """Return a list of names, and whether it is harmless, which every other one is."""
    names = [member.name for member in honest(ctx, rng, limit=9)]
    stem, folder = ctx.skin.stem(rng), ctx.skin.directory(rng)
    harmless = (f"{folder}..x/{stem}", f"..{stem}", f"{folder}/{stem}..", f"a/...b/{stem}")
    climbing = (f"../{stem}", f"{folder}/../../{stem}", f"{folder}/..", "..")
    fine = number % 2 == 0
    names.append((harmless if fine else climbing)[number // 2 % 4])
    return "\n".join(rng.shuffled(names)).encode() + b"\n", fine


FAMILY = SafeExtract()
