"""The order of tasks: shuffled passes, retirement, and resuming from a checkpoint."""

import json
from collections import Counter
from itertools import islice

import pytest

from tmax_gym.errors import NothingToLearn
from tmax_trainers.rollout.task_order import BLOCK, Shuffled, Unrecorded

TASKS = [f"task-{i}" for i in range(7)]


def test_a_restored_stream_goes_on_with_the_same_tasks():
    stream = Shuffled(TASKS, seed=3, retire_solved=1)
    drawn = list(islice(stream, 10))
    stream.record(drawn[0], [1.0, 1.0])
    state = json.loads(json.dumps(stream.state()))
    again = Shuffled(TASKS, seed=3, retire_solved=1)
    again.restore(state)
    assert list(islice(again, 40)) == list(islice(stream, 40))
    assert again.rates == stream.rates


def test_a_graded_stream_goes_from_easy_to_hard_once_in_shuffled_blocks():
    tasks = [f"task-{i:04d}" for i in range(3 * BLOCK)]
    stream = Shuffled(tasks, seed=3, graded=True)
    for block in range(3):
        drawn = list(islice(stream, BLOCK))
        assert sorted(drawn) == tasks[block * BLOCK : (block + 1) * BLOCK]
        assert drawn != sorted(drawn)
    assert sorted(islice(stream, BLOCK)) != tasks[:BLOCK]


def test_a_task_that_all_members_solve_repeatedly_is_no_longer_drawn():
    stream = Shuffled(TASKS, seed=0, retire_solved=2)
    stream.record("task-2", [1.0, 1.0])
    assert stream.retired == ()
    stream.record("task-2", [1.0, 1.0])
    assert stream.retired == ("task-2",)
    assert "task-2" not in set(islice(stream, 60))


def test_a_failure_in_between_restarts_the_count():
    stream = Shuffled(TASKS, seed=0, retire_solved=2)
    for rewards in ([1.0, 1.0], [1.0, 0.0], [1.0, 1.0]):
        stream.record("task-2", rewards)
    assert stream.retired == ()


def test_a_hopeless_task_rests_and_comes_back():
    stream = Shuffled(TASKS, seed=0, retire_hopeless=1, rest=3)
    stream.record("task-5", [0.0, 0.0])
    passes = [set(islice(stream, 6)) for _ in range(4)]
    assert all("task-5" not in seen for seen in passes)
    assert "task-5" in set(islice(stream, 7))


def test_retiring_one_task_does_not_move_the_others():
    plain, other = Shuffled(TASKS, seed=1), Shuffled(TASKS, seed=1, retire_solved=1)
    other.record("task-0", [1.0])
    rest = [t for t in islice(plain, 35) if t != "task-0"]
    assert list(islice(other, len(rest))) == rest


def test_training_ends_without_an_error_when_every_task_is_retired():
    stream = Shuffled(TASKS, seed=1, retire_solved=1)
    for task in TASKS:
        stream.record(task, [1.0])
    with pytest.raises(NothingToLearn, match="all 7 tasks are retired"):
        next(stream)


def test_pass_rates_are_counted_by_task():
    stream = Shuffled(TASKS, seed=1)
    stream.record("task-1", [1.0, 0.5, 0.0, 1.0])
    stream.record("task-1", [0.0, 0.0, 0.0, 0.0])
    rate = stream.rates["task-1"]
    assert (rate.groups, rate.episodes, rate.solved, rate.reward) == (2, 8, 2, 2.5)
    assert (rate.solved_in_a_row, rate.hopeless_in_a_row) == (0, 1)


def test_any_iterator_of_names_can_be_restored():
    stream = Unrecorded(iter("abcdefgh"))
    assert list(islice(stream, 3)) == ["a", "b", "c"]
    again = Unrecorded(iter("abcdefgh"))
    again.restore(stream.state())
    assert next(again) == "d"


def test_every_pass_over_the_tasks_holds_each_once():
    stream = Shuffled(TASKS, seed=4)
    assert Counter(islice(stream, 70)) == dict.fromkeys(TASKS, 10)
