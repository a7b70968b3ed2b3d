"""The driver with nodes that do what a test tells them; real nodes are in `test_local.py`."""

import threading
import time
from collections import Counter

import pytest

from tests.support.fleet_jobs import Echo, works
from tmax_gym.errors import FleetError, LeaseLost
from tmax_gym.fleet.contract import Health, Outcome
from tmax_gym.fleet.driver import Driver
from tmax_gym.fleet.leases import MEMORY, LeaseBook
from tmax_gym.fleet.placement import preferred


class Node:
    """Holds its leases until a test answers them."""

    def __init__(self, name, room=4, answer=None):
        self.name, self.room, self.answer = name, room, answer
        self.alive = True
        self.leases, self.cancelled, self.warmed = [], [], []

    def start(self, lease, job, ended):
        self.leases.append((lease, ended))
        if self.answer is not None:
            ended(self.answer(lease))

    def health(self):
        return Health(0, self.room, 1.0, 0) if self.alive else None

    def warm(self, job, environments):
        self.warmed += environments

    def cancel(self, number):
        self.cancelled.append(number)

    def drain(self):
        pass


class Nodes:
    host = "127.0.0.1"

    def __init__(self, *nodes, more="nodes that a test may add"):
        self.all, self.more = list(nodes), more

    def nodes(self):
        return [node for node in self.all if node.alive]

    def expected(self):
        return self.more

    def close(self):
        pass


def done(lease):
    return Outcome(lease.number, f"{lease.node} {lease.work.request}")


def driver(*nodes, **kwargs):
    return Driver(Nodes(*nodes), LeaseBook(MEMORY, job="echo"), Echo(), **kwargs)


def until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_every_work_has_its_result():
    with driver(Node("a", answer=done), Node("b", answer=done)) as fleet:
        results = {work.key: future.result() for work, future in fleet.results(works(50))}
    assert {key: value.split()[1] for key, value in results.items()} == {
        f"w{i:03}": f"r{i}" for i in range(50)
    }


def test_no_node_gets_more_leases_than_it_has_room_for():
    node = Node("a", room=3)
    with driver(node) as fleet:
        for work in works(10):
            fleet.submit(work)
        until(lambda: len(node.leases) == 3)
        time.sleep(0.1)
        assert len(node.leases) == 3


def test_works_of_one_environment_go_to_one_node_while_it_has_room():
    nodes = [Node(name, room=100, answer=done) for name in "abc"]
    asked = works(60, environment=lambda i: f"e{i % 6}")
    with driver(*nodes) as fleet:
        until(lambda: fleet.room == 300)
        results = [(work, future.result()) for work, future in fleet.results(asked)]
    homes = Counter((work.environment, value.split()[0]) for work, value in results)
    assert homes == {(f"e{i}", preferred(f"e{i}", "abc")): 10 for i in range(6)}


def test_the_works_of_a_lost_node_go_to_another():
    lost, other = Node("lost"), Node("other", room=0, answer=done)
    with driver(lost, other) as fleet:
        future = fleet.submit(works(1)[0])
        until(lambda: lost.leases)
        other.room, lost.alive = 4, False
        assert future.result(timeout=10) == "other r0"


def test_a_node_that_loses_a_lease_gets_no_other():
    node = Node("lost", room=1)
    with driver(node) as fleet:
        future = fleet.submit(works(1)[0])
        until(lambda: node.leases)
        node.alive = False
        node.leases[0][1](None)
        time.sleep(0.2)
        assert len(node.leases) == 1
        assert not future.done()


def test_a_late_result_of_a_lost_node_is_discarded():
    lost, other = Node("lost"), Node("other", room=0)
    with driver(lost, other) as fleet:
        future = fleet.submit(works(1)[0])
        until(lambda: lost.leases)
        other.room, lost.alive = 4, False
        until(lambda: other.leases)
        for lease, ended in (*lost.leases, *other.leases):
            ended(done(lease))
        assert future.result(timeout=10) == "other r0"


def test_an_overdue_lease_is_ended_and_goes_to_another_node():
    slow, other = Node("slow"), Node("other", room=0, answer=done)
    with driver(slow, other) as fleet:
        future = fleet.submit(works(1, seconds=0.2)[0])
        until(lambda: slow.leases)
        other.room = 4
        assert future.result(timeout=10) == "other r0"
        assert slow.cancelled == [slow.leases[0][0].number]


