"""Every part of a trial has a limit that its user sets, and ends within ten seconds of it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.bench.test_time_limits import TEN, Stuck, Thinker, harness, keep_alive
from tests.support.endpoint_server import answer, serving
from tests.support.tiny_tasks import sum_task
from tests.support.trial_tasks import trial_task
from tmax_gym.agents.agent import Ground, ScriptedAgent, Turn, oracle
from tmax_gym.agents.client.client import Connection
from tmax_gym.agents.harnesses.window import Window
from tmax_gym.agents.registry import AGENTS, AgentEntry, AgentInputs
from tmax_gym.agents.rollout import rollout
from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.reports.loading import load
from tmax_gym.bench.running.datasets import BenchDataset, Item
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.bench.running.order import Order, carry_out
from tmax_gym.bench.running.settings import BenchSettings
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.task import Task
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.harbor.tasks.directory import read_task
from tmax_gym.sandboxes import Backend, Layer, Limits, Sandbox
from tmax_gym.sandboxes.native.backend import NativeBackend
from tmax_gym.sandboxes.pool.admission import Admission, Bounds
from tmax_gym.trajectory import Ending

TOML = """\
version = "1.0"
[agent]
timeout_sec = {agent}
[verifier]
timeout_sec = {verifier}
{more}
[environment]
build_timeout_sec = {build}
allow_internet = false
{environment}
"""


def harbor_task(
    place: Path,
    *,
    agent: float = 60.0,
    verifier: float = 60.0,
    build: float = 60.0,
    more: str = "",
    environment: str = "",
    above: str = "",
    **files: str,
) -> TrialTask:
    """Write a task with these limits; `__` in the names of files stands for a slash."""
    toml = TOML.format(
        agent=agent, verifier=verifier, build=build, more=more, environment=environment
    )
    written = {name.replace("__", "/").replace("_DOT_", "."): text for name, text in files.items()}
    home = trial_task(place, files={"task.toml": above + toml, **written})
    return TrialTask("x/hello", read_task(home))


def carried(
    task: Task,
    harness: str,
    machines: Any,
    out: Path,
    *,
    endpoint: Endpoint | None = None,
    retries: int = 2,
    **given: float,
) -> tuple[TrialRecord, float]:
    """Run one trial as a bench does; return its record and how long all took."""
    seconds = given.pop("agent_seconds", None)
    item = Item(task.name, "digest", lambda: task)
    settings = BenchSettings(
        harness,
        model="m" if endpoint else "",
        backend=machines.name,
        agent_seconds=seconds,
        given=tuple(sorted(given.items())),
    )
    begun = time.monotonic()
    carry_out(
        Order(BenchDataset("one", (item,)), settings, machines, endpoint, retries=retries), out
    )
    took = time.monotonic() - begun
    (record,) = load(out).records
    return record, took


class Noting(Stuck):
    """A backend that hangs in a call, and remembers its machines."""

    def __init__(self, inner: Backend, call: str) -> None:
        super().__init__(inner, call)
        self.opened: list[Any] = []

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> Sandbox:
        self.opened.append(super().open(image, limits=limits, layer=layer))
        machine: Sandbox = self.opened[-1]
        return machine


@contextmanager
def playing(make: Callable[[], Any]) -> Iterator[str]:
    """Register a harness for a while, with an agent of its own for each trial."""
    AGENTS["playing"] = AgentEntry(lambda inputs: make())
    try:
        yield "playing"
    finally:
        del AGENTS["playing"]


def typing() -> ScriptedAgent:
    return ScriptedAgent(["true"])


def side_by_side(
    calls: Sequence[str], one: Callable[[str], tuple[TrialRecord, float]]
) -> list[tuple[TrialRecord, float]]:
    """Run a trial for each call that hangs, all at the same time: each waits for its limit."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


def lost(record: TrialRecord, *words: str) -> bool:
    """Return whether a trial has no reward, is no zero, and says these words."""
    message = record.trajectory.message
    assert all(word in message for word in words), message
    return (record.ending, record.reward) == (Ending.INFRA_ERROR, None)


