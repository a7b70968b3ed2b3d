"""The drifting-sums family: routines against exact values, slips that show, tools that build."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import pytest

from tmax_gym.axes import Language
from tmax_gym.families.debugging.drifting_sums import answers
from tmax_gym.families.debugging.drifting_sums.exact import exact
from tmax_gym.families.debugging.drifting_sums.faults import EASY, HARD, SLIPS, Slip, request
from tmax_gym.rng import Rng
from tmax_gym.world import toolchains

KNOWN = {
    "total 4e15 2.5 -4e15": 2.5,
    "spread 1 2 3 4": 5 / 3,
    "slope 0 1 1 3 2 5": 2.0,
    "near_root 4 3": -1.0,
    "sag 5 8": 2.0,
    "norm 3e200 4e200": 5e200,
    "geomean 2 8": 4.0,
    "growth 0.1 2": 0.21,
    "cuberoot -27": -3.0,
    # Gauss's constant is 1 over this one.
    "agm 1 1.4142135623730950488": 1.19814023473559220744,
    "payback -100 60 60": (3 + math.sqrt(69)) / 10 - 1,
    "artanh 0.5": math.log(3) / 2,
    "leading 2 1 2": 3.0,
    "simpson 1 0 1 4": 8 / 3,
    "area 0 0 2 0 2 3 0 3": 6.0,
    "instalment 100 0.1 1": 110.0,
    "weighted 1 1 4 2": 3.0,
    "points 0 1 0.1": 11.0,
    "matches 0.3 0.1 3 0.2 1.5 1 1": 2.0,
    "squares 3 4": 25.0,
}


def test_exact_values_are_those_worked_out_by_hand() -> None:
    assert {line.partition(" ")[0] for line in KNOWN} == set(EASY)
    for line, value in KNOWN.items():
        assert float(exact(line)) == pytest.approx(value, rel=1e-14), line


@pytest.mark.parametrize("figure", sorted(EASY))
def test_a_sound_routine_is_far_better_than_what_is_asked_for(figure: str) -> None:
    for number in range(40):
        line = request(figure, Rng("sound", figure, number), hard=number % 2 == 0)
        wanted = float(exact(line))
        assert abs(answers.answer(line) - wanted) <= 1e-10 * abs(wanted), line


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip.figure}-{slip.wrong[:20]}")
def test_every_slip_shows(slip: Slip) -> None:
    question = answers.asked(Rng("shows"), slip.figure, slip, spoilt=True)
    assert question is not None
    assert not question.met(f"{answers.answer(question.line, slip):.12e}")


@pytest.mark.parametrize("language", ["c", "cpp", "go", "rust", "python"])
def test_every_language_answers_alike(language: Language, tmp_path: Path) -> None:
    source = tmp_path / f"tool.{toolchains.SUFFIX[language]}"
    source.write_text(answers.program(language, sorted(HARD), (), about="All figures"))
    words = toolchains.build(language, str(source), str(tmp_path / "tool"))
    if words and shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    if words:
        subprocess.run(words, check=True, capture_output=True)
    lines = [
        request(name, Rng("alike", name, n), hard=n > 0) for name in sorted(HARD) for n in (0, 1)
    ]
    run = subprocess.run(
        toolchains.start(language, str(source), str(tmp_path / "tool")),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for line, answer in zip(lines, run.stdout.split(), strict=True):
        assert float(answer) == pytest.approx(float(exact(line)), rel=1e-10), line
