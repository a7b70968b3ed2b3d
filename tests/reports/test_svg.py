from pathlib import Path
from xml.etree import ElementTree

import pytest

from tmax_gym.reports import svg

DRAWN = {
    "bars": svg.bars("a <b>", [("x & y", 0.5), ("z", 0.0)], marks=[0.7]),
    "columns": svg.columns("c", [3.0, 1.0], ends=("most", "least"), mark=2),
    "grid": svg.grid("g", ["p", "q"], {("p", "q"): 0.25}),
    "lines": svg.lines("l", [svg.Series("one", ((0, 0), (1, 2)))], x="x", y="y"),
    "means": svg.means("m", [svg.Mean("a <b>", 0.5, (0.4, 0.6)), svg.Mean("none", None)]),
    "empty": svg.lines("l", [], x="x", y="y"),
    "no columns": svg.columns("c", [], ends=("", "")),
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
    root = ElementTree.fromstring(svg.bars("t", [("a", 0.2), ("b", 0.4)], most=1.0))
    boxes = [r for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("fill-opacity")]
    a, b = (float(box.attrib["width"]) for box in boxes)
    assert b == pytest.approx(2 * a, abs=0.02)


def test_points_are_placed_to_scale_and_those_that_are_no_numbers_left_out() -> None:
    nan = float("nan")
    line = svg.Series("l", ((0, 0), (1, 1), (2, nan), (4, 2)), ((0, 0), (0, 2), (0, 1), (1, 2)))
    root = ElementTree.fromstring(svg.lines("t", [line], x="x", y="y"))
    (path,) = root.iter("{http://www.w3.org/2000/svg}polyline")
    (x0, y0), (x1, y1), (x2, y2) = (map(float, p.split(",")) for p in path.attrib["points"].split())
    assert (x1 - x0) * 4 == pytest.approx(x2 - x0, abs=0.1)
    assert (y1 - y0) * 2 == pytest.approx(y2 - y0, abs=0.1)
    assert y2 < y0


def test_a_band_of_another_length_than_its_line_is_refused() -> None:
    with pytest.raises(ValueError, match="'l': a band needs one pair a point"):
        svg.Series("l", ((0, 0), (1, 1)), ((0, 1),))


def test_plots_are_written_by_name(tmp_path: Path):
    svg.write(tmp_path / "deep" / "down", {"one": DRAWN["bars"]})
    assert (tmp_path / "deep" / "down" / "one.svg").read_text() == DRAWN["bars"]