def test_the_start_of_our_task_ends_with_its_limit(native_backend: Backend, tmp_path: Path) -> None:
    task = replace(sum_task(), nodes=(), setup=("true",), digest="no-nodes")

    def one(call: str) -> tuple[TrialRecord, float]:
        machines = Stuck(native_backend, call)
        limits = {"start_seconds": 2.0, "agent_seconds": 60.0}
        return carried(task, name, machines, tmp_path / call, **limits)

    with playing(typing) as name:
        ended = side_by_side(["open_terminal", "put", "exec"], one)
    for record, took in ended:
        assert took < 2.0 + TEN
        assert lost(record, "the start of the machine took", "--start-seconds")


def test_a_backend_that_never_opens_a_machine_ends_with_the_limit_of_starts(
    native_backend: Backend, tmp_path: Path
) -> None:
    class Silent(Stuck):
        def open(
            self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
        ) -> Sandbox:
            threading.Event().wait()
            raise AssertionError

    silent = Silent(native_backend, "")
    with playing(typing) as name:
        record, took = carried(sum_task(), name, silent, tmp_path / "run", start_seconds=2.0)
    assert took < 2.0 + TEN
    assert lost(record, "the start of the machine took")


def test_the_grading_of_our_task_ends_with_its_limits(
    native_backend: Backend, tmp_path: Path
) -> None:
    def one(call: str) -> tuple[TrialRecord, float]:
        machines = Stuck(native_backend, call)
        limits = {"verify_timeout": 1.0, "transfer_seconds": 1.0, "agent_seconds": 60.0}
        return carried(sum_task(), name, machines, tmp_path / call, **limits)

    with playing(typing) as name:
        ended = side_by_side(["freeze", "get"], one)
    for record, took in ended:
        assert took < 2 * 1.0 + 1.0 + TEN  # programs may wait for a processor
        assert lost(record, "grading took", "--verify-seconds", "--transfer-seconds")


def test_a_machine_that_is_never_removed_ends_with_the_limit_of_transfers(
    native_backend: Backend, tmp_path: Path
) -> None:
    machines = Noting(native_backend, "close")
    with playing(typing) as name:
        record, took = carried(sum_task(), name, machines, tmp_path / "run", transfer_seconds=1.0)
    for machine in machines.opened:
        del machine.close
    assert took < 1.0 + TEN
    assert lost(record, "the removal of the machine took")


@pytest.mark.parametrize("given", ["command_timeout", "episode_seconds"])
def test_a_command_that_a_machine_does_not_stop_ends_with_its_own_limit(
    given: str, native_backend: Backend, tmp_path: Path
) -> None:
    stuck = Stuck(native_backend, "signal")
    with harness("typing", ScriptedAgent(["trap '' INT; bash -c \"trap '' INT; sleep 99\""])) as h:
        limits = {"command_timeout": 600.0, "episode_seconds": 600.0, given: 2.0}
        record, took = carried(sum_task(), h, stuck, tmp_path / "run", **limits)
    assert took < 2.0 + TEN
    assert lost(record, "a command took", "--command-seconds")


class Frozen(Noting):
    """A real backend whose last machine can be stopped, as by `docker pause` or SIGSTOP."""

    def stop(self, *, pause: bool) -> None:
        machine = self.opened[-1]
        if pause:
            machine.engine.api.pause(machine._container)
        else:
            os.kill(machine.pid if self.name == "native" else machine._main.host, signal.SIGSTOP)


class Freezer(ScriptedAgent):
    """An agent whose machine is stopped while its command runs."""

    def __init__(self, machines: Frozen, *, pause: bool) -> None:
        super().__init__(["sleep 99"])
        self._machines, self._pause = machines, pause

    def act(self, observation: str) -> Turn:
        turn = super().act(observation)
        if turn.command == "sleep 99":
            threading.Timer(1.0, partial(self._machines.stop, pause=self._pause)).start()
        return turn


