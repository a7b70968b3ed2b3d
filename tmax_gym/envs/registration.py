"""Every catalogued task as a Gymnasium id, without building one.

Covers ids, entry points and their keyword arguments.  Does not cover the catalogue itself, nor
ids with a version: the catalogue as a whole has one.
"""

from __future__ import annotations

from collections.abc import Iterable

from gymnasium.envs.registration import EnvSpec, registry

from tmax_gym.tasks import catalogue

NAMESPACE = "tmax"


def register_tasks(names: Iterable[str] | None = None) -> None:
    """Add the id `tmax/<name>` for every task of the catalogue, or for `names`.  Idempotent.

    Writes the registry in one update.  `gymnasium.register` scans the registry at each call,
    which for 14,600 ids takes nine seconds; the check that it makes (no id both with and
    without a version) is made once for all, in the tests of the catalogue.

    With so many ids every later `gymnasium.register` takes 0.7 ms longer: import this package
    after others that register many.

    `max_episode_steps` stays None: a `TimeLimit` around the environment would cut episodes
    where nothing grades them.  `TerminalEnv` has `max_steps` instead.
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
