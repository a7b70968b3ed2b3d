"""Runs of `tmax bench` whose trials are played by other processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.test_endpoint import SUBMIT, endpoint, says, serving
from tests.fleet.test_driver import Node, Nodes
from tmax_gym.agents.registry import agent_entry
from tmax_gym.bench.events import EVENTS, EventLog, read_events
from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.remains import RemainsStore
from tmax_gym.bench.running.datasets import BenchDataset, Item, Selection, anywhere, open_dataset
from tmax_gym.bench.running.fleet import FleetTrials, Model, Trials
from tmax_gym.bench.running.order import Fleet, Order, carry_out
from tmax_gym.bench.running.regrade import regrade
from tmax_gym.bench.running.settings import BenchSettings, image_id
from tmax_gym.bench.running.trial import Bench
from tmax_gym.bench.store import read_records
from tmax_gym.errors import BenchError, SandboxError
from tmax_gym.fleet.contract import Outcome
from tmax_gym.fleet.driver import TRIES
from tmax_gym.harbor.run.settings import Machines
from tmax_gym.sandboxes import Backend, trial_account
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.sandboxes.images import default_image
from tmax_gym.trajectory import Ending

NAMES = ("backup-bug.chess-federation-0016", "blink-codes.apiary-0070", "form-batch.fishery-0098")
TMAX = (sys.executable, "-c", "from tmax_gym.cli import main; main()")


@pytest.fixture(scope="module")
def tasks() -> BenchDataset:
    return open_dataset("tmax", Selection(include=NAMES, image=default_image()))


def settings(harness: str = "oracle", model: str = "") -> BenchSettings:
    root = default_image()
    return BenchSettings(harness, model, backend="native", image=root, image_id=image_id(root))


def facts(record: TrialRecord) -> dict[str, object]:
    """Return what does not depend on the clock."""
    played = record.trajectory
    steps = tuple((step.action, step.observation) for step in played.steps)
    return {
        "key": record.key,
        "identity": (record.digest, record.config, record.tags, record.instruction),
        "graded": (played.reward, played.ending, played.parts, record.output),
        "steps": steps,
    }


def test_nodes_leave_the_run_that_this_process_leaves(
    tmp_path: Path, native_backend: Backend, tasks: BenchDataset
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    told: list[str] = []
    carry_out(Order(tasks, settings(), native_backend, attempts=2), here)
    fleet = Fleet("local:2:2", "tmax", tell=told.append)
    carry_out(Order(tasks, settings(), native_backend, attempts=2, fleet=fleet), there)

    assert [facts(r) for r in read_records(there)] == [facts(r) for r in read_records(here)]
    assert {r.reward for r in read_records(there)} == {1.0}
    events = {out: read_events(out / EVENTS) for out in (here, there)}
    names = {out: sorted((e["event"], e.get("task", "")) for e in events[out]) for out in events}
    names[there].remove(("fleet_ended", ""))
    assert names[there] == names[here]
    assert "queue" in told[0] and "verify" in told[0]
    again = regrade(there, native_backend)
    assert (again.graded, again.changes, again.left_out) == (6, (), 0)


def test_killed_nodes_and_an_interrupt_cost_no_trial(
    tmp_path: Path, native_backend: Backend
) -> None:
    out = tmp_path / "run"
    chosen = [word for name in NAMES for word in ("-n", name)]
    words = ["bench", "tmax", "-a", "oracle", "-o", str(out), "-s", "native", "-k", "4"]
    command = [*TMAX, *words, *chosen, "--fleet", "local:2:1"]
    first = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    deadline = time.monotonic() + 120
    while not list((out / "trials").glob("[!.]*.json")):
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    for node in nodes_of(first.pid):
        os.kill(node, signal.SIGKILL)
    while len(list((out / "trials").glob("[!.]*.json"))) < 4:
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    first.send_signal(signal.SIGINT)
    _, errors = first.communicate(timeout=120)
    assert first.returncode == 130, errors
    assert "is lost" in errors and "continue with the same command" in errors
    before = read_records(out)
    assert 4 <= len(before) < 12
    assert subprocess.run(command, capture_output=True, timeout=240).returncode == 0
    records = read_records(out)
    assert len(records) == 12 and {r.reward for r in records} == {1.0}
    assert [r for r in records if r.key in {b.key for b in before}] == list(before)


def nodes_of(driver: int) -> list[int]:
    """Return the processes of a driver's nodes."""
    children = Path(f"/proc/{driver}/task/{driver}/children").read_text().split()
    lines = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in children}
    return [pid for pid, line in lines.items() if b"fleet" in line]


