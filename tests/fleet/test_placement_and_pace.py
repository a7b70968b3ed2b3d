"""Where works go, and how fast a node starts sandboxes."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.fleet.nodes.pace import StartPace
from tmax_gym.fleet.placement import preferred

names = st.lists(st.text(max_size=5), unique=True, min_size=2, max_size=8)


@given(names, st.text(max_size=8))
def test_only_environments_of_a_lost_node_move(nodes, environment):
    home = preferred(environment, nodes)
    for lost in nodes:
        if lost != home:
            assert preferred(environment, [n for n in nodes if n != lost]) == home


def test_environments_are_spread_evenly():
    counts = Counter(preferred(f"task-{i}", ["a", "b", "c", "d"]) for i in range(4000))
    assert all(850 < count < 1150 for count in counts.values())  # 1,000 each, 5.5 sd. of 27


def test_no_node_is_preferred_where_there_is_none():
    assert preferred("e", []) is None


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_burst_begins_at_once_and_what_follows_waits_for_its_token():
    pace = StartPace(rate=10.0, burst=3, clock=Clock())
    assert [round(pace.take(), 3) for _ in range(5)] == [0, 0, 0, 0.1, 0.2]


def test_tokens_come_back_with_time():
    clock = Clock()
    pace = StartPace(rate=10.0, burst=3, clock=clock)
    for _ in range(3):
        pace.take()
    clock.now += 0.2
    assert [round(pace.take(), 3) for _ in range(3)] == [0, 0, 0.1]


def test_slow_starts_lower_the_rate_once_a_second_and_usual_ones_raise_it():
    clock = Clock()
    pace = StartPace(rate=90.0, clock=clock)
    pace.learn(0.1)
    usual = pace.rate
    assert usual == 90.0 * 1.05
    for _ in range(5):
        pace.learn(2.0)
    assert pace.rate == usual * 2 / 3
    clock.now += 1.0
    pace.learn(2.0)
    assert pace.rate == usual * 4 / 9


def test_a_quick_start_is_never_slow():
    pace = StartPace(rate=90.0, clock=Clock())
    pace.learn(0.001)
    pace.learn(0.2)
    assert pace.rate > 90.0
