"""Prove tasks on a fleet that loses a node and then its driver: every task has one result.

The fleet has three nodes on this machine (with Slurm, two).  A node is killed (SIGKILL) after a
third of the results, the driver after two thirds; the same command then goes on from the file of
leases.  Afterwards no process, control group or file of a sandbox may be left.  If other sandboxes
are used on this machine meanwhile, run it under `unshare --pid --fork --mount-proc`: what bears the
name of another process namespace is not counted.

    python benchmarks/fleet_losses.py [--site ray|local] [--works 500] [--room 3] [--json]
    .ci/slurm .venv/bin/python benchmarks/fleet_losses.py --site slurm
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from benchmarks import chaos_host as host
from benchmarks.script import RESULTS, Target, finish, options
from tmax_gym.fleet.nodes.slurm import Array, script, submit
from tmax_gym.sandboxes.host import cleanup
from tmax_gym.sandboxes.host.processes import is_running

NODES = 3
GONE_SECONDS = 30.0
"""Time for what was killed to be cleared away by its watchers."""
ROOT = Path(__file__).parents[1]


class Site(Protocol):
    """Nodes on this machine."""

    name: str
    """For `--fleet`."""

    def kill_node(self, driver: int) -> str:
        """Kill a node without warning; return which."""

    def close(self) -> None:
        """End all nodes."""


class RaySite:
    """A Ray cluster of three nodes, and a head without sandboxes."""

    def __init__(self, room: int) -> None:
        from ray.cluster_utils import Cluster

        # Ray starts one process for each CPU in advance; one node needs one for its actor.
        small = {"num_cpus": 1, "object_store_memory": 80 << 20}  # bytes, the least is 75 MB
        self._cluster: Any = Cluster(
            initialize_head=True, head_node_args={**small, "include_dashboard": False}
        )
        self._nodes = [
            self._cluster.add_node(**small, resources={"sandboxes": room}) for _ in range(NODES)
        ]
        self.name = f"ray:{self._cluster.address}"

    def kill_node(self, driver: int) -> str:
        """Kill a node's processes."""
        node = self._nodes.pop()
        self._cluster.remove_node(node, allow_graceful=False)
        return f"Ray node {node.node_id[:8]}"

    def close(self) -> None:
        """End the cluster."""
        self._cluster.shutdown()


class LocalSite:
    """Three processes that the driver starts."""

    name = f"local:{NODES}"

    def kill_node(self, driver: int) -> str:
        """Kill one of the driver's processes."""
        nodes = [pid for pid, line in host.descendants(driver).items() if " fleet node " in line]
        os.kill(nodes[-1], signal.SIGKILL)
        return f"process {nodes[-1]}"

    def close(self) -> None:
        """Do nothing: they end with their driver."""


class SlurmSite:
    """An array of two tasks in the Slurm that `.ci/slurm` has started."""

    def __init__(self, room: int) -> None:
        self._directory = tempfile.TemporaryDirectory()
        file = Path(self._directory.name) / "driver.json"
        array = Array(nodes=2, cpus=1, minutes=120, memory_gib=1, room=room)
        os.environ["PYTHONPATH"] = str(ROOT)
        self._job = submit(script(file, array))
        self.name = f"slurm:{file}"

    def kill_node(self, driver: int) -> str:
        """Kill the processes of a task."""
        subprocess.run(["scancel", "-s", "KILL", "-f", f"{self._job}_1"], check=True)
        return f"task 1 of Slurm job {self._job}"

    def close(self) -> None:
        """End the array, and wait until it has ended."""
        subprocess.run(["scancel", self._job], check=True)
        while subprocess.run(["squeue", "-h", "-j", self._job], capture_output=True).stdout:
            time.sleep(0.2)
        self._directory.cleanup()


SITES = {"ray": RaySite, "local": lambda room: LocalSite(), "slurm": SlurmSite}