def test_a_node_asks_the_model_with_the_key_of_its_own_environment(
    tmp_path: Path, native_backend: Backend, tasks: BenchDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_OF_A_TEST", "of the node")
    one = replace(tasks, items=tasks.items[:1])
    with serving(says("touch a"), says(SUBMIT)) as server:
        fleet = Fleet("local:1", "tmax", key_env="KEY_OF_A_TEST", tell=str)
        ordered = Order(one, settings("bash", "m"), native_backend, endpoint(server), fleet=fleet)
        carry_out(ordered, tmp_path / "run")
    (record,) = read_records(tmp_path / "run")
    assert [step.action for step in record.trajectory.steps] == ["touch a", SUBMIT]
    assert record.usage.calls == 2
    assert {heard["key"] for heard in server.heard} == {"Bearer of the node"}
    assert "secret" not in repr(Model.of(ordered.endpoint, "KEY_OF_A_TEST"))


def test_a_node_without_the_key_says_which_variable_is_missing() -> None:
    with serving() as server:
        model = Model.of(endpoint(server), "NO_SUCH_KEY")
    with pytest.raises(BenchError, match=r"NO_SUCH_KEY .* is not set on this node"):
        model.endpoint()


def test_a_node_with_another_image_refuses_to_play(native_backend: Backend) -> None:
    other = replace(settings(), image_id="0123456789abcdef")
    with pytest.raises(BenchError, match="another content on this node"):
        Trials("tmax", Machines(), other).open()


def played_by(*nodes: Node, item: Item, events: EventLog, more: str = "") -> TrialRecord | None:
    """Return the record of one trial on nodes of a test."""
    job = Trials("tmax", Machines(), settings())
    machines = backend_named("native")
    bench = Bench(job.settings, agent_entry("oracle"), machines, events, threading.Event())
    with closing(FleetTrials(Nodes(*nodes, more=more), job, bench)) as trials:
        return trials(item, 0)


def test_a_trial_that_every_node_loses_has_no_reward(
    tmp_path: Path, native_backend: Backend, tasks: BenchDataset
) -> None:
    node = Node("a", answer=lambda lease: Outcome(lease.number, None, "its disk is full"))
    item, events = tasks.items[0], EventLog(tmp_path / EVENTS)
    record = played_by(node, item=item, events=events, more="others")
    assert record is not None and len(node.leases) == TRIES
    assert (record.reward, record.ending, record.digest) == (None, Ending.INFRA_ERROR, item.digest)
    assert "lost 5 times: its disk is full" in record.trajectory.message


def test_a_run_without_nodes_ends_with_the_reason(
    tmp_path: Path, native_backend: Backend, tasks: BenchDataset
) -> None:
    with pytest.raises(BenchError, match="no node is left"):
        played_by(item=tasks.items[0], events=EventLog(tmp_path / EVENTS))


def test_a_node_with_another_version_of_a_task_ends_the_run(
    tmp_path: Path, native_backend: Backend, tasks: BenchDataset
) -> None:
    playing = Trials("tmax", Machines(), settings()).open()
    node = Node("a", answer=lambda lease: Outcome(lease.number, playing(lease.work.request)))
    changed = replace(tasks.items[0], digest="another")
    with pytest.raises(BenchError, match="plays another version"):
        played_by(node, item=changed, events=EventLog(tmp_path / EVENTS), more="others")


def test_a_trial_that_was_taken_away_is_not_tried_again(
    native_backend: Backend, tasks: BenchDataset
) -> None:
    account = trial_account.Account()
    account.give_up()
    playing = Trials("tmax", Machines(), settings()).open()
    with trial_account.used(account), pytest.raises(SandboxError, match="given up"):
        playing(json.dumps([NAMES[0], 0]))


def test_files_that_came_damaged_are_refused(tmp_path: Path) -> None:
    store = RemainsStore(tmp_path / "a")
    files = store.packed(store.keep((), roots=("/home",)))
    with pytest.raises(BenchError, match="damaged"):
        RemainsStore(tmp_path / "b").unpack({digest: b"no" for digest in files})
    with pytest.raises(BenchError, match="another content"):
        RemainsStore(tmp_path / "b").unpack(dict.fromkeys(("0" * 40,), *files.values()))


def test_a_person_cannot_play_on_other_machines(
    tmp_path: Path, native_backend: Backend, tasks: BenchDataset
) -> None:
    order = Order(tasks, settings("human"), native_backend, fleet=Fleet("local:1", "tmax"))
    with pytest.raises(BenchError, match="leave out --fleet"):
        carry_out(order, tmp_path / "run")


def test_a_dataset_has_the_same_name_in_every_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert anywhere("tmax") == "tmax" and anywhere("tmax15k") == "tmax15k"
    assert anywhere("tmax15k:rows") == f"tmax15k:{tmp_path}/rows"
    assert anywhere("tasks") == f"{tmp_path}/tasks" and anywhere("/tasks") == "/tasks"
