"""The comparison with peers: its line protocol, its end of a driver, and its judging."""

import base64
import json
import sys
import time
from pathlib import Path

import pytest

from benchmarks import driver as drivers
from benchmarks import peer_tables, peer_verdicts
from benchmarks.driver import MARK, Driver, Ended, Hung
from benchmarks.peer_contenders import CONTENDERS, Contender, Resources, engine
from benchmarks.peer_measures import OUTPUT, Amount, measure
from benchmarks.peer_verdicts import (
    QUICK,
    UNSAFE,
    WAITING,
    CaseRunner,
    faults,
    output,
    shell_result,
)
from benchmarks.peers import environ
from tests.support.break_it_cases import CASES, Case
from tmax_gym.errors import TmaxError
from tmax_gym.sandboxes.images import cache_root
from tmax_gym.shell import ShellResult

DRIVERS = Path(__file__).parents[2] / "benchmarks" / "peer_drivers"
FAKE = f"""
import subprocess, sys, time
sys.path.insert(0, {str(DRIVERS)!r})
from line import Answer, serve

class Local:
    def open(self, options): self.kept = options["kept"]
    def run(self, command, timeout):
        if command == "hang": time.sleep(1000)
        if command == "end": sys.exit(3)
        if command == "swell": self.kept = bytearray(1 << 28); time.sleep(1000)
        if command == "chat": print("not a reply")
        try:
            done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired as error:
            return Answer(error.stdout or b"", None, late=True)
        return Answer(done.stdout, done.returncode)
    def close(self): del self.kept

serve(Local())
"""
"""A peer that starts a bash a command, and misbehaves on demand."""
HERE = Resources(Path("/nonexistent"), "test-peers", None)


def case(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def link(directory: Path) -> Driver:
    contender = Contender("fake", "fake", "bytes")
    return Driver(
        [sys.executable, "-c", FAKE],
        environment=environ(contender, HERE, directory),
        directory=directory,
    )


def fake(directory: Path) -> CaseRunner:
    contender = Contender("fake", "fake", "bytes", options={"kept": "nothing"}, local=True)
    return CaseRunner(contender, HERE, lambda: link(directory))


def seen(text: str, code: int | None = 0, *, late: bool = False) -> dict[str, object]:
    return {
        "output": base64.b64encode(text.encode()).decode(),
        "code": code,
        "late": late,
        "dropped": 0,
        "restarted": False,
        "notice": "",
        "seconds": 0.1,
        "peak": 1 << 20,
    }


def peer(output_form: str) -> Contender:
    return Contender("peer", "peer", output_form)  # type: ignore[arg-type]


def test_bytes_and_status_come_through_the_line(tmp_path: Path) -> None:
    driver = link(tmp_path)
    driver.ask(10, do="open", options={"kept": ""})
    reply = driver.ask(10, do="run", command="printf 'a\\0\\377\\n'; exit 7", timeout=5)
    driver.close()
    assert (output(reply), reply["code"], reply["late"]) == (b"a\0\xff\n", 7, False)


def test_what_a_peer_prints_or_reads_itself_does_not_disturb_the_line(tmp_path: Path) -> None:
    driver = link(tmp_path)
    driver.ask(10, do="open", options={"kept": ""})
    driver.ask(10, do="run", command="chat", timeout=5)
    assert output(driver.ask(10, do="run", command="cat; echo end", timeout=5)) == b"end\n"
    driver.close()


def test_an_exception_of_a_peer_is_a_reply(tmp_path: Path) -> None:
    driver = link(tmp_path)
    assert "KeyError" in driver.ask(10, do="open", options={})["error"]
    assert "error" not in driver.ask(10, do="open", options={"kept": ""})
    driver.close()


def test_a_peer_that_hangs_costs_a_bounded_time(tmp_path: Path) -> None:
    driver = link(tmp_path)
    driver.ask(10, do="open", options={"kept": ""})
    begun = time.monotonic()
    with pytest.raises(Hung):
        driver.ask(0.3, do="run", command="hang", timeout=5)
    assert time.monotonic() - begun < 3
    driver.close()


def test_a_peer_that_swells_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drivers, "MEMORY", 200 << 20)
    driver = link(tmp_path)
    driver.ask(10, do="open", options={"kept": ""})
    with pytest.raises(Hung, match="MiB"):
        driver.ask(20, do="run", command="swell", timeout=5)
    driver.close()


