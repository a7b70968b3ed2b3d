from pathlib import Path
from xml.etree import ElementTree

import pytest

from tmax_gym.analysis import plots

DRAWN = {
    "bars": plots.bars("a <b>", [("x & y", 0.5), ("z", 0.0)], marks=[0.7]),
    "columns": plots.columns("c", [3.0, 1.0], ends=("most", "least"), mark=2),
    "grid": plots.grid("g", ["p", "q"], {("p", "q"): 0.25}),
    "lines": plots.lines("l", [("one", [(0, 0), (1, 2)])], x="x", y="y"),
    "empty": plots.lines("l", [], x="x", y="y"),
    "no columns": plots.columns("c", [], ends=("", "")),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_plot_is_well_formed_and_stays_within_its_frame(name: str):
    root = ElementTree.fromstring(DRAWN[name])
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y = float(box.get("x", "0")), float(box.get("y", "0"))
        assert 0 <= x <= x + float(box.attrib["width"]) <= width + 0.5
        assert 0 <= y <= y + float(box.attrib["height"]) <= height + 0.5


def test_bars_are_as_long_as_their_values():
    root = ElementTree.fromstring(plots.bars("t", [("a", 0.2), ("b", 0.4)], most=1.0))
    boxes = [r for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("fill-opacity")]
    a, b = (float(box.attrib["width"]) for box in boxes)
    assert b == pytest.approx(2 * a, abs=0.02)


def test_plots_are_written_by_name(tmp_path: Path):
    plots.write(tmp_path / "deep" / "down", {"one": DRAWN["bars"]})
    assert (tmp_path / "deep" / "down" / "one.svg").read_text() == DRAWN["bars"]
