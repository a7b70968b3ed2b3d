"""The programs that a task asks for, by language: where they go, how they are built and tried.

Covers one source file in one language, and `multi`: the same program in a compiled language
and once more in a script.  Covers the sentences that name the compiler and the second program.
Does not cover what a program does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tmax_gym.axes import Language, VerifierKind
from tmax_gym.checks.check import Case, Check, Program, fuzz_equivalence
from tmax_gym.families.contract import Attempt, Context, write_file
from tmax_gym.families.shared import tricks
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

COMPILED: tuple[Language, ...] = ("cpp", "go", "rust")
"""Languages from which `multi` draws its first one."""
Writer = Callable[[Language], str]
"""Returns the source of one program in a language."""


@dataclass(frozen=True, slots=True)
class Source:
    """One program that a task asks for."""

    language: Language
    path: str
    binary: str
    """Where a solution compiles it to; no required output."""

    @property
    def build(self) -> tuple[str, ...]:
        """Return the command that compiles it, none where nothing is to be compiled."""
        words = toolchains.build(self.language, self.path, self.binary)
        return (" ".join(words),) if words else ()

    @property
    def call(self) -> str:
        """Return the command that starts it."""
        return " ".join(toolchains.start(self.language, self.path, self.binary))

    @property
    def name(self) -> str:
        """Return the language as a text has it."""
        return toolchains.NAMES[self.language]

    def program(self, *roots: str) -> Program:
        """Return it as the verifier runs it, beside its own file alone unless told otherwise."""
        return Program(self.path, self.language, roots=roots or (self.path,))


Sources = tuple[Source, ...]


def sources(
    ctx: Context, stem: str, *, scripts: Sequence[Language] = ("python", "bash")
) -> Sources:
    """Return the programs that a task asks for: one, or two of different languages for `multi`."""
    wanted: tuple[Language, ...] = (ctx.language,)
    if ctx.language == "multi":
        rng = ctx.rng.fork("languages", stem)
        wanted = (rng.choice(COMPILED), rng.choice(tuple(scripts)))
    return tuple(
        Source(language, ctx.path(f"{stem}.{toolchains.SUFFIX[language]}"), f"/tmp/{stem}")
        for language in wanted
    )


def written(wanted: Sources, writer: Writer) -> tuple[str, ...]:
    """Return the commands that write every program and compile what is compiled."""
    return tuple(
        command
        for source in wanted
        for command in (write_file(source.path, writer(source.language)), *source.build)
    )


def tried(wanted: Sources, writer: Writer, trial: Callable[[str], str]) -> tuple[str, ...]:
    """Return the commands that write every program, try it, and leave its source alone.

    Args:
        wanted: The programs.
        writer: Returns the source of each.
        trial: Returns the command that tries a program, from the one that starts it.
    """
    return tuple(
        command
        for source in wanted
        for command in (
            *written((source,), writer),
            trial(source.call),
            *((f"rm {source.binary}",) if source.build else ()),
        )
    )


def last_wrong(wanted: Sources, right: Writer, wrong: Writer) -> Writer:
    """Return a writer that errs in the last program alone: with two, one is not enough."""
    return lambda language: (wrong if language == wanted[-1].language else right)(language)


def cheats(wanted: Sources, answer: str) -> tuple[Attempt, Attempt]:
    """Return programs that print their input, and programs that print one fixed answer."""
    echo = (write_file(one.path, tricks.copies(one.language)) for one in wanted)
    fixed = (write_file(one.path, tricks.prints(one.language, [answer])) for one in wanted)
    return Attempt("echo", tuple(echo)), Attempt("one answer", tuple(fixed))


def equivalence(
    id_: str,
    wanted: Sources,
    cases: Sequence[tuple[bytes, bytes]],
    *,
    weight: float = 1.0,
    roots: tuple[str, ...] = (),
) -> tuple[Check, ...]:
    """Return a check a program on the same hidden inputs; together they weigh `weight`."""
    return tuple(
        fuzz_equivalence(
            f"{id_} in {source.language}" if number else id_,
            source.program(*roots),
            cases=[Case(stdin=stdin) for stdin, _ in cases],
            expected=[out for _, out in cases],
            weight=weight / len(wanted),
        )
        for number, source in enumerate(wanted)
    )


def by_run(
    verifier: VerifierKind, run: Check, wanted: Sources, *, cases: Sequence[tuple[Case, bytes]]
) -> tuple[Check, ...]:
    """Return the check of one run's result, and that of the program on hidden cases, if wanted.

    The task's verifier says which of the two weighs more.
    """
    if not wanted:
        return (replace(run, kind=verifier),)
    fuzz = verifier == "fuzz_equivalence"
    hidden = fuzz_equivalence(
        "program",
        wanted[0].program(),
        cases=[case for case, _ in cases],
        expected=[out for _, out in cases],
        weight=3.0 if fuzz else 1.0,
    )
    return (replace(run, weight=1.0 if fuzz else 3.0), hidden)


def twins(others: Sequence[Source]) -> Iterator[Obligation]:
    """Yield that the same program is wanted in other languages too."""
    for other in others:
        yield Obligation(
            "twin", f"Write the same program in {other.name} too, as `{other.path}`.", "goal"
        )


def compiled(wanted: Sources) -> str:
    """Return a sentence for each program that is compiled, with a blank behind it."""
    return "".join(
        f"We compile `{one.path}` with `{toolchains.call(one.language)}`, without "
        f"any other file or package. "
        for one in wanted
        if one.build
    )


def languages(wanted: Sources) -> Iterator[Obligation]:
    """Yield which program is wanted besides the first, and how each is compiled."""
    for source in wanted[1:]:
        yield Obligation(
            "twin",
            f"Write the same program once more in {source.name}, as `{source.path}`. The same "
            "rules hold for it, and both programs are tested.",
            "output",
        )
    for source in wanted:
        if source.build:
            call = toolchains.call(source.language)
            yield Obligation(
                "built",
                f"`{source.path}` must compile with `{call}` on its own, with the standard "
                "library only and without a network.",
                "limit",
            )
