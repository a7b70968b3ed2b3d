import itertools
import json
import math
import random
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.reports.markdown import (
    Curve,
    Episodes,
    Line,
    Table,
    Text,
    mean_interval,
    pass_at_k,
    regroup,
    summaries_table,
    summarise,
    to_json,
    to_markdown,
    write_html,
)
from tmax_gym.trajectory import Ending, Group, Step, Trajectory


def played(task: str, reward: float | None, *, seed: int = 0) -> Trajectory:
    ending = Ending.SUBMITTED if reward is not None else Ending.INFRA_ERROR
    step = Step("cat <a & b", "x < y & z\n\n(exit_code=0)", 0, 0.1)
    return Trajectory(task, "tester", seed, ending, reward, (step,), (("s0.one", 0.5),))


@given(st.integers(1, 7), st.data())
def test_pass_at_k_is_the_share_of_subsets_that_hold_a_success(n: int, data: st.DataObject) -> None:
    solved = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    episodes = [True] * solved + [False] * (n - solved)
    subsets = list(itertools.combinations(episodes, k))
    assert pass_at_k(n, solved, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_pass_at_k_needs_k_episodes() -> None:
    with pytest.raises(ValueError, match="pass@4 of 1 solved in 3"):
        pass_at_k(3, 1, 4)


def test_the_interval_agrees_with_the_normal_one_for_many_values() -> None:
    source = random.Random(11)
    values = [source.gauss(0.4, 0.1) for _ in range(400)]
    mean = sum(values) / 400
    half = 1.96 * math.sqrt(sum((v - mean) ** 2 for v in values) / 399 / 400)
    found = mean_interval(values, seed=1)
    assert found.mean == pytest.approx(mean)
    assert found.low == pytest.approx(mean - half, abs=0.1 * half)
    assert found.high == pytest.approx(mean + half, abs=0.1 * half)
    assert found == mean_interval(values, seed=1)
    assert found != mean_interval(values, seed=2)


def test_a_mean_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing was graded"):
        mean_interval([])


def test_ungraded_episodes_are_counted_and_never_zero() -> None:
    groups = [
        Group("a", (played("a", 1.0), played("a", 0.5), played("a", None))),
        Group("b", (played("b", None),)),
        Group("c", (played("c", 0.0), played("c", 0.0))),
    ]
    found = summarise("x", groups, ks=(1, 2, 4))
    assert (found.tasks, found.episodes, found.masked) == (2, 4, 2)
    # Task a: mean 0.75, one of two solved; task c: 0.  Task b has no say.
    assert found.reward.mean == pytest.approx(0.375)
    assert found.solved == ((1, 0.25), (2, 0.5))
    assert dict(found.endings) == {"submitted": 4, "infra_error": 2}
    assert json.loads(to_json([found]))[0]["masked"] == 2


def test_groups_of_one_task_are_joined() -> None:
    groups = [Group("b", (played("b", 1.0),)), Group("a"), Group("b", (played("b", 0.0),))]
    assert [(g.task, g.rewards) for g in regroup(groups)] == [("a", ()), ("b", (1.0, 0.0))]


def test_markdown_has_a_row_a_summary_and_escapes_bars() -> None:
    found = summarise("a|b", [Group("t", (played("t", 1.0),))], ks=(1,))
    lines = to_markdown(summaries_table([found])).splitlines()
    assert len(lines) == 3
    assert lines[2].startswith("| a\\|b | 1 | 1 | 0 | 1.000 [1.000, 1.000] | 1.000 |")


def test_a_page_is_well_formed_and_loads_nothing(tmp_path: Path) -> None:
    curve = Curve(
        (
            Line(
                "reward <r>", ((0, 0.1), (1, float("nan")), (2, 0.9)), ((0, 0.2), (0, 1), (0.8, 1))
            ),
            Line("flat", ((0, 0.5), (2, 0.5))),
        ),
        "Learning & more",
        "step",
        "reward",
        (0.0, 1.0),
    )
    sections = [
        Text("One.\n\nTwo <b>."),
        Table(("", "x"), (("r", "1 & 2"),), "Numbers", "A note."),
        curve,
        Curve((), "Empty"),
        Episodes((played("t", None), played("t", 0.25)), "Seen", (("t", "Do <it>."),)),
    ]
    file = tmp_path / "deep" / "report.html"
    write_html(file, "Report <1>", sections)
    page = file.read_text(encoding="utf-8")
    assert not re.search(r"<script|<link|src=|href=|@import|url\(|https?://", page)
    body = re.sub(r"<!doctype html>|<meta[^>]*>", "", page)
    root = ElementTree.fromstring(body)
    shown = "".join(root.itertext())
    for expected in ("Two <b>.", "1 & 2", "Do <it>.", "cat <a & b", "reward 0.250", "not graded"):
        assert expected in shown
    # The point that is no number is left out of the line.
    assert [len(p.attrib["points"].split()) for p in root.iter("polyline")] == [2, 2]


def test_output_that_no_file_can_hold_is_replaced(tmp_path: Path) -> None:
    step = Step("ls", "a\udc80b\x00c", 0, 0.1)
    one = Trajectory("t", "a", 0, Ending.SUBMITTED, 1.0, (step,))
    write_html(tmp_path / "r.html", "T", [Episodes((one,))])
    assert "a?b" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_points_are_placed_to_scale(tmp_path: Path) -> None:
    line = Line("l", ((0, 0), (1, 1), (4, 2)))
    write_html(tmp_path / "r.html", "T", [Curve((line,))])
    found = re.search(r'<polyline points="([^"]*)"', (tmp_path / "r.html").read_text())
    assert found
    (x0, y0), (x1, y1), (x2, y2) = (map(float, p.split(",")) for p in found[1].split())
    assert (x1 - x0) * 4 == pytest.approx(x2 - x0, abs=0.1)
    assert (y1 - y0) * 2 == pytest.approx(y2 - y0, abs=0.1)
    assert y2 < y0


def test_a_row_of_the_wrong_width_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells"):
        Table(("a", "b"), (("1",),))
