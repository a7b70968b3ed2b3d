"""The journal of a run: whole lines, whatever cut it off."""

import os
import resource
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tmax_gym.errors import JournalError
from tmax_gym.journal import Journal
from tmax_gym.journal import read as read_rows
from tmax_gym.trajectory import Ending, Step, Tokens, Trajectory, from_row, to_json

QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])

texts = st.text(max_size=12)
steps = st.builds(
    Step,
    action=texts,
    observation=texts,
    exit_code=st.none() | st.integers(0, 255),
    seconds=st.floats(0, 900),
    reply=texts,
)
tokens = st.integers(0, 4).map(
    lambda n: Tokens(tuple(range(n)), (True,) * n, (-0.5,) * n, (3,) * n)
)
trajectories = st.builds(
    Trajectory,
    task=texts,
    agent=texts,
    seed=st.integers(-5, 10**12),
    ending=st.sampled_from(Ending),
    reward=st.none() | st.floats(0, 1),
    steps=st.lists(steps, max_size=3).map(tuple),
    parts=st.lists(st.tuples(texts, st.floats(0, 1)), max_size=3).map(tuple),
    tokens=st.none() | tokens,
    message=texts,
    attempts=st.integers(1, 5),
    faults=st.lists(texts, max_size=2).map(tuple),
)
runs = st.lists(trajectories, max_size=6)


def read(path: Path) -> tuple[Trajectory, ...]:
    return read_rows(path, from_row)


def episode(seed: int) -> Trajectory:
    return Trajectory("sum.plain-1", "oracle", seed, Ending.SUBMITTED, 1.0, message="é\n")


@QUICK
@given(run=runs)
def test_what_was_added_is_read_back(run: list[Trajectory], tmp_path: Path) -> None:
    file = tmp_path / "journal"
    file.unlink(missing_ok=True)
    with Journal(file) as journal:
        for one in run:
            journal.add(asdict(one))
    assert read(file) == tuple(run)
    assert file.read_text() == "".join(to_json(one) + "\n" for one in run)


@QUICK
@given(run=runs, data=st.data())
def test_a_journal_that_was_cut_anywhere_is_a_prefix_and_goes_on(
    run: list[Trajectory], data: st.DataObject, tmp_path: Path
) -> None:
    lines = [(to_json(one) + "\n").encode() for one in run]
    whole = b"".join(lines)
    cut = data.draw(st.integers(0, len(whole)))
    kept = 0  # by counting bytes, not by looking for ends of lines
    while kept < len(lines) and sum(map(len, lines[: kept + 1])) <= cut:
        kept += 1
    file = tmp_path / "journal"
    file.write_bytes(whole[:cut])
    assert read(file) == tuple(run[:kept])
    with Journal(file) as journal:
        for one in run[kept:]:
            journal.add(asdict(one))
    assert file.read_bytes() == whole


def test_no_file_is_an_empty_journal(tmp_path: Path) -> None:
    assert read(tmp_path / "absent") == ()


def test_a_damaged_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "journal"
    file.write_text(to_json(episode(1)) + "\n{}\n" + to_json(episode(2)) + "\n")
    with pytest.raises(JournalError, match="line 2"):
        read(file)


def test_two_runs_cannot_write_to_one_journal(tmp_path: Path) -> None:
    file = tmp_path / "journal"
    with Journal(file), pytest.raises(JournalError, match="in use"):
        Journal(file)
    Journal(file).close()


def test_threads_may_add_at_the_same_time(tmp_path: Path) -> None:
    file = tmp_path / "journal"
    with Journal(file) as journal:

        def add(first: int) -> None:
            for seed in range(first, 80, 4):
                journal.add(asdict(episode(seed)))

        threads = [threading.Thread(target=add, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(one.seed for one in read(file)) == list(range(80))


FULL = """
import resource, signal, sys
from pathlib import Path
from dataclasses import asdict
from tests.test_journal import episode, read
from tmax_gym.errors import JournalError
from tmax_gym.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = Path(sys.argv[1])
with Journal(file) as journal:
    journal.add(asdict(episode(1)))
    size = file.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, size + 1000))
    try:
        journal.add(asdict(episode(2)))
    except JournalError as error:
        print(error)
    assert file.stat().st_size == size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1000, size + 1000))
    journal.add(asdict(episode(3)))
print([one.seed for one in read(file)])
"""


def test_a_line_that_does_not_fit_leaves_no_trace(tmp_path: Path) -> None:
    # A limit of the file's size stops a write in its middle, as a full disk does.
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    words = [sys.executable, "-c", FULL, str(tmp_path / "journal")]
    ended = subprocess.run(words, capture_output=True, text=True, cwd=os.getcwd(), check=True)
    message, seeds = ended.stdout.splitlines()
    assert "cannot grow" in message
    assert seeds == "[1, 3]"
