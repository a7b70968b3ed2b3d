"""A Ray cluster on this machine: a head without sandboxes, and nodes that offer some."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="needs the ray extra")

from ray.cluster_utils import Cluster  # noqa: E402

from tests.support.fleet_jobs import Echo, works  # noqa: E402
from tmax_gym.errors import FleetError  # noqa: E402
from tmax_gym.fleet.contract import Work  # noqa: E402
from tmax_gym.fleet.driver import Driver  # noqa: E402
from tmax_gym.fleet.leases import MEMORY, LeaseBook  # noqa: E402
from tmax_gym.fleet.nodes.ray_cluster import RayCluster  # noqa: E402
from tmax_gym.proofs import fleet as proofs  # noqa: E402
from tmax_gym.proofs.validate import Depth, sample  # noqa: E402
from tmax_gym.tasks import catalogue  # noqa: E402

ROOT = Path(__file__).parents[2]
SMALL = {"num_cpus": 1, "object_store_memory": 80 << 20}


@pytest.fixture(scope="module")
def cluster():
    head = {**SMALL, "include_dashboard": False}
    started = Cluster(initialize_head=True, head_node_args=head)
    started.offering = [started.add_node(**SMALL, resources={"sandboxes": 4}) for _ in range(2)]
    ray.init(address=started.address, log_to_driver=False)
    yield started
    ray.shutdown()
    started.shutdown()


def test_without_a_cluster_the_error_says_how_to_start_one():
    # First, and in a process of its own: `auto` would find the cluster of the other tests.
    command = [sys.executable, "-c", "from tmax_gym.cli import main; main()", "validate"]
    options = ["--sample", "1", "--backend", "native", "--fleet", "ray:auto"]
    ended = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "no Ray cluster answers at auto" in ended.stderr
    assert "ray start --head" in ended.stderr


def driver(cluster, job):
    nodes = RayCluster(cluster.address, room=8)
    return Driver(nodes, LeaseBook(MEMORY, job=job.digest), job)


def test_tasks_are_proven_on_the_nodes(cluster, native_backend):
    job = proofs.Proofs("native", None)
    names = sample(catalogue.names(), 4, seed=5)
    with driver(cluster, job) as fleet:
        asked = proofs.works(names, Depth(), image=None)
        proven = list(proofs.sweep(fleet, asked, backend="native"))
        assert {"queue", "start", "verify"} <= set(fleet.timings.quantiles())
    assert {(p.name, p.oracle, p.noop, p.problems) for p in proven} == {
        (name, (1.0, 1.0), 0.0, ()) for name in names
    }


def test_a_node_takes_as_many_leases_as_it_offers_sandboxes(cluster):
    with driver(cluster, Echo()) as fleet:
        assert fleet.submit(works(1)[0]).result(timeout=60)
        deadline = time.monotonic() + 60
        while fleet.room < 8:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert fleet.room == 8


def test_what_cannot_be_done_says_why(cluster):
    with driver(cluster, Echo()) as fleet, pytest.raises(FleetError, match="no such harness"):
        fleet.submit(Work("hopeless", "e", "cannot be done", 60.0)).result(timeout=60)


def test_a_killed_node_costs_no_work(cluster):
    with driver(cluster, Echo(0.3)) as fleet:
        results = {}
        for number, (work, future) in enumerate(fleet.results(works(40))):
            results[work.key] = future.result().split()[1]
            if number == 10:
                cluster.remove_node(cluster.offering[1], allow_graceful=False)
    assert results == {f"w{i:03}": f"r{i}" for i in range(40)}
