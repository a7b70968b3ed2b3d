"""`EpisodePlayer`: plays the episodes of a group source, once each.

It limits how many sandboxes start, how many commands run and how many episodes are graded at the
same time, and enforces deadlines and cancellation.  A fault of infrastructure becomes an ending
without reward, never a reward; the group source then plays the episode again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from tmax_gym.agents.agent import Agent
from tmax_gym.agents.rollout import PlayPart, play
from tmax_gym.agents.timed import apart
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.task import Task
from tmax_gym.errors import NoRoom, Overdue, TrainingError
from tmax_gym.sandboxes import Backend, trial_account
from tmax_gym.trajectory import Ending, Trajectory
from tmax_trainers.rollout.gates import Gates, PlayLimits
from tmax_trainers.rollout.records import Episode
from tmax_trainers.rollout.watch import TICK, Watch

__all__ = ["EpisodePlayer", "Gates", "PlayLimits"]


class EpisodePlayer:
    """Plays the episodes of a group source in sandboxes; call it from many threads.

    Args:
        find_task: Returns the task of a name in the source.
        make_agent: Returns the agent of an episode.
        limits: Limits of numbers and times.
        backend: Where sandboxes run.
        image: Root file system; the default one if None.
    """

    def __init__(
        self,
        find_task: Callable[[str], Task],
        make_agent: Callable[[Episode], Agent],
        limits: PlayLimits,
        *,
        backend: Backend,
        image: str | None = None,
    ) -> None:
        self.gates = Gates(limits)
        self._find_task = find_task
        self._make_agent = make_agent
        self._limits = limits
        self._backend = backend
        self._image = image

    def __call__(self, episode: Episode) -> Trajectory:
        """Play one episode.

        Raises:
            BackendUnavailable: No sandbox can run here; trying again would not help.
            ImageError: The root file system is absent; trying again would not help.
            TrainingError: The prompt leaves the policy no room for a reply.
        """
        self.gates.check()
        watch = Watch(self._limits.wall_seconds)
        whole = partial(self._play, episode, watch)
        try:
            played = apart(whole, check=watch, tick=TICK, name=f"episode {episode.task}")
        except BaseException:
            if watch.reason is None:
                raise
        else:
            if watch.reason is None:
                return played
        # Its result does not count, because its machines were destroyed.
        if not watch.visit.ended.is_set():
            self.gates.leave_behind(watch.visit)
        return Trajectory(
            task=episode.task,
            agent=watch.agent,
            seed=episode.seed,
            ending=Ending.INFRA_ERROR,
            reward=None,
            message=str(watch.reason),
            attempts=episode.attempt + 1,
        )

    def _play(self, episode: Episode, watch: Watch) -> Trajectory:
        """Play an episode; runs in a thread that may be left behind."""
        try:
            with trial_account.used(watch.account):
                agent = self._make_agent(episode)
                watch.agent = agent.name
                env = watch.env = TerminalEnv(
                    self._find_task(episode.task),
                    backend=self._backend,
                    image=self._image,
                    **self._limits.episode.options(),
                )
                through = partial(self._through, episode, watch)
                played = play(env, agent, seed=episode.seed, through=through)
            if isinstance(played.failure, NoRoom):
                raise TrainingError(f"{episode.task}: {played.failure}") from played.failure
            return replace(played.trajectory, task=episode.task, attempts=episode.attempt + 1)
        finally:
            watch.visit.ended.set()

    @contextmanager
    def _through(self, episode: Episode, watch: Watch, part: PlayPart) -> Iterator[None]:
        """Wait until a part of the episode may begin; raise if the episode must end."""
        _check(episode, watch)
        with self.gates.through(part, watch.visit):
            if part == "start":  # where episodes wait longest
                _check(episode, watch)
            yield
        if part == "sample":
            _check(episode, watch)


def _check(episode: Episode, watch: Watch) -> None:
    """Raise if the episode is cancelled or its time is over."""
    if episode.cancelled.is_set():
        raise Overdue("cancelled: its group was settled without it")
    if time.monotonic() > watch.deadline:
        raise Overdue(watch.over())
