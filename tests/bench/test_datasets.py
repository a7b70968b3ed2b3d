"""Datasets, choices and settings of a run; a directory of Harbor tasks played in containers."""

import csv
from dataclasses import fields, replace
from html import escape
from pathlib import Path
from typing import Any

import pytest

from tests.support.bench_program import tiny
from tests.support.harbor_directories import write_task
from tests.support.tiny_tasks import sum_task
from tests.support.trial_tasks import trial_task
from tmax_gym.bench.events import EVENTS, read_events
from tmax_gym.bench.reports.html import make, page
from tmax_gym.bench.reports.loading import load
from tmax_gym.bench.reports.writing import write
from tmax_gym.bench.running.datasets import (
    BenchDataset,
    Item,
    Selection,
    open_dataset,
    register_dataset,
)
from tmax_gym.bench.running.order import Order, carry_out
from tmax_gym.bench.running.settings import BenchSettings, Multipliers, Sampling, limits_for
from tmax_gym.errors import BenchError, SandboxError
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.reports.statistics import read_run
from tmax_gym.sandboxes import Backend, Layer, Limits, Sandbox
from tmax_gym.tasks import catalogue
from tmax_gym.trajectory import Ending


def test_a_catalogue_is_chosen_by_split_family_pattern_and_number() -> None:
    family = "bulk-rename"  # none of its tasks needs an image that may be absent
    every = open_dataset("tmax", Selection(include=(family,))).items
    assert {item.name.partition(".")[0] for item in every} == {family}
    assert {item.name for item in every} == {s.name for s in catalogue.select(family=family)}
    assert open_dataset("tmax", Selection(include=(f"{family}.*",))).items
    test = open_dataset("tmax", Selection(split="test"))
    here, _ = catalogue.runnable(catalogue.select(split="test"))  # the others lack their image
    assert {item.name for item in test.items} == {spec.name for spec in here}
    assert all(dict(item.tags)["difficulty"] for item in test.items)
    with pytest.raises(BenchError, match="matches 'no-such-family'"):
        open_dataset("tmax", Selection(include=("no-such-family",)))


def test_a_larger_sample_contains_the_smaller_and_another_seed_draws_another() -> None:
    register_dataset("tiny", tiny)

    def names(count: int, seed: int) -> set[str]:
        return {i.name for i in open_dataset("tiny", Selection(sample=count, seed=seed)).items}

    assert names(3, 0) < names(5, 0) < names(8, 0)
    assert len(names(3, 0)) == 3 and names(3, 0) == names(3, 0)
    assert len({frozenset(names(3, seed)) for seed in range(6)}) > 1


OTHERS: dict[str, Any] = {
    "harness": "noop",
    "model": "m",
    "options": (("dialect", "hermes"),),
    "sampling": Sampling(0.5),
    "given": (("max_steps", 3.0),),
    "multipliers": Multipliers(grading=2.0),
    "agent_seconds": 5.0,
    "backend": "docker",
    "image": "core",
    "image_id": "1",
    "machines": (("network", "none"),),
    "seed": 7,
}


def test_everything_that_decides_a_result_changes_the_hash() -> None:
    settings = BenchSettings("oracle")
    assert set(OTHERS) == {f.name for f in fields(BenchSettings)}
    digests = {replace(settings, **{name: value}).digest() for name, value in OTHERS.items()}
    assert len(digests | {settings.digest()}) == len(OTHERS) + 1
    assert settings.digest() == BenchSettings("oracle").digest()


def test_limits_are_the_tasks_own_unless_given_and_then_multiplied(tmp_path: Path) -> None:
    by = Multipliers(commands=2.0, agent=3.0, grading=4.0)
    settings = BenchSettings(
        "oracle", given=(("command_timeout", 10.0), ("max_steps", 5)), multipliers=by
    )
    ours = limits_for(sum_task(), settings)
    assert (ours.command_timeout, ours.max_steps) == (20.0, 5)
    assert (ours.episode_seconds, ours.verify_timeout) == (2700.0, 240.0)
    write_task(tmp_path, "hello", {"task.toml": "[agent]\ntimeout_sec = 500.0\n"})
    (item,) = open_dataset(str(tmp_path)).items
    task = item.load()
    assert isinstance(task, TrialTask)
    theirs = limits_for(task, BenchSettings("oracle", multipliers=by))
    assert (theirs.episode_seconds, theirs.verify_timeout) == (1500.0, 2400.0)


