"""`TerminalVectorEnv`: many terminals of one task side by side, in one thread.

`gym.make_vec("tmax/<task>", num_envs=32)` is one group, over which advantages are computed.

A failure of one terminal does not stop the others.  Commands wait without a thread; starts and
grading run in a bounded pool of threads.  There are no automatic resets, which would start machines
that may not be needed: the mode is `AutoresetMode.DISABLED`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, Unpack

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tmax_gym.envs.terminal import TerminalEnv, Transition
from tmax_gym.episodes.endings import ending_of
from tmax_gym.episodes.limits import LimitOptions
from tmax_gym.episodes.task import Task
from tmax_gym.sandboxes import Backend
from tmax_gym.shell.scheduler import Outcome, run_all
from tmax_gym.tasks import catalogue

_THREADS = 64
"""Most threads for starts, of which a host does only a few at once, and for grading."""

Bools = npt.NDArray[np.bool_]
Batch = tuple[tuple[str, ...], npt.NDArray[np.float64], Bools, Bools, dict[str, Any]]


class TerminalVectorEnv(VectorEnv[tuple[str, ...], Sequence[str], npt.NDArray[Any]]):
    """`num_envs` sandboxes of one task.

    A terminal whose episode has ended stays idle until it is reset: its steps do nothing and give
    the last observation, reward 0, no flag, and `info["idle"]`.  So every episode ends in exactly
    one step; `running` tells which episodes have not ended.

    A terminal whose machine or verifier fails ends with reward NaN, truncated, and
    `info["status"]` `infra_error`, `ungraded` or `verifier_error`; the others go on.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi"],
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.DISABLED,
    }

    def __init__(
        self,
        num_envs: int,
        task: str | Task,
        *,
        backend: str | Backend = "auto",
        image: str | None = None,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **limits: Unpack[LimitOptions],
    ) -> None:
        """Choose a task; nothing starts before `reset`.

        The arguments are those of `TerminalEnv`; `max_episode_steps` is Gymnasium's name for
        `max_steps`, and the only render mode is `ansi`.
        """
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode {render_mode!r} is not ansi, the only one here")
        if max_episode_steps is not None:
            limits["max_steps"] = max_episode_steps
        chosen: Task = catalogue.load(task) if isinstance(task, str) else task
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.envs = tuple(
            TerminalEnv(chosen, backend=backend, image=image, render_mode=render_mode, **limits)
            for _ in range(num_envs)
        )
        self.single_observation_space: gym.Space[str] = self.envs[0].observation_space
        self.single_action_space: gym.Space[str] = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._pool = ThreadPoolExecutor(min(num_envs, _THREADS), thread_name_prefix="terminal")
        self._running = np.zeros(num_envs, dtype=np.bool_)
        self._broken: dict[int, dict[str, Any]] = {}
        self._seen = [""] * num_envs

    @property
    def running(self) -> Bools:
        """Return which terminals have an episode that has not ended."""
        return self._running.copy()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Start fresh sandboxes, all at the same time.

        `seed` is one for each terminal, or the first of consecutive ones; the array of bools
        `options["reset_mask"]` chooses which terminals are reset.  A machine that cannot be started
        shows as `info["status"]`, and its first step ends the episode with reward NaN.
        """
        mask = self._mask(options)
        seeds = self._seeds(seed)
        chosen = [i for i in range(self.num_envs) if mask[i]]
        starts = {i: self._pool.submit(self.envs[i].reset, seed=seeds[i]) for i in chosen}
        infos: dict[str, Any] = {}
        for i, start in starts.items():
            self._broken.pop(i, None)
            self._running[i] = True
            fault = _fault(start)
            if fault is None:
                self._seen[i], info = start.result()
            else:
                self._seen[i], info = "", fault
                self._broken[i] = fault
            infos = self._add_info(infos, info, i)
        return tuple(self._seen), infos

    def step(self, actions: Sequence[str]) -> Batch:
        """Run one command in every terminal whose episode has not ended.

        ^C, or an error that is not a failure of a machine, ends every episode that was in a step.
        """
        if len(actions) != self.num_envs:
            raise ValueError(f"{len(actions)} actions for {self.num_envs} terminals")
        steps = {
            i: self.envs[i].stepping(actions[i])
            for i in range(self.num_envs)
            if self._running[i] and i not in self._broken
        }
        runs = run_all(steps, self._pool)
        rewards = np.zeros(self.num_envs)
        ended, cut = np.zeros((2, self.num_envs), dtype=np.bool_)
        infos: dict[str, Any] = {}
        for i in range(self.num_envs):
            outcome = self._outcome(i, runs.get(i))
            self._seen[i], rewards[i], ended[i], cut[i], info = outcome
            infos = self._add_info(infos, info, i)
        self._running &= ~(ended | cut)
        return tuple(self._seen), rewards, ended, cut, infos

    def render(self) -> tuple[Any, ...]:
        """Return the last screen of every terminal."""
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **kwargs: Any) -> None:
        """Destroy all sandboxes, at the same time; raise the first failure after all have ended."""
        closing = [self._pool.submit(env.close) for env in self.envs]
        wait(closing)
        for closed in closing:
            closed.result()
        self._pool.shutdown()
        self._running[:] = False

    def _outcome(self, index: int, run: Outcome[Transition] | None) -> Transition:
        if run is None and index not in self._broken:
            return self._seen[index], 0.0, False, False, {"idle": True}
        fault = self._broken.pop(index, None) if run is None else _fault(run)
        if fault is not None:
            return self._seen[index], float("nan"), False, True, fault
        assert run is not None
        return run.result()

    def _mask(self, options: dict[str, Any] | None) -> Bools:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        wanted = (self.num_envs,)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != wanted:
            raise ValueError(f"options['reset_mask'] must be an array of bools of shape {wanted}")
        if not mask.any():
            raise ValueError("options['reset_mask'] chooses no terminal")
        return mask

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int):
            return [seed + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} terminals")
        return list(seed)


def _fault(future: Outcome[Any]) -> dict[str, Any] | None:
    """Wait for a call; return the `info` of a failed machine or verifier, None otherwise."""
    error = future.exception()
    ending = ending_of(error) if error is not None else None
    if ending is None:
        return None
    return {"status": str(ending), "ending": str(ending), "message": str(error)}
