"""Episodes with several sequences, on their way to the trainer."""

import pytest

pytest.importorskip("torch", reason="needs the train extra")

from tmax_gym.trajectory import Ending, Group, Tokens, Trajectory, from_json, to_json
from tmax_trainers.rollout.records import ScoredGroup
from tmax_trainers.rollout.streams.columns import columns_of, streams_of
from tmax_trainers.rollout.worker import samples_of

ONE = Tokens((1, 2), (False, True), (0.0, -1.0), (-1, 4))
TWO = Tokens(
    (1, 2, 3, 1, 5), (False, True, True, False, True), (0.0, -1.0, -2.0, 0.0, -3.0),
    (-1, 4, 4, -1, 5), (0, 3),
)  # fmt: skip
READ_ONLY = Tokens((1, 2, 7), (False, True, False), (0.0, -1.0, 0.0), (-1, 4, -1), (0, 2))


def played(tokens: Tokens, reward: float) -> Trajectory:
    return Trajectory("a", "policy", 0, Ending.SUBMITTED, reward, tokens=tokens)


def test_every_sequence_is_a_sample_with_the_advantage_of_its_episode():
    group = Group("a", (played(ONE, 0.0), played(TWO, 1.0)))
    samples = samples_of(ScoredGroup(group, (-0.5, 0.5), number=3, version=4))
    assert [s.input_ids.tolist() for s in samples] == [[1, 2], [1, 2, 3], [1, 5]]
    assert [s.completion_mask.tolist() for s in samples] == [[0, 1], [0, 1, 1], [0, 1]]
    assert [s.advantage for s in samples] == [-0.5, 0.5, 0.5]
    assert {(s.group_rows, s.group_id) for s in samples} == {(3, 3)}


def test_a_sequence_that_the_policy_only_read_is_no_sample():
    samples = samples_of(ScoredGroup(Group("a", (played(READ_ONLY, 1.0),)), (1.0,), 0, 4))
    assert [s.input_ids.tolist() for s in samples] == [[1, 2]]


def test_stored_and_sent_streams_come_back_with_their_sequences():
    streams = [ONE, None, TWO, Tokens((), (), (), ()), READ_ONLY]
    assert streams_of(columns_of(streams)) == streams
    assert from_json(to_json(played(TWO, 1.0))).tokens == TWO


def test_columns_of_an_older_version_have_one_sequence_each():
    columns = columns_of([ONE, ONE])
    del columns["first"]
    assert streams_of(columns) == [ONE, ONE]


@pytest.mark.parametrize("starts", [(), (1,), (0, 0), (0, 2), (0, 2, 1)])
def test_starts_that_name_no_sequences_are_refused(starts):
    with pytest.raises(ValueError, match="starts"):
        Tokens(ONE.ids, ONE.mask, ONE.logprobs, ONE.versions, starts)
