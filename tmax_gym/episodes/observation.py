"""The text that an agent reads after a command, and the command that ends an episode.

Data, training and evaluation all use the same text.
"""

from __future__ import annotations

SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""The command that ends an episode, when it stands alone; printing its words ends nothing."""
OBSERVATION_LIMIT = 10_000
"""Characters of output that an observation shows (TMax and mini-swe-agent: the same)."""


def is_submit(command: str) -> bool:
    r"""Return whether a command is `SUBMIT` and nothing else.

    >>> is_submit(f" {SUBMIT}\n"), is_submit(f"ls; {SUBMIT}")
    (True, False)
    """
    return command.strip() == SUBMIT


def elide(output: str, *, limit: int = OBSERVATION_LIMIT, lost: int = 0) -> str:
    """Return at most `limit` characters of an output: head and tail around a note.

    The note counts what is left out, `lost` bytes included that were thrown away before.

    >>> print(elide("abcdefghij", limit=4))
    ab
    [... 6 characters left out: print less, or write to a file and search it ...]
    ij
    """
    if len(output) <= limit and not lost:
        return output
    head = min(limit, len(output)) // 2
    tail = min(limit, len(output)) - head
    count = len(output) - head - tail + lost
    note = f"[... {count} characters left out: print less, or write to a file and search it ...]"
    return f"{output[:head]}\n{note}\n{output[len(output) - tail :]}"


def observation_text(output: str, exit_code: int | None, *, notice: str = "") -> str:
    """Return an observation: the output, a notice about the shell, and the exit status.

    >>> print(observation_text("", 0))
    (no output)
    <BLANKLINE>
    (exit_code=0)
    """
    body = output.rstrip("\n") or "(no output)"
    status = "unknown" if exit_code is None else exit_code
    parts = [body, f"[{notice}]"] if notice else [body]
    return "\n".join(parts) + f"\n\n(exit_code={status})"
