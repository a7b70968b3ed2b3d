"""Real nodes: processes of this machine, connected over TCP."""

import os
import signal
import socket
import time

import pytest

from tests.support.fleet_jobs import Echo, works
from tmax_gym.errors import FleetError
from tmax_gym.fleet.clusters import open_cluster
from tmax_gym.fleet.contract import Work
from tmax_gym.fleet.driver import Driver
from tmax_gym.fleet.leases import MEMORY, LeaseBook
from tmax_gym.fleet.nodes.connected import ConnectedCluster
from tmax_gym.fleet.nodes.door import Address
from tmax_gym.fleet.nodes.local import LocalCluster


@pytest.fixture(scope="module")
def cluster():
    with Driver(opened := LocalCluster(2, room=4), LeaseBook(MEMORY, job="echo"), Echo(0.05)) as d:
        opened.driver = d
        yield opened


def ask(cluster, request, key):
    return cluster.driver.submit(Work(key, key, request, 60.0)).result(timeout=60)


def test_both_processes_do_works(cluster):
    # One of them alone can do these works before the other has started.
    deadline = time.monotonic() + 60
    while len(cluster.nodes()) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    asked = works(40)
    results = {w.key: f.result() for w, f in cluster.driver.results(asked)}
    processes = {int(value.split()[0]) for value in results.values()}
    assert processes == {process.pid for process in cluster.processes}
    assert [results[w.key].split()[1] for w in asked] == [w.request for w in asked]


def test_a_sandbox_that_fails_once_costs_a_retry(cluster, tmp_path):
    request = f"once {tmp_path / 'failed'}"
    assert ask(cluster, request, "once").endswith(request)


def test_what_cannot_be_done_says_why(cluster):
    with pytest.raises(FleetError, match="no such harness"):
        ask(cluster, "cannot be done", "hopeless")


def test_whoever_does_not_know_the_key_is_sent_away(cluster):
    for said in (b"", b"\0\0\0\5hello", os.urandom(100)):
        with socket.create_connection((cluster.address.host, cluster.address.port)) as stranger:
            stranger.sendall(said)
    assert ask(cluster, "still here", "after strangers").endswith("still here")
    assert len(cluster.nodes()) == 2


def test_a_killed_process_costs_no_work(cluster):
    victim = cluster.processes[0].pid
    results = {}
    for number, (work, future) in enumerate(
        cluster.driver.results([Work(f"k{i}", str(i), f"r{i}", 60.0) for i in range(60)])
    ):
        results[work.key] = future.result()
        if number == 10:
            os.kill(victim, signal.SIGKILL)
    assert len(results) == 60
    assert victim not in {process.pid for process in cluster.processes}


def test_processes_end_with_their_driver():
    cluster = LocalCluster(1, room=1)
    while not cluster.nodes():
        time.sleep(0.05)
    cluster.close()
    assert [process.returncode for process in cluster.processes] == [0]


def test_an_address_is_readable_by_its_user_alone(tmp_path):
    file = tmp_path / "driver.json"
    Address("127.0.0.1", 1, b"k").write(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert Address.read(file) == Address("127.0.0.1", 1, b"k")


def test_a_file_that_is_no_address_is_an_error(tmp_path):
    (tmp_path / "driver.json").write_text("{}")
    with pytest.raises(FleetError, match="no address of a driver"):
        Address.read(tmp_path / "driver.json")


def test_the_address_is_removed_at_the_end(tmp_path):
    cluster = ConnectedCluster(tmp_path / "driver.json")
    assert Address.read(tmp_path / "driver.json") == cluster.address
    cluster.close()
    assert not (tmp_path / "driver.json").exists()


@pytest.mark.parametrize(
    "name", ["local:", "local:0", "local:2:0", "local:two", "slurm:", "aws:9", "ray:"]
)
def test_an_unknown_fleet_is_an_error_that_lists_the_known_ones(name):
    with pytest.raises(FleetError, match=r"use local:N\[:ROOM\], ray:ADDRESS"):
        open_cluster(name)


def test_the_name_of_a_local_fleet_may_give_the_room_of_each_process():
    with Driver(open_cluster("local:1:3"), LeaseBook(MEMORY, job="echo"), Echo()) as driver:
        driver.submit(Work("a", "a", "a", 60.0)).result(timeout=60)
        assert driver.room == 3
