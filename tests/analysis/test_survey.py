"""The whole of it on a sample of the real catalogue, and the command."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tmax_gym.analysis import pages
from tmax_gym.analysis.findings import Survey, goals
from tmax_gym.analysis.measures.dropout import Dropped, Tried
from tmax_gym.analysis.survey import shape, solutions, survey, wording
from tmax_gym.analysis.targets import Target, last_line
from tmax_gym.errors import SpecError
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.spec import StageRef

TMAX = (sys.executable, "-c", "from tmax_gym.cli import main; main()")


@pytest.fixture(scope="module")
def measured() -> Survey:
    specs = catalogue.select()[::80]
    tried = tuple(Tried(specs[0].name, "short", f"keeps {k} %", (1.0, 0.0)) for k in (50, 90))
    return survey(specs, expand=20, dropped=(Dropped(tried, 3, (1, 2), 0),))


def test_every_goal_of_the_catalogue_is_measured(measured: Survey):
    reached = goals(measured)
    assert len(reached) == 23
    assert reached["balance_of_domain"].value == pytest.approx(1, abs=0.01)
    assert reached["share_contaminated"].value == 0
    assert 0 < reached["distinct_2"].value < 1
    assert (reached["distinct_2"].goal, reached["nearest_neighbour_median"].goal) == (0.60, 0.40)
    assert measured.solutions is not None and len(measured.solutions.names) == 20


def test_a_report_is_the_same_twice(measured: Survey, tmp_path: Path):
    for part in ("one", "two"):
        pages.write(measured, tmp_path / part)
    one = {p.relative_to(tmp_path / "one"): p.read_bytes() for p in tmp_path.glob("one/**/*.*")}
    two = {p.relative_to(tmp_path / "two"): p.read_bytes() for p in tmp_path.glob("two/**/*.*")}
    assert one == two
    assert {p.name for p in one} >= {"report.md", "report.json", "pairs.svg", "agents.svg"}


def test_a_report_names_every_plot_and_marks_every_goal(measured: Survey, tmp_path: Path):
    pages.write(measured, tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert {p.stem for p in (tmp_path / "plots").iterdir()} == {
        part.split("]")[0] for part in text.split("![")[1:]
    }
    assert text.count("| ✓ |") + text.count("| ✗ |") == len(goals(measured))
    assert "Of 3 steps of 1 solutions, 2 are necessary" in text
    assert "| complex | 129 | 0.977 |" in text and "| data querying | 41 | 1.000 |" in text
    stored = json.loads((tmp_path / "report.json").read_text())
    assert stored["targets"]["tasks"]["value"] == measured.tally.tasks


def test_without_expansion_nothing_is_said_of_solutions():
    taken = survey(catalogue.select()[:10], expand=0)
    assert taken.solutions is None
    assert "programs_in_solutions" not in goals(taken)


def test_worlds_that_differ_only_in_a_document_are_two():
    specs = [spec for spec in catalogue.select(family="contract-api") if spec.level < 0.6][:2]
    seen = solutions(specs)
    assert (seen.worlds, seen.same_worlds) == (2, ())


def test_wording_of_two_copies_is_all_reuse():
    text = " ".join(f"w{n}" for n in range(14))
    bad, beat = (catalogue.select(family=f)[0] for f in ("bad-gateway", "beat-note"))
    seen = wording([bad, replace(beat, voice=bad.voice)], [text, text])
    assert (seen.reuse, seen.across, seen.sampled.near) == (1.0, 1.0, 1.0)
    assert seen.distinct == (0.5, 0.5, 0.5)
    assert [row[0] for row in seen.by_family] == ["bad-gateway", "beat-note"]
    assert seen.by_voice == ((bad.voice, pytest.approx(1.0), 1.0, 1.0),)
    assert seen.growth == ((1, 0.0), (1, 0.0), (2, 1.0))


def test_one_task_is_no_catalogue():
    with pytest.raises(SpecError, match="1 tasks, which cannot be compared"):
        survey(catalogue.select()[:1])


def test_a_task_without_an_instruction_is_refused():
    first, second = catalogue.select()[:2]
    with pytest.raises(SpecError, match=r"no\.such-0 has no stored text"):
        survey([first, replace(second, name="no.such-0")])


def test_families_are_those_that_name_the_tasks():
    specs = catalogue.select()
    counts = dict(shape(specs).families)
    assert sum(counts.values()) == len(specs)
    assert counts["bad-gateway"] == len(catalogue.select(family="bad-gateway"))


def test_an_earlier_part_counts_once_for_each_task_and_a_pair_once_in_all():
    first, second = catalogue.select()[:2]
    link = (0, "x")
    plan = (StageRef("carve"), StageRef("json-feed", link), StageRef("sqlite-load", link))
    seen = shape([replace(first, plan=plan), replace(second, plan=plan[:2])])
    assert seen.pairs == 2
    assert seen.firsts == (("carve", 2),)


def test_texts_that_mention_a_password_are_counted():
    specs = catalogue.select()[:4]
    texts = ["Use openssl for it.", "The Passphrase is `x`.", "Pass the words on.", "Do it."]
    assert wording(specs, texts).locked == 0.5


def test_a_goal_is_met_at_its_very_value():
    assert Target(2, 2).met and Target(2, 2, at_most=False).met
    assert json.loads(last_line({"n": Target(1.23456, 1)}))["targets"]["n"] == {
        "at_most": True, "goal": 1, "ok": False, "value": 1.2346,
    }  # fmt: skip


def test_the_command_prints_goals_and_fails_where_it_is_asked_to_check(tmp_path: Path):
    ended = subprocess.run(
        [*TMAX, "analyze", "--sample", "300", "--expand", "2", "--json", "--check",
         "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=200,
    )  # fmt: skip
    seen = json.loads(ended.stdout.splitlines()[-1])["targets"]
    assert seen["tasks"]["value"] == 300
    assert (len(ended.stdout.splitlines()), set(seen["tasks"])) == (
        1,
        {"value", "goal", "at_most", "ok"},
    )
    assert ended.returncode == int(not all(row["ok"] for row in seen.values())), ended.stderr
    assert (tmp_path / "report.md").exists()
