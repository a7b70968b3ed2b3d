"""The instruction of the unsound-service family."""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.software_engineering.unsound_service import go, services
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains


def obligations(
    language: Language, *, program: str, check: str, sample: str, answers: str
) -> tuple[Obligation, ...]:
    """Return the repair, how it is judged, and what must stay."""
    name, call = toolchains.NAMES[language], services.KITS[language].strict
    return (
        Obligation(
            "goal",
            f"We inherited `{program}`, a service in {name}. It has several faults "
            f"of a kind that is common in {name}. Find all of them and repair the file.",
            "goal",
        ),
        Obligation(
            "interface",
            "The service reads batches from standard input. A batch is a number of lines "
            "`name value`, followed by a line `end`. The service passes each batch through its "
            "steps and prints the result to standard output.",
            "input",
        ),
        Obligation(
            "truth",
            "The comment above each step says exactly what the step must do, and all comments "
            "are right. The `main` function is right about which steps run, in which order and "
            "with which numbers, so keep them.",
        ),
        *_own(language),
        Obligation(
            "sample",
            f"`{sample}` is an example of the input, and `{answers}` is the right "
            f"output for it. Do not change these two files or `{check}`.",
            "limit",
        ),
        Obligation(
            "checked",
            f"`{check}` builds the service with `{call}` and runs it on standard input. "
            f"We will use it to grade your repair, on input that you have not seen.",
            "grading",
        ),
    )


def _own(language: Language) -> tuple[Obligation, ...]:
    """Return what a repair must mind in one language."""
    if language == "go":
        first, *_, last = go.DESK.splitlines()
        return (
            Obligation(
                "desk",
                f"The desk, from the line `{first}` to the line `{last}`, belongs to another team. "
                f"Do not change it. It answers only when several calls are open at the same "
                f"time, so the steps must go on calling it concurrently.",
                "limit",
            ),
        )
    if language == "rust":
        return (
            Obligation(
                "clones",
                "Compiler warnings count as errors. Code that compiles can be wrong too: a clone "
                "that was only put in to silence the borrow checker may receive a change in place "
                "of the original, and then the change is lost.",
                keys=("clone", "cloned", "cloning", "`.clone()`"),
            ),
        )
    return (
        Obligation(
            "memory",
            "The output alone is not enough: an input counts as failed if the sanitizers report "
            "anything while it is processed, including memory leaks.",
            keys=("sanitizer", "sanitiser", "leak"),
        ),
    )
