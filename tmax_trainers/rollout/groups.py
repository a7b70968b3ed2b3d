"""Whole batches of groups, sampled actively and paced.

Covers running episodes in threads, retrying those that infrastructure lost, dropping groups
whose rewards are all equal, and batches of exactly `groups_per_step` full groups.  Infrastructure
failures are never trained on and never change the size of a group.

Groups are admitted while accepted + running <= (S + v + 1) · B, with S the staleness bound, B the
groups of a step and v the policy version; nothing is thrown away for its age, and slow episodes
are not starved.  Batches are taken in order of admission, so a group is trained at most S versions
after it was admitted and S = 0 is synchronous: the same seed gives the same batches.  With
`overtaking`, finished groups pass those that still run, and older tokens are the trainer's to mask.

Does not cover how an episode is run (`play.py`), nor how a state is written (`replay.py`).
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterator

import numpy as np

from tmax_gym.errors import TrainingError
from tmax_gym.trajectory import Group, Trajectory
from tmax_trainers.rollout.advantages import group_advantages
from tmax_trainers.rollout.records import Batch, Episode, GroupConfig, RunEpisode, ScoredGroup
from tmax_trainers.rollout.replay import RunningGroup, SavedGroup, SourceState, same_size
from tmax_trainers.rollout.tally import Tally, without_signal
from tmax_trainers.rollout.task_order import TaskStream, Unrecorded


class GroupSource:
    """Runs episodes of a stream of tasks and hands out batches.

    Args:
        run_episode: Runs one episode; called from many threads.
        tasks: Names of tasks, one a group; endless.  `shuffled` makes such a stream, and any
            `TaskStream` is told what its tasks earned.
        config: What a batch is made of.
    """

    def __init__(
        self, run_episode: RunEpisode, tasks: TaskStream | Iterator[str], config: GroupConfig
    ) -> None:
        self.config = config
        self._run_episode = run_episode
        self.tasks = tasks if isinstance(tasks, TaskStream) else Unrecorded(tasks)
        self._version = 0
        self._base: int | None = None
        self._handed: deque[tuple[int, tuple[ScoredGroup, ...]]] = deque()
        """Batches that were handed out and may not be trained on yet, by number."""
        self._batches = 0
        self._admitted = 0
        self._accepted = 0
        self._barren: Counter[str] = Counter()
        self._order: deque[RunningGroup] = deque()
        self._pending: deque[tuple[RunningGroup, Episode]] = deque()
        self._tally = Tally()
        self._error: BaseException | None = None
        self._stopped = False
        self._condition = threading.Condition()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to run episodes; versions are counted from the one that is live now."""
        with self._condition:
            if self._base is None:
                self._base = self._version
            self._admit()
        for i in range(self.config.workers):
            thread = threading.Thread(target=self._work, name=f"tmax-rollout-{i}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Start no more episodes, cancel the running ones and wait for them to end."""
        with self._condition:
            self._stopped = True
            for group in self._order:
                group.cancelled.set()
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
            self._forget(version - (version if self._base is None else self._base))
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
            taken = {g.number for g in ready}
            last = ready[-1].number
            self._order = deque(
                g
                for g in self._order
                if not (g.settled and (g.number in taken or (g.scored is None and g.number < last)))
            )
            batch = Batch(tuple(ready), self._tally.metrics(ready))
            self._handed.append((self._batches, batch.groups))
            self._batches += 1
            self._tally = Tally()
            return batch

    def state(self) -> SourceState:
        """Return what is needed to go on: groups that run, and those not trained on yet.

        A batch counts as trained when the version after it is live.
        """
        with self._condition:
            handed = [SavedGroup.of(g) for _, groups in self._handed for g in groups]
            waiting = [
                SavedGroup(g.number, g.task, g.version, tuple(g.members))
                for g in self._order
                if g.scored is not None or not g.settled
            ]
            return SourceState(
                version=self._version,
                base=self._version if self._base is None else self._base,
                batches=self._batches - len(self._handed),
                admitted=self._admitted,
                accepted=self._accepted,
                size=(self.config.groups_per_step, self.config.group_size, self.config.seed),
                tasks=self.tasks.state(),
                groups=(*handed, *waiting),
            )

    def restore(self, state: SourceState) -> None:
        """Go on from a state; before `start`.  Lost members of its groups are run again."""
        same_size(state, self.config)
        with self._condition:
            self._version, self._base = state.version, state.base
            self._batches = state.batches
            self._admitted, self._accepted = state.admitted, state.accepted
            self.tasks.restore(state.tasks)
            for saved in state.groups:
                members = list(saved.members)
                group = RunningGroup(
                    saved.number, saved.task, saved.version, members, saved.missing
                )
                self._order.append(group)
                if saved.missing:
                    missing = (m for m, found in enumerate(members) if found is None)
                    self._pending.extend((group, self._episode(group, m, 0)) for m in missing)
                else:
                    self._score(group)
                    group.settled = True

    @property
    def _size(self) -> int:
        return self.config.groups_per_step

    def _ready(self) -> list[ScoredGroup]:
        """Return the accepted groups before the first that still runs, or all of them."""
        ready = []
        for running in self._order:
            if not (running.settled or self.config.overtaking):
                break
            if running.scored is not None:
                ready.append(running.scored)
        return ready

    def _forget(self, trained: int) -> None:
        """Drop batches that were trained on."""
        while self._handed and self._handed[0][0] < trained:
            self._handed.popleft()

    def _admit(self) -> None:
        """Let groups in while the pacing rule allows."""
        since = self._version - (self._base or 0)
        allowed = (self.config.max_staleness + since + 1) * self._size
        running = sum(not g.settled for g in self._order)
        while self._accepted + running < allowed and not self._stopped:
            size = self.config.group_size
            task = next(self.tasks, None)
            if task is None:
                raise TrainingError(
                    f"the tasks ran out after {self._admitted} groups; give an endless stream, "
                    "such as shuffled(names, seed=0)"
                )
            group = RunningGroup(self._admitted, task, self._version, [None] * size, size)
            self._order.append(group)
            self._pending.extend((group, self._episode(group, m, 0)) for m in range(size))
            self._admitted += 1
            running += 1
        self._condition.notify_all()

    def _episode(self, group: RunningGroup, member: int, attempt: int) -> Episode:
        entropy = [self.config.seed, group.number, member, attempt]
        seed = int(np.random.SeedSequence(entropy).generate_state(1)[0])
        return Episode(
            group.task, group.number, member, attempt, seed, group.version, group.cancelled
        )

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

    def _record(self, group: RunningGroup, episode: Episode, trajectory: Trajectory) -> None:
        """Take in one episode; settle its group if it was the last."""
        if group.settled or self._stopped:
            return
        self._tally.endings[trajectory.ending.value] += 1
        if trajectory.reward is None:
            self._tally.lost(trajectory)
            if episode.attempt + 1 < self.config.attempts:
                retry = self._episode(group, episode.member, episode.attempt + 1)
                self._pending.appendleft((group, retry))
                self._condition.notify_all()
            else:
                self._settle(group, "given_up")
            return
        if trajectory.tokens is None:
            raise ValueError(f"the episode of {group.task!r} has no tokens to train on")
        self._tally.graded(trajectory, trajectory.reward)
        group.members[episode.member] = trajectory
        group.missing -= 1
        if group.missing == 0:
            self._settle(group, None)

    def _settle(self, group: RunningGroup, reason: str | None) -> None:
        """Accept or drop a group, and let others in."""
        if reason is None:
            rewards = self._score(group).rewards
            self.tasks.record(group.task, rewards)
            if min(rewards) == max(rewards):
                group.scored = None
                reason = "all_solved" if min(rewards) >= 1.0 else "all_equal"
        group.settled = True
        group.cancelled.set()
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

    def _score(self, group: RunningGroup) -> Group:
        members = Group(group.task, tuple(m for m in group.members if m is not None))
        advantages = tuple(group_advantages(members.rewards, self.config.advantage))
        group.scored = ScoredGroup(members, advantages, group.number, group.version)
        return members

    def _give_up_if_barren(self) -> None:
        """Raise if the last `patience` groups had no signal."""
        if self._barren.total() >= self.config.patience:
            raise without_signal(self._barren, self._tally.last_loss)
