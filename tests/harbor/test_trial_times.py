"""Time limits from a task's files, and those that a user sets instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.trial_tasks import trial_task
from tmax_gym.bench.running.guard import allowed
from tmax_gym.bench.running.settings import BenchSettings, limits_for
from tmax_gym.bench.running.settings import Multipliers as Factors
from tmax_gym.harbor.run import settings
from tmax_gym.harbor.run.settings import Multipliers
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.harbor.tasks.directory import read_task

TOML = """\
schema_version = "1.4"
[environment]
build_timeout_sec = 100.0
network_mode = "no-network"
[environment.healthcheck]
command = "true"
interval_sec = 3.0
timeout_sec = 4.0
start_period_sec = 10.0
start_interval_sec = 2.0
retries = 5
[[steps]]
name = "first"
[steps.verifier]
timeout_sec = 50.0
[[steps.verifier.collect]]
command = "true"
timeout_sec = 7.0
[[steps]]
name = "second"
[steps.verifier]
timeout_sec = 200.0
"""


def task(place: Path, *, times: Multipliers | None = None) -> TrialTask:
    files: dict[str, str | bytes | None] = {
        "task.toml": TOML,
        "instruction.md": None,
        "solution/solve.sh": None,
        "tests/test.sh": None,
        "steps/second/workdir/setup.sh": "true\n",
    }
    for name in ("first", "second"):
        files[f"steps/{name}/instruction.md"] = "Do nothing.\n"
        files[f"steps/{name}/tests/test.sh"] = "#!/bin/bash\ntrue\n"
    chosen = settings.HarborSettings(multipliers=times or Multipliers())
    return TrialTask("x/hello", read_task(trial_task(place, files=files)), chosen)


HEALTH = 10.0 + 4.0 + 2.0 + 5 * (4.0 + 3.0)
"""A start in which no failure counts, its last try, and five that count."""


def test_a_task_says_how_long_its_parts_may_take(tmp_path: Path) -> None:
    found = task(tmp_path)
    limits = limits_for(found, BenchSettings("noop"))
    parts = allowed(found, limits)
    assert (limits.start_seconds, limits.verify_timeout) == (100.0, 50.0)
    assert parts["start"] == 100.0 + HEALTH
    # The second step is longer, though the first is followed by a set-up: 50 + 7 + 100.
    assert parts["grading"] == 200.0 + limits.transfer_seconds
    assert parts["closing"] == limits.transfer_seconds == 120.0


@pytest.mark.parametrize(
    ("given", "factors", "start", "grading"),
    [
        ({"start_seconds": 300.0}, Factors(), 300.0, 50.0 + 7.0 + 300.0),
        ({"verify_timeout": 100.0}, Factors(), 100.0, 400.0),
        ({}, Factors(grading=3.0), 100.0, 600.0),
        ({"transfer_seconds": 1.0}, Factors(), 100.0, 200.0),
    ],
)
def test_what_a_user_gives_holds_for_the_first_step_and_others_in_proportion(
    given: dict[str, float], factors: Factors, start: float, grading: float, tmp_path: Path
) -> None:
    found = task(tmp_path)
    chosen = BenchSettings("noop", given=tuple(given.items()), multipliers=factors)
    limits = limits_for(found, chosen)
    parts = allowed(found, limits)
    assert parts["start"] == start + HEALTH
    assert parts["grading"] == grading + limits.transfer_seconds
    assert limits.transfer_seconds == given.get("transfer_seconds", 120.0)


def test_the_multipliers_of_a_dataset_are_those_of_harbor(tmp_path: Path) -> None:
    found = task(tmp_path, times=Multipliers(2.0, build=3.0))
    parts = allowed(found, limits_for(found, BenchSettings("noop")))
    assert parts["start"] == 300.0 + HEALTH
    assert parts["grading"] == max(100.0 + 7.0 + 300.0, 400.0) + 120.0
