"""Groups that overtake others, tokens that are too old, and sources that resume after a kill."""

import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")

from tmax_gym.errors import TrainingError  # noqa: E402
from tmax_gym.trajectory import Ending, Step, Tokens, Trajectory  # noqa: E402
from tmax_trainers.dppo.batching import micro_batches  # noqa: E402
from tmax_trainers.rollout import replay  # noqa: E402
from tmax_trainers.rollout.groups import GroupSource  # noqa: E402
from tmax_trainers.rollout.records import GroupConfig  # noqa: E402
from tmax_trainers.rollout.task_order import Shuffled  # noqa: E402
from tmax_trainers.rollout.worker import Sample  # noqa: E402

MINUTE = 60.0
TASKS = ("a", "b", "c", "d", "e")


def played(episode):
    """Every second member earns 1; the tokens name the episode."""
    stream = Tokens(
        ids=(1, episode.group, episode.member),
        mask=(False, True, True),
        logprobs=(0.0, -0.1234567890123, float("-inf")),
        versions=(-1, episode.version, episode.version),
    )
    steps = (Step("ls", "x\n", 0, 0.25, "ls"),)
    reward = float(episode.member % 2)
    return Trajectory(
        episode.task, "test", episode.seed, Ending.SUBMITTED, reward, steps, tokens=stream
    )


def source(run=played, **kwargs):
    config = GroupConfig(**({"groups_per_step": 2, "group_size": 4, "workers": 4} | kwargs))
    return GroupSource(run, Shuffled(TASKS, seed=2), config)


def order(batches):
    return [[(g.number, g.group.task, g.version) for g in b.groups] for b in batches]


def test_with_overtaking_finished_groups_pass_one_that_still_runs():
    late = threading.Event()

    def run(episode):
        if episode.group == 0 and episode.member == 0:
            late.wait(MINUTE)
        return played(episode)

    with source(run, max_staleness=2, overtaking=True) as groups:
        groups.update_version(0)
        seen = []
        for version in range(2):
            batch = groups.next_batch(MINUTE)
            seen += [g.number for g in batch.groups]
            groups.update_version(version + 1)
        assert 0 not in seen
        late.set()
        version = 2
        while 0 not in seen:  # its last episode goes on when its thread is scheduled
            batch = groups.next_batch(MINUTE)
            seen += [g.number for g in batch.groups]
            version += 1
            groups.update_version(version)
            assert version < 5000
    assert len(set(seen)) == len(seen) == 2 * version


def test_an_overtaken_group_still_limits_admission():
    """The late group counts as running: no more than (S + v + 1) * B groups begin."""
    late, begun = threading.Event(), set()

    def run(episode):
        begun.add(episode.group)
        if episode.group == 0 and episode.member == 0:
            late.wait(MINUTE)
        return played(episode)

    with source(run, max_staleness=1, overtaking=True) as groups:
        groups.update_version(0)
        assert groups.next_batch(MINUTE) is not None
        assert len(begun) <= (1 + 0 + 1) * 2
        late.set()


def sample(versions, length=5):
    return Sample(
        prompt=[],
        completion=[],
        input_ids=np.arange(1, length + 1),
        completion_mask=np.array([0, 1, 1, 1, 1]),
        old_log_probs=np.full(length, -1.0, dtype=np.float32),
        advantage=1.0,
        model_version=min(v for v in versions if v >= 0),
        group_id=0,
        metrics={},
        group_rows=1,
        versions=np.array(versions),
    )


def test_tokens_that_are_too_old_are_masked_one_by_one():
    """Version 9 trains, 4 versions are allowed: the tokens of 5 and later count, 4 does not."""
    (batch,) = micro_batches([sample([-1, 4, 4, 5, 9])], count=1, oldest=9 - 4)
    assert batch["mask"].tolist() == [[False, False, False, True, True]]
    assert float(batch["denominator"]) == 2


def test_without_an_age_limit_every_sampled_token_is_trained():
    (batch,) = micro_batches([sample([-1, 0, 0, 5, 9])], count=1)
    assert "present" not in batch
    assert batch["mask"].tolist() == [[False, True, True, True, True]]