def test_a_driver_that_ends_says_so(tmp_path: Path) -> None:
    driver = link(tmp_path)
    driver.ask(10, do="open", options={"kept": ""})
    with pytest.raises(Ended):
        driver.ask(10, do="run", command="end", timeout=5)
    driver.close()


def test_what_a_peer_leaves_running_is_found_by_its_mark_and_ended(tmp_path: Path) -> None:
    driver = link(tmp_path)
    driver.ask(10, do="open", options={"kept": ""})
    words = ("sleep", f"1000.{time.time_ns() % 10**9}")
    command = f"setsid {' '.join(words)} >/dev/null 2>&1 &"
    driver.ask(10, do="run", command=command, timeout=5)
    deadline = time.monotonic() + 5
    while not drivers.running(words) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert drivers.running(words) == 1
    driver.close()
    assert drivers.sweep(HERE.mark) == 1
    time.sleep(0.2)
    assert drivers.running(words) == 0


def test_a_real_bash_per_command_is_judged(tmp_path: Path) -> None:
    runner = fake(tmp_path)
    verdicts = {name: runner.verdict(case(name))[0] for name in (*QUICK[:4], UNSAFE[0])}
    runner.close()
    assert verdicts == {
        "cd persists": "wrong",  # there is no session
        "exit code": "ok",
        "heredoc": "ok",
        "stdin eater in script": "ok",
        "fork bomb": "-",  # nor a wall
    }


def test_after_a_hang_the_next_case_has_a_new_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = fake(tmp_path)
    before = runner.verdict(case("exit code"))
    with monkeypatch.context() as short:  # a driver takes time to start
        short.setattr(peer_verdicts, "_OUTER", 1.0)
        short.setattr(peer_verdicts, "_REST", 1.0)
        hung = runner.verdict(Case("hangs", ("hang",)))
    after = runner.verdict(case("exit code"))
    runner.close()
    assert (before[0], hung[0], after[0]) == ("ok", "HANG", "ok")


def test_the_names_of_the_list_are_those_of_the_cases() -> None:
    assert {*QUICK, *UNSAFE, *WAITING} <= {case.name for case in CASES}
    assert len(QUICK) == 8


@pytest.mark.parametrize("output_form", ["ours", "bytes", "text", "screen"])
def test_what_a_case_expects_has_no_complaint(output_form: str) -> None:
    # A screen has no status, which is all that "exit code" and "exit 3" ask for.
    for one in CASES:
        if not isinstance(one.output, str) or one.restarted or one.code != 0:
            continue
        assert faults(one, seen(one.output), peer(output_form)) == [], one.name


@pytest.mark.parametrize("output_form", ["ours", "bytes", "text", "screen"])
def test_another_output_has_a_complaint(output_form: str) -> None:
    for one in CASES:
        if isinstance(one.output, str) and one.output.strip() and not one.late:
            assert faults(one, seen("something else\n"), peer(output_form)), one.name


def test_a_peer_may_wait_for_the_keyboard_and_ours_may_not() -> None:
    waited = seen("", None, late=True)
    assert faults(case("cat waits on stdin"), waited, peer("text")) == []
    assert faults(case("cat waits on stdin"), waited, peer("ours"))
    assert faults(case("cd persists"), waited, peer("text"))


