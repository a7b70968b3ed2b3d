"""Registers every task of the catalogue as a Gymnasium id, without building any task.

Ids have no version: the catalogue as a whole has one.
"""

from __future__ import annotations

from collections.abc import Iterable

from gymnasium.envs.registration import EnvSpec, registry

from tmax_gym.tasks import catalogue

NAMESPACE = "tmax"


def register_tasks(names: Iterable[str] | None = None) -> None:
    """Add the id `tmax/<name>` for every task of the catalogue, or for `names`.  Idempotent.

    Updates the registry directly: `gymnasium.register` scans it at each call, which takes nine
    seconds for 14,600 ids.  A test of the catalogue makes the check that is left out here (no id
    both with and without a version).  Every later `gymnasium.register` takes 0.7 ms longer.

    `max_episode_steps` stays None: a `TimeLimit` would end episodes without grading them.
    `TerminalEnv` has `max_steps` instead.
    """
    registry.update(
        (
            identifier,
            EnvSpec(
                identifier,
                entry_point="tmax_gym.envs.terminal:TerminalEnv",
                vector_entry_point="tmax_gym.envs.vector:TerminalVectorEnv",
                nondeterministic=True,
                kwargs={"task": name},
            ),
        )
        for name in (catalogue.names() if names is None else names)
        if (identifier := f"{NAMESPACE}/{name}") not in registry
    )
