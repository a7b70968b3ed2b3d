"""DSC-14 subword: byte-pair encoding by a written rule, learned and applied.

The rules for ties, counts, word marks and encoding differ from task to task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tmax_gym.checks import exact
from tmax_gym.checks.check import Case, Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_science.subword import encoding, instruction
from tmax_gym.families.data_science.subword.rendering import render
from tmax_gym.families.products import Case as Run
from tmax_gym.families.products import Product
from tmax_gym.families.products import Program as Filter
from tmax_gym.families.shared import marks, sources
from tmax_gym.families.shared import tricks as _tricks
from tmax_gym.later import Later
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

SIZES = ((3, 4), (6, 8), (12, 15), (20, 25), (30, 36))
"""Lines to learn from, and merges, of the hidden inputs."""
ENCODED = 5
WRONG = 4
"""Most misread rules of a task; a proof compiles a program for each."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a program."""

    merges: int
    corpus: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def stdin(self) -> str:
        """Return the input."""
        lines = (str(self.merges), *self.corpus, encoding.BREAK, *self.texts)
        return "".join(f"{line}\n" for line in lines)

    def answer(self, rules: encoding.Rules) -> list[str]:
        """Return the output."""
        return encoding.answer(rules, self.merges, corpus=self.corpus, texts=self.texts)


@dataclass(frozen=True, kw_only=True)
class Tokenizer(World):
    """The decided facts."""

    rules: encoding.Rules
    programs: sources.Sources
    corpus: str
    texts: str
    target: str
    count: int
    """The number of merges of the run as the text names it."""
    shown: Trial
    hidden_trials: Sequence[Trial]


