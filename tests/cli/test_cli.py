"""The `tmax` command in processes of its own, with plugins that are really discovered."""

import json
import os
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tmax_gym.errors import BackendUnavailable
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue

TMAX = (sys.executable, "-c", "from tmax_gym.cli import main; main()")
PLUGIN = """
import time

def greet(name: str, loud: bool = False) -> None:
    "Greet somebody."
    print(name.upper() if loud else name)

def hang() -> None:
    "Wait for a signal."
    print("up", flush=True)
    time.sleep(60)
"""
POINTS = """
[tmax.commands]
greet = tmax_test_plugin:greet
hang = tmax_test_plugin:hang
absent = a_package_that_nobody_has:run
"""


def tmax(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TMAX, *arguments], capture_output=True, text=True, timeout=200, **options
    )  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def plugin(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "tmax_test_plugin.py").write_text(PLUGIN)
    info = tmp_path / "tmax_test_plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tmax-test-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text(POINTS)
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


@pytest.fixture(scope="module")
def task() -> str:
    return next(spec.name for spec in catalogue.select() if spec.image == "core")


def needs_a_sandbox() -> None:
    try:
        backend()
    except BackendUnavailable as error:
        pytest.skip(f"no sandbox backend works here: {error}")


def test_help_names_every_command() -> None:
    shown = tmax("--help").stdout
    for name in ("doctor", "list", "show", "run", "validate", "images", "catalogue"):
        assert f" {name} " in shown


def test_a_plugin_becomes_a_command_with_its_options(plugin: dict[str, str]) -> None:
    assert " greet " in tmax("--help", env=plugin).stdout
    assert tmax("greet", "ada", env=plugin).stdout == "ada\n"
    assert tmax("greet", "ada", "--loud", env=plugin).stdout == "ADA\n"
    assert "Greet somebody." in tmax("greet", "--help", env=plugin).stdout


def test_a_plugin_without_its_packages_says_what_to_install(plugin: dict[str, str]) -> None:
    ended = tmax("absent", env=plugin)
    assert ended.returncode == 1 and "Traceback" not in ended.stderr
    assert "a_package_that_nobody_has" in ended.stderr and "pip install" in ended.stderr


def test_control_c_exits_with_130(plugin: dict[str, str]) -> None:
    with subprocess.Popen(
        [*TMAX, "hang"], env=plugin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert "Traceback" not in process.stderr.read()


def test_an_unknown_task_is_one_message_and_exit_status_1() -> None:
    ended = tmax("show", "no-such-task-at-all")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("tmax: no task is called 'no-such-task-at-all'")
    assert "Traceback" not in ended.stderr


def test_the_version_is_that_of_the_installed_package() -> None:
    assert tmax("--version").stdout == f"tmax-gym {metadata.version('tmax-gym')}\n"


def test_an_unknown_option_is_exit_status_2() -> None:
    assert tmax("list", "--colour", "red").returncode == 2


def test_list_selects_by_label_and_agrees_with_the_catalogue() -> None:
    rows = [json.loads(line) for line in tmax("list", "--split", "val", "--json").stdout.split("\n")
            if line]  # fmt: skip
    every = [json.loads(line) for line in tmax("list", "--json").stdout.splitlines()]
    assert [row["name"] for row in every] == list(catalogue.names())
    assert rows == [row for row in every if row["split"] == "val"] != []


def test_show_hides_the_solution_unless_asked(task: str) -> None:
    loaded = catalogue.load(task)
    shown = tmax("show", f"tmax/{task}").stdout
    assert loaded.instruction in shown and all(path in shown for path in loaded.outputs)
    assert "# Reference solution" not in shown
    assert loaded.oracle[0] in tmax("show", task, "--oracle").stdout


def test_run_plays_the_oracle_to_reward_1_and_the_no_op_to_0(task: str) -> None:
    needs_a_sandbox()
    solved = tmax("run", task)
    assert solved.returncode == 0, solved.stderr
    assert "reward 1.000  (submitted" in solved.stdout
    idle = json.loads(tmax("run", task, "--agent", "noop", "--json").stdout)
    assert (idle["reward"], idle["ending"]) == (0.0, "submitted")


def test_run_names_the_agents_that_there_are(task: str) -> None:
    ended = tmax("run", task, "--agent", "nobody")
    assert ended.returncode == 1 and "oracle, noop" in ended.stderr


def test_validate_tries_cheats_on_so_many_tasks_as_it_is_asked_to() -> None:
    needs_a_sandbox()
    words = ("matryoshka", "--sample", "3", "--cheat-sample", "1", "--json")
    *proofs, counts = map(json.loads, tmax("validate", *words).stdout.splitlines())
    assert counts["proven"] == len({proof["name"] for proof in proofs}) == 3
    assert sorted(bool(proof["attempts"]) for proof in proofs) == [False, False, True]


def test_validate_sums_up_in_its_last_line(task: str) -> None:
    needs_a_sandbox()
    ended = tmax("validate", task)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1].startswith("1 proven, 0 failed in ")


def test_stats_count_every_task_on_every_axis() -> None:
    first, *_ = tmax("catalogue", "stats").stdout.splitlines()
    assert first == f"{len(catalogue.names())} tasks"
