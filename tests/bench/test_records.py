"""The files of a run: records, events, remains, the table of causes, and the state on screen."""

import json
import os
import threading
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.tiny_tasks import halves_task
from tests.test_journal import trajectories
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.bench.events import EventLog, read_events
from tmax_gym.bench.records import Moment, Phases, TrialRecord, Usage, from_json, to_json
from tmax_gym.bench.remains import KeepingBackend, RemainsStore
from tmax_gym.bench.screen.board import Board
from tmax_gym.bench.screen.live import panel, plain, state_line
from tmax_gym.bench.store import RunDirectory, file_name, write_atomic
from tmax_gym.errors import BenchError, SandboxError
from tmax_gym.grading.verifier import verify
from tmax_gym.nodes import Node, text
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Trajectory

QUICK = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def record(
    task: str = "a",
    attempt: int = 0,
    reward: float | None = 1.0,
    ending: Ending = Ending.SUBMITTED,
) -> TrialRecord:
    played = Trajectory(task, "oracle", attempt, ending, reward)
    return TrialRecord(task, attempt, "d", "c", played, phases=Phases(1.0, 2.0, float(attempt)))


@QUICK
@given(played=trajectories, cost=st.none() | st.floats(0, 9), asked=st.floats(0, 99))
def test_a_record_reads_back_as_it_was(
    played: Trajectory, cost: float | None, asked: float
) -> None:
    kept = TrialRecord(
        played.task, 3, "d", "c", played,
        tags=(("difficulty", "easy"),), moments=(Moment(asked, asked + 1),),
        usage=Usage(1, 2, 3, 4, cost, 0.5), rewards=(("style", 0.5),),
    )  # fmt: skip
    assert from_json(to_json(kept)) == kept


def test_what_is_no_record_is_refused() -> None:
    for line in ("{}", "[]", '"x"', '{"task": "a"}'):
        with pytest.raises((ValueError, TypeError)):
            from_json(line)


@QUICK
@given(first=st.text(max_size=40), second=st.text(max_size=40), number=st.integers(0, 3))
def test_different_trials_have_different_files(first: str, second: str, number: int) -> None:
    names = {file_name((task, number)) for task in (first, second)}
    assert len(names) == len({first, second})
    assert all("/" not in name and not name.startswith(".") for name in names)


OLDER = {
    # (ending of the trajectory, cause, status) as older versions wrote them, and what that means.
    ("submitted", "ended", "graded"): Ending.SUBMITTED,
    ("agent_stopped", "ended", "graded"): Ending.AGENT_STOPPED,
    ("step_limit", "steps", "graded"): Ending.STEP_LIMIT,
    ("context_limit", "context", "graded"): Ending.CONTEXT_LIMIT,
    ("format_error", "format", "graded"): Ending.FORMAT_ERROR,
    ("shell_lost", "shell", "graded"): Ending.SHELL_LOST,
    ("time_limit", "time", "agent_timeout"): Ending.TIME_LIMIT,
    ("agent_error", "agent", "agent_error"): Ending.AGENT_ERROR,
    ("agent_error", "model", "infra_error"): Ending.MODEL_ERROR,
    ("agent_error", "sandbox", "infra_error"): Ending.INFRA_ERROR,
    ("infra_error", "sandbox", "infra_error"): Ending.INFRA_ERROR,
    ("ungraded", "untested", "ungraded"): Ending.UNGRADED,
    ("verifier_error", "verifier", "verifier_error"): Ending.VERIFIER_ERROR,
    ("agent_error", "task", "infra_error"): Ending.TASK_ERROR,
    ("infra_error", "task", "infra_error"): Ending.TASK_ERROR,
}


@pytest.mark.parametrize(("words", "ending"), OLDER.items())
def test_a_record_of_an_older_version_is_read(words: tuple[str, str, str], ending: Ending) -> None:
    reward = 0.5 if ending.graded else None
    row = json.loads(to_json(record(reward=reward)))
    row["trajectory"]["ending"], row["cause"], row["status"] = words
    read = from_json(json.dumps(row))
    assert (read.ending, read.reward) == (ending, reward)
    assert from_json(to_json(read)) == read