@pytest.mark.docker
@pytest.mark.parametrize("given", ["agent_seconds", "command_timeout"])
@pytest.mark.parametrize("pause", [True, False], ids=["paused", "SIGSTOP"])
def test_a_container_that_stands_still_in_a_command_ends_its_trial_and_is_no_zero(
    given: str, pause: bool, docker_backend: Backend, tmp_path: Path
) -> None:
    machines = Frozen(docker_backend, "")
    with playing(partial(Freezer, machines, pause=pause)) as name:
        record, took = carried(
            sum_task(), name, machines, tmp_path / "run", retries=0, **{given: 3.0}
        )
    assert took < 3.0 + TEN
    assert record.reward is None or (not pause and record.reward == 0.0), record
    assert pause is False or lost(record)


def test_a_first_process_that_stands_still_holds_no_trial_up(
    native_backend: Backend, tmp_path: Path
) -> None:
    machines = Frozen(native_backend, "")
    with playing(partial(Freezer, machines, pause=False)) as name:
        record, took = carried(sum_task(), name, machines, tmp_path / "run", agent_seconds=3.0)
    assert took < 3.0 + TEN
    # Its shell is another process, which is stopped as ever; grading needs none of them.
    assert (record.ending, record.reward) == (Ending.TIME_LIMIT, 0.0)


def test_the_start_of_a_harbor_task_ends_with_its_build_limit(
    any_backend: Backend, tmp_path: Path
) -> None:
    file = "FROM tmax/core:latest\nRUN while :; do echo tick; sleep 0.2; done\n"
    task = harbor_task(tmp_path / "set", build=2.0, environment__Dockerfile=file)
    record, took = carried(task, "noop", any_backend, tmp_path / "run", retries=0)
    assert took < 2.0 + TEN
    assert lost(record, "it took longer than 2 s")


def test_a_machine_of_a_harbor_task_that_hangs_at_its_start_ends_with_its_build_limit(
    native_backend: Backend, tmp_path: Path
) -> None:
    task = harbor_task(tmp_path / "set", build=2.0)
    stuck = Stuck(native_backend, "open_terminal")
    record, took = carried(task, "noop", stuck, tmp_path / "run")
    assert took < 2.0 + TEN
    assert lost(record, "the start of the machine took", "build_timeout_sec")


def test_a_given_limit_of_starts_replaces_that_of_the_build(
    native_backend: Backend, tmp_path: Path
) -> None:
    file = "FROM tmax/core:latest\nRUN sleep 99\n"
    task = harbor_task(tmp_path / "set", build=600.0, environment__Dockerfile=file)
    seen = rollout(
        task, ScriptedAgent([]), backend=native_backend, limits=task.limits(start_seconds=2.0)
    )
    assert seen.reward is None
    assert "it took longer than 2 s" in seen.message


def test_a_verifier_that_hangs_ends_with_its_limit(any_backend: Backend, tmp_path: Path) -> None:
    slow = "#!/bin/bash\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n"
    task = harbor_task(tmp_path / "set", verifier=2.0, tests__test_DOT_sh=slow)
    record, took = carried(task, "noop", any_backend, tmp_path / "run")
    assert took < 2.0 + TEN
    assert (record.ending, record.reward) == (Ending.VERIFIER_ERROR, None)
    assert "did not end within 2 s" in record.trajectory.message


def test_a_given_limit_of_grading_replaces_that_of_the_verifier(
    native_backend: Backend, tmp_path: Path
) -> None:
    slow = "#!/bin/bash\nsleep 99\n"
    task = harbor_task(tmp_path / "set", verifier=600.0, tests__test_DOT_sh=slow)
    record, took = carried(task, "noop", native_backend, tmp_path / "run", verify_timeout=2.0)
    assert took < 2.0 + TEN
    assert "did not end within 2 s" in record.trajectory.message


class Breaking(ScriptedAgent):
    """An agent whose machine hangs in a call from now on."""

    def __init__(self, machines: Noting, call: str) -> None:
        super().__init__([])
        self._machines, self._call = machines, call

    def act(self, observation: str) -> Turn:
        setattr(self._machines.opened[-1], self._call, lambda *_, **__: threading.Event().wait())
        return super().act(observation)


