"""No trial outlives its limits, or its run, by ten seconds, whatever its parts do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.endpoint_server import Wire, answer, serving
from tests.support.tiny_tasks import sum_task
from tests.support.trial_tasks import trial_task
from tmax_gym.agents.agent import ScriptedAgent, Turn
from tmax_gym.agents.client.client import Connection
from tmax_gym.agents.registry import AGENTS, AgentEntry
from tmax_gym.agents.rollout import rollout
from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.reports.loading import load
from tmax_gym.bench.running import trial
from tmax_gym.bench.running.datasets import BenchDataset, Item
from tmax_gym.bench.running.order import Order, carry_out
from tmax_gym.bench.running.settings import BenchSettings
from tmax_gym.bench.store import read_records
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.sandboxes import Backend, Layer, Limits, Sandbox
from tmax_gym.trajectory import Ending

TEN = 10.0
PROGRAM = (sys.executable, "-m", "tests.support.bench_program")

STUBBORN = {
    "sleeps": "sleep 600",
    "ignores signals": "(trap '' TERM INT HUP QUIT; while :; do sleep 1; done)",
    "ignores them itself": "trap '' TERM INT; while :; do :; done",
    "stops itself": "kill -STOP $$",
    "waits for a child that stopped": (
        "python3 -c 'import os; p = os.fork(); p or os.kill(os.getpid(), 19); os.waitpid(p, 0)'"
    ),
    "starts ever more, which hold the output open": (
        "for i in $(seq 200); do (trap '' HUP INT TERM; sleep 600) & done; wait"
    ),
    "prints without end": "yes",
    "reads a pipe that nobody writes to": "mkfifo /tmp/p; cat /tmp/p",
}


@pytest.mark.parametrize("command", STUBBORN.values(), ids=STUBBORN)
def test_a_command_ends_with_the_time_of_its_agent_and_is_graded(
    command: str, native_backend: Backend
) -> None:
    limits = EpisodeLimits(agent_seconds=2.0, command_timeout=600.0)
    begun = time.monotonic()
    seen = rollout(sum_task(), ScriptedAgent([command]), backend=native_backend, limits=limits)
    assert time.monotonic() - begun < 2.0 + TEN
    assert (seen.ending, seen.reward) in ((Ending.TIME_LIMIT, 0.0), (Ending.SHELL_LOST, 0.0))


@pytest.mark.docker
@pytest.mark.parametrize("command", ["ignores signals", "stops itself", "prints without end"])
def test_a_command_in_a_container_ends_with_the_time_of_its_agent(
    command: str, docker_backend: Backend, image: str
) -> None:
    limits = EpisodeLimits(agent_seconds=2.0, command_timeout=600.0)
    agent = ScriptedAgent([STUBBORN[command]])
    begun = time.monotonic()
    seen = rollout(sum_task(), agent, backend=docker_backend, image=image, limits=limits)
    assert time.monotonic() - begun < 2.0 + TEN
    assert (seen.ending, seen.reward) in ((Ending.TIME_LIMIT, 0.0), (Ending.SHELL_LOST, 0.0))


class Thinker:
    """An agent that solves its task and then thinks."""

    name = "thinker"

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._commands = list(sum_task().oracle)

    def reset(self, instruction: str, *, seed: int) -> None:
        self._commands = list(sum_task().oracle)

    def act(self, observation: str) -> Turn:
        if self._commands:
            return Turn(self._commands.pop(0))
        time.sleep(self._seconds)
        return Turn(ending=Ending.AGENT_STOPPED)

    @property
    def tokens(self) -> None:
        return None


def test_an_agent_that_thinks_for_too_long_is_graded_for_what_it_did(
    native_backend: Backend,
) -> None:
    limits = EpisodeLimits(agent_seconds=2.0)
    begun = time.monotonic()
    seen = rollout(sum_task(), Thinker(60.0), backend=native_backend, limits=limits)
    assert time.monotonic() - begun < 2.0 + TEN
    assert (seen.ending, seen.reward) == (Ending.TIME_LIMIT, 1.0)


def test_thinking_counts_and_what_comes_too_late_does_not_run(native_backend: Backend) -> None:
    class Late(Thinker):
        def act(self, observation: str) -> Turn:
            time.sleep(1.5)
            return Turn(self._commands.pop(0)) if self._commands else Turn("true")

    limits = EpisodeLimits(agent_seconds=1.0)
    seen = rollout(sum_task(), Late(0.0), backend=native_backend, limits=limits)
    assert (seen.ending, seen.reward) == (Ending.TIME_LIMIT, 0.0)


def carried(
    harness: str, machines: Backend, out: Path, *, seconds: float, retries: int = 2
) -> TrialRecord:
    """Run one trial as a bench does."""
    task = sum_task()
    item = Item(task.name, task.digest, lambda: task)
    settings = BenchSettings(
        harness,
        backend=machines.name,
        agent_seconds=seconds,
        given=(("command_timeout", 600.0),),
        options=(("replay", ""),) if harness == "replay" else (),
    )
    carry_out(Order(BenchDataset("one", (item,)), settings, machines, retries=retries), out)
    (record,) = load(out).records
    return record


@contextmanager
def harness(name: str, agent: Any) -> Iterator[str]:
    """Register a harness for a while."""
    AGENTS[name] = AgentEntry(lambda inputs: agent)
    try:
        yield name
    finally:
        del AGENTS[name]


class Looping(Thinker):
    """A harness that never asks anybody."""

    def act(self, observation: str) -> Turn:
        while True:
            time.sleep(0.01)


def test_a_harness_that_loops_without_calls_ends_with_its_time(
    native_backend: Backend, tmp_path: Path
) -> None:
    begun = time.monotonic()
    with harness("looping", Looping(0.0)) as name:
        record = carried(name, native_backend, tmp_path / "run", seconds=2.0)
    assert time.monotonic() - begun < 2.0 + TEN
    assert record.ending is Ending.TIME_LIMIT


def test_a_harness_that_loops_without_a_limit_is_its_own_fault(
    native_backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "_TURN_SECONDS", 1.0)
    with harness("looping", Looping(0.0)) as name:
        record = carried(name, native_backend, tmp_path / "run", seconds=1e9)
    assert (record.ending, record.reward) == (Ending.AGENT_ERROR, None)


class Stuck:
    """A real backend whose machines hang in one of their calls, as those of a dead engine do."""

    def __init__(self, inner: Backend, call: str) -> None:
        self.inner = inner
        self.name = inner.name
        self.problem = inner.problem
        self.capabilities = inner.capabilities
        self._call = call

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> Sandbox:
        machine = self.inner.open(image, limits=limits, layer=layer)
        if self._call == "signal":
            return _StuckTerminals(machine)  # type: ignore[return-value]
        setattr(machine, self._call, lambda *_, **__: threading.Event().wait())
        return machine


class _StuckTerminals:
    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def open_terminal(self, **options: Any) -> Any:
        terminal = self._inner.open_terminal(**options)
        terminal.signal_foreground = lambda signal: threading.Event().wait()
        return terminal


def test_a_machine_that_hangs_in_a_command_is_no_zero(
    native_backend: Backend, tmp_path: Path
) -> None:
    stuck: Any = Stuck(native_backend, "signal")
    begun = time.monotonic()
    ignoring = "trap '' INT; bash -c \"trap '' INT; sleep 600\""
    with harness("typing", ScriptedAgent([ignoring])) as name:
        record = carried(name, stuck, tmp_path / "run", seconds=2.0)
    assert time.monotonic() - begun < 2.0 + TEN
    assert (record.ending, record.reward) == (Ending.INFRA_ERROR, None)
    assert "did not end" in record.trajectory.message


def test_the_time_of_a_harbor_task_is_one_on_the_agent_as_a_whole(
    native_backend: Backend, tmp_path: Path
) -> None:
    from tmax_gym.harbor.tasks.directory import read_task

    place = trial_task(tmp_path, files={"solution/solve.sh": "true\n"})
    toml = (place / "task.toml").read_text().replace("timeout_sec = 300.0", "timeout_sec = 2.0")
    (place / "task.toml").write_text(toml)
    task = TrialTask("x/hello", read_task(place))
    assert task.limits().agent_seconds == 2.0
    begun = time.monotonic()
    seen = rollout(task, Thinker(60.0), backend=native_backend)
    assert time.monotonic() - begun < 2.0 + TEN
    assert (seen.ending, seen.reward) == (Ending.TIME_LIMIT, 0.0)


def started(out: Path, *words: str, dataset: str = "tiny") -> subprocess.Popen[str]:
    """Start a bench and return when its first trial has been begun."""
    process = subprocess.Popen(
        [*PROGRAM, "bench", dataset, "-s", "native", "-o", str(out), *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TINY_COPIES": "1", "OPENAI_API_KEY": "x"},
    )
    events = out / "events.jsonl"
    deadline = time.monotonic() + 60.0
    while not (events.exists() and "trial_started" in events.read_text()):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    time.sleep(1.5)
    return process


def stopped(process: subprocess.Popen[str], number: int) -> float:
    """Stop a bench; return how long that took."""
    begun = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=60.0)
    assert process.returncode == 130, said
    return time.monotonic() - begun


def keep_alive(wire: Wire, ask: Any) -> None:
    wire.head(Content_Type="text/event-stream")
    wire.for_ever(b": keep-alive\n\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("way", [keep_alive, lambda wire, ask: wire.for_ever()])
def test_a_run_whose_endpoint_hangs_is_stopped_and_goes_on_later(
    way: Any, number: int, native_backend: Backend, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    with serving(way) as server:
        words = ("-a", "bash", "-m", "m", "--base-url", server.url, "-n", "sum.plain-00")
        took = stopped(started(out, *words), number)
        assert took < TEN
        assert read_records(out) == ()
        server.way = lambda wire, ask: wire.whole(answer(ask))
        again = subprocess.run(
            [*PROGRAM, "bench", "tiny", "-s", "native", "-o", str(out), *words],
            env={**os.environ, "TINY_COPIES": "1", "OPENAI_API_KEY": "x"},
            capture_output=True,
            text=True,
            timeout=120.0,
        )
    assert again.returncode == 0, again.stderr
    assert [record.reward for record in read_records(out)] == [1.0]


def test_a_run_is_stopped_in_the_middle_of_a_verifier_and_goes_on_later(
    native_backend: Backend, tmp_path: Path
) -> None:
    slow = "#!/bin/bash\ntrap '' TERM INT\nsleep 600\n"
    place = tmp_path / "set"
    directory = trial_task(place, files={"tests/test.sh": slow})
    out = tmp_path / "run"
    took = stopped(started(out, "-a", "noop", dataset=str(place)), signal.SIGTERM)
    assert took < TEN
    assert read_records(out) == () and directory.is_dir()


def test_a_run_is_stopped_in_the_middle_of_a_command(
    native_backend: Backend, tmp_path: Path
) -> None:
    place, out = tmp_path / "set", tmp_path / "run"
    solve = "#!/bin/bash\ntrap '' TERM INT\nsleep 600\n"
    trial_task(place, files={"solution/solve.sh": solve})
    took = stopped(started(out, "-a", "oracle", dataset=str(place)), signal.SIGINT)
    assert took < TEN
    assert read_records(out) == ()


def test_a_connection_says_how_long_a_reply_may_take() -> None:
    assert Connection("http://x/v1", "m").turn_seconds == 1800.0