def test_a_peer_that_decodes_has_to_show_the_characters_between_the_bytes() -> None:
    binary = case("invalid utf-8")
    assert faults(binary, seen("\ufffd\ufffd\ufffdab\ufffd"), peer("text")) == []
    assert faults(binary, seen("\ufffd\ufffd\ufffda\ufffd"), peer("text"))
    assert faults(binary, seen("\ufffdab\ufffd"), peer("bytes"))


def test_a_tabulator_survives_a_screen_as_blanks() -> None:
    heredoc = case("heredoc")
    shown = "a $HOME `x` \\ '\"!   \n        EOF\n$ "
    assert faults(heredoc, seen(shown, None), peer("screen")) == []
    assert faults(heredoc, seen(shown, 0), peer("text"))


def test_memory_is_judged_by_the_drivers_own_peak() -> None:
    many = {**seen("y\n", 124), "peak": 5 << 30}
    assert faults(case("yes for 3 s (memory)"), many, peer("text"))
    assert faults(case("yes for 3 s (memory)"), seen("y\n", 124), peer("text")) == []


def test_an_exception_is_wrong_whatever_was_expected() -> None:
    for one in CASES:
        assert faults(one, {"error": "Broken: pipe", "seconds": 0.1}, peer("bytes"))


def test_the_result_that_is_judged_is_the_reply() -> None:
    reply = {**seen("x\n", 3), "restarted": True, "notice": "n", "dropped": 5}
    assert shell_result(b"x\n", reply) == ShellResult("x\n", b"x\n", 3, False, 5, True, "n", 0.1)


def test_a_contender_is_measured_and_its_numbers_can_be_stored(tmp_path: Path) -> None:
    runner = fake(tmp_path)
    numbers = measure(runner, Amount(starts=2, steps=3, bigs=1, recoveries=1))
    runner.close()
    assert numbers.failures == []
    assert [len(s) for s in (numbers.start, numbers.colon, numbers.true)] == [2, 3, 3]
    assert numbers.big_bytes == OUTPUT
    assert numbers.big_memory > OUTPUT // 2, "the fake peer keeps all that it reads"
    assert 0.0 < numbers.recovery[0] < 3.0
    assert numbers.left_running is False, "subprocess kills what runs out of time"
    row = peer_tables.speed({"fake": numbers})[1]
    assert "100%" in row and "nan" not in row
    kept = json.loads(json.dumps(peer_tables.raw({"fake": numbers}, {}, ["a note"])))
    assert kept["seconds"]["recovery"]["fake"] == [round(numbers.recovery[0], 7)]


def test_the_table_counts_what_was_run() -> None:
    run = {"a": ("ok", "", 0.1), "b": ("wrong", "x", 2.0), "c": ("-", "", 0.0)}
    assert peer_tables.count(run) == (1, 2)
    assert "wrong 2.0s" in "\n".join(peer_tables.broken({"peer": run}))


@pytest.mark.docker
def test_docker_exec_per_command_is_measured_and_leaves_nothing(tmp_path: Path) -> None:
    try:
        resources = Resources(cache_root(), f"test-peers-{time.time_ns()}", engine())
    except TmaxError as error:
        pytest.skip(str(error).splitlines()[0])
    contender = CONTENDERS["docker exec"](resources)
    words = [str(contender.python), str(DRIVERS / f"{contender.driver}.py")]
    environment = environ(contender, resources, tmp_path)
    runner = CaseRunner(
        contender, resources, lambda: Driver(words, environment=environment, directory=tmp_path)
    )
    verdicts = {name: runner.verdict(case(name))[0] for name in ("exit code", "cd persists")}
    late = case("sleep 1000 time-out")
    verdicts[late.name] = runner.verdict(late)[0]
    runner.close()
    assert verdicts == {"exit code": "ok", "cd persists": "wrong", late.name: "ok"}
    assert resources.engine is not None
    label = f"tmax.peers={resources.mark}"
    assert not resources.engine.api.containers(all=True, filters={"label": [label]})
    assert MARK in environment and list(drivers.marked(resources.mark)) == []
