"""SEC-10 pii redactor: a filter that masks identifiers, but no text that only resembles one.

Every policy has kinds, forms, check digits and masks of its own; hidden lines are judged on both
sides, those with something to mask and those without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tmax_gym.checks.check import Case, Check, Evidence, Gate, Program, fraction, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.products import Case as Sample
from tmax_gym.families.products import Product
from tmax_gym.families.products import Program as Filter
from tmax_gym.families.security.pii_redactor import policy as pii
from tmax_gym.families.security.pii_redactor.kinds import Address, Card, Email, House, Iban, Kind
from tmax_gym.families.security.pii_redactor.lines import corpus, sides
from tmax_gym.families.security.pii_redactor.rendering import program
from tmax_gym.families.shared import sources, tricks
from tmax_gym.later import Later
from tmax_gym.nodes import Node, prose
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

SIZES = (4, 6, 8, 12, 12, 16, 24)
"""Lines of each hidden log; every second one has odd bytes."""
SAMPLE = 10


@dataclass(frozen=True, kw_only=True)
class Redactor(World):
    """The decided facts."""

    file: str
    sample: str
    done: str
    programs: sources.Sources
    policy: pii.Policy
    cases: Sequence[bytes]


class PiiRedactor(Family[Redactor]):
    """Mask what a policy names, and only that."""

    id = "SEC-10"
    slug = "pii-redactor"
    domain = "security"
    skill = "Data Processing"
    primitives = (
        "Sensitive data redaction",
        "Cryptographic hashing and checksum verification",
    )
    fixtures = ("text_only",)
    verifiers = ("adversarial_corpus",)
    languages = ("go", "rust", "cpp", "c", "multi")
    tools = ("bash", "cmp", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": (
            "redactor",
            "All logs of the last weeks have to be masked before they go out.",
        ),
        "command-wrapper": ("redactor", "Colleagues should be able to mask a log by one command."),
        "make-target": (
            "redactor",
            "Logs are masked every night, and only the new ones should be.",
        ),
    }

    def world(self, ctx: Context) -> Redactor:
        """Return the policy, a log before and after, and hidden logs."""
        rng = ctx.rng.fork("redactor")
        policy = pii.drawn(ctx, rng.fork("policy"))
        file = rng.fork("files")
        page = ctx.path(file.choice(("policy", "redaction", "privacy", "masking")) + ".txt")
        stem = ctx.path(file.choice(("sample", "example", "samples/log", "before_after/export")))
        shown = corpus(policy, rng.fork("shown"), ctx.skin, count=SAMPLE, odd=False)
        name = file.choice(("redact", "mask", "scrub", "censor"))
        programs = sources.sources(ctx, name, scripts=("python",))
        return Redactor(
            nodes=(
                prose(page, pii.sheet(policy)),
                Node(f"{stem}.log", data=shown),
                Node(f"{stem}.masked", data=pii.redacted(policy, shown)),
            ),
            outputs=tuple(p.path for p in programs),
            file=page,
            sample=f"{stem}.log",
            done=f"{stem}.masked",
            programs=programs,
            policy=policy,
            cases=Later(lambda: _cases(policy, rng.fork("hidden"), ctx)),
        )

    def oracle(self, ctx: Context, world: Redactor) -> tuple[str, ...]:
        """Return the redactor, compared with the sample."""
        return (f"cat {world.file}", *_built(world, lambda to: program(world.policy, to)))

    def checks(self, ctx: Context, world: Redactor) -> tuple[Check | Gate, ...]:
        """Return the hidden logs, on both sides, for every program."""
        weight = 1.0 / len(world.programs)
        return (
            unchanged("given", world.nodes),
            *(
                _two_sided(f"lines in {p.language}" if n else "lines", p.program(), world, weight)
                for n, p in enumerate(world.programs)
            ),
        )

    def products(self, ctx: Context, world: Redactor) -> Mapping[str, Product]:
        """Return the redactor (the compiled one where there are two)."""
        source = world.programs[0]

        def case(rng: Rng) -> Sample:
            lines = corpus(world.policy, rng, ctx.skin, count=rng.integer(4, 12), odd=False)
            return Sample(lines, pii.redacted(world.policy, lines))

        return {
            "redactor": Filter(
                source.path,
                " ".join(toolchains.start(source.language, source.path, "{out}")),
                case,
                "logs",
                " ".join(toolchains.build(source.language, source.path, "{out}")),
            )
        }

    def say(self, ctx: Context, world: Redactor) -> tuple[Obligation, ...]:
        """Return the policy's place, the interface, words, what stays, and the judgement."""
        first, *others = world.programs
        twins = [
            Obligation(
                "twin",
                f"Also write the same program in {twin.name}, `{twin.path}`, for machines without "
                f"a compiler. It follows the same rules, and both programs are tested.",
                "output",
            )
            for twin in others
        ]
        return (
            Obligation(
                "goal",
                f"Write a {first.name} program `{first.path}` that masks personal identifiers in "
                f"logs. `{world.file}` says which kinds of identifiers are masked, what makes them "
                f"valid, and what the masks look like.",
                "goal",
            ),
            Obligation(
                "interface",
                f"The program takes no arguments. It reads a log from standard input and writes "
                f"the masked log to standard output. For example, `{world.sample}` has to become "
                f"`{world.done}`.",
                "input",
            ),
            Obligation(
                "word",
                "Only a whole word can be an identifier. To get the words of a line, take every "
                "maximal run of ASCII letters, digits and the characters `@._+-`, and then strip "
                "all `._-` from the start of the run and all `._-+` from its end.",
            ),
            Obligation(
                "rest",
                "Everything else must come out byte for byte as it went in. This includes carriage "
                "returns, bytes that are not UTF-8, and a last line without a newline at its end.",
            ),
            *twins,
            Obligation(
                "built",
                f"`{first.path}` is compiled with `{first.build[0]}`, without a network, so use "
                f"nothing but the standard library.",
                "limit",
            ),
            Obligation(
                "keep",
                "Do not change the given files.",
                "limit",
                keys=("not change", "n't change", "unchanged", "as they are", "untouched"),
            ),
            Obligation(
                "judged",
                "It will be run alone, without any other file, on logs that you have not seen. A "
                "line with an identifier must be masked exactly as the policy says, and a line "
                "that only has look-alikes must stay as it is. Both kinds of lines count the "
                "same.",
                "grading",
                keys=("unseen", "not seen", "n't seen", "hidden", "other logs", "look-alike"),
            ),
        )

    def mutants(self, ctx: Context, world: Redactor) -> tuple[Attempt, ...]:
        """Return redactors that skip a check digit, a rule or an exception."""
        caught = [
            (name, wrong)
            for name, wrong in _careless(world.policy)
            if any(pii.redacted(wrong, c) != pii.redacted(world.policy, c) for c in world.cases)
        ]
        return tuple(
            Attempt(name, _built(world, _wrong(world, policy))) for name, policy in caught[:4]
        )

    def exploits(self, ctx: Context, world: Redactor) -> tuple[Attempt, ...]:
        """Return a filter that masks nothing, one that masks all, and the sample by heart."""
        blind = "tr '0-9A-Za-z' '*'"
        shown = pii.redacted(world.policy, _shown(world)).decode().splitlines()
        return (
            Attempt("nothing masked", sources.written(world.programs, tricks.copies)),
            Attempt(
                "all masked",
                sources.written(world.programs, lambda to: tricks.starts(to, blind)),
            ),
            Attempt(
                "by heart",
                sources.written(world.programs, lambda to: tricks.prints(to, shown)),
            ),
        )


