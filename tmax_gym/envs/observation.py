"""The command that ends an episode."""

from __future__ import annotations

SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""The command that ends an episode, alone; output that holds its words ends nothing."""


def is_submit(command: str) -> bool:
    r"""Return whether a command submits: it is `SUBMIT` and nothing else.

    >>> is_submit(f" {SUBMIT}\n"), is_submit(f"ls; {SUBMIT}")
    (True, False)
    """
    return command.strip() == SUBMIT