def test_copies_of_a_harbor_task_that_hang_end_with_the_limit_of_transfers(
    native_backend: Backend, tmp_path: Path
) -> None:
    def one(call: str) -> tuple[TrialRecord, float]:
        task = harbor_task(tmp_path / call, verifier=2.0)
        machines = Noting(native_backend, "")
        AGENTS[call] = AgentEntry(lambda inputs: Breaking(machines, call))
        return carried(task, call, machines, tmp_path / call / "run", transfer_seconds=1.0)

    calls = ["freeze", "get", "put"]
    try:
        ended = side_by_side(calls, one)
    finally:
        for call in calls:
            del AGENTS[call]
    for record, took in ended:
        assert took < 2.0 + 1.0 + TEN
        assert lost(record, "grading took", "--transfer-seconds")


SEPARATE = 'environment_mode = "separate"\n'
TAKEN = "#!/bin/bash\n[ -p /app/pipe ] || echo 1 > /logs/verifier/reward.txt\n"


def test_a_pipe_among_the_artefacts_holds_nothing_up(any_backend: Backend, tmp_path: Path) -> None:
    task = harbor_task(
        tmp_path / "set",
        verifier=10.0,
        above='artifacts = ["/app", "/app/pipe"]\n',
        more=SEPARATE,
        tests__Dockerfile="FROM tmax/core:latest\nCOPY test.sh /tests/test.sh\n",
        tests__test_DOT_sh=TAKEN,
    )
    script = "mkfifo /app/pipe /logs/artifacts/pipe; mkdir -p /logs/artifacts; echo x > /app/x"
    with harness("typing", ScriptedAgent([script])) as name:
        record, took = carried(
            task, name, any_backend, tmp_path / "run", agent_seconds=30.0, transfer_seconds=20.0
        )
    assert took < 10.0 + 20.0 + TEN
    assert (record.ending, record.reward) == (Ending.SUBMITTED, 1.0), record.trajectory.message


def test_a_hook_that_hangs_ends_with_its_own_limit(native_backend: Backend, tmp_path: Path) -> None:
    hook = '[[verifier.collect]]\ncommand = "sleep 99"\ntimeout_sec = 1.0\n'
    task = harbor_task(tmp_path / "set", verifier=5.0, more=hook)
    record, took = carried(task, "noop", native_backend, tmp_path / "run", transfer_seconds=5.0)
    assert took < 1.0 + 5.0 + 5.0 + TEN
    assert (record.ending, record.reward) == (Ending.SUBMITTED, 0.0)


def test_a_health_check_that_hangs_ends_with_its_own_limit(
    native_backend: Backend, tmp_path: Path
) -> None:
    check = '[environment.healthcheck]\ncommand = "sleep 99"\ntimeout_sec = 1.0\nretries = 2\n'
    check += "interval_sec = 0.5\n"
    task = harbor_task(tmp_path / "set", build=20.0, environment=check)
    seen = rollout(task, ScriptedAgent([]), backend=native_backend, retries=0)
    assert seen.reward is None
    assert "the health check failed 2 times" in seen.message


class Hanging(Thinker):
    """A harness that hangs before its first turn."""

    def __init__(self, where: str) -> None:
        super().__init__(0.0)
        self._where = where

    def reset(self, instruction: str, *, seed: int) -> None:
        if self._where == "reset":
            threading.Event().wait()
        super().reset(instruction, seed=seed)

    def prepare(self, ground: Ground) -> None:
        if self._where == "prepare":
            threading.Event().wait()


@pytest.mark.parametrize(
    ("where", "ending", "words"),
    [
        ("reset", Ending.AGENT_ERROR, "did not begin"),
        ("prepare", Ending.INFRA_ERROR, "was not ready"),
    ],
)
def test_a_harness_that_hangs_before_its_first_turn_ends_with_its_time(
    where: str, ending: Ending, words: str, native_backend: Backend, tmp_path: Path
) -> None:
    with harness("hanging", Hanging(where)) as name:
        record, took = carried(
            sum_task(), name, native_backend, tmp_path / "run", agent_seconds=2.0
        )
    assert took < 2.0 + TEN
    assert (record.ending, record.reward) == (ending, None)
    assert words in record.trajectory.message


