"""The Slurm array: its script, and a real Slurm where `.ci/slurm` has started one."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.fleet_jobs import Echo, works
from tmax_gym.errors import FleetError
from tmax_gym.fleet.clusters import open_cluster
from tmax_gym.fleet.driver import Driver
from tmax_gym.fleet.leases import MEMORY, LeaseBook
from tmax_gym.fleet.nodes.slurm import Array, script, submit

ARRAY = Array(nodes=3, cpus=2, minutes=5, memory_gib=1, room=4, idle=30.0)
with_slurm = pytest.mark.skipif(
    shutil.which("sbatch") is None,
    reason="needs Slurm; `.ci/slurm` starts one in a root of its own",
)


def test_the_script_asks_for_what_was_named(tmp_path):
    lines = script(tmp_path / "d.json", ARRAY, python="/usr/bin/python3").splitlines()
    asked = {line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH")}
    assert {"--array=0-2", "--cpus-per-task=2", "--mem=1G", "--time=5", "--requeue"} <= asked
    assert lines[-1].startswith("exec /usr/bin/python3 -c ")
    assert f"fleet node {tmp_path / 'd.json'} --room 4 --idle 30 --name " in lines[-1]


def test_the_script_is_one_that_a_shell_can_read(tmp_path):
    text = script(tmp_path / "a dir's" / "d.json", ARRAY)
    assert subprocess.run(["sh", "-n"], input=text, text=True, check=False).returncode == 0


@pytest.mark.skipif(shutil.which("sbatch") is not None, reason="there is a Slurm here")
def test_without_slurm_the_error_says_what_to_do():
    with pytest.raises(FleetError, match="Submit from a login node"):
        submit("#!/bin/sh\n")


def test_a_node_that_is_terminated_ends_in_order(tmp_path):
    command = [sys.executable, "-c", "from tmax_gym.cli import main; main()", "fleet", "node"]
    node = subprocess.Popen(
        [*command, str(tmp_path / "d.json")], cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with Driver(
        open_cluster(f"nodes:{tmp_path / 'd.json'}", host="127.0.0.1"),
        LeaseBook(MEMORY, job="echo"),
        Echo(),
    ) as fleet:
        assert fleet.submit(works(1)[0]).result(timeout=60)
        node.send_signal(signal.SIGTERM)
        assert node.communicate(timeout=60)[0] == "worked for 1 driver\n"
    assert node.returncode == 0


def job_state(job):
    ended = subprocess.run(["squeue", "-h", "-j", job, "-o", "%T"], capture_output=True, text=True)
    return ended.stdout.split()


@with_slurm
def test_an_array_works_for_one_driver_after_the_other_and_loses_nothing_with_a_node(tmp_path):
    file = tmp_path / "driver.json"
    array = Array(nodes=2, cpus=1, minutes=5, memory_gib=1, room=4, idle=20.0)
    os.environ.setdefault("PYTHONPATH", str(Path(__file__).parents[2]))
    job = submit(script(file, array))
    try:
        for lives in (1, 2):
            cluster = open_cluster(f"slurm:{file}", host="127.0.0.1")
            with Driver(cluster, LeaseBook(MEMORY, job="echo"), Echo(0.2)) as fleet:
                deadline = time.monotonic() + 60
                while fleet.room < 4 * (3 - lives):
                    assert time.monotonic() < deadline, job_state(job)
                    time.sleep(0.1)
                results = {}
                for number, (work, future) in enumerate(fleet.results(works(40))):
                    results[work.key] = future.result().split()[1]
                    if number == 10 and lives == 1:
                        subprocess.run(["scancel", "-s", "KILL", "-f", f"{job}_1"], check=True)
            assert results == {f"w{i:03}": f"r{i}" for i in range(40)}
    finally:
        subprocess.run(["scancel", job], check=True)