@pytest.mark.parametrize("staleness", [0, 2])
@pytest.mark.parametrize("taken", [0, 1, 3])
def test_a_restored_source_hands_out_the_batches_of_one_that_never_stopped(
    tmp_path, staleness, taken
):
    def run_all(groups, versions):
        batches = []
        for version in versions:
            batches.append(groups.next_batch(MINUTE))
            groups.update_version(version + 1)
        return batches

    whole = source(max_staleness=staleness)
    whole.update_version(1)
    with whole:
        expected = order(run_all(whole, range(1, 9)))
    first = source(max_staleness=staleness)
    first.update_version(1)
    with first:
        before = order(run_all(first, range(1, 1 + taken)))
        replay.write(tmp_path / "state", first.state())
    again = source(max_staleness=staleness)
    again.restore(replay.read(tmp_path / "state"))
    again.update_version(1 + taken)
    with again:
        after = order(run_all(again, range(1 + taken, 9)))
    numbers = [[(n, task) for n, task, _ in batch] for batch in before + after]
    assert numbers == [[(n, task) for n, task, _ in batch] for batch in expected]


def test_a_batch_that_was_handed_out_but_not_trained_on_is_handed_out_again(tmp_path):
    first = source(max_staleness=2)
    first.update_version(1)
    with first:
        lost = first.next_batch(MINUTE)
        state = first.state()
    assert state.batches == 0
    replay.write(tmp_path / "state", state)
    again = source(lambda e: pytest.fail("nothing of this batch is run again"), max_staleness=2)
    again.restore(replay.read(tmp_path / "state"))
    assert again.next_batch(0.0).groups == lost.groups


def test_episodes_of_an_unfinished_group_are_kept_and_the_others_run(tmp_path):
    """Member 3 of group 0 never ends in the first life."""
    release, others = threading.Event(), threading.Semaphore(0)

    def run(episode):
        if (episode.group, episode.member) == (0, 3):
            release.wait(MINUTE)
        else:
            others.release()
        return played(episode)

    first = source(run)
    first.start()
    for _ in range(7):
        assert others.acquire(timeout=MINUTE)
    while sum(g.members.count(None) for g in first.state().groups) > 1:
        release.wait(0.01)
    state = first.state()
    release.set()
    first.stop()
    again_run = []

    def run_again(episode):
        again_run.append((episode.group, episode.member))
        return played(episode)

    replay.write(tmp_path / "state", state)
    again = source(run_again)
    again.restore(replay.read(tmp_path / "state"))
    with again:
        batch = again.next_batch(MINUTE)
    assert again_run == [(0, 3)]
    assert [len(g.group.trajectories) for g in batch.groups] == [4, 4]
    rewards = [reward for g in batch.groups for reward in g.group.rewards]
    assert batch.metrics["reward/mean"] == (sum(rewards), 8), "kept episodes are reported too"


def test_a_state_is_read_as_it_was_written(tmp_path):
    groups = source()
    groups.update_version(3)
    with groups:
        groups.next_batch(MINUTE)
        state = groups.state()
    replay.write(tmp_path / "state", state)
    assert replay.read(tmp_path / "state") == state
    assert state.groups[0].members[0].tokens.logprobs[2] == float("-inf")


def test_a_damaged_state_is_refused_with_the_remedy(tmp_path):
    replay.write(tmp_path / "state", source().state())
    (tmp_path / "state" / replay.STATE).write_text("{")
    with pytest.raises(TrainingError, match="resume from an older checkpoint"):
        replay.read(tmp_path / "state")


def test_a_state_with_other_sizes_is_refused():
    state = source().state()
    with pytest.raises(TrainingError, match="resume with the same ones"):
        source(group_size=8).restore(state)


@pytest.mark.parametrize("packed", [False, True])
def test_tokens_of_the_present_weights_are_marked(packed):
    samples = [sample([-1, 4, 9, 5, 9]), sample([-1, 0, 0, 9, 9])]
    (batch,) = micro_batches(samples, count=1, present=9, packed=packed)
    assert batch["present"].flatten().nonzero()[:, 0].tolist() == [2, 4, 8, 9]
