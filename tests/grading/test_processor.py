"""Waiting for a processor is no part of a run's limit; using one always is."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.grading import drivers
from tmax_gym.grading.drivers.processor import LOOK, Allowance, state
from tmax_gym.sandboxes import Backend, Limits, Sandbox

SPIN = "while True: pass"
TICK = 0.02
"""What one reading of a process may be off by, both ways."""


def child(script: str, *, nice: int = 0, cpu: int | None = None) -> "subprocess.Popen[bytes]":
    """Start a program that says when it runs."""
    prologue = f"import os; os.nice({nice}); "
    if cpu is not None:
        prologue += f"os.sched_setaffinity(0, [{cpu}]); "
    started = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", f"{prologue}print(flush=True)\n{script}"],
        stdout=subprocess.PIPE,
    )
    assert started.stdout is not None
    assert started.stdout.readline() == b"\n"
    return started


@pytest.fixture
def started() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def watch(started: ExitStack, process: "subprocess.Popen[bytes]") -> "subprocess.Popen[bytes]":
    started.callback(process.wait)
    started.callback(process.kill)
    return process


def follow(allowance: Allowance, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        allowance.left()
        time.sleep(LOOK / 2)


def test_a_program_that_is_starved_has_more_time(started: ExitStack) -> None:
    cpu = min(os.sched_getaffinity(0))
    for _ in range(2):
        watch(started, child(SPIN, cpu=cpu))
    starved = watch(started, child(SPIN, nice=19, cpu=cpu))
    allowance = Allowance(60.0, 2.0, lambda: [str(starved.pid)])
    follow(allowance, 1.5)
    assert allowance.waited() > 0.5


def test_a_program_that_sleeps_has_not(started: ExitStack) -> None:
    sleeper = watch(started, child("import time; time.sleep(600)"))
    time.sleep(LOOK)  # it says so before it sleeps
    allowance = Allowance(60.0, 2.0, lambda: [str(sleeper.pid)])
    follow(allowance, 1.0)
    assert allowance.waited() < 0.5


def test_processor_time_that_was_used_is_never_given_back(started: ExitStack) -> None:
    busy = watch(started, child(SPIN))
    pid = str(busy.pid)
    allowance, begun, before = Allowance(60.0, 2.0, lambda: [pid]), time.monotonic(), state(pid)[1]
    follow(allowance, 1.5)
    used = state(pid)[1] - before
    assert allowance.waited() <= time.monotonic() - begun - used + 5 * TICK


@given(st.floats(0.1, 100.0), st.floats(1.0, 4.0), st.lists(st.floats(0.0, 300.0), max_size=5))
def test_a_limit_moves_so_far_and_no_further(
    seconds: float, stretch: float, waits: list[float]
) -> None:
    allowance = Allowance(seconds, stretch, list)
    for wait in waits:
        allowance.excuse(wait)
    assert 0.0 <= allowance.waited() <= seconds * (stretch - 1.0)
    assert allowance.rest() <= seconds * stretch


@pytest.fixture
def slow(native_backend: Backend, image: str) -> Iterator[Sandbox]:
    if "cpu" not in native_backend.capabilities():
        pytest.skip("this host enforces no share of a processor")
    opened = native_backend.open(image, limits=Limits(cpus=0.2))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("script", "moved"), [("while :; do :; done", True), ("exec sleep 60", False)]
)
def test_the_driver_reports_what_its_programs_waited(
    slow: Sandbox, script: str, moved: bool
) -> None:
    job = {
        "build": None,
        "argv": ["bash", "-c", script],
        "roots": [],
        "cases": [{"argv": [], "stdin": "", "files": [], "collect": []}],
        "chained": 0,
        "timeout": 2.0,
        "budget": 30.0,
        "stretch": drivers.STRETCH,
        "cap": 1000,
    }
    done = slow.exec(
        ["python3", "-I", "-S", "-c", drivers.source("cases")],
        stdin=json.dumps(job).encode(),
        timeout=120.0,
    )
    report = json.loads(done.stdout)
    assert report["cases"][0]["late"], done.stderr
    assert (report["waited"] > 1.0) == moved, report["waited"]
    assert report["waited"] <= 2.0