def test_a_line_that_was_cut_off_is_dropped_and_the_log_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    log = EventLog(file, clock=lambda: "t")
    log.add("one", n=1)
    log.close()
    with file.open("ab") as broken:
        broken.write(b'{"event": "two", "n"')
    assert [event["event"] for event in read_events(file)] == ["one"]
    log = EventLog(file, clock=lambda: "t")
    threads = [threading.Thread(target=log.add, args=(f"n{i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    seen = [event["event"] for event in read_events(file)]
    assert seen[0] == "one" and sorted(seen[1:]) == [f"n{i}" for i in range(8)]


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    write_atomic(file, "old")
    (tmp_path / "b.json").mkdir()
    with pytest.raises(BenchError, match="cannot be written"):
        write_atomic(tmp_path / "b.json", "new")
    assert file.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json"]


def test_what_a_killed_process_half_wrote_is_removed(tmp_path: Path) -> None:
    with RunDirectory(tmp_path / "run") as directory:
        directory.put(record())
    half = tmp_path / "run" / "trials" / ".b__0.json.1.2.part"
    half.write_text("{")
    with RunDirectory(tmp_path / "run") as directory:
        assert [key for key in directory.records()] == [("a", 0)]
    assert not half.exists()


def test_remains_are_stored_once_by_content_and_read_back_whole(tmp_path: Path) -> None:
    store = RemainsStore(tmp_path)
    big = os.urandom(5000)
    nodes = [
        text("/app/a", "small"), Node("/app/b", data=big, uid=7, mode=0o600, size=5000, inode=3),
        Node("/app/c", "link", None, target="a"), Node("/app/d", "dir", None, mode=0o755),
        Node("/app/huge", data=None, size=1 << 40),
    ]  # fmt: skip
    first = store.keep(nodes, roots=["/app"])
    count = sum(path.is_file() for path in tmp_path.rglob("*"))
    assert store.keep(nodes, roots=["/app"]) == first
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == count == 2
    kept = store.load(first)
    assert kept.get(["/app"]) == tuple(sorted(nodes, key=lambda node: node.path))
    assert [node.data for node in kept.get(["/app/b"], max_bytes=10)] == [None]
    with pytest.raises(SandboxError, match="was not kept"):
        kept.get(["/etc"])


def test_damaged_remains_are_reported_and_not_graded(tmp_path: Path) -> None:
    store = RemainsStore(tmp_path)
    digest = store.keep([text("/app/a", "x")], roots=["/app"])
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    file.write_bytes(b"damaged")
    with pytest.raises(BenchError, match="damaged"):
        store.load(digest)


def test_remains_earn_what_the_machine_earned(tmp_path: Path, native_backend: Backend) -> None:
    task = halves_task()
    store = RemainsStore(tmp_path)
    keeping = KeepingBackend(native_backend, store, task.roots)
    played = rollout(task, ScriptedAgent(["echo a > /app/one"]), backend=keeping)
    assert played.reward == 0.25 and keeping.frozen is not None
    verdict = verify(task, store.load(keeping.keep()), native_backend, image="host")
    assert (verdict.reward, [part.score for part in verdict.parts]) == (0.25, [1.0, 0.0])


def test_the_board_counts_clustered_by_task_and_guesses_the_rest() -> None:
    time = [0.0]
    board = Board(10, [record("a", 0, 1.0)], clock=lambda: time[0])
    board.began(("b", 0))
    time[0] = 6.0
    board.ended(record("b", 0, 0.0))
    board.ended(record("b", 1, None, Ending.INFRA_ERROR))
    board.began(("c", 0))
    time[0] = 8.0
    seen = board.snapshot()
    assert (seen.done, seen.earlier, seen.graded, seen.mean) == (3, 1, 2, 0.5)
    assert seen.error == pytest.approx(0.5)  # two tasks at 1 and 0: sqrt(0.5 / 2)
    assert seen.left == pytest.approx(8.0 / 2 * 7)
    assert [going.key for going in seen.running] == [("c", 0)]
    assert seen.running[0].seconds == 2.0
    assert seen.slowest[0] == (("b", 1), 4.0)
    assert seen.failures == ((Ending.INFRA_ERROR, 1),)


def test_the_screen_and_the_lines_say_what_the_board_knows() -> None:
    from rich.console import Console

    board = Board(4, [record("a", 0, 1.0), record("b", 0, None, Ending.VERIFIER_ERROR)])
    board.began(("slow.task", 1))
    out = StringIO()
    Console(file=out, width=100, force_terminal=False).print(panel("oracle", board.snapshot()))
    for word in ("oracle", "2/4", "1.000", "1 verifier_error", "slow.task #1", "slowest so far"):
        assert word in out.getvalue()
    lines: list[str] = []
    time = [0.0]
    look = plain(lines.append, clock=lambda: time[0])
    look(board.snapshot(), record("a", 0, 0.5))
    look(board.snapshot(), None)
    time[0] = 31.0
    look(board.snapshot(), None)
    assert lines[0].startswith("[2/4] 0.500") and lines[0].endswith("a #0")
    assert lines[1:] == [state_line(board.snapshot())]
    assert "2/4 trials, mean 1.000" in lines[1] and "1 running" in lines[1]


def test_a_name_that_looks_like_markup_is_drawn_as_it_is() -> None:
    from rich.console import Console

    board = Board(4, [record("set/x[/bold]", 0, 1.0)])
    board.began(("set/a[red]", 1))
    out = StringIO()
    Console(file=out, width=100, force_terminal=False).print(panel("oracle", board.snapshot()))
    assert "set/x[/bold] #0" in out.getvalue() and "set/a[red] #1" in out.getvalue()
