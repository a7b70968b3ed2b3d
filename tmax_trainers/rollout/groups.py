"""`GroupSource`: plays groups of episodes in threads and hands out batches.

An episode that infrastructure loses is played again by `tmax_gym.agents.rollout.retrying`, each
attempt with another seed.  Groups whose rewards are all equal are dropped, and a batch has exactly
`groups_per_step` complete groups.  Infrastructure failures are never trained on and never change
the size of a group.

Groups are admitted while accepted + running <= (S + v + 1) · B, with S the staleness bound, B the
groups of a step and v the policy version.  No group is discarded because of its age, and slow
episodes are not starved.  Batches are taken in order of admission, so a group is trained at most S
versions after its admission, and S = 0 is synchronous: the same seed gives the same batches.  With
`overtaking`, finished groups overtake those that still run, and the trainer masks old tokens.
"""

from __future__ import annotations

import threading
from collections import Counter, deque

from tmax_gym.agents.rollout import fault, retrying
from tmax_gym.errors import TrainingError
from tmax_gym.trajectory import Group, Trajectory
from tmax_trainers.rollout.advantages import group_advantages
from tmax_trainers.rollout.records import Batch, Episode, GroupConfig, RunEpisode, ScoredGroup
from tmax_trainers.rollout.replay import (
    HandedOut,
    RunningGroup,
    SavedGroup,
    SourceState,
    check_sizes,
)
from tmax_trainers.rollout.tally import Tally, without_signal
from tmax_trainers.rollout.task_order import TaskStream


