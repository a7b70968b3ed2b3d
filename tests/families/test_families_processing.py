"""The figures of two data-processing families, each derived a second time."""

from __future__ import annotations

import itertools
import struct
from dataclasses import replace
from typing import Any

import pytest

from tmax_gym.families.data_processing.passage_board import board as texts
from tmax_gym.families.data_processing.passage_board import passages
from tmax_gym.families.data_processing.rollup_drift import _telling, package
from tmax_gym.families.data_processing.rollup_drift import tool as rollup
from tmax_gym.families.data_processing.rollup_drift.package import FAULTS, Fault
from tmax_gym.rng import Rng
from tmax_gym.world.programs.evaluate import run

EVERY = {fault.name for fault in FAULTS}
Sheet = tuple[list[str], int, int]


def printed(sheet: Sheet, faults: tuple[Fault, ...] = ()) -> str:
    """Return the output of the package's own text, "crash" for a line it cannot read."""
    lines, size, limit = sheet
    names: dict[str, Any] = {}
    for name in ("reading", "usage", "window"):
        exec(package.module(name, faults), names)
    window = names["Window"](size, limit)
    try:
        out = [window.add(*u) for u in names["used"](names["accepted"](names["parsed"](lines)))]
    except ValueError:
        return "crash"
    return "\n".join((*out, window.end()))


def sheet(shape: str, number: int) -> Sheet:
    rng = Rng("sheet", shape, number)
    size = rng.integer(4, 9)
    return *rollup.readings(rng, {shape} & EVERY or EVERY, size=size)[:1], size, 150


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_figures_are_those_of_the_package_with_and_without_a_fault(fault: Fault) -> None:
    for number in range(12):
        for given in (sheet(fault.name, number), sheet("mixed", number)):
            assert rollup.figures(*given) == printed(given)
            assert rollup.figures(*given, faults={fault.name}) == printed(given, (fault,))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_hasty_repair_does_not_help(fault: Fault) -> None:
    hasty = replace(fault, wrong=fault.hasty)
    for seed in range(6):
        shapes = [{fault.name}] * 3 + [EVERY] * 3
        hidden = [_telling(Rng(seed, n), shown, {fault.name}) for n, shown in enumerate(shapes)]
        given = [(list(s.lines), s.size, s.limit) for s in hidden]
        assert any(printed(one, (hasty,)) != printed(one) for one in given)


def test_the_old_build_agrees_with_the_package() -> None:
    for number, name in itertools.product(range(8), sorted(EVERY)):
        lines, _, limit = sheet(name, number)
        built = run(rollup.build(limit), ("\n".join(lines) + "\n").encode()).decode()
        assert built.rstrip("\n") == printed((lines, rollup.BUILT, limit))


def test_the_rules_of_the_manual_by_hand() -> None:
    lines = ["# day", "", "100;99990", "160;5", "160;5", "150;7", "220;8 # seen", "1120;9",
             "2021;20", "2100;-", "2160;50", "2220;53"]  # fmt: skip
    assert printed((lines, 2, 18)).split("\n") == [
        "160 15 15 15 15 ok",
        "220 3 18 9 15 ok",
        "1120 1 4 2 3 ok",
        "2021 11 11 11 11 ok",
        "2220 3 3 3 3 ok",
        "end 5 33",
    ]


def test_a_passage_that_comes_twice_counts_once_and_a_withdrawn_one_never() -> None:
    records = ((7, 3, "a"), (8, 1, "b"), (7, 3, "a"), (8, 1, None), (9, 4, "b"))
    feed = passages.Feed(records, ready=2)
    assert feed.passages(all_=False) == ((1, "b"), (3, "a"))
    assert feed.passages(all_=True) == ((3, "a"), (4, "b"))


def test_both_reference_boards_give_the_figures_that_are_expected() -> None:
    kinds = ["a", "b", "c"]
    seen = passages.feed(Rng("feed"), kinds[:2], count=60, parts=("twice", "withdrawn"))
    events = list(seen.passages(all_=True))
    for text in (texts.LISTS, texts.TABLES):
        names: dict[str, Any] = {"KINDS": kinds}
        exec(text, names)
        for low, high in ((0, 40), (17, 17), (events[5][0], events[40][0])):
            wanted = passages.counts(events, kinds, start=low, end=high)
            assert names["counts"](events, low, high) == wanted
        for size in (1, 7, 50):
            assert names["busiest"](events, size) == passages.busiest(events, size)
            assert names["series"](events, size) == passages.series(events, size)


@pytest.mark.parametrize("lanes", [1, 2])
def test_the_film_shows_the_passages_that_are_said_of_it(lanes: int) -> None:
    """A pixel turns from dark to bright when an item passes; read here without the reference."""
    levels = {"a": 90, "b": 150, "c": 210}
    data, passed, line = passages.film(Rng("film", lanes), levels, frames=150, lanes=lanes)
    start, size = data.index(b"movi") + 4, passages.WIDTH * passages.LANE * lanes
    assert struct.unpack_from("<I", data, start + 4) == (size,)
    seen = []
    for lane in range(lanes):
        at = (lanes * passages.LANE - 1 - lane * passages.LANE - 2) * passages.WIDTH + line
        column = [data[start + 8 + n * (size + 8) + at] for n in range(150)]
        for tick, (before, now) in enumerate(itertools.pairwise([0, *column])):
            if before < 60 <= now:
                seen.append((tick, min(levels, key=lambda k: abs(levels[k] - now))))
    assert sorted(seen) == list(passed)
    assert len(passed) > 5