def test_a_directory_of_tasks_says_what_is_wrong_and_goes_on(tmp_path: Path) -> None:
    write_task(tmp_path, "good")
    write_task(tmp_path, "syntax", {"task.toml": "x = ["})
    write_task(tmp_path, "windows", {"task.toml": '[environment]\nos = "windows"\n'})
    dataset = open_dataset(str(tmp_path), backend="docker")
    assert [item.name.partition("/")[2] for item in dataset.items] == ["good"]
    assert sorted(line.partition(":")[0].rpartition("/")[2] for line in dataset.problems) == [
        "syntax", "windows",
    ]  # fmt: skip
    before = dataset.items[0].digest
    (tmp_path / "good" / "instruction.md").write_text("Another task.\n")
    assert open_dataset(str(tmp_path), backend="docker").items[0].digest != before


RUN_NAMES = (
    "two words", "größe", "a.b", "-rf", "a[1]", "CASE", "case", "one/same", "two/same", "x" * 180,
)  # fmt: skip


def test_tasks_of_any_name_are_played_once_each_kept_and_reported(
    tmp_path: Path, native_backend: Backend, image: str
) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    for name in RUN_NAMES:
        trial_task(tmp_path / "my set", name, {"instruction.md": f"Do {name}.\n"})
    dataset = open_dataset(str(tmp_path / "my set"), backend="native")
    wanted = {f"my set/{name}" for name in RUN_NAMES}
    assert ({item.name for item in dataset.items}, dataset.problems) == (wanted, ())
    order = Order(dataset, BenchSettings("noop", backend="native"), native_backend, jobs=2)
    for _ in range(2):
        carry_out(order, tmp_path / "run")
    ended = [
        e["task"] for e in read_events(tmp_path / "run" / EVENTS) if e["event"] == "trial_ended"
    ]
    assert sorted(ended) == sorted(wanted), "each was played once, and none again on resume"
    for place in (tmp_path / "run", tmp_path / "run" / "harbor"):
        results = {r.task: (r.reward, r.instruction) for r in load(place).records}
        assert results == {f"my set/{n}": (0.0, f"Do {n}.\n") for n in RUN_NAMES}
    files = {f.name: f for f in write(make([load(tmp_path / "run")]), tmp_path / "report")}
    rows = list(csv.DictReader(files["trials.csv"].read_text(encoding="utf-8").splitlines()))
    assert {row["task"] for row in rows} == wanted
    page = files["report.html"].read_text(encoding="utf-8")
    assert all(escape(name) in page for name in wanted)
    assert {r.task for r in read_run(tmp_path / "run").trials} == wanted


def test_an_oracle_that_cannot_run_is_told_as_a_fault_of_its_task_and_not_tried_again(
    tmp_path: Path, native_backend: Backend, image: str
) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    crlf = b"#!/bin/bash\r\necho hello > /app/hello.txt\r\n"
    trial_task(tmp_path / "set", "crlf", {"solution/solve.sh": crlf})
    trial_task(tmp_path / "set", "zsh", {"solution/solve.sh": "#!/bin/zsh\n"})
    trial_task(tmp_path / "set", "untestable", {"tests/test.sh": crlf})
    dataset = open_dataset(str(tmp_path / "set"), backend="native")
    carry_out(
        Order(dataset, BenchSettings("oracle", backend="native"), native_backend), tmp_path / "r"
    )
    found = {r.task: r for r in load(tmp_path / "r").records}
    assert {task: (r.ending, r.reward) for task, r in found.items()} == {
        "set/crlf": (Ending.TASK_ERROR, None),
        "set/zsh": (Ending.TASK_ERROR, None),
        "set/untestable": (Ending.UNGRADED, None),
    }
    assert [found[f"set/{n}"].trajectory.attempts for n in ("crlf", "zsh")] == [1, 1]
    assert all("solve.sh" in found[f"set/{n}"].trajectory.message for n in ("crlf", "zsh"))
    assert "tests/test.sh has Windows line ends" in found["set/untestable"].trajectory.message


def test_tasks_of_a_directory_are_chosen_with_or_without_the_datasets_name(tmp_path: Path) -> None:
    for name in RUN_NAMES:
        write_task(tmp_path / "set", name)

    def chosen(*patterns: str) -> list[str]:
        dataset = open_dataset(str(tmp_path / "set"), Selection(include=patterns))
        return [item.name.removeprefix("set/") for item in dataset.items]

    assert chosen("two words") == chosen("set/two words") == ["two words"]
    assert chosen("a[1]") == ["a[1]"]
    assert chosen("-rf", "CASE") == ["-rf", "CASE"]
    assert chosen("same") == ["one/same", "two/same"]
    assert chosen("one/*") == ["one/same"]
    with pytest.raises(BenchError, match=r"matches 'nothing'; there are: set/-rf, set/CASE"):
        chosen("nothing")
    with pytest.raises(BenchError, match=r"matches 'two_word'; did you mean set/two words\?"):
        chosen("two_word")
    write_task(tmp_path / "set", "broken", {"task.toml": "x = ["})
    with pytest.raises(BenchError, match=r"(?s)matches 'broken'.*Left out: broken: task\.toml is"):
        chosen("broken")