def test_a_work_that_is_lost_again_and_again_fails_and_has_no_result():
    def broken(lease):
        return Outcome(lease.number, None, "the disk is full")

    fleet = driver(Node("a", answer=broken), tries=3)
    with fleet, pytest.raises(FleetError, match="lost 3 times: the disk is full"):
        fleet.submit(works(1)[0]).result(timeout=10)


def test_a_work_that_no_node_can_do_fails_at_once():
    def hopeless(lease):
        return Outcome(lease.number, None, "no such harness", hopeless=True)

    node = Node("a", answer=hopeless)
    with driver(node) as fleet, pytest.raises(FleetError, match="no such harness"):
        fleet.submit(works(1)[0]).result(timeout=10)
    assert len(node.leases) == 1


def test_a_node_that_failed_a_work_gets_it_again_only_if_no_other_has_room():
    def broken(lease):
        return Outcome(lease.number, None, "no space left")

    names = sorted("ab", key=lambda name: preferred("0", "ab") == name)
    good, bad = Node(names[0], answer=done), Node(names[1], answer=broken)
    with driver(good, bad) as fleet:
        until(lambda: fleet.room == 8)
        assert fleet.submit(works(1)[0]).result(timeout=10) == f"{good.name} r0"
    assert len(bad.leases) == 1


def test_without_a_node_that_could_still_come_a_work_fails():
    fleet = Driver(Nodes(more=""), LeaseBook(MEMORY, job="echo"), Echo())
    with fleet, pytest.raises(FleetError, match="no node is left"):
        fleet.submit(works(1)[0]).result(timeout=10)


def test_a_node_that_comes_later_is_used():
    nodes = Nodes()
    with Driver(nodes, LeaseBook(MEMORY, job="echo"), Echo()) as fleet:
        future = fleet.submit(works(1)[0])
        nodes.all.append(Node("late", answer=done))
        assert future.result(timeout=10) == "late r0"


def test_nodes_prepare_for_what_waits():
    node = Node("a", room=1)
    with driver(node) as fleet:
        for work in works(2):
            fleet.submit(work)
        until(lambda: node.warmed)
    assert node.warmed == ["1"]


def test_only_twice_as_many_works_are_drawn_as_the_nodes_have_room_for():
    drawn = []

    def asked():
        for work in works(100):
            drawn.append(work)
            yield work

    node = Node("a", room=2)
    with driver(node) as fleet:
        until(lambda: fleet.room == 2)
        results = fleet.results(asked())
        reader = threading.Thread(target=lambda: list(results), daemon=True)
        reader.start()
        until(lambda: len(node.leases) == 2)
        time.sleep(0.1)
        assert len(drawn) == 4
        node.answer = done
        for lease, ended in node.leases[:2]:
            ended(done(lease))
        reader.join(timeout=10)
    assert len(drawn) == 100


def test_a_closed_driver_fails_what_has_no_result():
    fleet = driver(Node("a"))
    future = fleet.submit(works(1)[0])
    fleet.close()
    with pytest.raises(FleetError, match="closed"):
        future.result(timeout=1)


def test_a_cancelled_work_ends_on_its_node_and_has_no_result():
    node = Node("a", room=1)
    with driver(node) as fleet:
        running, queued = (fleet.submit(work) for work in works(2))
        until(lambda: node.leases)
        for key in ("w000", "w001"):
            fleet.cancel(key)
        for future in (running, queued):
            with pytest.raises(LeaseLost, match="cancelled"):
                future.result(timeout=10)
        assert node.cancelled == [node.leases[0][0].number]
        node.leases[0][1](done(node.leases[0][0]))  # too late


def test_queues_and_phases_are_timed():
    def timed(lease):
        return Outcome(lease.number, "x", phases=(("start", 0.25),))

    with driver(Node("a", answer=timed)) as fleet:
        fleet.submit(works(1)[0]).result(timeout=10)
        assert fleet.timings.quantiles()["start"] == (0.25, 0.25, 0.25)
        assert set(fleet.timings.quantiles()) == {"queue", "start"}
