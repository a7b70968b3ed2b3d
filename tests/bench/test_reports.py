"""Reports show what was measured, and their pages are complete."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.harbor.test_atif import CHAT
from tmax_gym import trajectory as trajectories
from tmax_gym.bench.records import Moment, Phases, TrialRecord, Usage, run_of
from tmax_gym.bench.reports import texts
from tmax_gym.bench.reports.casts import cast
from tmax_gym.bench.reports.drilldown import SHOWN, anchor, chosen, trial_html
from tmax_gym.bench.reports.harbor import write_harbor
from tmax_gym.bench.reports.html import make, page
from tmax_gym.bench.reports.loading import LoadedRun, load
from tmax_gym.bench.reports.published import PUBLISHED, known
from tmax_gym.bench.reports.serving import Viewer, serving
from tmax_gym.bench.reports.tables import overview, pairs
from tmax_gym.bench.store import RunFile
from tmax_gym.errors import BenchError
from tmax_gym.harbor.results import trials as t
from tmax_gym.harbor.results.jobs import write_trial
from tmax_gym.reports.statistics import write_run
from tmax_gym.trajectory import Ending, Step, Trajectory

EVIL = '<script>alert("x")</script> & <img src=x>'
TMAX = (sys.executable, "-c", "from tmax_gym.cli import main; main()")


def trial(task: str, attempt: int, reward: float | None, **more: object) -> TrialRecord:
    ending = Ending.UNGRADED if reward is None else Ending.SUBMITTED
    steps = (Step("ls", f"a\n{EVIL}", 0, 0.5), Step("", "Say a command.", None, 0.0, "hm"))
    return TrialRecord(
        task, attempt, f"d-{task}", "c",
        Trajectory(task, "oracle", attempt, ending, reward, steps, (("check", reward or 0.0),)),
        tags=(("category", "files"), ("difficulty", "hard" if task > "b" else "easy")),
        instruction=f"Do {EVIL}", moments=(Moment(1.0, 2.0), Moment(2.5, 4.0)),
        phases=Phases(1.0, 4.0, 0.5), usage=Usage(2, 100, 40, 10, 0.25, 0.5),
        started="2026-01-02T03:04:05.000+00:00", finished="2026-01-02T03:04:10.500+00:00", **more,
    )  # fmt: skip


def run(name: str, table: dict[str, list[float | None]]) -> LoadedRun:
    records = [trial(task, n, r) for task, row in table.items() for n, r in enumerate(row)]
    return LoadedRun(name, tuple(sorted(records, key=lambda record: record.key)))


FIRST = run("first", {"a": [1.0, 0.0], "b": [0.5, None], "c": [0.0, 0.0]})
SECOND = run("second", {"a": [1.0, 1.0], "b": [1.0, 0.0], "c": [0.0, 1.0]})


class Page(HTMLParser):
    """Collects anchors, links and tags, and checks that tags match."""

    VOID = frozenset({"meta", "line", "path", "rect", "circle", "polyline", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.tags: Counter[str] = Counter()
        self.sources: list[str] = []
        self.feed(text)
        assert self.open == [], self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags[tag] += 1
        self.ids.update(filter(None, [attributes.get("id")]))
        self.links += filter(None, [attributes.get("href")])
        self.sources += filter(None, [attributes.get("src")])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, (tag, self.open[-3:])


def test_a_page_is_whole_loads_nothing_and_every_trial_can_be_reached() -> None:
    seen = Page(page(make([FIRST, SECOND])))
    assert seen.tags["script"] == 0 and seen.tags["img"] == 0 and seen.sources == []
    assert set(seen.ids.values()) == {1}
    assert sorted(seen.links) == sorted(f"#{name}" for name in seen.ids)
    assert len(seen.ids) == 12 == seen.tags["details"]


def test_what_a_terminal_printed_stays_text() -> None:
    text = page(make([FIRST]))
    assert EVIL not in text and "&lt;script&gt;alert" in text


def test_commands_carry_the_times_at_which_they_were_typed() -> None:
    text = trial_html(0, trial("a", 0, 1.0))
    assert "1. +2.0 s, took 0.5 s" in text and "2. +4.0 s, took 0.0 s" in text


def test_a_page_that_would_be_too_large_keeps_the_first_round_and_says_what_is_missing() -> None:
    one = len(trial_html(0, FIRST.records[0]))
    found = chosen([FIRST], room=4 * one)
    assert {key[2] for key in found} >= {0} and len(found) in (3, 4)
    whole = Trajectory("a", "x", 0, Ending.SUBMITTED, 1.0, (Step("ls", "y" * 10**6, 0, 0.0),))
    text = trial_html(0, TrialRecord("a", 0, "", "", whole))
    assert len(text) < SHOWN + 2000 and f"{10**6 - SHOWN} characters" in text


def test_the_figures_of_a_report_are_those_of_the_trials() -> None:
    report = make([FIRST, SECOND])
    table = {row[0]: row for row in report.tables[0].rows}
    # Means over tasks: (0.5 + 0.5 + 0) / 3 and (1 + 0.5 + 0.5) / 3.
    assert (table["first"][3], table["second"][3]) == ("33.33", "66.67")
    by_title = {table.title: table for table in report.tables}
    assert by_title["How trials ended"].rows[0][1:4] == ("6", "5", "1")
    # The ungraded one at 0 or at 1: b is 0.25 or 0.75, so the mean is 0.25 or 0.4167.
    assert by_title["How trials ended"].rows[0][4] == "25.0 to 41.7"
    assert [row[:3] for row in by_title["By difficulty"].rows] == [
        ("easy", "2", "50.0 ± 0.00"), ("hard", "1", "0.0 ± –"),
    ]  # fmt: skip
    assert [row[:3] for row in by_title["Tasks solved now and then"].rows] == [
        ("a", "first", "1/2"), ("b", "second", "1/2"), ("c", "second", "1/2"),
    ]  # fmt: skip
    assert by_title["Differences"].rows[0][:2] == ("second - first", "+33.33")
    assert by_title["What it took"].rows[0][4:] == ("0.1", "600", "60", "1.50")


def test_a_threshold_makes_a_partial_reward_a_success() -> None:
    strict, lenient = (make([FIRST], threshold=at).tables[1] for at in (1.0, 0.5))
    # pass@1 over a, b, c: 0.5, 0 or 1, 0.
    assert (strict.rows[0][1], lenient.rows[0][1]) == ("16.7", "50.0")


def test_runs_whose_tasks_changed_are_not_compared_but_told() -> None:
    moved = LoadedRun("moved", (TrialRecord("a", 0, "other", "c",
                      Trajectory("a", "x", 0, Ending.SUBMITTED, 1.0)),))  # fmt: skip
    table = pairs([FIRST, moved])
    assert table is not None and "changed between them" in table.rows[0][2]


def test_published_figures_are_lines_of_their_own_and_say_so() -> None:
    assert known("terminal-bench@2.0") == "terminal-bench-2.0" and known("tmax") == ""
    text = page(make([FIRST], published="tblite"))
    assert text.count("(published)") == len(PUBLISHED["tblite"])
    assert "not measured here" in text and "TMax-9B (published)" in text
    assert "published" not in page(make([FIRST])).partition("</style>")[2]


def test_the_spreadsheet_has_every_trial_and_no_zero_for_an_ungraded_one() -> None:
    rows = list(csv.DictReader(io.StringIO(texts.csv_text([FIRST, SECOND]))))
    assert len(rows) == 12
    (ungraded,) = [row for row in rows if row["ending"] == "ungraded"]
    assert ungraded["reward"] == "" and (ungraded["task"], ungraded["attempt"]) == ("b", "1")
    assert sum(float(row["reward"] or 0) for row in rows) == 1.5 + 4.0
    # One second and 1.5 of thinking, half a second of commands, half a second of waiting.
    assert {row["working_seconds"] for row in rows} == {"2.5"}


def test_markdown_and_latex_are_escaped() -> None:
    strange = LoadedRun("a_b|c&d", FIRST.records)
    report = make([strange])
    assert "a_b\\|c&d" in texts.markdown("t", report.tables)
    row = texts.latex(report.runs, report.summaries).splitlines()[1]
    assert row.startswith("a\\_b|c\\&d & $33.3 \\pm 16.7$ &") and row.endswith(" \\\\")


def test_a_recording_has_growing_times_and_everything_that_was_seen() -> None:
    head, *events = map(json.loads, cast(trial("a", 0, 1.0)).splitlines())
    assert head["version"] == 2 and head["title"] == "a #0"
    times = [at for at, _, _ in events]
    assert times == sorted(times) and times[1:3] == [2.0, 2.5]
    assert "".join(text for _, _, text in events).count(EVIL.replace("\n", "\r\n")) == 2
    assert all("\n" not in text.replace("\r\n", "") for _, _, text in events)


def test_rollout_traces_and_lines_of_trials_are_runs_too(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    played = [record.trajectory for record in FIRST.records]
    trace.write_text("".join(trajectories.to_json(each) + "\n" for each in played))
    run = load(trace)
    assert [(r.task, r.attempt, r.reward) for r in run.records] == [
        (r.task, r.attempt, r.reward) for r in FIRST.records
    ]
    assert [r.trajectory for r in run.records] == played
    write_run(tmp_path / "trials.jsonl", run_of("x", FIRST.records))
    assert load(tmp_path).run.trials == load(tmp_path / "trials.jsonl").run.trials
    with pytest.raises(BenchError, match="no run can be read"):
        load(tmp_path / "absent")


def test_a_job_of_another_runner_is_read_with_its_chat_and_its_untested_zeros(
    tmp_path: Path,
) -> None:
    def result(name: str, reward: float | None, error: str = "") -> t.TrialResult:
        return t.TrialResult(
            "org/hello", name, t.AgentInfo("other", "1"), t.TaskId(path="hello"),
            {"task": {"path": "hello"}},
            verifier_result=None if reward is None else t.VerifierResult({"reward": reward}),
            exception_info=t.ExceptionInfo(error, "it broke", "", "2026-01-02T03:04:05Z")
            if error else None,
        )  # fmt: skip

    (tmp_path / "config.json").write_text("{}")
    home = write_trial(tmp_path, result("a__1", 1.0), output="===== test session starts\n1 passed")
    (home / "agent").mkdir()
    (home / "agent" / "trajectory.json").write_text(json.dumps(CHAT))
    write_trial(tmp_path, result("a__2", 0.0), output="/tests/test.sh: uvx: command not found")
    write_trial(tmp_path, result("a__3", 0.0), output="===== test session starts\n1 failed")
    write_trial(tmp_path, result("a__4", 0.5, "AgentTimeoutError"))
    write_trial(tmp_path, result("a__5", None, "DaytonaError"))
    found = load(tmp_path).records
    assert [(r.attempt, r.ending, r.reward) for r in found] == [
        (0, Ending.SUBMITTED, 1.0), (1, Ending.UNGRADED, None), (2, Ending.SUBMITTED, 0.0),
        (3, Ending.TIME_LIMIT, 0.5), (4, Ending.INFRA_ERROR, None),
    ]  # fmt: skip
    assert found[0].trajectory.steps and found[0].instruction


def test_every_ending_reads_back_from_a_job_directory(tmp_path: Path) -> None:
    records = [
        TrialRecord("a", n, "d", "c",
                    Trajectory("a", "x", n, ending, 0.5 if ending.graded else None))
        for n, ending in enumerate(Ending)
    ]  # fmt: skip
    about = RunFile("r", "tiny", {"harness": "x"}, "c", {}, {"a": "d"}, len(records))
    found = load(write_harbor(tmp_path, about, records)).records
    assert {r.attempt: (r.ending, r.reward) for r in found} == {
        r.attempt: (r.ending, r.reward) for r in records
    }


def test_the_last_lines_of_a_run_tell_mean_errors_states_and_cost() -> None:
    text = "\n".join(overview("x", FIRST.records))
    assert "x: 0.3333 ± 0.1667 (tasks)" in text
    assert "6 trials of 3 tasks: 5 submitted, 1 ungraded" in text and "$1.50" in text
    assert list(overview("y", ())) == ["y: no trial has ended"]


def fetch(url: str, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_viewer_serves_this_machine_alone(tmp_path: Path) -> None:
    write_run(tmp_path / "trials.jsonl", run_of("x", FIRST.records))
    with serving(Viewer([tmp_path])) as viewer:
        assert viewer.server_address[0] == "127.0.0.1"
        status, text = fetch(viewer.url)
        assert status == 200
        links = [link for link in Page(text).links if link.startswith("/trial/")]
        assert len(links) == 6
        status, text = fetch(viewer.url.rstrip("/") + links[0])
        assert status == 200 and Page(text).tags["details"] == 1
        assert fetch(viewer.url + "trials.csv")[1].startswith("run,task,attempt")
        place = f"{viewer.url}cast/{anchor(0, FIRST.records[0])}.cast"
        assert json.loads(fetch(place)[1].splitlines()[0])["version"] == 2
        assert fetch(viewer.url + "etc/passwd")[0] == 404
        assert fetch(viewer.url, Host="evil.example")[0] == 403
    with pytest.raises(urllib.error.URLError):
        fetch(viewer.url)


def test_report_and_view_work_from_the_command_line_and_stop_cleanly(tmp_path: Path) -> None:
    place = tmp_path / "run"
    place.mkdir()
    write_run(place / "trials.jsonl", run_of("x", FIRST.records))
    reported = subprocess.run(
        [*TMAX, "report", str(place)], capture_output=True, text=True, timeout=120
    )
    assert reported.returncode == 0, reported.stderr
    assert {file.name for file in (place / "report").iterdir()} == {
        "report.html", "report.md", "trials.csv", "results.tex", "casts",
    }  # fmt: skip
    view = subprocess.Popen(
        [*TMAX, "view", str(place), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    assert view.stdout is not None
    url = view.stdout.readline().strip()
    assert fetch(url)[0] == 200
    view.send_signal(signal.SIGINT)
    _, output = view.communicate(timeout=120)
    assert (view.returncode, output.strip()) == (0, "stopped")


def test_compare_reads_harbor_jobs_names_tasks_and_keeps_its_exit_status(tmp_path: Path) -> None:
    """B is a job directory, A are a run's trials: a fell from 1 to 0, b stays flaky."""
    job = tmp_path / "job"
    job.mkdir()
    (job / "config.json").write_text("{}")
    for name, task, reward in (("a__1", "a", 0.0), ("b__1", "b", 1.0), ("b__2", "b", 0.0)):
        write_trial(job, t.TrialResult(task, name, t.AgentInfo("x", "1"), t.TaskId(path=task),
                    {"task": {"path": task}},
                    verifier_result=t.VerifierResult({"reward": reward})))  # fmt: skip
    write_run(tmp_path / "a.jsonl", run_of("x", run("x", {"a": [1.0], "b": [0.0, 1.0]}).records))
    words = [*TMAX, "compare", str(tmp_path / "a.jsonl"), str(job), "--tasks", "3"]
    held, dropped = (
        subprocess.run([*words, "--max-drop", most], capture_output=True, text=True, timeout=120)
        for most in ("0.5", "0.4")
    )
    assert (held.returncode, dropped.returncode) == (0, 1), held.stderr
    assert "dropped: observed drop +0.5000, allowed 0.4" in dropped.stdout
    lines = held.stdout.splitlines()
    assert "changed  -1.0000  a" in lines and "flaky in B  1 of 2 solved  b" in lines
    # pass@1 over a and b: (1 + 1/2) / 2 and (0 + 1/2) / 2; only b was tried twice.
    assert "pass@k (reward 1 solves)  1: 0.750 -> 0.250, 2: 1.000 -> 1.000" in lines
    assert "tasks without a digest (may have changed): 2: a, b" in held.stdout