class Subword(Family[Tokenizer]):
    """Learn merges, encode with them, say how well they fit."""

    id = "DSC-14"
    slug = "subword"
    domain = "data_science"
    skill = "Data Processing"
    primitives = (
        "Tokenization and dataset preparation",
        "Model training and evaluation",
        "Reproducible pipeline construction",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("c", "cpp", "go", "rust", "multi")
    tools = ("bash", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": ("tokenizer", "Several texts have been waiting to be encoded for a while."),
        "command-wrapper": (
            "tokenizer",
            "The people who train models want a command with options.",
        ),
        "make-target": ("tokenizer", "The texts still change, and their tokens must follow."),
    }

    def world(self, ctx: Context) -> Tokenizer:
        """Return text to learn from and to encode, and hidden text."""
        rng = ctx.rng.fork("text")
        rules = encoding.drawn(ctx.rng.fork("rules"), ctx.level)
        known = encoding.vocabulary(ctx.skin)
        count = ctx.rng.fork("port", "merges").integer(8, ctx.knob(16, 40))
        shown = _trial(rng.fork("shown"), known, ctx.knob(8, 26), merges=count)
        stem = ctx.skin.stem(rng)
        corpus, texts = ctx.path(f"{stem}.txt"), ctx.path(f"{stem}_new.txt")
        programs = sources.sources(ctx, "subword", scripts=("python",))
        target = ctx.path("tokens.txt")
        return Tokenizer(
            nodes=(
                text(corpus, "".join(f"{line}\n" for line in shown.corpus)),
                text(texts, "".join(f"{line}\n" for line in shown.texts)),
            ),
            outputs=(*(program.path for program in programs), target),
            rules=rules,
            programs=programs,
            corpus=corpus,
            texts=texts,
            target=target,
            count=count,
            shown=shown,
            hidden_trials=Later(
                lambda: (
                    _trial(rng.fork("hidden", n), known, size, merges=merges)
                    for n, (size, merges) in enumerate(SIZES)
                )
            ),
        )

    def oracle(self, ctx: Context, world: Tokenizer) -> tuple[str, ...]:
        """Return the programs, and a run of the last one."""
        return (f"head -n 3 {world.corpus} {world.texts}", *_written(world, world.rules))

    def checks(self, ctx: Context, world: Tokenizer) -> tuple[Check | Gate, ...]:
        """Return the programs on hidden text, line by line, and the run."""
        cases = [Case(stdin=trial.stdin.encode()) for trial in world.hidden_trials]
        expected = [trial.answer(world.rules) for trial in world.hidden_trials]
        wanted = world.shown.answer(world.rules)
        return (
            unchanged("text", world.nodes),
            exact.lines("run", world.target, wanted, initial=world.shown.texts),
            *(
                marks.answers(
                    f"encodings in {program.language}",
                    program.program(),
                    cases,
                    expected=expected,
                    weight=3.0 / len(world.programs),
                )
                for program in world.programs
            ),
        )

    def products(self, ctx: Context, world: Tokenizer) -> Mapping[str, Product]:
        """Return the tokenizer, which is a filter."""
        first = world.programs[0]
        known = encoding.vocabulary(ctx.skin)

        def case(rng: Rng) -> Run:
            size, merges = rng.choice(SIZES[:3])
            trial = _trial(rng.fork("trial"), known, size, merges=merges)
            out = "".join(f"{line}\n" for line in trial.answer(world.rules))
            return Run(trial.stdin.encode(), out.encode())

        build = toolchains.build(first.language, first.path, "{out}")
        run = toolchains.start(first.language, first.path, "{out}")
        return {"tokenizer": Filter(first.path, " ".join(run), case, "texts", " ".join(build))}

    def say(self, ctx: Context, world: Tokenizer) -> tuple[Obligation, ...]:
        """Return the rules, and the run."""
        run = {
            "count": f"`{world.count}`",
            "corpus": world.corpus,
            "texts": world.texts,
            "target": world.target,
        }
        return instruction.say(world.rules, world.programs, run)

    def mutants(self, ctx: Context, world: Tokenizer) -> tuple[Attempt, ...]:
        """Return one rule each taken for the textbook's, or for its contrary."""
        rules = world.rules
        other = {
            "other tie": replace(rules, tie="smallest" if rules.tie != "smallest" else "largest"),
            "tie by place": replace(rules, tie="earliest"),
            "other count": replace(rules, types=not rules.types),
            "other encoding": replace(rules, greedy=not rules.greedy),
            "other case": replace(rules, fold=not rules.fold),
            "merges to the end": replace(rules, least=1),
            "no mark": replace(rules, mark="none" if rules.mark != "none" else "after"),
            "digits too": replace(rules, digits=False),
            "no limit": replace(rules, limit=0),
        }
        trials = (world.shown, *world.hidden_trials)
        changes = [
            (name, wrong)
            for name, wrong in other.items()
            if any(trial.answer(wrong) != trial.answer(rules) for trial in trials)
        ]
        return tuple(Attempt(name, _written(world, wrong)) for name, wrong in changes[:WRONG])

    def exploits(self, ctx: Context, world: Tokenizer) -> tuple[Attempt, ...]:
        """Return programs that print their input, a character a token, or nothing."""
        spaced = "sed '1,/^%$/d; s/ //g; s/./& /g; s/ $//'"
        tricks: dict[str, sources.Writer] = {
            "input": _tricks.copies,
            "characters": lambda language: _tricks.starts(language, spaced),
            "nothing": lambda language: _tricks.prints(language, [""]),
        }
        return tuple(
            Attempt(name, tuple(write_file(m.path, make(m.language)) for m in world.programs))
            for name, make in tricks.items()
        )


def _trial(rng: Rng, known: Sequence[str], size: int, *, merges: int) -> Trial:
    pool = rng.sample(known, min(len(known), 6 + size))
    corpus = encoding.lines(rng.fork("corpus"), pool, size)
    texts = encoding.lines(rng.fork("texts"), known, ENCODED)
    return Trial(merges, tuple(corpus), tuple(texts))


def _written(world: Tokenizer, last: encoding.Rules) -> tuple[str, ...]:
    """Return the commands that write the programs, the last by other rules, and run that."""
    writer = sources.last_wrong(
        world.programs,
        lambda language: render(world.rules, language),
        lambda language: render(last, language),
    )
    feed = f"(echo {world.count}; cat {world.corpus}; echo %; cat {world.texts})"
    call = world.programs[-1].call
    return (
        *sources.written(world.programs, writer),
        f"{feed} | {call} > {world.target}; tail -n 2 {world.target}",
    )


FAMILY = Subword()
