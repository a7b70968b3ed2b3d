"""Whole batches of groups, sampled actively and paced.

Covers running episodes in threads, retrying those that infrastructure lost, dropping groups
whose rewards are all equal, and batches of exactly `groups_per_step` full groups.  Infrastructure
failures are never trained on and never change the size of a group.

Groups are admitted while accepted + running <= (S + v + 1) · B, with S the staleness bound, B the
groups of a step and v the policy version; batches are taken in order of admission.  So a group is
trained at most S versions after it was admitted, nothing is thrown away for its age, and slow
episodes are not starved.  S = 0 is synchronous: the same seed gives the same batches.

Does not cover how an episode is run: that is the callable's business.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tmax_gym.errors import NothingToLearn, TrainingError
from tmax_gym.trajectory import Group, Trajectory
from tmax_trainers.loss.advantages import group_advantages
from tmax_trainers.rollout.records import Batch, Episode, GroupConfig, RunEpisode, ScoredGroup


@dataclass(slots=True)
class _Running:
    """A group that was admitted."""

    number: int
    task: str
    version: int
    members: list[Trajectory | None]
    missing: int
    scored: ScoredGroup | None = None
    settled: bool = False


@dataclass(slots=True)
class _Tally:
    """What happened since the last batch."""

    counts: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    rewards: list[float] = field(default_factory=list)


class GroupSource:
    """Runs episodes of a stream of tasks and hands out batches.

    Args:
        run_episode: Runs one episode; called from many threads.
        tasks: Names of tasks, one a group; endless.  `shuffled` makes such a stream.
        config: What a batch is made of.
    """

    def __init__(self, run_episode: RunEpisode, tasks: Iterator[str], config: GroupConfig) -> None:
        self.config = config
        self._run_episode = run_episode
        self._tasks = tasks
        self._version = 0
        self._base = 0
        self._admitted = 0
        self._accepted = 0
        self._barren: Counter[str] = Counter()
        self._order: deque[_Running] = deque()
        self._pending: deque[tuple[_Running, Episode]] = deque()
        self._tally = _Tally()
        self._error: BaseException | None = None
        self._stopped = False
        self._condition = threading.Condition()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to run episodes; versions are counted from the one that is live now."""
        with self._condition:
            self._base = self._version
            self._admit()
        for i in range(self.config.workers):
            thread = threading.Thread(target=self._work, name=f"tmax-rollout-{i}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Start no more episodes and wait for the running ones to end."""
        with self._condition:
            self._stopped = True
            self._condition.notify_all()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> GroupSource:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def update_version(self, version: int) -> None:
        """Tell which policy version is live: this is what lets more groups in."""
        with self._condition:
            self._version = version
            if self._threads:
                self._admit()
            self._condition.notify_all()

    def next_batch(self, timeout: float | None = None) -> Batch | None:
        """Return the next batch, waiting for it; None if the timeout ends or the source stops."""
        with self._condition:
            self._condition.wait_for(
                lambda: self._stopped or self._error or len(self._ready()) >= self._size, timeout
            )
            if self._error is not None:
                raise self._error
            ready = self._ready()[: self._size]
            if len(ready) < self._size:
                return None
            while self._order and self._order[0].number <= ready[-1].number:
                self._order.popleft()
            batch = Batch(tuple(ready), self._metrics(ready))
            self._tally = _Tally()
            return batch

    @property
    def _size(self) -> int:
        return self.config.groups_per_step

    def _ready(self) -> list[ScoredGroup]:
        """Return the accepted groups before the first that still runs."""
        ready = []
        for running in self._order:
            if not running.settled:
                break
            if running.scored is not None:
                ready.append(running.scored)
        return ready

    def _admit(self) -> None:
        """Let groups in while the pacing rule allows."""
        allowed = (self.config.max_staleness + self._version - self._base + 1) * self._size
        running = sum(not g.settled for g in self._order)
        while self._accepted + running < allowed and not self._stopped:
            size = self.config.group_size
            task = next(self._tasks, None)
            if task is None:
                raise TrainingError(
                    f"the tasks ran out after {self._admitted} groups; give an endless stream, "
                    "such as shuffled(names, seed=0)"
                )
            group = _Running(self._admitted, task, self._version, [None] * size, size)
            self._order.append(group)
            self._pending.extend((group, self._episode(group, m, 0)) for m in range(size))
            self._admitted += 1
            running += 1
        self._condition.notify_all()

    def _episode(self, group: _Running, member: int, attempt: int) -> Episode:
        entropy = [self.config.seed, group.number, member, attempt]
        seed = int(np.random.SeedSequence(entropy).generate_state(1)[0])
        return Episode(group.task, group.number, member, attempt, seed, group.version)

    def _work(self) -> None:
        """Run episodes until the source stops."""
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._stopped or self._error or self._pending)
                if self._stopped or self._error:
                    return
                group, episode = self._pending.popleft()
            try:
                trajectory = self._run_episode(episode)
                with self._condition:
                    self._record(group, episode, trajectory)
            except BaseException as error:  # raised again in the thread that waits for batches
                with self._condition:
                    self._error = self._error or error
                    self._condition.notify_all()
                return

    def _record(self, group: _Running, episode: Episode, trajectory: Trajectory) -> None:
        """Take in one episode; settle its group if it was the last."""
        self._tally.endings[trajectory.ending.value] += 1
        if group.settled:
            return
        if trajectory.reward is None:
            self._tally.counts["lost"] += 1
            if episode.attempt + 1 < self.config.attempts:
                retry = self._episode(group, episode.member, episode.attempt + 1)
                self._pending.appendleft((group, retry))
                self._condition.notify_all()
            else:
                self._settle(group, "given_up")
            return
        if trajectory.tokens is None:
            raise ValueError(f"the episode of {group.task!r} has no tokens to train on")
        self._tally.rewards.append(trajectory.reward)
        group.members[episode.member] = trajectory
        group.missing -= 1
        if group.missing == 0:
            self._settle(group, None)

    def _settle(self, group: _Running, reason: str | None) -> None:
        """Accept or drop a group, and let others in."""
        group.settled = True
        if reason is None:
            members = Group(group.task, tuple(m for m in group.members if m is not None))
            rewards = members.rewards
            if min(rewards) == max(rewards):
                reason = "all_solved" if min(rewards) >= 1.0 else "all_equal"
            else:
                advantages = tuple(group_advantages(rewards, self.config.advantage))
                group.scored = ScoredGroup(members, advantages, group.number, group.version)
        if group.scored is not None:
            self._accepted += 1
            self._barren.clear()
        else:
            self._pending = deque(p for p in self._pending if p[0] is not group)
            self._barren[str(reason)] += 1
            self._tally.counts[str(reason)] += 1
            self._give_up_if_barren()
        self._tally.counts["settled"] += 1
        self._admit()

    def _give_up_if_barren(self) -> None:
        """Raise if the last `patience` groups had no signal."""
        count = self._barren.total()
        if count < self.config.patience:
            return
        if self._barren["all_solved"] == count:
            raise NothingToLearn(f"the last {count} groups were solved by all their members")
        raise TrainingError(
            f"the last {count} groups had no signal ({dict(sorted(self._barren.items()))}); "
            "choose tasks that the policy solves sometimes, or warm it up first"
        )

    def _metrics(self, ready: Sequence[ScoredGroup]) -> dict[str, float | tuple[float, float]]:
        counts, rewards = self._tally.counts, self._tally.rewards
        settled, episodes = counts["settled"], sum(self._tally.endings.values())
        trained = [r for g in ready for r in g.group.rewards]
        ages = [self._version - g.version for g in ready]
        metrics: dict[str, float | tuple[float, float]] = {
            "groups/settled_total": float(settled),
            "groups/all_equal_total": float(counts["all_equal"]),
            "groups/all_solved_total": float(counts["all_solved"]),
            "groups/given_up_total": float(counts["given_up"]),
            "groups/filtered": (counts["all_equal"] + counts["all_solved"], settled),
            "episodes/lost": (counts["lost"], episodes),
            "reward/solved": (sum(r >= 1.0 for r in rewards), len(rewards)),
            "reward/mean": (sum(rewards), len(rewards)),
            "reward/trained_mean": (sum(trained), len(trained)),
            "staleness/mean": (sum(ages), len(ages)),
            "staleness/max": float(max(ages)),
        }
        for ending, count in sorted(self._tally.endings.items()):
            metrics[f"ending/{ending}"] = (count, episodes)
        return metrics