def test_a_harness_that_is_never_made_is_no_zero(native_backend: Backend, tmp_path: Path) -> None:
    def make(inputs: AgentInputs) -> Any:
        threading.Event().wait()

    AGENTS["never"] = AgentEntry(make)
    try:
        record, took = carried(
            sum_task(), "never", native_backend, tmp_path / "run", start_seconds=2.0
        )
    finally:
        del AGENTS["never"]
    assert took < 2.0 + TEN
    assert (record.ending, record.reward) == (Ending.TASK_ERROR, None)
    assert "the harness never was not made within 2 s" in record.trajectory.message


def test_an_agent_that_needs_tools_gets_them_also_where_its_time_is_limited(
    native_backend: Backend,
) -> None:
    prepared = []

    class Needy(ScriptedAgent):
        def prepare(self, ground: Ground) -> None:
            prepared.append(ground.probe("true"))

    limits = EpisodeLimits(agent_seconds=30.0)
    rollout(sum_task(), Needy(["true"]), backend=native_backend, limits=limits)
    assert prepared == [0]


def test_an_endpoint_that_hangs_ends_its_trial_and_the_run_goes_on(
    native_backend: Backend, tmp_path: Path
) -> None:
    tasks = [replace(sum_task(), spec=replace(sum_task().spec, name=n)) for n in ("a.x-1", "b.x-1")]
    items = tuple(Item(task.name, "digest", lambda task=task: task) for task in tasks)
    asked = []

    def way(wire: Any, ask: Any) -> None:
        asked.append(ask)
        if len(asked) == 1:
            keep_alive(wire, ask)
        else:
            wire.whole(answer(ask))

    settings = BenchSettings("bash", model="m", backend="native", agent_seconds=3.0)
    begun = time.monotonic()
    with serving(way) as server:
        endpoint = Endpoint(Connection(server.url, "m"), Window())
        order = Order(BenchDataset("two", items), settings, native_backend, endpoint, retries=0)
        carry_out(order, tmp_path / "run")
    assert time.monotonic() - begun < 2 * (3.0 + TEN)
    found = sorted(record.ending for record in load(tmp_path / "run").records)
    assert found == sorted([Ending.MODEL_ERROR, Ending.SUBMITTED])


def test_waiting_for_a_slot_of_the_engine_is_no_part_of_a_start(
    native_backend: Backend, image: str, tmp_path: Path
) -> None:
    own = NativeBackend()
    own._admission = Admission("a backend with one slot", Bounds(creators=1, live=16))
    own.open(image).close()  # its first process is there
    held = threading.Event()

    def hold() -> None:
        with own._admission.removal():
            held.set()
            time.sleep(9.0)

    threading.Thread(target=hold).start()
    assert held.wait(5.0)
    with harness("solving", oracle(sum_task())) as name:
        record, took = carried(sum_task(), name, own, tmp_path / "run", start_seconds=1.0)
    assert took > 8.0
    assert (record.ending, record.reward) == (Ending.SUBMITTED, 1.0), record.trajectory.message


def test_trials_that_start_together_are_all_graded(any_backend: Backend, tmp_path: Path) -> None:
    tasks = [
        replace(sum_task(), spec=replace(sum_task().spec, name=f"sum.plain-{n}")) for n in range(6)
    ]
    items = tuple(Item(task.name, "digest", lambda task=task: task) for task in tasks)
    settings = BenchSettings("oracle", backend=any_backend.name, given=(("start_seconds", 30.0),))
    jobs = 6 if any_backend.name == "native" else 2
    carry_out(Order(BenchDataset("six", items), settings, any_backend, jobs=jobs), tmp_path / "run")
    assert [record.reward for record in load(tmp_path / "run").records] == [1.0] * 6


def test_a_machine_of_a_trial_that_was_given_up_is_closed(
    native_backend: Backend, tmp_path: Path
) -> None:
    machines = Noting(native_backend, "open_terminal")
    with playing(typing) as name:
        carried(sum_task(), name, machines, tmp_path / "run", start_seconds=1.0)
    deadline = time.monotonic() + 5.0
    while not machines.opened[0]._closed and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [machine._closed for machine in machines.opened] == [True]
