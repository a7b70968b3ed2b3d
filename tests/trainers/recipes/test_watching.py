"""The output of a run: alarms, the screen, traces."""

import io
import json
import logging
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from rich.console import Console  # noqa: E402

from tmax_gym.errors import TrainingError  # noqa: E402
from tmax_gym.trajectory import Ending, Group, Step, Tokens, Trajectory, from_json  # noqa: E402
from tmax_trainers.recipes.alarms import Alarms, check_engine, examine  # noqa: E402
from tmax_trainers.recipes.recipe import Watching  # noqa: E402
from tmax_trainers.recipes.screen import LiveScreen, peak_of, rows  # noqa: E402
from tmax_trainers.rollout.records import Batch, ScoredGroup  # noqa: E402
from tmax_trainers.rollout.traces import write_traces  # noqa: E402

QUIET = {"policy/logp_gap": 0.01, "policy/entropy": 0.5, "reward/mean": 0.4}
STATE = SimpleNamespace(global_step=3, max_steps=9, is_world_process_zero=True)


def named(row, rewards=(0.4,)):
    return [alarm.name for alarm in examine(3, row, rewards, limits=Watching())]


def test_a_healthy_line_raises_no_alarm():
    assert named(QUIET) == []


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"policy/logp_gap": 0.11}, "logp_gap"),
        ({"policy/entropy": 0.005}, "entropy_low"),
        ({"policy/entropy": 3.5}, "entropy_high"),
    ],
)
def test_each_alarm_is_raised_by_its_own_number(change, name):
    assert named(QUIET | change) == [name]


def test_the_reward_collapses_when_half_of_its_best_is_lost():
    high, low = [0.6] * 10, [0.2] * 10
    assert named(QUIET, high + low[:7]) == []  # the mean of ten is still 0.32
    assert named(QUIET, high + low[:8]) == ["reward_collapse"]  # 0.28 of 0.6


DISAGREES = QUIET | {"policy/present_gap": 0.06, "policy/present_gap_max": 1.25,
                     "policy/present_tokens_total": 5000.0}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "limit"),
    [
        ({}, None),
        ({}, 0.06),
        ({"policy/present_tokens_total": 99.0}, 0.05),
        # Old tokens may be far off: the policy has moved since.
        ({"policy/present_gap": 0.001, "policy/logp_gap": 0.5}, 0.05),
    ],
)
def test_a_run_goes_on_where_nothing_is_judged_or_the_gap_is_within_its_limit(change, limit):
    check_engine(3, DISAGREES | change, limit=limit)
    check_engine(3, QUIET, limit=limit)


def test_a_run_is_stopped_with_what_was_seen_the_limit_and_what_to_compare():
    with pytest.raises(TrainingError) as stopped:
        check_engine(3, DISAGREES, limit=0.05)
    for part in ("step 3", "5000 tokens", "0.0600", "1.250", "stop_logp_gap is 0.05",
                 "model.dtype", "fp32_head", "rollouts.temperature"):  # fmt: skip
        assert part in str(stopped.value)


def test_alarms_are_warned_of_written_down_and_reported(tmp_path, caplog):
    alarms = Alarms(Watching(), tmp_path)
    row = QUIET | {"policy/entropy": 9.0}
    with caplog.at_level(logging.WARNING):
        alarms.on_log(None, STATE, None, logs=row)
    assert row["alarm/entropy_high"] == 1.0
    assert "go back to an earlier checkpoint" in caplog.text
    (line,) = (tmp_path / "alarms.jsonl").read_text().splitlines()
    assert json.loads(line)["value"] == 9.0


LOG = {
    "reward/mean": 0.25, "reward/standard_error": 0.1, "policy/blocked_high": 0.01,
    "policy/blocked_low": 0.02, "policy/logp_gap": 0.002, "policy/tokens_total": 500.0,
    "policy/logp_gap_max": 0.7, "policy/k1": 0.003,
    "staleness/mean": 1.5,
}  # fmt: skip


def test_the_screen_shows_the_numbers_of_the_log():
    shown = dict(rows(LOG, {"queue": 12, "command": 7}, 2.0, flops=0.001))
    assert shown["reward"] == "0.250 ± 0.196"
    assert shown["outside the trust region"] == "3.00 %"
    assert shown["trained tokens/s"] == "250"
    assert shown["|log π − log μ|"] == "0.00200, at most 0.700"
    assert shown["KL(μ‖π)"] == "0.00300"
    assert shown["of the present weights"] == "-"
    assert shown["waiting samples"] == "12"
    assert "command 7" in shown["sandboxes"]
    assert shown["MFU"] == "25.0 %"
    assert "MFU" not in dict(rows(LOG, {}, 2.0))


def test_the_peak_of_a_device_is_found_by_its_name():
    assert peak_of("NVIDIA H200") == 989e12
    assert peak_of("something else") == 0.0


@pytest.mark.parametrize("terminal", [False, True])
def test_the_screen_is_a_line_or_a_table(terminal):
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=300, height=40)
    screen = LiveScreen(lambda: {"queue": 4}, console)
    model = torch.nn.Linear(2, 2)
    screen.on_train_begin(None, STATE, None, model=model)
    screen.on_log(None, STATE, None, logs={"loss": 1.0})
    screen.on_log(None, STATE, None, logs=LOG)
    screen.on_train_end(None, STATE, None)
    text = file.getvalue()
    assert "step 3 of 9" in text and "0.250 ± 0.196" in text
    assert ("━" in text or "│" in text) == terminal


def test_traces_are_trajectories_with_an_index(tmp_path):
    played = Trajectory("a", "policy", 1, Ending.SUBMITTED, 1.0, (Step("ls", "x", 0, 0.1, "ls"),),
                        tokens=Tokens((1, 2), (False, True), (0.0, -1.0), (-1, 5)))  # fmt: skip
    group = ScoredGroup(Group("a", (played, played)), (0.5, -0.5), 7, 5)
    write_traces(tmp_path, Batch((group,), {}))
    write_traces(tmp_path, Batch((group,), {}))
    lines = (tmp_path / "rollouts.jsonl").read_text().splitlines()
    assert [from_json(line).steps for line in lines] == [played.steps] * 4
    index = [json.loads(x) for x in (tmp_path / "rollouts.index.jsonl").open()]
    assert index[1] == {"group": 7, "version": 5, "advantage": -0.5, "tokens": 2}
