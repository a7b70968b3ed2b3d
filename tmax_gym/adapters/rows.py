"""Rows of a dataset for verl, SkyRL and open-instruct: a task's name and its opening messages.

Each of these trainers reads its own columns of a JSON Lines file and ignores the others.  The
messages are those of the harness `bash`; the adapters use the same harness.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tmax_gym.agents.harnesses.bash import BashHarness, Dialect
from tmax_gym.tasks import catalogue


def rows(names: Iterable[str], *, dialect: Dialect = "hermes") -> Iterator[dict[str, Any]]:
    """Yield a row for every task, sorted by name.

    Raises `SpecError` if a task has no stored instruction.
    """
    harness = BashHarness(dialect)
    for index, (name, text) in enumerate(sorted(catalogue.instructions(names).items())):
        task = f"{catalogue.PREFIX}{name}"
        messages = [dict(message) for message in harness.opening(text)]
        yield {
            "task": task,
            # verl and SkyRL
            "prompt": messages,
            # verl
            "data_source": "tmax",
            "agent_name": "tmax",
            "extra_info": {"task": task, "index": index},
            "reward_model": {"style": "rule", "ground_truth": task},
            # SkyRL
            "env_class": "tmax",
            # open-instruct
            "messages": messages,
            "dataset": "passthrough",
            "ground_truth": task,
            "env_config": {"env_name": "tmax", "is_text_env": True, "task": task},
        }


def lines(names: Iterable[str], *, dialect: Dialect = "hermes") -> Iterator[str]:
    """Yield the rows as JSON Lines."""
    for row in rows(names, dialect=dialect):
        yield json.dumps(row, ensure_ascii=False) + "\n"
