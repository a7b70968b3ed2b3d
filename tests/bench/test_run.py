"""Whole runs in their own processes: killed, stopped, resumed, graded again, read back."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup
from typer.testing import CliRunner

from tests.support.bench_program import tiny
from tests.support.json_schema import faults
from tests.support.trial_tasks import trial_task
from tmax_gym.bench.events import EVENTS, read_events
from tmax_gym.bench.reports.loading import load
from tmax_gym.bench.running.datasets import register_dataset
from tmax_gym.bench.store import RunDirectory, read_records
from tmax_gym.cli import app
from tmax_gym.errors import BenchError, HarnessError
from tmax_gym.harbor.results.jobs import read_job_directory
from tmax_gym.reports.statistics import read_run
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Step, Trajectory, to_json

PROGRAM = (sys.executable, "-m", "tests.support.bench_program")
PATIENCE = 120.0


def tmax(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, **environment},
    )


def bench(out: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return tmax("bench", "tiny", "-s", "native", "-o", str(out), *arguments, **environment)


def ended(out: Path) -> Counter[tuple[str, int]]:
    events = read_events(out / EVENTS) if (out / EVENTS).exists() else ()
    return Counter((e["task"], e["attempt"]) for e in events if e["event"] == "trial_ended")


def until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def marked(mark: str, where: str = "environ") -> list[str]:
    """Return the processes with this in their environment, or on their command line."""
    names = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (place / where).read_bytes():
                names.append(place.name)
        except OSError:
            continue
    return names


def test_a_killed_run_of_sixty_trials_resumes_without_loss_or_repetition(
    tmp_path: Path, native_backend: Backend
) -> None:
    out, mark = tmp_path / "run", uuid.uuid4().hex
    options = ("-a", "oracle", "-k", "3", "-j", "3")
    environment = {"TINY_COPIES": "10", "TINY_MARK": mark}
    killed = bench(out, *options, **environment, TINY_SIGNAL=f"{int(signal.SIGKILL)}@30")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    before = {record.key: record for record in read_records(out)}
    assert 27 <= len(before) <= 29, "three at a time: the 30th was beginning"

    again = bench(out, *options, **environment)
    assert again.returncode == 0, again.stderr
    records = {record.key: record for record in read_records(out)}
    assert len(records) == 60
    assert {record.reward for record in records.values()} == {1.0}
    assert all(records[key] == record for key, record in before.items()), "ended trials stay"
    assert set(ended(out).values()) == {1} and len(ended(out)) == 60
    assert len(read_run(out).trials) == 60
    until(lambda: not marked(mark))  # no process of a sandbox is left


@pytest.mark.docker
def test_a_killed_run_in_containers_leaves_none_behind(
    tmp_path: Path, docker_backend: Backend, image: str
) -> None:
    import docker

    from tmax_gym.sandboxes.docker.ownership import owner

    assert owner().split(":")[2] == str(os.getpid()), "a label names its process"
    out = tmp_path / "run"
    words = [*PROGRAM, "bench", "tiny", "-s", "docker", "--image", image, "-o", str(out)]
    words += ["-a", "oracle", "-k", "2", "-j", "2"]
    environment = {**os.environ, "TINY_COPIES": "3", "TMAX_POOL": "2"}
    sent = f"{int(signal.SIGKILL)}@6"
    killed = subprocess.Popen(
        words, env={**environment, "TINY_SIGNAL": sent}, stderr=subprocess.DEVNULL
    )
    assert killed.wait(PATIENCE) == -signal.SIGKILL
    before = len(read_records(out))
    again = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
    assert again.wait(PATIENCE) == 0
    assert 4 <= before <= 5 and len(read_records(out)) == 12 and set(ended(out).values()) == {1}
    pids = {str(process.pid) for process in (killed, again)}
    api = docker.from_env().api

    def left() -> list[str]:
        # Not `containers.list`, which inspects each one: others may be removed meanwhile.
        labels = [row["Labels"].get("tmax.owner", "") for row in api.containers(all=True)]
        return [label for label in labels if pids & set(label.split(":")[2:3])]

    try:
        until(lambda: not left())
    finally:
        api.close()


def test_an_ended_run_plays_nothing_more_and_can_be_extended(
    tmp_path: Path, native_backend: Backend
) -> None:
    out = tmp_path / "run"
    options = ("-a", "noop", "-j", "2")
    assert bench(out, *options, "-k", "1", TINY_COPIES="2").returncode == 0
    first = (out / EVENTS).read_text()
    assert bench(out, *options, "-k", "1", TINY_COPIES="2").returncode == 0
    more = (out / EVENTS).read_text().removeprefix(first)
    assert '"event": "trial_started"' not in more
    assert bench(out, *options, "-k", "2", TINY_COPIES="3").returncode == 0
    assert sorted(r.key for r in read_records(out)) == sorted(
        (f"{kind}.plain-{n:02}", attempt)
        for kind in ("sum", "halves")
        for n in range(3)
        for attempt in range(2)
    )
    assert set(ended(out).values()) == {1}


def test_an_interrupted_run_clears_up_says_so_and_goes_on(
    tmp_path: Path, native_backend: Backend
) -> None:
    out, mark = tmp_path / "run", uuid.uuid4().hex
    options = ("-a", "oracle", "-k", "3", "-j", "2")
    stopped = bench(out, *options, TINY_MARK=mark, TINY_SIGNAL=f"{int(signal.SIGINT)}@10")
    assert stopped.returncode == 130, stopped.stderr
    assert "stopping" in stopped.stderr and "continue with the same command" in stopped.stderr
    assert marked(mark) == []
    seen = [event["event"] for event in read_events(out / EVENTS)]
    assert seen[-1] == "run_stopped"
    done = read_records(out)
    assert 8 <= len(done) < 24
    assert all(record.ending is Ending.SUBMITTED for record in done), "no stopped trial is a result"
    assert len(read_run(out).trials) == len(done)
    assert bench(out, *options).returncode == 0
    assert len(read_records(out)) == 24 and set(ended(out).values()) == {1}


def test_a_second_interrupt_ends_the_process_at_once_and_nothing_is_left(
    tmp_path: Path, native_backend: Backend
) -> None:
    trace, out, mark = tmp_path / "trace.jsonl", tmp_path / "run", uuid.uuid4().hex
    long = f"1{int(mark[:8], 16)}"
    played = Trajectory(
        "sum.plain-00", "x", 0, Ending.SUBMITTED, 1.0, (Step(f"sleep {long}", "", 0, 0.0),)
    )
    trace.write_text(to_json(played) + "\n")
    words = ["bench", "tiny", "-s", "native", "-o", str(out), "-a", "replay", "-H"]
    words += [f"replay={trace}", "-n", "sum.plain-00", "--command-seconds", long]
    process = subprocess.Popen(
        [*PROGRAM, *words, "--episode-seconds", long],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TINY_MARK": mark},
    )
    typed = f"sleep\0{long}"
    until(lambda: marked(typed, "cmdline"))
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "stopping" not in (line := process.stderr.readline()):
        assert line, "it ended before it was told to"
    assert process.poll() is None, "a trial is being waited for"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    until(lambda: not marked(mark) and not marked(typed, "cmdline"))
    assert read_records(out) == ()


def test_other_settings_changed_tasks_and_a_second_process_are_refused(
    tmp_path: Path, native_backend: Backend
) -> None:
    out = tmp_path / "run"
    options = ("-a", "noop", "-k", "1", "-j", "2")
    assert bench(out, *options, TINY_COPIES="1").returncode == 0
    kept = (out / "run.json").read_bytes()
    other = bench(out, *options, "--max-steps", "7", TINY_COPIES="1")
    assert other.returncode == 1
    assert "given.max_steps was None and is 7" in other.stderr
    changed = bench(out, *options, TINY_COPIES="1", TINY_DIGEST="new")
    assert changed.returncode == 1
    assert "2 tasks have changed since" in changed.stderr
    assert (out / "run.json").read_bytes() == kept
    with RunDirectory(out):
        second = bench(out, *options, TINY_COPIES="1")
    assert second.returncode == 1 and "is in use" in second.stderr


def test_the_remains_of_trials_are_graded_again_without_their_agent(
    tmp_path: Path, native_backend: Backend
) -> None:
    out = tmp_path / "run"
    bench(out, "-a", "oracle", "-k", "2", TINY_COPIES="1", TINY_FAULTY="1")
    states = Counter(record.ending for record in read_records(out))
    assert states == {Ending.SUBMITTED: 4, Ending.VERIFIER_ERROR: 2}
    forged = next((out / "trials").glob("halves*__0.json"))
    row = json.loads(forged.read_text())
    row["trajectory"]["reward"] = 0.125
    forged.write_text(json.dumps(row))

    dry = tmax("regrade", str(out), "-s", "native", "--dry-run", TINY_COPIES="1", TINY_FAULTY="1")
    assert "halves.plain-00 #0: submitted 0.125 became submitted 1.000" in dry.stdout, dry.stderr
    assert json.loads(forged.read_text())["trajectory"]["reward"] == 0.125
    done = tmax("regrade", str(out), "-s", "native", TINY_COPIES="1", TINY_FAULTY="1")
    assert "6 trials graded again, 1 changed; 0 left nothing" in done.stdout, done.stderr
    assert json.loads(forged.read_text())["trajectory"]["reward"] == 1.0
    assert [e["before"]["reward"] for e in read_events(out / EVENTS)
            if e["event"] == "trial_regraded"] == [0.125]  # fmt: skip
    assert {t.reward for t in read_run(out).trials if t.ending is Ending.SUBMITTED} == {1.0}
    refused = tmax("regrade", str(out), "-s", "native", TINY_COPIES="1", TINY_DIGEST="new",
                   TINY_FAULTY="1")  # fmt: skip
    assert refused.returncode == 1 and "3 of 3 tasks have changed" in refused.stderr


def test_a_run_is_a_job_directory_of_harbor_too_and_reads_back_the_same(
    tmp_path: Path, native_backend: Backend
) -> None:
    out = tmp_path / "run"
    bench(out, "-a", "oracle", "-k", "2", TINY_COPIES="2", TINY_FAULTY="1")
    job = read_job_directory(out / "harbor")
    assert job.problems == () and len(job.trials) == 12
    assert job.result is not None and job.result.stats.n_completed_trials == 12
    for trial in job.trials:
        for name, kind in (("result", "trial_result"), ("agent/trajectory", "atif")):
            text = (trial.directory / f"{name}.json").read_text()
            assert faults(json.loads(text), kind) == []
    assert faults(json.loads((out / "harbor" / "result.json").read_text()), "job_result") == []

    ours, theirs = load(out), load(out / "harbor")
    assert [_facts(r) for r in theirs.records] == [_facts(r) for r in ours.records]


def _facts(record: Any) -> dict[str, Any]:
    played = record.trajectory
    return {
        "key": record.key,
        "digest": record.digest,
        "reward": record.reward,
        "tags": record.tags,
        "instruction": record.instruction,
        "steps": played.steps,
        "ending": played.ending,
        "parts": sorted(played.parts),
        "started": record.started,
        "replied": [moment.replied for moment in record.moments],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere", "-a", "noop"), "no dataset is called 'nowhere'"),
        (("tiny", "-a", "nobody"), "no harness is called 'nobody'; there are: bash, human"),
        (("tiny", "-a", "bash"), "the harness bash needs a model"),
        (("tiny", "-a", "noop", "-n", "absent*"), "matches 'absent*'"),
        (("tiny", "-a", "noop", "-H", "colour=red"), "'colour=red' is not an option here"),
        (("tiny", "-a", "noop", "--prices", "much", "-m", "m", "--base-url", "u"), "--prices is"),
    ],
)
def test_a_wrong_command_is_refused_in_one_line(
    tmp_path: Path, native_backend: Backend, arguments: tuple[str, ...], message: str
) -> None:
    register_dataset("tiny", tiny)
    result = CliRunner().invoke(app, ["bench", *arguments, "-s", "native", "-o", f"{tmp_path}/r"])
    assert isinstance(result.exception, BenchError | HarnessError)
    assert message in str(result.exception)
    assert not (tmp_path / "r" / "run.json").exists()


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_run_in_which_nothing_was_graded_fails_and_its_last_line_says_why(
    tmp_path: Path, native_backend: Backend, attempts: int
) -> None:
    options = ("-a", "noop", "-n", "faulty*", "-k", str(attempts))
    count = 2 * attempts
    for _ in range(2):  # also when it resumes with nothing left to play
        ended = bench(tmp_path / "r", *options, TINY_FAULTY="1", TINY_COPIES="2")
        assert ended.returncode == 3, ended.stderr
        last = ended.stderr.splitlines()[-1]
        assert last.startswith(f"tmax: nothing was graded: {count} verifier_error; the reason")
        assert "ZeroDivisionError" in last
    again = tmax("regrade", str(tmp_path / "r"), "-s", "native", TINY_FAULTY="1", TINY_COPIES="2")
    assert again.returncode == 0, "all of them left something, and were graded again"


def test_one_graded_trial_is_enough_for_status_0(tmp_path: Path, native_backend: Backend) -> None:
    ended = bench(tmp_path / "r", "-a", "noop", TINY_FAULTY="1", TINY_COPIES="1")
    assert ended.returncode == 0, ended.stderr
    assert "nothing was graded" not in ended.stderr


def test_only_the_tasks_that_were_asked_for_count_as_graded(
    tmp_path: Path, native_backend: Backend
) -> None:
    more = {"TINY_FAULTY": "1", "TINY_COPIES": "1"}
    assert bench(tmp_path / "r", "-a", "noop", "-n", "sum*", **more).returncode == 0
    assert bench(tmp_path / "r", "-a", "noop", "-n", "faulty*", **more).returncode == 3
    assert bench(tmp_path / "r", "-a", "noop", **more).returncode == 0


def test_harbor_tasks_of_which_none_is_graded_fail_a_run(
    tmp_path: Path, native_backend: Backend, image: str
) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    trial_task(tmp_path / "set", "no-reward", {"tests/test.sh": "#!/bin/bash\necho bye\n"})
    trial_task(tmp_path / "set", "unsolved", {"solution/solve.sh": None})
    options = ("-s", "native", "-a", "oracle", "--retries", "0", "-o", str(tmp_path / "r"))
    ended = tmax("bench", str(tmp_path / "set"), *options)
    assert ended.returncode == 3, ended.stderr
    assert ": 1 task_error, 1 ungraded; the reason (1 times): " in ended.stderr.splitlines()[-1]
    nothing = tmax("regrade", str(tmp_path / "r"), "-s", "native")
    assert (nothing.returncode, nothing.stderr.splitlines()[-1]) == (
        3, "tmax: nothing was graded: no trial left anything to grade",
    )  # fmt: skip


def test_a_run_uses_the_image_and_network_that_were_chosen_and_refuses_to_go_on_with_others(
    tmp_path: Path, native_backend: Backend, image: str
) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    absent = "FROM example.org/absent:1\nWORKDIR /app\n"
    trial_task(tmp_path / "set", files={"environment/Dockerfile": absent})
    options = ("-s", "native", "-a", "oracle", "--retries", "0", "-o", str(tmp_path / "r"))
    chosen = ("--network", "none", "--substitute", "example.org/absent:1=tmax/core:latest")
    ended = tmax("bench", str(tmp_path / "set"), *options, *chosen)
    assert ended.returncode == 0, ended.stderr
    (record,) = read_records(tmp_path / "r")
    assert record.reward == 0.75
    other = tmax("bench", str(tmp_path / "set"), *options, *chosen[2:])
    assert other.returncode == 1
    assert "was begun with other settings: machines.network" in other.stderr


def test_an_unclear_substitute_is_an_error(tmp_path: Path) -> None:
    options = ("-s", "native", "-a", "noop", "-o", str(tmp_path / "r"), "--substitute", "core")
    result = tmax("bench", str(tmp_path), *options)
    assert (result.returncode, result.stderr.splitlines()[-1]) == (
        1, "tmax: --substitute is 'core', but should be like python:3.12=core",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-n", "absent"), "no task of 1 matches 'absent'"),
        (("-x", "*"), "no task of 1 is left"),
        ((), "has no task that can be run: "),
    ],
)
def test_a_choice_that_leaves_nothing_is_an_error(
    tmp_path: Path, native_backend: Backend, options: tuple[str, ...], message: str
) -> None:
    place = tmp_path / "set"
    place.mkdir()
    if options:
        trial_task(place)
    result = tmax("bench", str(place), "-s", "native", "-a", "noop", "-o", "r", *options)
    assert result.returncode == 1
    assert message in result.stderr.splitlines()[-1]


def test_the_commands_of_the_readme_are_understood() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^## Benchmarking an agent\n.*?```console\n(.*?)```", text, re.M | re.S)
    commands = [words for line in block.splitlines() for words in line.strip("$ ").split(" && ")]
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup) and len(commands) == 6
    for words in commands:
        name, *rest = shlex.split(words)[1:]
        command = group.get_command(group.make_context("tmax", ["doctor"]), name)
        assert command is not None, words
        command.make_context(name, rest)  # raises if an option is unknown or missing