class GroupSource:
    """Plays episodes of a stream of tasks and hands out batches.

    Args:
        run_episode: Plays one episode; called from many threads.
        tasks: Endless stream of task names, one for each group.
        config: Sizes of batches, and how they are filled.
    """

    def __init__(self, run_episode: RunEpisode, tasks: TaskStream, config: GroupConfig) -> None:
        self.config = config
        self._run_episode = run_episode
        self.tasks = tasks
        self._version = 0
        self._base: int | None = None
        self._handed = HandedOut()
        self._admitted = 0
        self._accepted = 0
        self._barren: Counter[str] = Counter()
        """Why groups were dropped since the last accepted one."""
        self._order: deque[RunningGroup] = deque()
        self._pending: deque[tuple[RunningGroup, int]] = deque()
        """Episodes that wait for a thread: their group and their place in it."""
        self._tally = Tally()
        self._error: BaseException | None = None
        self._stopped = False
        self._condition = threading.Condition()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to play episodes; versions are counted from the present one."""
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
        """Set the present policy version, which lets more groups begin."""
        with self._condition:
            self._version = version
            self._handed.forget(version - (version if self._base is None else self._base))
            if self._threads:
                self._admit()
            self._condition.notify_all()

    def next_batch(self, timeout: float | None = None) -> Batch | None:
        """Wait for the next batch; return None after the timeout, or when the source stops."""
        size = self.config.groups_per_step
        with self._condition:
            self._condition.wait_for(
                lambda: self._stopped or self._error or len(self._ready()) >= size, timeout
            )
            if self._error is not None:
                raise self._error
            ready = self._ready()[:size]
            if len(ready) < size:
                return None
            taken = {g.number for g in ready}
            last = ready[-1].number
            self._order = deque(
                g
                for g in self._order
                if not (g.settled and (g.number in taken or (g.scored is None and g.number < last)))
            )
            batch = Batch(tuple(ready), self._tally.metrics(ready))
            self._handed.add(batch.groups)
            self._tally = Tally()
            return batch

    def state(self) -> SourceState:
        """Return the state from which another source can continue.

        It holds the running groups and those that are not trained yet.  A batch counts as trained
        when the version after it is the present one.
        """
        with self._condition:
            waiting = [
                SavedGroup(g.number, g.task, g.version, tuple(g.members))
                for g in self._order
                if g.scored is not None or not g.settled
            ]
            return SourceState(
                version=self._version,
                base=self._version if self._base is None else self._base,
                batches=self._handed.trained,
                admitted=self._admitted,
                accepted=self._accepted,
                size=(self.config.groups_per_step, self.config.group_size, self.config.seed),
                tasks=self.tasks.state(),
                groups=(*self._handed.groups(), *waiting),
            )

    def restore(self, state: SourceState) -> None:
        """Continue from a state; call it before `start`.  Missing episodes are played again."""
        check_sizes(state, self.config)
        with self._condition:
            self._version, self._base = state.version, state.base
            self._handed = HandedOut(state.batches)
            self._admitted, self._accepted = state.admitted, state.accepted
            self.tasks.restore(state.tasks)
            for saved in state.groups:
                group = RunningGroup(saved.number, saved.task, saved.version, list(saved.members))
                self._order.append(group)
                self._pending.extend((group, place) for place in group.missing())
                for member in filter(None, group.members):  # the killed run has not reported it
                    self._tally.add(member)
                if not group.missing():
                    self._score(group)
                    group.settled = True
                    self._tally.counts["settled"] += 1

    def _ready(self) -> list[ScoredGroup]:
        """Return the accepted groups: all with `overtaking`, else those before a running one."""
        ready = []
        for running in self._order:
            if not (running.settled or self.config.overtaking):
                break
            if running.scored is not None:
                ready.append(running.scored)
        return ready

    def _admit(self) -> None:
        """Begin as many groups as the rule of the module's docstring allows."""
        since = self._version - (self._base or 0)
        allowed = (self.config.max_staleness + since + 1) * self.config.groups_per_step
        running = sum(not g.settled for g in self._order)
        while self._accepted + running < allowed and not self._stopped:
            task = next(self.tasks, None)
            if task is None:
                raise TrainingError(
                    f"the tasks ran out after {self._admitted} groups; give an endless stream, "
                    "such as Shuffled(names, seed=0)"
                )
            members: list[Trajectory | None] = [None] * self.config.group_size
            group = RunningGroup(self._admitted, task, self._version, members)
            self._order.append(group)
            self._pending.extend((group, place) for place in range(len(members)))
            self._admitted += 1
            running += 1
        self._condition.notify_all()

    def _work(self) -> None:
        """Play episodes until the source stops."""
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._stopped or self._error or self._pending)
                if self._stopped or self._error:
                    return
                group, place = self._pending.popleft()
            try:
                trajectory = self._play(group, place)
                with self._condition:
                    self._record(group, place, trajectory)
            except BaseException as error:  # next_batch raises it again
                with self._condition:
                    self._error = self._error or error
                    self._condition.notify_all()
                return

    def _play(self, group: RunningGroup, place: int) -> Trajectory:
        """Play an episode, again with another seed while infrastructure loses it."""
        first = Episode(group.task, group.number, place, 0, 0, group.version, group.cancelled)
        attempts = first.attempts(self.config.seed)

        def once() -> Trajectory:
            trajectory = self._run_episode(next(attempts))
            with self._condition:
                if not (group.settled or self._stopped):
                    self._tally.add(trajectory)
            return trajectory

        def lost(trajectory: Trajectory) -> str | None:
            unneeded = group.settled or self._stopped or self._error
            return None if unneeded else fault(trajectory)

        return retrying(once, retries=self.config.attempts - 1, fault=lost)[0]

    def _record(self, group: RunningGroup, place: int, trajectory: Trajectory) -> None:
        """Add an episode to its group; settle the group if it is complete, or lost for good."""
        if group.settled or self._stopped:
            return
        if trajectory.reward is None:
            self._settle(group, "given_up")
            return
        if trajectory.tokens is None:
            raise ValueError(f"the episode of {group.task!r} has no tokens to train on")
        group.members[place] = trajectory
        if not group.missing():
            self._settle(group, None)

    def _settle(self, group: RunningGroup, reason: str | None) -> None:
        """Accept the group, or drop it for a reason, and let others begin."""
        if reason is None:
            rewards = self._score(group).rewards
            self.tasks.record(group.task, rewards)
            if min(rewards) == max(rewards):
                group.scored = None
                reason = "all_solved" if min(rewards) >= 1.0 else "all_equal"
        group.settled = True
        group.cancelled.set()
        if reason is None:
            self._accepted += 1
            self._barren.clear()
        else:
            self._pending = deque(p for p in self._pending if p[0] is not group)
            self._barren[reason] += 1
            self._tally.counts[reason] += 1
            if self._barren.total() >= self.config.patience:
                raise without_signal(self._barren, self._tally.last_loss)
        self._tally.counts["settled"] += 1
        self._admit()

    def _score(self, group: RunningGroup) -> Group:
        """Compute the advantages of a complete group."""
        members = Group(group.task, tuple(m for m in group.members if m is not None))
        advantages = tuple(group_advantages(members.rewards, self.config.advantage))
        group.scored = ScoredGroup(members, advantages, group.number, group.version)
        return members