def _shown(world: Redactor) -> bytes:
    return next(n.data or b"" for n in world.nodes if n.path == world.sample)


def _cases(policy: pii.Policy, rng: Rng, ctx: Context) -> tuple[bytes, ...]:
    return tuple(
        corpus(policy, rng.fork(n), ctx.skin, count=size, odd=n % 2 == 1)
        for n, size in enumerate(SIZES)
    )


def _two_sided(id_: str, source: Program, world: Redactor, weight: float) -> Check:
    """Return a check: the share of lines masked rightly, plus that of lines left alone, less 1."""
    wanted = [pii.redacted(world.policy, case).split(b"\n") for case in world.cases]
    marked = [sides(world.policy, case) for case in world.cases]

    def score(evidence: Evidence) -> float:
        outcomes = evidence.run(source, [Case(stdin=case) for case in world.cases])
        hits, totals = [0, 0], [0, 0]
        for outcome, lines, sort in zip(outcomes, wanted, marked, strict=True):
            left = outcome.stdout.split(b"\n")
            ended = not outcome.timed_out and outcome.exit_code == 0 and len(left) == len(lines)
            for number, evil in enumerate(sort):
                totals[evil] += 1
                hits[evil] += ended and left[number] == lines[number]
        return max(0.0, fraction(hits[0], totals[0]) + fraction(hits[1], totals[1]) - 1.0)

    return Check(id_, "adversarial_corpus", score, weight)


def _built(world: Redactor, writer: sources.Writer) -> tuple[str, ...]:
    return sources.tried(
        world.programs,
        writer,
        lambda call: f"{call} < {world.sample} | cmp - {world.done} && echo same",
    )


def _wrong(world: Redactor, policy: pii.Policy) -> sources.Writer:
    return sources.last_wrong(
        world.programs, lambda to: program(world.policy, to), lambda to: program(policy, to)
    )


def _careless(policy: pii.Policy) -> Iterator[tuple[str, pii.Policy]]:
    """Yield policies as they would be carried out in haste."""
    loose = []
    for kind, mask in policy.rules:
        checked = isinstance(kind, Card | Iban | House)
        loose.append((replace(kind, checked=False) if checked else kind, mask))  # type: ignore[type-var]
    yield "no check digits", pii.Policy(tuple(loose))
    yield "last rule forgotten", pii.Policy(policy.rules[:-1])
    kept: list[tuple[Kind, pii.Mask]] = []
    for kind, mask in policy.rules:
        match kind:
            case Email():
                kept.append((Email(""), mask))
            case Address():
                kept.append((Address(private=False), mask))
            case _:
                kept.append((kind, mask))
    yield "no exceptions", pii.Policy(tuple(kept))
    shorter = ((k, replace(m, count=m.count + 1, label="[gone]")) for k, m in policy.rules)
    yield "other masks", pii.Policy(tuple(shorter))
    yield "first rule forgotten", pii.Policy(policy.rules[1:])


FAMILY = PiiRedactor()
