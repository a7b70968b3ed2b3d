"""Batches from real threads; episodes are arithmetic, so that every failure can be staged."""

import threading
import time
from collections import Counter

import pytest

from tmax_gym.errors import NothingToLearn, TrainingError
from tmax_gym.trajectory import Ending, Tokens, Trajectory
from tmax_trainers.rollout.groups import GroupSource
from tmax_trainers.rollout.records import GroupConfig
from tmax_trainers.rollout.task_order import Shuffled, Unrecorded

TOKENS = Tokens((1, 2), (False, True), (0.0, -1.0), (-1, 0))


def ended(episode, reward, ending=Ending.SUBMITTED):
    return Trajectory(episode.task, "test", episode.seed, ending, reward, tokens=TOKENS)


def half(episode):
    """Reward 1 for every second member."""
    return ended(episode, float(episode.member % 2))


def source(run, *, tasks=("a", "b", "c"), seed=0, **kwargs):
    config = GroupConfig(**({"groups_per_step": 2, "group_size": 4, "workers": 8} | kwargs))
    return GroupSource(run, Shuffled(tasks, seed=seed), config)


def test_a_batch_has_exactly_its_groups_and_members():
    with source(half) as groups:
        batch = groups.next_batch(10)
    assert [len(g.group.trajectories) for g in batch.groups] == [4, 4]
    assert [g.advantages for g in batch.groups] == [(-0.5, 0.5, -0.5, 0.5)] * 2
    assert all(t.task == g.group.task for g in batch.groups for t in g.group.trajectories)


def test_groups_without_variance_are_dropped_and_replaced():
    """Groups 0, 1 and 3 have equal rewards, so 2 and 4 make the batch."""

    def run(episode):
        flat = {0: 1.0, 1: 0.0, 3: 0.5}
        return ended(episode, flat.get(episode.group, float(episode.member == 0)))

    with source(run) as groups:
        batch = groups.next_batch(10)
    assert [g.number for g in batch.groups] == [2, 4]
    assert batch.metrics["groups/settled_total"] == 5
    assert batch.metrics["groups/all_solved_total"] == 1
    assert batch.metrics["groups/all_equal_total"] == 2
    assert batch.metrics["groups/filtered"] == (3, 5)
    # Dropped groups count in the mean reward: 4 ones, 4 zeros, 4 halves, 2 ones of 8.
    assert batch.metrics["reward/mean"] == (8.0, 20)
    assert batch.metrics["reward/solved"] == (6, 20)


def test_an_episode_that_infrastructure_lost_is_played_again_and_never_trained():
    lost = Counter()

    def run(episode):
        if episode.member == 1 and episode.attempt < 2:
            lost[episode.group] += 1
            return ended(episode, None, Ending.INFRA_ERROR)
        return half(episode)

    with source(run) as groups:
        batch = groups.next_batch(10)
    assert lost == {0: 2, 1: 2}
    for group in batch.groups:
        assert len(group.group.trajectories) == 4
        assert {t.ending for t in group.group.trajectories} == {Ending.SUBMITTED}
    assert batch.metrics["episodes/lost"] == (4, 12)
    assert batch.metrics["ending/infra_error"] == (4, 12)


def test_a_group_that_stays_lost_is_given_up_and_replaced():
    def run(episode):
        if episode.group == 0 and episode.member == 2:
            return ended(episode, None, Ending.VERIFIER_ERROR)
        return half(episode)

    with source(run) as groups:
        batch = groups.next_batch(10)
    assert [g.number for g in batch.groups] == [1, 2]
    assert batch.metrics["groups/given_up_total"] == 1


def test_one_in_five_episodes_may_fail_and_batches_stay_whole():
    def run(episode):
        if (episode.seed >> 3) % 5 == 0:
            return ended(episode, None, Ending.INFRA_ERROR)
        return half(episode)

    with source(run, attempts=6, group_size=8) as groups:
        for step in range(5):
            batch = groups.next_batch(10)
            groups.update_version(step + 1)
            assert [len(g.group.rewards) for g in batch.groups] == [8, 8]


