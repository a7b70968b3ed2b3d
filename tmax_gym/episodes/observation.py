"""The text that an agent gets after a command.

The same text is used for data, training and evaluation.
"""

from __future__ import annotations

OBSERVATION_LIMIT = 10_000
"""Characters of output that an observation shows (TMax and mini-swe-agent: the same)."""


def elide(output: str, *, limit: int = OBSERVATION_LIMIT, lost: int = 0) -> str:
    """Return `output`, or its head and tail around a count of what is left out.

    Args:
        output: What a command printed.
        limit: Characters that may remain; half of them head, half tail.
        lost: Bytes in the middle of `output` that were thrown away before.

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
    """Return an observation: output, what happened to the shell, exit status.

    >>> print(observation_text("", 0))
    (no output)
    <BLANKLINE>
    (exit_code=0)
    """
    body = output.rstrip("\n") or "(no output)"
    status = "unknown" if exit_code is None else exit_code
    parts = [body, f"[{notice}]"] if notice else [body]
    return "\n".join(parts) + f"\n\n(exit_code={status})"
