from collections import Counter
from collections.abc import Sequence

import pytest

from tmax_gym.analysis import play
from tmax_gym.analysis.measures.dropout import Dropped, Tried, drop, kept, measured, rates
from tmax_gym.reports.statistics import Run, Trial
from tmax_gym.rng import Rng
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks import catalogue


def test_the_share_that_is_kept_is_the_chance():
    commands = [str(n) for n in range(4000)]
    selection = kept(commands, 0.7, Rng("a"))
    assert len(selection) / 4000 == pytest.approx(0.7, abs=0.03)
    assert selection == kept(commands, 0.7, Rng("a")) != kept(commands, 0.7, Rng("b"))


def test_equal_selections_are_played_once():
    task = catalogue.load(catalogue.select(complexity="moderate")[0].name)
    played: Counter[tuple[str, ...]] = Counter()

    def earn(commands: Sequence[str]) -> float:
        played[tuple(commands)] += 1
        return len(commands) / len(task.oracle)

    dropped = drop(task, earn, attempts=20)
    assert max(played.values()) == 1
    assert dropped.necessary == tuple(range(len(task.oracle)))
    assert [len(one.rewards) for one in dropped.tried] == [20, 20, 20]


def test_what_was_not_graded_is_counted_and_no_zero():
    task = catalogue.load(catalogue.select(complexity="short")[0].name)
    dropped = drop(task, lambda commands: None, attempts=3)
    assert dropped.ungraded == 9 + len(task.oracle)
    assert dropped.necessary == ()
    assert rates(dropped.tried) == ()


def test_rates_are_means_over_tasks():
    tried = [
        Tried("a", "short", "x", (1.0, 0.0)),
        Tried("b", "short", "x", (1.0, 1.0, 1.0, 1.0)),
        Tried("c", "intricate", "x", (0.5, 0.0)),
    ]
    short, hard = rates(tried, ks=(1, 2))
    assert (short.complexity, short.tasks, short.reward) == ("short", 2, 0.75)
    assert short.passed == ((1, 0.75), (2, 1.0))
    assert (hard.reward, hard.passed) == (0.25, ((1, 0.0), (2, 0.0)))


def test_a_run_is_told_by_complexity():
    run = Run("me", (Trial("a", 0, 1.0), Trial("b", 0, 0.5), Trial("unknown", 0, 1.0)))
    assert measured(run, {"a": "short", "b": "complex"}) == (
        Tried("a", "short", "me", (1.0,)),
        Tried("b", "complex", "me", (0.5,)),
    )


def test_tasks_are_chosen_from_every_complexity_and_from_different_families():
    chosen = play.chosen(catalogue.select(), 3)
    assert Counter(s.complexity for s in chosen) == dict.fromkeys(
        ("short", "moderate", "complex", "intricate"), 3
    )
    assert len({(s.complexity, s.family) for s in chosen}) == 12


def test_a_real_sandbox_shows_which_commands_are_necessary(native_backend: Backend, image: str):
    spec = catalogue.select(family="bad-gateway", complexity="short")[0]
    (dropped,) = play.play([spec], native_backend, image=image)
    assert isinstance(dropped, Dropped)
    assert dropped.necessary == tuple(range(dropped.commands))
    assert {r for one in dropped.tried for r in one.rewards} == {0.0, 1.0}