@pytest.mark.parametrize("staleness", [0, 1, 3])
def test_admission_keeps_to_the_pace(staleness):
    """No more than (S + v + 1)·B groups begin under version v."""
    begun, lock = {}, threading.Lock()

    def run(episode):
        with lock:
            begun.setdefault(episode.group, episode.version)
        time.sleep(0.002)
        return half(episode)

    groups = source(run, max_staleness=staleness)
    groups.update_version(0)
    with groups:
        for version in range(6):
            batch = groups.next_batch(10)
            ages = [version - g.version for g in batch.groups]
            assert max(ages) <= staleness
            time.sleep(0.02)
            with lock:
                assert len(begun) <= (staleness + version + 1) * 2
            groups.update_version(version + 1)


def test_a_synchronous_source_waits_for_the_update():
    groups = source(half)
    groups.update_version(1)
    with groups:
        assert groups.next_batch(10) is not None
        assert groups.next_batch(0.2) is None
        groups.update_version(2)
        assert groups.next_batch(10) is not None


def test_a_slow_group_is_waited_for_and_not_overtaken():
    def run(episode):
        if episode.group == 0:
            time.sleep(0.3)
        return half(episode)

    with source(run, max_staleness=2) as groups:
        batch = groups.next_batch(10)
    assert [g.number for g in batch.groups] == [0, 1]


def test_the_same_seed_gives_the_same_batches_whatever_the_threads_do():
    def jittery(episode):
        time.sleep((episode.seed % 7) / 2000 * threading.active_count() % 0.01)
        return ended(episode, float(episode.seed % 3 == 0))

    def seen(workers):
        with source(jittery, workers=workers, seed=3) as groups:
            out = []
            for version in range(4):
                groups.update_version(version)
                batch = groups.next_batch(10)
                out.append((batch.groups, batch.metrics))
            return out

    assert seen(1) == seen(8) == seen(8)


def test_members_have_their_own_seeds():
    seeds, lock = [], threading.Lock()

    def run(episode):
        with lock:
            seeds.append((episode.seed, episode.name))
        return half(episode)

    with source(run, group_size=32) as groups:
        groups.next_batch(10)
    assert len({s for s, _ in seeds}) == len({n for _, n in seeds}) == 64


def test_an_exception_in_an_episode_is_raised_by_next_batch():
    def run(episode):
        raise ZeroDivisionError("in the harness")

    with source(run) as groups, pytest.raises(ZeroDivisionError, match="in the harness"):
        groups.next_batch(10)


def test_tasks_without_signal_are_reported_and_not_sampled_for_ever():
    with (
        source(lambda e: ended(e, 0.0), patience=10, workers=1) as groups,
        pytest.raises(TrainingError, match="last 10 groups had no signal"),
    ):
        groups.next_batch(10)


def test_training_ends_without_an_error_when_all_tasks_are_solved():
    with (
        source(lambda e: ended(e, 1.0), patience=10, workers=1) as groups,
        pytest.raises(NothingToLearn, match="last 10 groups were solved"),
    ):
        groups.next_batch(10)


def test_tasks_that_run_out_are_reported():
    config = GroupConfig(groups_per_step=2, group_size=2, workers=2)
    with pytest.raises(TrainingError, match="ran out after 1"):
        GroupSource(half, Unrecorded(iter(["only"])), config).start()


def test_stopping_waits_for_the_episodes_and_leaves_no_thread():
    before = threading.active_count()
    groups = source(lambda e: (time.sleep(0.05), half(e))[1], workers=4)
    groups.start()
    time.sleep(0.02)
    groups.stop()
    assert threading.active_count() == before
    assert groups.next_batch(1) is None


def test_every_pass_over_the_tasks_holds_each_once():
    stream = Shuffled(["a", "b", "c", "d"], seed=1)
    passes = [[next(stream) for _ in range(4)] for _ in range(10)]
    assert all(sorted(p) == ["a", "b", "c", "d"] for p in passes)
    assert len({tuple(p) for p in passes}) > 1
