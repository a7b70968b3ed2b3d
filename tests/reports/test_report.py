import itertools
import math
import random
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.reports import svg
from tmax_gym.reports.markdown import to_markdown
from tmax_gym.reports.page import Episodes, Plot, Table, Text, write_html
from tmax_gym.reports.statistics import mean_interval, pass_at_k
from tmax_gym.trajectory import Ending, Step, Trajectory


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
    interval = mean_interval(values, seed=1)
    assert interval.mean == pytest.approx(mean)
    assert interval.low == pytest.approx(mean - half, abs=0.1 * half)
    assert interval.high == pytest.approx(mean + half, abs=0.1 * half)
    assert interval == mean_interval(values, seed=1)
    assert interval != mean_interval(values, seed=2)


def test_a_mean_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing was graded"):
        mean_interval([])


def test_markdown_escapes_bars_and_ends_of_lines() -> None:
    table = Table(("", "x"), (("a|b", "1\n2"),))
    assert to_markdown(table) == "|  | x |\n|---|---|\n| a\\|b | 1 2 |\n"


def test_a_page_is_well_formed_and_loads_nothing(tmp_path: Path) -> None:
    line = svg.Series("reward <r>", ((0, 0.1), (2, 0.9)), ((0, 0.2), (0.8, 1)))
    plot = svg.lines("Learning & more", [line], x="step", y="reward", y_range=(0.0, 1.0))
    sections = [
        Text("One.\n\nTwo <b>."),
        Table(("", "x"), (("r", "1 & 2"),), "Numbers", "A note."),
        Plot(plot, "Seen & noted."),
        Episodes((played("t", None), played("t", 0.25)), "Seen", (("t", "Do <it>."),)),
    ]
    file = tmp_path / "deep" / "report.html"
    write_html(file, "Report <1>", sections)
    page = file.read_text(encoding="utf-8")
    assert not re.search(r"<script|<link|src=|href=|@import|url\(|https?://", page)
    body = re.sub(r"<!doctype html>|<meta[^>]*>", "", page)
    root = ElementTree.fromstring(body)
    shown = "".join(root.itertext())
    for expected in (
        "Two <b>.",
        "1 & 2",
        "& noted",
        "reward <r>",
        "Do <it>.",
        "cat <a & b",
        "reward 0.250",
        "not graded",
    ):
        assert expected in shown
    assert len(list(root.iter("polyline"))) == 1


def test_output_that_no_file_can_hold_is_replaced(tmp_path: Path) -> None:
    step = Step("ls", "a\udc80b\x00c", 0, 0.1)
    one = Trajectory("t", "a", 0, Ending.SUBMITTED, 1.0, (step,))
    write_html(tmp_path / "r.html", "T", [Episodes((one,))])
    assert "a?b" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_row_of_the_wrong_width_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells"):
        Table(("a", "b"), (("1",),))