def test_a_dataset_without_a_runnable_task_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BenchError, match=r"has no task that can be run: .*task\.toml"):
        open_dataset(str(tmp_path / "empty"))
    for n in range(7):
        write_task(tmp_path / "set", f"w{n}", {"task.toml": '[environment]\nos = "windows"\n'})
    with pytest.raises(BenchError) as caught:
        open_dataset(str(tmp_path / "set"), backend="docker")
    assert "set/w0: unsupported: it runs on Windows" in str(caught.value)
    assert str(caught.value).endswith("\nand 2 more")


def test_other_peoples_data_is_a_dataset_by_its_name_and_place(tmp_path: Path) -> None:
    write_task(tmp_path, "one")
    dataset = open_dataset(f"tmax15k:{tmp_path}", backend="docker")
    assert [item.name for item in dataset.items] == ["tmax15k/one"]
    with pytest.raises(BenchError, match=r"There are: .*tmax.*swe-smith"):
        open_dataset("nowhere")


class Faltering:
    """A real backend that sometimes fails to open a machine."""

    def __init__(self, inner: Backend, times: int) -> None:
        self.inner = inner
        self.name = inner.name
        self.left = times

    def problem(self) -> str | None:
        return self.inner.problem()

    def capabilities(self) -> frozenset[str]:
        return self.inner.capabilities()

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> Sandbox:
        self.left -= 1
        if self.left >= 0:
            raise SandboxError("the engine is away")
        return self.inner.open(image, limits=limits, layer=layer)


def order(machines: Backend, **more: Any) -> Order:
    task = sum_task()
    item = Item(task.name, task.digest, lambda: task)
    settings = BenchSettings("oracle", backend=machines.name)
    return Order(BenchDataset("one", (item,)), settings, machines, **more)


def test_a_machine_that_fails_is_replaced_and_named(
    tmp_path: Path, native_backend: Backend
) -> None:
    carry_out(order(Faltering(native_backend, 1), retries=1), tmp_path)
    (record,) = load(tmp_path).records
    assert (record.reward, record.trajectory.attempts) == (1.0, 2)
    assert record.trajectory.faults == ("the engine is away",)
    seen = [event["event"] for event in read_events(tmp_path / EVENTS)]
    assert seen == ["run_started", "trial_started", "trial_retried", "trial_ended", "run_ended"]


def test_a_machine_that_always_fails_is_no_zero_and_again_repeats_it(
    tmp_path: Path, native_backend: Backend
) -> None:
    carry_out(order(Faltering(native_backend, 2), retries=1), tmp_path)
    (record,) = load(tmp_path).records
    assert (record.reward, record.ending) == (None, Ending.INFRA_ERROR)
    carry_out(order(native_backend), tmp_path)
    assert load(tmp_path).records == (record,), "it has ended: it is not repeated by itself"
    carry_out(order(native_backend, again=True), tmp_path)
    (repeated,) = load(tmp_path).records
    assert (repeated.reward, repeated.ending) == (1.0, Ending.SUBMITTED)


@pytest.mark.docker
def test_harbor_tasks_are_played_graded_and_told_with_their_verifiers_words(
    tmp_path: Path, docker_backend: Backend
) -> None:
    tasks = tmp_path / "set"
    tasks.mkdir()
    several = 'echo "looked"; echo \'{"reward": 0.5, "style": 1.0}\' > /logs/verifier/reward.json'
    trial_task(tasks, "several", {"tests/test.sh": f"#!/bin/bash\n{several}\n"})
    trial_task(tasks, "untested", {"tests/test.sh": "#!/bin/bash\nno-such-tester\n"})
    trial_task(tasks, "unsolved", {"solution/solve.sh": None})
    dataset = open_dataset(str(tasks), backend="docker")
    settings = BenchSettings("oracle", backend="docker", image="core")
    carry_out(Order(dataset, settings, docker_backend, jobs=2, retries=0), tmp_path / "run")
    found = {record.task: record for record in load(tmp_path / "run").records}
    assert {task: (r.ending, r.reward) for task, r in found.items()} == {
        "set/several": (Ending.SUBMITTED, 0.5),
        "set/untested": (Ending.UNGRADED, None),
        "set/unsolved": (Ending.TASK_ERROR, None),
    }
    several_record = found["set/several"]
    assert several_record.rewards == (("reward", 0.5), ("style", 1.0))
    assert "looked" in several_record.output and several_record.phases.grading > 0
    assert "no solution" in found["set/unsolved"].trajectory.message
    assert "looked" in page(make([load(tmp_path / "run")]))
    theirs = {r.task: r for r in load(tmp_path / "run" / "harbor").records}
    assert {task: (r.ending, r.reward) for task, r in theirs.items()} == {
        task: (r.ending, r.reward) for task, r in found.items()
    }
