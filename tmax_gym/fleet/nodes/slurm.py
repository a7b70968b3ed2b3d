"""A Slurm job array of node workers, which find the driver by a file.

The job's tasks read the file from a file system that they share with the driver.  An array can be
larger than what is free: nodes come and go, and the driver uses those that are there.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tmax_gym.errors import FleetError

SUBMIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Array:
    """What is asked of Slurm."""

    nodes: int
    """Tasks of the array; each is one node worker."""
    cpus: int
    """Cores of each."""
    minutes: int
    """Longest time of each."""
    memory_gib: int
    room: int
    """Leases at the same time on each."""
    idle: float = 600.0
    """Seconds without a driver after which a node ends."""
    partition: str = ""
    options: tuple[str, ...] = ()
    """More options of sbatch, as they are written in a script."""


def script(file: Path, array: Array, *, python: str = sys.executable) -> str:
    """Return the batch script.

    Args:
        file: Where the driver will write its address.
        array: What is asked of Slurm.
        python: The interpreter on the nodes, which has this package.
    """
    wanted = [
        "--job-name=tmax-fleet",
        f"--array=0-{array.nodes - 1}",
        f"--cpus-per-task={array.cpus}",
        f"--mem={array.memory_gib}G",
        f"--time={array.minutes}",
        f"--output={file}.%a.log",
        "--requeue",
        *([f"--partition={array.partition}"] if array.partition else []),
        *array.options,
    ]
    program = "from tmax_gym.cli import main; main()"
    command = [python, "-c", program, "fleet", "node", str(file), "--room", str(array.room)]
    command += ["--idle", f"{array.idle:g}"]
    name = '"${SLURMD_NODENAME:-$(hostname)}-${SLURM_ARRAY_TASK_ID:-0}"'
    return "\n".join(
        [
            "#!/bin/sh",
            "# Node workers of tmax-gym: each plays and validates for the driver whose address is",
            f"# in {file}.",
            *(f"#SBATCH {option}" for option in wanted),
            # exec: Slurm's SIGTERM reaches the worker, which then destroys its sandboxes.
            f"exec {shlex.join(command)} --name {name}",
            "",
        ]
    )


def submit(text: str) -> str:
    """Submit a script; return the number of its job.

    Raises:
        FleetError: There is no sbatch here, or it refuses.
    """
    if shutil.which("sbatch") is None:
        raise FleetError(
            "sbatch is not on this machine's PATH. Submit from a login node; --print writes the "
            "script to the screen"
        )
    try:
        ended = subprocess.run(
            ["sbatch", "--parsable"],
            input=text, capture_output=True, text=True, timeout=SUBMIT_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise FleetError(f"sbatch did not answer in {SUBMIT_SECONDS:g} s") from error
    if ended.returncode:
        raise FleetError(f"sbatch refuses the job: {ended.stderr.strip() or ended.stdout.strip()}")
    return ended.stdout.strip().split(";")[0]