@dataclass(slots=True)
class Run:
    """The sweep, through the deaths of its driver."""

    site: Site
    place: Path
    works: int
    seed: int
    lines: list[str] = field(default_factory=list)
    """What was done, for people."""

    def driver(self, number: int) -> subprocess.Popen[bytes]:
        """Start the driver; its results are lines of a file."""
        command = [
            "validate",
            "--backend",
            "native",
            "--sample",
            self.works,
            "--seed",
            self.seed,
            "--fleet",
            self.site.name,
            "--leases",
            self.place / "leases.sqlite",
            "--json",
        ]
        program = "from tmax_gym.cli import main; main()"
        with open(self.out(number), "wb") as out, open(self.place / f"err{number}", "wb") as err:
            return subprocess.Popen(
                [sys.executable, "-c", program, *map(str, command)],
                cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=out, stderr=err,
            )  # fmt: skip

    def out(self, number: int) -> Path:
        """Return the file of a driver's results."""
        return self.place / f"out{number}.jsonl"

    def results(self, number: int) -> dict[str, dict[str, Any]]:
        """Return the proofs that a driver has printed, by task."""
        whole = self.out(number).read_text().split("\n")[:-1]
        # Ray prints what happens to its nodes between them.
        rows = [json.loads(line) for line in whole if line.startswith("{")]
        return {row["name"]: row for row in rows if "oracle" in row}

    def wait_for(self, driver: subprocess.Popen[bytes], number: int, count: int) -> None:
        """Wait until a driver has printed so many results."""
        while len(self.results(number)) < count:
            if driver.poll() is not None:
                text = (self.place / f"err{number}").read_text()[-2000:]
                raise RuntimeError(f"the driver ended with {driver.returncode}: {text}")
            time.sleep(0.2)

    def play(self) -> None:
        """Run the sweep with both losses."""
        first = self.driver(1)
        self.wait_for(first, 1, self.works // 3)
        self.lines.append(
            f"{len(self.results(1))} results: killed {self.site.kill_node(first.pid)}"
        )
        self.wait_for(first, 1, 2 * self.works // 3)
        first.kill()
        first.wait()
        self.lines.append(f"{len(self.results(1))} results: killed the driver")
        second = self.driver(2)
        if second.wait() not in (0, 1):  # 1: a task is not proven
            self.wait_for(second, 2, self.works)
        self.lines.append(f"{len(self.results(2))} results: the second driver has ended")


def main() -> int:
    """Run, count, write the results, return 1 if a target is missed."""
    given = options(
        __doc__, site=("ray", ", ".join(SITES)), works=500, seed=2100,
        room=(3, "proofs at once on a node"),
    )  # fmt: skip
    host.adopt_orphans()
    shared = Path(f"/dev/shm/tmax-gym-{os.getuid()}")
    before = {*host.files(shared), *all_cgroups()}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        with closing(SITES[given.site](given.room)) as site:
            run = Run(site, Path(place), given.works, given.seed)
            run.play()
        counts = examine(run)
        counts["left"] = len(left := remains(before, shared))
    seconds = round(time.monotonic() - began, 1)
    lines = [*run.lines, f"{counts['leases']} leases for {given.works} works, {seconds} s"]
    sites = {**stored(), given.site: {**counts, "works": given.works, "seconds": seconds}}
    targets = {
        f"{site}: {name}": target
        for site, row in sorted(sites.items())
        for name, target in goals(row).items()
    }
    return finish("fleet_losses", {"sites": sites}, targets, given, [*lines, *left])


def goals(row: dict[str, Any]) -> dict[str, Target]:
    """Return what a site's counts should be."""
    return {
        "results": Target(row["results"], row["works"], at_most=False),
        "works with two results": Target(row["twice"], 0),
        "results that changed": Target(row["changed"], 0),
        "rewards that were not earned": Target(row["unearned"], 0),
        "sandboxes left": Target(row["left"], 0),
    }


def stored() -> dict[str, Any]:
    """Return the counts of every site that was measured before."""
    file = RESULTS / "fleet_losses.json"
    return json.loads(file.read_text())["sites"] if file.exists() else {}


def examine(run: Run) -> dict[str, int]:
    """Count results, doubles and rewards that no verifier gave."""
    before, after = run.results(1), run.results(2)
    with closing(sqlite3.connect(run.place / "leases.sqlite")) as book:
        ended = book.execute("SELECT key, ended FROM lease").fetchall()
    done = Counter(key for key, how in ended if how == "done")
    rewards = [(tuple(row["oracle"]), row["noop"]) for row in after.values()]
    return {
        "results": len(after),
        "leases": len(ended),
        "twice": sum(count > 1 for count in done.values()),
        "changed": sum(after.get(name) != row for name, row in before.items()),
        "unearned": sum(reward != ((1.0, 1.0), 0.0) for reward in rewards),
    }


def all_cgroups() -> list[str]:
    """Return the control groups of every sandbox of this machine."""
    return [
        os.path.join(above, name)
        for above, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if name.startswith("tmax-")
    ]


def owned(path: str) -> bool:
    """Return whether what bears the label of a process belongs to one that still runs."""
    pid = path.rpartition("/tmax-")[2].split("-")[0]
    return pid.isdigit() and is_running(int(pid))


def remains(before: set[str], shared: Path) -> list[str]:
    """Return what is left of sandboxes, after time for it to be cleared away."""
    deadline = time.monotonic() + GONE_SECONDS
    # Other sandboxes of this machine may have another one.
    namespace = cleanup.label().rpartition("-")[2]
    while True:
        host.reap(set())
        left = sorted({*host.files(shared), *all_cgroups()} - before)
        left = [path for path in left if namespace in path and not owned(path)]
        left += [f"{pid}: {line}" for pid, line in host.descendants(os.getpid()).items()]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main())
